"""`heddle mapreduce --framework yarn`: the MapReduceMaster and each task child are containers with a process of their own, and end
with the job."""

import json
import unittest

from heddle_case import CLUSTER, HeddleCase
from map_reduce_case import MapReduceTests


class Yarn(MapReduceTests, HeddleCase):
    framework = "yarn"
    role_of_nodes = "node-manager"
    roles = ("resource-manager", "node-manager", "application-master", "task-child")
    roles_of_others = "executor|job-tracker|task-tracker"

    def counters_of_failed_attempts(self):
        """In the job history."""
        [history] = self.state.rglob("*.jhist")
        events = map(json.loads, history.read_text().splitlines()[2:])
        names = "org.apache.hadoop.mapreduce.jobhistory."
        ends = [each["event"][names + "TaskAttemptUnsuccessfulCompletion"] for each in events if each["type"] == "MAP_ATTEMPT_FAILED"]
        groups = [end["counters"][names + "JhCounters"]["groups"] for end in ends]
        return [{count["name"]: count["value"] for group in each for count in group["counts"]} for each in groups]

    def test_one_file_is_committed_through_real_processes(self):
        self.copy_one_file()
        states = [(event["subject"], event["state"]) for event in self.events() if event["event"] == "map_reduce_state"]
        self.assertEqual([state for subject, state in states if subject == "job"][-2:], ["COMMITTING", "SUCCEEDED"])
        self.assertIn(("map 0 attempt 0", "RUNNING"), states)

    def test_the_history_of_a_job_is_kept_in_the_folder_of_its_run(self):
        self.copy_one_file()
        [history] = self.state.glob("heddle/application_*/history")
        [jhist, settings] = sorted(history.iterdir(), key=lambda path: path.suffix)
        self.assertRegex(jhist.name, r"^job_\d+_\d{4}\.jhist$")
        self.assertEqual(settings.name, jhist.stem + "_conf.xml")
        self.assertTrue(jhist.read_bytes().startswith(b"Avro-Json\n"))
        self.assertIn("<name>mapreduce.job.maps</name><value>1</value>", settings.read_text())

    def test_a_history_that_cannot_be_written_does_not_end_the_job(self):
        text = self.write_input()
        done = self.run_heddle(*self.words("-D", "heddle.job_history.dir=/proc/none"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("no job history is written: cannot create folder '/proc/none'", done.stderr)
        self.assert_copied(text)

    def test_without_a_folder_no_history_is_written(self):
        self.write_input()
        done = self.run_heddle(*self.words("-D", "heddle.job_history.dir="))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("history", done.stderr)
        self.assertEqual(list(self.state.rglob("*.jhist")), [])

    def write_files(self, *contents):
        (self.folder / "text").mkdir()
        for number, content in enumerate(contents):
            (self.folder / "text" / f"{number}.txt").write_text(content)

    def test_attempts_and_places_are_counted_as_by_the_driver(self):
        self.write_files("a b\n", "a\n", "b\n")
        counted = {}
        for framework in ("driver", "yarn"):
            done = self.run_heddle("mapreduce", "--format", "json", "--framework", framework, "--master", CLUSTER, "-input", "text",
                                   "-output", framework, "-mapper", "cat", "-reducer", "cat", "-numReduceTasks", "2")
            self.assertEqual(done.returncode, 0, done.stderr)
            counters = json.loads(done.stdout)["counters"]["org.apache.hadoop.mapreduce.JobCounter"]
            counted[framework] = {name: value for name, value in counters.items() if "MILLIS" not in name}
        self.assertEqual(counted["yarn"], {"TOTAL_LAUNCHED_MAPS": 3, "TOTAL_LAUNCHED_REDUCES": 2, "DATA_LOCAL_MAPS": 3})
        self.assertEqual(counted["yarn"], counted["driver"])

    def test_a_job_with_too_many_counters_fails_with_the_limit(self):
        self.write_files("a\n", "b\n", "c\n")
        script = self.folder / "count.sh"
        script.write_text('#!/bin/sh\nwhile read -r line; do echo "reporter:counter:mine,$line,1" >&2; done\n')
        script.chmod(0o755)
        client = self.start("mapreduce", "--framework", "yarn", "--master", CLUSTER, "-D", "mapreduce.job.counters.max=2",
                            "-input", "text", "-output", "out", "-mapper", str(script), "-numReduceTasks", "0")
        stderr = self.assert_ends_without_output(client, 1)
        self.assertIn("the job has more than 2 counters; raise mapreduce.job.counters.max, or use fewer", stderr)

    def test_a_failing_mapper_fails_the_job_after_its_attempts(self):
        self.write_input()
        stderr = self.assert_ends_without_output(self.start(*self.words(mapper="false")), 1)
        self.assertIn("task 0 failed 4 times", stderr)


if __name__ == "__main__":
    unittest.main()
