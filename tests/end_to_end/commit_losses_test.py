"""The Driver's process is killed during a job's commit, in cluster mode: the next application attempt ends the commit, or runs the job anew.

Method: before the tasks end, the test puts further files beside their part files. A pipe stops the commit before its decision, where it opens
and syncs each file; many files make the moves and the removal after the decision long enough to stop the process between two of them."""

import ctypes
import os
import pathlib
import re
import select
import shutil
import signal
import unittest

from heddle_case import CLUSTER
from loss_case import LossCase

MANY = 20_000
IN_OPEN = 0x20  # of inotify
TRIES = 5  # the process may pass the wanted state before it is stopped


class CommitLosses(LossCase):
    def setUp(self):
        super().setUp()
        self.output = self.folder / "out"
        self.temporary = self.output / "_temporary"
        self.job = self.folder / "job.toml"

    def start_job(self):
        """Starts a job with two tasks that wait for the file `go`; returns the client when both have an open output file."""
        go = self.folder / "go"
        go.unlink(missing_ok=True)
        self.job.write_text(f'''name = "numbers"

[[stage]]
name = "one"
tasks = 2
command = ["sh", "-c", "until [ -e {go} ]; do sleep 0.05; done; echo $HEDDLE_TASK_INDEX"]
output = {{ text = "{self.output}" }}
''')
        client = self.start("run", "--master", CLUSTER, "--deploy-mode", "cluster", str(self.job))
        self.wait_for(lambda: len(self.parts()) == 2 or client.poll() is not None, 15, "both tasks run")
        self.assertIsNone(client.poll())
        return client

    def parts(self):
        return sorted(self.temporary.glob("1/_temporary/*/part-*"))

    def end_tasks(self):
        (self.folder / "go").touch()

    def add_files(self, folder):
        """Many files of the content "x"."""
        folder.mkdir(parents=True, exist_ok=True)
        first = folder / "file-00000"
        first.write_text("x")
        for number in range(1, MANY):
            os.link(first, folder / f"file-{number:05}")

    def watch_open(self, paths):
        """Returns a descriptor that can be read once one of the files is opened."""
        libc = ctypes.CDLL(None)
        watch = libc.inotify_init1(os.O_CLOEXEC)
        self.assertGreaterEqual(watch, 0)
        self.addCleanup(os.close, watch)
        for path in paths:
            self.assertGreaterEqual(libc.inotify_add_watch(watch, os.fsencode(path), IN_OPEN), 0)
        return watch

    def is_stopped(self, process):
        states = [re.search(r"^State:\s+(\w)", path.read_text(), re.MULTILINE).group(1) for path in pathlib.Path(f"/proc/{process}/task").glob("*/status")]
        return all(state == "T" for state in states)

    def stop_while(self, master, is_wanted, is_past):
        """Stops the process while the state is the wanted one; false if it passed it."""
        while not is_wanted():
            if is_past():
                return False
        os.kill(master, signal.SIGSTOP)
        self.wait_for(lambda: self.is_stopped(master), 10, "every thread is stopped")
        if is_wanted():
            return True
        os.kill(master, signal.SIGCONT)
        return False

    def check_end(self, client, further=()):
        _, stderr = client.communicate(timeout=60)
        self.assertEqual(client.returncode, 0, stderr)
        self.assertRegex(stderr, r"attempt 1 .* ended: .*killed by signal 9.*; attempt 2 starts")
        self.assertIn("numbers done in", stderr)
        self.assertEqual(sorted(os.listdir(self.output)), sorted(["_SUCCESS", "part-00000", "part-00001", *further]))
        self.assertEqual([(self.output / f"part-0000{index}").read_text() for index in (0, 1)], ["0\n", "1\n"])
        self.assertEqual({(self.output / name).read_text() for name in further}, {"x"} if further else set())
        self.assert_all_gone()
        self.assertEqual(list((self.folder / "temporary").iterdir()), [])
        return stderr

    def lose_during(self, fill, is_wanted, is_past):
        """Kills the Driver's process in the wanted state; returns the client."""
        for _ in range(TRIES):
            client = self.start_job()
            fill()
            master = self.master()
            self.end_tasks()
            if self.stop_while(master, is_wanted, is_past):
                os.kill(master, signal.SIGKILL)
                return client
            self.assertEqual(client.wait(timeout=60), 0)
            shutil.rmtree(self.output)
        self.fail(f"the commit was over in each of {TRIES} tries")

    def test_killed_before_the_decision_the_job_runs_anew(self):
        client = self.start_job()
        parts = self.parts()
        for part in parts:
            os.mkfifo(part.with_name("pipe"))  # opened after the part file, by name
        opened = self.watch_open(parts)
        self.end_tasks()
        self.assertTrue(select.select([opened], [], [], 15)[0], "the commit opens a part file")
        self.assertFalse((self.temporary / "COMMIT").exists())
        os.kill(self.master(), signal.SIGKILL)
        self.check_end(client)

    def test_killed_between_two_moves_the_next_attempt_moves_the_rest(self):
        def is_wanted():
            return (self.output / "file-00000").exists() and not (self.output / "_SUCCESS").exists()

        client = self.lose_during(lambda: self.add_files(self.parts()[0].parent), is_wanted, (self.output / "_SUCCESS").exists)
        self.check_end(client, [f"file-{number:05}" for number in range(MANY)])

    def test_killed_while_working_files_are_removed_the_next_attempt_removes_the_rest(self):
        def is_wanted():
            return (self.output / "_SUCCESS").exists() and self.temporary.exists()

        def is_past():
            return (self.output / "_SUCCESS").exists() and not self.temporary.exists()

        client = self.lose_during(lambda: self.add_files(self.temporary / "1" / "unused"), is_wanted, is_past)
        self.check_end(client)


if __name__ == "__main__":
    unittest.main()
