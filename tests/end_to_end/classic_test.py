"""`heddle mapreduce --framework classic`: JobTracker, TaskTrackers and task children are real processes, and end with the job."""

import os
import shutil
import signal
import unittest

from heddle_case import CLUSTER, HeddleCase
from map_reduce_case import COMMITTED, MapReduceTests


class Classic(MapReduceTests, HeddleCase):
    framework = "classic"
    role_of_nodes = "task-tracker"
    roles = ("job-tracker", "task-tracker", "task-child")
    roles_of_others = "resource-manager|node-manager|application-master|executor"

    def counters_of_failed_attempts(self):
        """In the event log of the JobTracker: lines of Hadoop 1.2 have no key for them."""
        ends = [event["counters"] for event in self.events() if event["event"] == "classic_attempt_ended"]
        return [{name.split("\t")[1]: int(value) for name, value in (text.split("=") for text in counters)} for counters in ends]

    def test_one_file_is_committed_through_real_processes(self):
        done = self.copy_one_file()
        self.assertIn("streamjob done in", done.stderr)
        self.assertIn(str(self.state), done.stderr)  # the path of the event log
        self.assertTrue(list(self.state.rglob("task_tracker.node-1.children/*/stderr")))
        self.assertIn("settings", [event["event"] for event in self.events()])

    def test_a_local_cluster_of_two_trackers_is_the_default(self):
        client = self.start_sleeping_job(master="")
        self.assertEqual(len(self.processes("heddle-role task-tracker ")), 2)
        client.send_signal(signal.SIGINT)
        client.communicate(timeout=15)
        self.assert_nothing_is_left()

    def test_an_interrupt_ends_a_job_with_a_stopped_process(self):
        """The process is stopped as soon as it starts, so the client waits for it while it opens the session, or while the job runs."""
        self.write_input()
        for role in self.roles:
            with self.subTest(role=role):
                client = self.start(*self.words(mapper="sh -c 'sleep 61'"))
                self.stop_next(role)
                client.send_signal(signal.SIGINT)
                self.assert_ends_without_output(client, 7)

    def test_the_loss_of_the_job_tracker_ends_the_job_with_one_sentence(self):
        client = self.start_sleeping_job()
        os.kill(self.processes("heddle-role job-tracker ")[0], signal.SIGKILL)
        self.assertIn("the JobTracker was lost, and its jobs with it", self.assert_ends_without_output(client, 1))

    def test_maps_of_a_killed_tracker_run_on_another(self):
        client, text = self.start_job_that_hangs_once(CLUSTER)
        parent = self.parent_of(self.processes("heddle-role task-child ")[0])
        self.assertIn(parent, self.processes("heddle-role task-tracker "))
        os.kill(parent, signal.SIGKILL)
        self.assert_copies(client, text)

    def wait_for_event(self, *words):
        self.wait_for(lambda: any(all(word in line for word in words) for log in self.state.rglob("events.jsonl")
                                  for line in log.read_text().splitlines()), 20, " ".join(words))

    def test_a_finished_map_of_a_killed_tracker_stays_finished_without_reduces(self):
        """JS-6: its output is that of the job. One map ends at once on one TaskTracker, the other one waits for the file `go`."""
        text = self.write_input()
        (self.folder / "more.txt").write_text("sugar is sweet\n")
        script = self.folder / "map.sh"
        script.write_text(f"#!/bin/sh\necho $mapreduce_map_input_file $(sed 's/.*) . //; s/ .*//' /proc/$PPID/stat) >> {self.folder}/runs\n"
                          f"case $mapreduce_map_input_file in *more.txt) until [ -e {self.folder}/go ]; do sleep 0.05; done;; esac\ncat\n")
        script.chmod(0o755)
        client = self.start(*self.words("-input", "more.txt", "-D", "mapred.map.tasks.speculative.execution=false", mapper=str(script), master=CLUSTER))
        self.wait_for_event("classic_task_succeeded", "_m_0_0")
        runs = [line.split() for line in (self.folder / "runs").read_text().splitlines()]
        (tracker,) = [int(parent) for path, parent in runs if path.endswith("input.txt")]
        self.assertIn(tracker, self.processes("heddle-role task-tracker "))
        os.kill(tracker, signal.SIGKILL)
        self.wait_for_event("tracker_lost")
        (self.folder / "go").touch()
        _, stderr = client.communicate(timeout=30)
        self.assertEqual(client.returncode, 0, stderr)
        runs = [line.split()[0] for line in (self.folder / "runs").read_text().splitlines()]
        self.assertEqual(len([path for path in runs if path.endswith("input.txt")]), 1, runs)
        self.assertEqual(self.output(), {"part-00000": text.replace("\n", "\t\n"), "part-00001": "sugar is sweet\t\n", COMMITTED: ""})
        self.assertRegex(stderr, r"TaskTracker \S+ is lost: its connection broke(; its 1 running attempt runs again \(rule JT-4\))?\n")
        self.assert_nothing_is_left()

    def test_a_process_runs_several_tasks_if_the_job_says_so(self):
        """The TaskTracker has two map slots."""
        self.write_input("".join(f"{number}\n" for number in range(4)))
        mapper = "sh -c 'cat > /dev/null; echo $PPID'"
        for tasks, counts in ((1, {4}), (-1, {1, 2})):
            with self.subTest(tasks=tasks):
                done = self.run_heddle(*self.words("-D", "mapred.map.tasks=3", "-D", f"mapred.job.reuse.jvm.num.tasks={tasks}",
                                                   mapper=mapper))
                self.assertEqual(done.returncode, 0, done.stderr)
                parents = [path.read_text() for path in (self.folder / "out").glob("part-*")]
                self.assertEqual(len(parents), 4)
                self.assertIn(len(set(parents)), counts, parents)
                shutil.rmtree(self.folder / "out")

    def test_a_history_that_cannot_be_written_is_noticed_and_does_not_fail_the_job(self):
        text = self.write_input()
        done = self.run_heddle(*self.words("-D", f"heddle.job_history.dir={self.folder}/input.txt"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"cannot create folder '{self.folder}/input.txt'", done.stderr)
        self.assert_copied(text)

    def test_the_history_has_hadoops_lines_and_the_settings_of_the_job(self):
        self.copy_one_file()
        (settings,) = self.state.rglob("history/job_*_conf.xml")
        self.assertTrue("<name>mapred.jobtracker.taskalloc.capacitypad</name><value>0.01</value>" in settings.read_text())
        (history,) = [path for path in self.state.rglob("history/job_*") if path != settings]
        words = [line.split(" ", 1)[0] for line in history.read_text().splitlines()]
        task = ["Task", "MapAttempt", "MapAttempt", "Task"]
        self.assertEqual(words, ["Meta", "Job", "Job", "Job", *task, "Job", *task, *task, "Job"])

    def test_launched_tasks_are_counted(self):
        self.assertIn("JobCounter: TOTAL_LAUNCHED_MAPS = 1", self.copy_one_file().stderr)

    def test_a_failing_mapper_fails_the_job_after_its_attempts(self):
        self.write_input()
        self.assert_ends_without_output(self.start(*self.words("-D", "mapreduce.map.maxattempts=2", mapper="false")), 1)

    def test_the_key_of_hadoop_selects_the_framework(self):
        text = self.write_input()
        words = [word for word in self.words() if word not in ("--framework", "classic")]
        done = self.run_heddle(*words, "-D", "mapreduce.framework.name=classic")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.output()["part-00000"], text.replace("\n", "\t\n"))
        self.assertTrue(list(self.state.rglob("job_tracker.stderr")))


if __name__ == "__main__":
    unittest.main()
