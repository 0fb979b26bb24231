"""The Driver's process is killed during a job's commit, in cluster mode: the next application attempt ends the commit, or runs the job anew.

Method: before the tasks end, the test puts further files beside their part files. A pipe stops the commit before its decision, where it opens
and syncs each file; many files make the moves and the removal after the decision long enough to stop the process between two of them."""

import os
import select
import signal
import unittest

from commit_loss_case import MANY, CommitLossCase
from heddle_case import CLUSTER


class CommitLosses(CommitLossCase):
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
