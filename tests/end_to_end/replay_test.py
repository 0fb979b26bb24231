"""The logs of complete runs in real processes have all inputs of the deciders: heddle-replay gets the same effects."""

import json
import os
import pathlib
import signal
import subprocess
import unittest

from heddle_case import CLUSTER, HEDDLE, HeddleCase

REPLAY = pathlib.Path(HEDDLE).with_name("heddle-replay")


class Replay(HeddleCase):
    def assert_replays(self, logs):
        [folder] = (self.state / "heddle").iterdir()
        done = subprocess.run([REPLAY, folder], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(done.stdout.count(", 0 decided otherwise"), logs, done.stdout)
        return folder

    def test_a_local_run_replays(self):
        self.write_words()
        self.assertEqual(self.run_heddle("run", "--master", "local[2]", self.write_job()).returncode, 0)
        folder = self.assert_replays(logs=1)
        lines = [json.loads(line) for line in (folder / "events.jsonl").read_text().splitlines()]
        self.assertEqual(lines[0]["event"], "settings")
        self.assertEqual(lines[-1]["event"], "log_closed")
        self.assertEqual((lines[-1]["jobs"], lines[-1]["tasks"], lines[-1]["failed_attempts"]), (1, 7, 0))

    def test_a_run_on_a_cluster_replays(self):
        expected = self.write_words()
        self.assertEqual(self.run_heddle("run", "--master", CLUSTER, self.write_job(split="sleep 0.1;")).returncode, 0)
        self.assertEqual(self.counted(), expected)
        self.assert_all_gone()
        folder = self.assert_replays(logs=3)
        # The processes of containers exit after the end of the application, or are killed, whichever is first.
        logs = sorted(log for log in folder.glob("*.jsonl") if not log.name.startswith(("application_master.", "executor.")))
        self.assertEqual(len(logs), 4)
        for log in logs:
            lines = [json.loads(line) for line in log.read_text().splitlines()]
            self.assertEqual(lines[-1]["event"], "log_closed", log)
            self.assertEqual(lines[-1]["lines"], len(lines), log)
        self.assert_logs_of_executors(folder)

    def assert_logs_of_executors(self, folder):
        """Each executor that ran a task has a log of its own, with its registration after the settings."""
        driver = [json.loads(line) for line in (folder / "events.jsonl").read_text().splitlines()]
        numbers = {line["executor"] for line in driver if line["event"] == "tasks_launched"}
        self.assertTrue(numbers, driver)
        for number in numbers:
            lines = [json.loads(line) for line in (folder / f"executor.{number}.jsonl").read_text().splitlines()]
            self.assertEqual([line["event"] for line in lines[:2]], ["settings", "executor_begins"])
            self.assertEqual(lines[1]["executor"], number)

    def test_offers_of_several_executors_are_shuffled(self):
        self.write_words()
        all_first = ("--set", "heddle.scheduler.min_registered_ratio=1")  # so that a round has both executors
        self.assertEqual(self.run_heddle("run", "--master", CLUSTER, *all_first, self.write_job()).returncode, 0)
        folder = self.assert_replays(logs=3)
        lines = [json.loads(line) for line in (folder / "events.jsonl").read_text().splitlines()]
        rounds = [line for line in lines if line["event"] == "task_scheduler_offers" and len(line["executors"]) > 1]
        self.assertTrue(rounds)
        self.assertTrue(all("random" in line for line in rounds), rounds)

    def test_a_run_that_lost_an_executor_replays(self):
        expected = self.write_words()
        client = self.start("run", "--master", CLUSTER, self.write_job(split="sleep 0.3;"))
        executors = self.wait_for(lambda: self.processes(r"heddle-role executor"), 10, "an executor runs")
        self.wait_for(lambda: self.processes(r"^sleep 0.3"), 10, "a task runs")
        os.kill(executors[0], signal.SIGKILL)
        self.assertEqual(client.wait(timeout=60), 0)
        self.assertEqual(self.counted(), expected)
        self.assert_all_gone()
        folder = self.assert_replays(logs=3)
        self.assertIn("task_scheduler_executor_lost", (folder / "events.jsonl").read_text())


if __name__ == "__main__":
    unittest.main()
