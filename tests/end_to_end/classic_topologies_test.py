"""Each sample topology of framework classic runs on a JobTracker and TaskTrackers, and prints the output in its comment."""

import unittest

from topology_case import SOURCES, Row, TopologyCase


class ClassicTopologies(TopologyCase):
    def test_maps_are_spread_by_the_load_factor(self):
        (row,) = self.run_topology("classic_load_factor")
        self.assertEqual(row.locality, [0, 1, 3, 0], self.stderr)

    def test_a_free_slot_gets_the_closest_map_without_a_wait(self):
        (row,) = self.run_topology("classic_locality")
        self.assertEqual(sum(row.locality), row.tasks, self.stderr)
        self.assertTrue(all(count > 0 for count in row.locality[1:]), self.stderr)

    def test_a_tracker_is_excluded_while_that_is_fewer_than_a_quarter(self):
        (row,) = self.run_topology("classic_exclusion")
        self.assertEqual((row.tasks, row.failed), (10, 2), self.stderr)
        text = (SOURCES / "samples/topologies/classic_exclusion.toml").read_text().replace('"a4", ', "")
        (self.folder / "jobs").mkdir()
        job = (SOURCES / "samples/topologies/jobs/fails_on_b1.toml").read_text().replace("tasks = 10", "tasks = 40")
        (self.folder / "jobs/fails_on_b1.toml").write_text(job)
        (self.folder / "four.toml").write_text(text)
        done = self.run_heddle("run", "--topology", "four.toml", seconds=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(Row(done.stdout.splitlines()[1]).failed, 2, done.stderr)

    def test_a_job_with_a_higher_priority_overtakes(self):
        rows = self.run_topology("classic_priorities")
        self.assertEqual([row.application for row in rows], ["urgent", "nightly"], self.stderr)

    def test_attempts_on_a_lost_tracker_run_again(self):
        (row,) = self.run_topology("classic_lost_host")
        self.assertEqual((row.tasks, row.failed), (30, 0), self.stderr)
        self.assertIn("TaskTracker tracker_b1 is lost", self.stderr)
        self.assertGreater(sum(row.locality), row.tasks, self.stderr)

    def test_a_slow_map_gets_a_second_attempt(self):
        (row,) = self.run_topology("classic_speculation")
        self.assertLess(row.took, 20, self.stderr)
        self.assertEqual((row.failed, sum(row.locality)), (0, row.tasks + 1), self.stderr)


if __name__ == "__main__":
    unittest.main()
