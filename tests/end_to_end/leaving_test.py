"""Nothing of a local cluster outlives its client, however the client ends."""

import signal
import subprocess
import unittest

from heddle_case import CLUSTER, HeddleCase


class Leaving(HeddleCase):
    def start_sleeping_job(self):
        client = self.start("run", "--master", CLUSTER, "--tasks", "4", "--", "sleep", "61")
        self.wait_for(lambda: self.processes(r"^sleep 61 "), 10, "a task runs")
        return client

    def test_nothing_remains_after_a_job(self):
        self.assertEqual(self.run_heddle("run", "--master", CLUSTER, "--", "true").returncode, 0)
        self.assert_all_gone()
        self.assertEqual(list((self.folder / "temporary").iterdir()), [])

    def test_nothing_remains_after_an_interrupt(self):
        client = self.start_sleeping_job()
        client.send_signal(signal.SIGINT)
        self.assertEqual(client.wait(timeout=10), 7)
        self.assert_all_gone()
        self.assertEqual(list((self.folder / "temporary").iterdir()), [])

    def test_nothing_remains_after_the_client_was_killed(self):
        client = self.start_sleeping_job()
        client.kill()
        client.wait()
        self.assert_all_gone()
        self.assertEqual(list((self.folder / "temporary").iterdir()), [])

    def test_nothing_remains_after_a_local_client_was_killed(self):
        client = self.start("run", "--master", "local[2]", "--tasks", "2", "--", "sh", "-c", "setsid -f sleep 62; sleep 61")
        self.wait_for(lambda: len(self.processes(r"^sleep 6[12] ")) == 4, 10, "all tasks run")
        client.kill()
        client.wait()
        self.assert_all_gone()
        self.assertEqual(list((self.folder / "temporary").iterdir()), [])

    def test_what_hides_from_its_task_goes_with_the_session(self):
        done = self.run_heddle("run", "--master", "local[1]", "--", "env", "-i", "setsid", "-f", "sleep", "63.25")
        self.assertEqual(done.returncode, 0, done.stderr)
        hidden = subprocess.run(["pgrep", "-x", "-f", "sleep 63.25"], capture_output=True, text=True, check=False).stdout.split()
        self.assertEqual(hidden, [])


if __name__ == "__main__":
    unittest.main()
