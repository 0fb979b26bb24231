"""The JobTracker of `heddle mapreduce --framework classic` is killed: jobs fail with a sentence, or run anew, once."""

import os
import re
import signal
import unittest

from heddle_case import CLUSTER, HeddleCase
from map_reduce_case import COMMITTED, MapReduceRuns

MANY = 2_000  # files; the commit syncs each of them
RECOVER = ("-D", "mapred.jobtracker.restart.recover=true")


class ClassicRecovery(MapReduceRuns, HeddleCase):
    framework = "classic"

    def job_tracker(self, *others):
        """The JobTracker that runs, beside those that were lost."""
        return self.wait_for(lambda: [process for process in self.processes("heddle-role job-tracker ") if process not in others], 15,
                             "a JobTracker runs")[0]

    def kill_job_tracker(self):
        """Returns once the next JobTracker runs."""
        lost = self.job_tracker()
        os.kill(lost, signal.SIGKILL)
        return self.job_tracker(lost)

    def events_of_attempt(self, attempt):
        name = "events.jsonl" if attempt == 1 else f"events.attempt-{attempt}.jsonl"
        return [line for path in self.state.rglob(name) for line in path.read_text().splitlines()]

    def gated(self, name, command):
        """Path of a script that leaves a file named by its process, and runs the command once the file `go-NAME` exists."""
        script = self.folder / f"{name}.sh"
        script.write_text(f"#!/bin/sh\ntouch {self.folder}/{name}-$$\nuntil [ -e {self.folder}/go-{name} ]; do sleep 0.05; done\n{command}\n")
        script.chmod(0o755)
        return str(script)

    def start_gated_job(self, *more):
        self.write_words()
        return self.start("mapreduce", "--framework", "classic", "--master", CLUSTER, "-input", "text", "-output", "out", "-mapper",
                          self.gated("map", "tr -s ' ' '\\n'"), "-reducer", self.gated("reduce", "uniq -c"), "-numReduceTasks", "2", *more)

    def wait_for_attempts(self, name):
        self.wait_for(lambda: list(self.folder.glob(f"{name}-[0-9]*")), 15, f"a {name} runs")

    def go(self, *names):
        for name in names:
            (self.folder / f"go-{name}").touch()

    def assert_counts_words(self, client):
        _, stderr = client.communicate(timeout=40)
        self.assertEqual(client.returncode, 0, stderr)
        self.assert_nothing_is_left()
        found = {path.name: path.read_text() for path in (self.folder / "out").iterdir()}
        done = self.run_heddle("mapreduce", "--framework", "driver", "--master", CLUSTER, "-input", "text", "-output", "expected", "-mapper",
                               "tr -s ' ' '\\n'", "-reducer", "uniq -c", "-numReduceTasks", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(found, {path.name: path.read_text() for path in (self.folder / "expected").iterdir()})
        return stderr

    def test_a_running_job_runs_anew_under_the_next_job_tracker(self):
        client = self.start_gated_job(*RECOVER)
        self.wait_for_attempts("map")
        self.kill_job_tracker()
        self.wait_for(lambda: any('_m_0_1000"' in line for line in self.events_of_attempt(2)), 15, "an attempt with a number above 1000 runs")
        self.go("map", "reduce")
        stderr = self.assert_counts_words(client)
        self.assertIn("the JobTracker was lost; its jobs run anew when it has started again", stderr)

    def test_a_job_survives_several_lost_job_trackers(self):
        client = self.start_gated_job(*RECOVER)
        self.wait_for_attempts("map")
        for _ in range(2):
            self.kill_job_tracker()
        self.go("map", "reduce")
        self.assert_counts_words(client)

    def test_without_recovery_the_job_fails_with_one_sentence(self):
        client = self.start_gated_job()
        self.wait_for_attempts("map")
        os.kill(self.job_tracker(), signal.SIGKILL)
        self.assertIn("the JobTracker was lost, and its jobs with it", self.assert_ends_without_output(client, 1))

    def test_an_unreadable_submission_fails_with_its_reason(self):
        client = self.start_gated_job(*RECOVER)
        self.wait_for_attempts("map")
        (submission,) = (self.folder / "temporary").glob("heddle-*/job_tracker/job-*.submission")
        submission.write_bytes(submission.read_bytes()[:-1])
        os.kill(self.job_tracker(), signal.SIGKILL)
        _, stderr = client.communicate(timeout=30)
        self.assertEqual(client.returncode, 1, stderr)
        self.assertIn("the job cannot run anew after the loss of its JobTracker", stderr)
        self.assertIn("the job submission is damaged", stderr)
        self.assert_nothing_is_left()

    def test_reduces_of_a_lost_job_tracker_run_anew_with_their_maps(self):
        client = self.start_gated_job(*RECOVER)
        self.go("map")
        self.wait_for_attempts("reduce")
        self.kill_job_tracker()
        self.go("reduce")
        self.assert_counts_words(client)

    def test_a_commit_that_was_decided_is_completed_once(self):
        """The part files of the maps get company, so that the moves of the commit take long enough."""
        text = self.write_input()
        client = self.start(*self.words(*RECOVER, mapper=self.gated("map", "cat")))
        parts = self.wait_for(lambda: list((self.folder / "out").glob("_temporary/1/_temporary/*/part-*")), 15, "a map writes its part file")
        first = parts[0].with_name("file-00000")
        first.write_text("x")
        for number in range(1, MANY):
            os.link(first, first.with_name(f"file-{number:05}"))
        tracker = self.job_tracker()
        self.go("map")
        self.wait_for(lambda: (self.folder / "out" / "file-00000").exists(), 60, "the commit moves files")
        os.kill(tracker, signal.SIGKILL)
        _, stderr = client.communicate(timeout=60)
        self.assertEqual(client.returncode, 0, stderr)
        expected = {f"file-{number:05}" for number in range(MANY)} | {"part-00000", COMMITTED}
        self.assertEqual(set(os.listdir(self.folder / "out")), expected)
        self.assertEqual((self.folder / "out" / "part-00000").read_text(), text.replace("\n", "\t\n"))
        self.assert_nothing_is_left()

    def test_the_history_of_a_recovered_job_is_one_whole_job(self):
        client = self.start_gated_job(*RECOVER)
        self.wait_for_attempts("map")
        self.kill_job_tracker()
        self.go("map", "reduce")
        self.assert_counts_words(client)
        (history,) = [path for path in self.state.rglob("history/job_*") if not path.name.endswith("_conf.xml")]
        lines = history.read_text().splitlines()
        self.assertEqual(lines[0], 'Meta VERSION="1" .')
        self.assertEqual(sum(line.startswith("Job ") and 'JOBNAME="' in line for line in lines), 1)
        self.assertIn('JOB_STATUS="SUCCESS"', lines[-1])
        starts = [line for line in lines if line.startswith(("MapAttempt", "ReduceAttempt")) and "START_TIME" in line]
        self.assertTrue(starts and all(re.search(r'TASK_ATTEMPT_ID="attempt_\d+_0001_[mr]_\d{6}_100\d"', line) for line in starts), lines)

    def run_two_applications(self, *words):
        """The JobTracker is lost while the first job runs; the second one comes later. Returns their outcomes and the messages."""
        (self.folder / "first.toml").write_text(f'name = "first"\n[[stage]]\nname = "wait"\ntasks = 1\ncommand = ["{self.gated("map", "echo x")}"]\n'
                                                f'output = {{ text = "{self.folder}/out" }}\n')
        (self.folder / "second.toml").write_text('name = "second"\n[[stage]]\nname = "end"\ntasks = 1\ncommand = ["true"]\n')
        (self.folder / "two.toml").write_text('framework = "classic"\n[[host]]\nname = "a"\nmap_slots = 1\n'
                                              '[[application]]\nname = "first"\njob = "first.toml"\n'
                                              '[[application]]\nname = "second"\nsubmit_at = "3s"\njob = "second.toml"\n')
        client = self.start("run", "--topology", "two.toml", *words)
        self.wait_for_attempts("map")
        self.kill_job_tracker()
        self.go("map")
        stdout, stderr = client.communicate(timeout=40)
        self.assert_nothing_is_left()
        return {name: line.split()[-1] for line in stdout.splitlines() for name in ("first", "second") if line.startswith(name)}, stdout + stderr

    def test_later_jobs_run_under_the_next_job_tracker_without_recovery_too(self):
        outcomes, texts = self.run_two_applications()
        self.assertEqual(outcomes, {"first": "failed", "second": "succeeded"}, texts)
        self.assertFalse((self.folder / "out").exists())
        self.assertIn("the JobTracker was lost, and its jobs with it", texts)

    def test_all_jobs_of_a_topology_survive_with_recovery(self):
        outcomes, texts = self.run_two_applications("--set", "heddle.job_tracker.recover=true")
        self.assertEqual(outcomes, {"first": "succeeded", "second": "succeeded"}, texts)
        self.assertEqual(self.output(), {"part-00000": "x\n", COMMITTED: ""})


if __name__ == "__main__":
    unittest.main()
