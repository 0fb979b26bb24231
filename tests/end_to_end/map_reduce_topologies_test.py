"""Each sample topology of framework yarn runs on a MapReduceMaster, and prints the output in its comment."""

import re
import unittest

from topology_case import TopologyCase


class MapReduceTopologies(TopologyCase):
    def test_reduces_get_their_part_while_maps_wait(self):
        (row,) = self.run_topology("map_reduce_ramp_up")
        self.assertEqual((row.tasks, row.failed), (22, 0), self.stderr)
        self.assertRegex(self.stderr, r"runs [1-6] maps? \(\d+ of 16 done\) and 2 reduces \(0 of 6 done\)")
        self.assertRegex(self.stderr, r"reduces may request containers: [4-9] of 16 maps are done, and 4 are needed \(rule CA-16\)")
        self.assertRegex(self.stderr, r"2 of 6 reduces request containers of 256 MiB: [4-9] of 16 maps are done, "
                                      r"so reduces get 25 % \(at most 25 %\) of 2112 MiB until no map waits \(rule CA-18\)")
        self.assertEqual(self.stderr.count("no map waits for a container: all 6 reduces request containers (rule CA-17)"), 1, self.stderr)
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
        self.assertRegex(self.stderr, r"reduce [01] attempt 0: .*: 1 map waits for 256 MiB, and 32 MiB are free; "
                                      r"of 2 running reduces 1 is preempted, least progress first, here \d+ % \(rule CA-25\)")
        self.assertRegex(self.stderr, r"map [0-3] runs again: its output was lost")
        states = [event["state"] for event in self.events("map_reduce_state") if event["subject"].startswith("reduce ")]
        self.assertEqual(states.count("KILLED"), 1, states)

    def test_maps_of_an_unusable_node_run_again(self):
        (row,) = self.run_topology("map_reduce_unusable_node")
        self.assertEqual((row.tasks, row.failed), (13, 0), self.stderr)
        self.assertIn("attempt killed because its node is unusable (rule CA-14)", self.stderr)
        found = re.search(r"node b1 is lost: (\d+) running attempts? there (?:is|are) killed \(rule CA-14\), "
                          r"and (\d+) finished maps? runs? again, because 1 of 1 reduce has not ended \(rule JB-7\)", self.stderr)
        self.assertTrue(found, self.stderr)
        self.assertEqual(self.stderr.count("attempt killed because its node is unusable"), int(found[1]), self.stderr)
        self.assertEqual(len(re.findall(r"map \d+ runs again: its output was lost", self.stderr)), int(found[2]), self.stderr)
        self.assertGreater(sum(row.locality), row.tasks, self.stderr)

    def test_a_slow_map_gets_a_second_attempt(self):
        (row,) = self.run_topology("map_reduce_speculation")
        self.assertLess(row.took, 20, self.stderr)
        found = re.search(r"map \d+ is slow: a second attempt starts, because it needs about ([\d.]+) s, "
                          r"and the first one, at \d+ %, ([\d.]+) s more \(rule DS-3\)", self.stderr)
        self.assertTrue(found, self.stderr)
        self.assertGreater(float(found[2]), float(found[1]), self.stderr)
        self.assertEqual((row.tasks, row.failed), (12, 0), self.stderr)
        self.assertGreater(sum(row.locality), row.tasks, self.stderr)


if __name__ == "__main__":
    unittest.main()
