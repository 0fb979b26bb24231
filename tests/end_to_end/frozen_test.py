"""A process of the cluster is stopped and continued: timeouts of the roles detect it, not the connection."""

import unittest

from loss_case import LossCase


class Frozen(LossCase):
    def test_a_client_that_was_stopped_completes_its_job(self):
        done = self.folder / "done"
        client = self.start("run", "--master", "local-cluster[1,1,512]", "--", "sh", "-c", f"sleep 14; touch {done}; echo ended")
        self.wait_for(lambda: self.processes("^sleep 14"), 10, "the task runs")
        self.freeze(client.pid)
        self.wait_for(done.exists, 20, "the task has ended")
        self.go_on(client.pid)
        out, stderr = client.communicate(timeout=20)
        self.assertEqual((client.returncode, out), (0, "ended\n"), stderr)

    def test_an_executor_that_is_silent_for_the_timeout_is_replaced(self):
        expected = self.write_words()
        wait = f"until [ -e {self.folder}/go ]; do sleep 0.05; done;"
        client = self.start("run", "--master", "local-cluster[1,1,512]", "--set", "heddle.driver.executor_timeout=14s", "--set",
                            "heddle.executor.heartbeat_interval=1s", self.write_job(wait, ""))
        self.wait_for(lambda: self.processes("until"), 10, "a task runs")
        frozen = self.the("executor")
        self.assertEqual(len(frozen), 1)
        self.freeze(frozen[0])
        self.wait_for(lambda: self.processes("heddle-role executor ") not in ([], frozen), 40, "another executor runs")
        self.assertNotIn(frozen[0], self.the("executor"))
        (self.folder / "go").touch()
        _, stderr = client.communicate(timeout=30)
        self.assertEqual(client.returncode, 0, stderr)
        self.assertEqual(self.counted(), expected)
        self.assert_all_gone()


if __name__ == "__main__":
    unittest.main()
