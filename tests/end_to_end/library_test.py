"""Goal: a C++ program runs its functions in executor processes of its own program; a function that throws or crashes is reported.
Method: runs task_program on local-cluster; counts its processes by the output of its functions.
"""

import json
import os
import pathlib
import subprocess
import unittest

from heddle_case import CLUSTER, HeddleCase

PROGRAM = os.environ["TASK_PROGRAM"]
DUPLICATE = os.environ["DUPLICATE_PROGRAM"]


class Library(HeddleCase):
    def run_program(self, *words, program=PROGRAM, seconds=60):
        done = subprocess.run([program, *words], cwd=self.folder, env=self.environment, capture_output=True, text=True, timeout=seconds,
                              check=False)
        self.assertEqual(done.stdout.count("main of"), 1, "no role runs what comes after the session in main")
        return done

    def lines(self, folder):
        return sorted(line for part in pathlib.Path(folder).glob("part-*") for line in part.read_text().splitlines())

    def test_functions_run_in_executors_of_the_same_program(self):
        done = self.run_program("--master", CLUSTER, "say_process", "out")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        processes = self.lines(self.folder / "out")
        self.assertEqual(len(processes), 4)
        self.assertNotIn(done.stdout.split()[2], processes)
        self.assert_all_gone()

    def test_the_driver_can_run_in_the_master_container(self):
        done = self.run_program("--master", CLUSTER, "--deploy-mode", "cluster", "say_process", "out")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(len(self.lines(self.folder / "out")), 4)
        self.assertEqual(list(self.state.rglob("application_master.jsonl")), [])
        self.assert_all_gone()

    def test_jobs_of_one_session_run_at_the_same_time(self):
        for number, words in enumerate((("--master", "local[2]"), ("--master", CLUSTER), ("--master", CLUSTER, "--deploy-mode", "cluster"))):
            with self.subTest(words=words):
                meeting = self.folder / f"meeting{number}"
                meeting.mkdir()
                done = self.run_program(*words, "say_together", str(meeting))
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertEqual(done.stdout.splitlines()[1:], ["first", "second"])
        self.assert_all_gone()

    def test_files_of_a_shuffle_are_removed_after_its_job(self):
        for words in (("--master", "local[2]"), ("--master", CLUSTER)):
            with self.subTest(words=words):
                done = self.run_program(*words, "shuffles", str(self.folder / "temporary"))
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertEqual(done.stdout.splitlines()[1:], ["left 0"] * 3)
        self.assert_all_gone()

    def test_a_function_that_throws_on_a_cluster_fails_the_job_with_its_text(self):
        done = self.run_program("--master", CLUSTER, "--set", "heddle.task.max_failures=2", "throw_always")
        self.assertEqual(done.returncode, 1)
        self.assertIn("error failed: stage 'throw_always': task ", done.stdout)
        self.assertIn("no two snowflakes are alike", done.stdout)
        self.assert_all_gone()

    def test_a_function_that_crashes_loses_its_executor_and_is_retried(self):
        mark = self.folder / "mark"
        pathlib.Path(f"{mark}.input").write_text(f"{mark}\n")
        done = self.run_program("--master", CLUSTER, "crash_once", str(mark))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(self.lines(f"{mark}.out"), ["survived"])
        self.assertIn("notice: ", done.stdout)
        self.assertIn("signal 11", done.stdout)
        self.assert_all_gone()

    def test_a_function_that_always_crashes_fails_the_job_with_the_signal(self):
        done = self.run_program("--master", CLUSTER, "--set", "heddle.task.max_failures=2", "crash_always")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("error failed: ", done.stdout)
        self.assertIn("signal 11", done.stdout)
        self.assert_all_gone()

    def test_a_function_that_crashes_in_local_mode_ends_the_program(self):
        done = subprocess.run([PROGRAM, "--master", "local[1]", "crash_always"], cwd=self.folder, env=self.environment,
                              capture_output=True, text=True, timeout=20, check=False)
        self.assertEqual(done.returncode, -11)
        self.assert_all_gone()
        [application] = self.state.glob("heddle/application_*")
        self.assertEqual(sorted(path.name for path in application.iterdir()), ["OWNER", "events.jsonl"])
        for line in (application / "events.jsonl").read_text().splitlines():
            json.loads(line)  # events of the last moments are lost, none is cut
        # In local mode, a program that is not heddle itself has no watch process: the next session removes the working folder.
        self.assertEqual(len(list((self.folder / "temporary").iterdir())), 1)
        self.assertEqual(self.run_heddle("run", "--master", "local[1]", "--", "true").returncode, 0)
        self.assertEqual(list((self.folder / "temporary").iterdir()), [])
        self.assertTrue((application / "events.jsonl").exists(), "the log is kept")

    def test_two_functions_with_one_name_are_refused_when_the_session_opens(self):
        done = self.run_program("--master", CLUSTER, "say_process", "out", program=DUPLICATE)
        self.assertEqual(done.returncode, 1)
        self.assertIn("error usage: two task functions are named say_process", done.stdout)
        self.assertFalse(list(self.state.glob("heddle/*")), "nothing was started")

    def test_an_unknown_function_is_refused_before_any_task_runs(self):
        done = self.run_program("--master", "local[1]", "say_proces", "out")
        self.assertEqual(done.returncode, 1)
        self.assertIn('error not_found: stage \'say_proces\': this program has no task function named say_proces; '
                      'did you mean "say_process"?', done.stdout.replace("not found", "not_found"))


if __name__ == "__main__":
    unittest.main()
