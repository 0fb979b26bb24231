"""`heddle mapreduce --framework yarn`: the MapReduceMaster and each task child are containers with a process of their own, and end
with the job."""

import unittest

from heddle_case import HeddleCase
from map_reduce_case import MapReduceTests


class Yarn(MapReduceTests, HeddleCase):
    framework = "yarn"
    roles = ("resource-manager", "node-manager", "application-master", "task-child")
    roles_of_others = "executor|job-tracker|task-tracker"

    def test_one_file_is_committed_through_real_processes(self):
        self.copy_one_file()
        states = [(event["subject"], event["state"]) for event in self.events() if event["event"] == "map_reduce_state"]
        self.assertEqual([state for subject, state in states if subject == "job"][-2:], ["COMMITTING", "SUCCEEDED"])
        self.assertIn(("map 0 attempt 0", "RUNNING"), states)

    def test_a_failing_mapper_fails_the_job_after_its_attempts(self):
        self.write_input()
        stderr = self.assert_ends_without_output(self.start(*self.words(mapper="false")), 1)
        self.assertIn("task 0 failed 4 times", stderr)


if __name__ == "__main__":
    unittest.main()
