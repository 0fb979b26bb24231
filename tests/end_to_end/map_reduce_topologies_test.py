"""Each sample topology of framework yarn runs on a MapReduceMaster, and prints the output in its comment."""

import unittest

from topology_case import TopologyCase


class MapReduceTopologies(TopologyCase):
    def test_reduces_get_their_part_while_maps_wait(self):
        (row,) = self.run_topology("map_reduce_ramp_up")
        self.assertEqual((row.tasks, row.failed), (22, 0), self.stderr)
        self.assertRegex(self.stderr, r"runs [1-6] maps? \(\d+ of 16 done\) and 2 reduces \(0 of 6 done\)")
        ramps = self.events("map_reduce_reduces_scheduled")
        # Six maps have room beside two reduces; what fewer leave free goes to reduces.
        beside_maps = [ramp["scheduled"] for ramp in ramps if ramp["maps_left"] > 6]
        self.assertEqual(max(beside_maps), 2, ramps)
        self.assertGreaterEqual(ramps[0]["maps_completed"], 4, ramps)
        self.assertEqual(ramps[-1]["pending"], 0, ramps)

    def test_a_reduce_is_killed_for_a_map_without_room(self):
        (row,) = self.run_topology("map_reduce_preemption")
        self.assertEqual((row.tasks, row.failed), (6, 0), self.stderr)
        self.assertEqual(self.stderr.count("preempted to make room for waiting map attempts"), 1, self.stderr)
        self.assertRegex(self.stderr, r"map [0-3] runs again: its output was lost")
        states = [event["state"] for event in self.events("map_reduce_state") if event["subject"].startswith("reduce ")]
        self.assertEqual(states.count("KILLED"), 1, states)

    def test_maps_of_an_unusable_node_run_again(self):
        (row,) = self.run_topology("map_reduce_unusable_node")
        self.assertEqual((row.tasks, row.failed), (25, 0), self.stderr)
        self.assertIn("attempt killed because its node is unusable", self.stderr)
        self.assertRegex(self.stderr, r"map \d+ runs again: its output was lost")
        self.assertGreater(sum(row.locality), row.tasks, self.stderr)

    def test_a_slow_map_gets_a_second_attempt(self):
        (row,) = self.run_topology("map_reduce_speculation")
        self.assertLess(row.took, 20, self.stderr)
        self.assertIn("is slow: a second attempt starts", self.stderr)
        self.assertEqual((row.tasks, row.failed), (12, 0), self.stderr)
        self.assertGreater(sum(row.locality), row.tasks, self.stderr)


if __name__ == "__main__":
    unittest.main()
