"""Each sample topology of framework classic runs on a JobTracker and TaskTrackers, and prints the output in its comment."""

import re
import unittest

from topology_case import SOURCES, Row, TopologyCase

REDUCE = 1  # AttemptType


class ClassicTopologies(TopologyCase):
    def test_maps_are_spread_by_the_load_factor(self):
        (row,) = self.run_topology("classic_load_factor")
        self.assertEqual(row.locality, [0, 1, 3, 0], self.stderr)
        decision = (r"tracker_a\d runs at most 1 of 2 maps at a time, to spread the load: "
                    r"4 remaining maps / 8 map slots of the cluster x 2 \(rule JQ-5\)")
        self.assertEqual(len(re.findall(decision, self.stderr)), 1, self.stderr)

    def test_a_free_slot_gets_the_closest_map_without_a_wait(self):
        (row,) = self.run_topology("classic_locality")
        self.assertEqual(sum(row.locality), row.tasks, self.stderr)
        self.assertTrue(all(count > 0 for count in row.locality[1:]), self.stderr)
        decision = (f"maps started at once on the closest free slot: {row.locality[1]} on a host of their data, "
                    f"{row.locality[2]} in a rack of it (rule JP-3), {row.locality[3]} in other racks (rule JP-4)")
        self.assertEqual(self.stderr.count(decision), 1, self.stderr)

    def test_a_tracker_is_excluded_while_that_is_fewer_than_a_quarter(self):
        (row,) = self.run_topology("classic_exclusion")
        self.assertEqual((row.tasks, row.failed), (20, 2), self.stderr)
        self.assertIn("the job avoids host b1 after 2 failed attempts there: 1 of 5 TaskTrackers, fewer than 25 % (rule JP-8)", self.stderr)
        text = (SOURCES / "samples/topologies/classic_exclusion.toml").read_text().replace('"a4", ', "")
        (self.folder / "jobs").mkdir()
        job = (SOURCES / "samples/topologies/jobs/fails_on_b1.toml").read_text().replace("tasks = 20", "tasks = 40")
        (self.folder / "jobs/fails_on_b1.toml").write_text(job)
        (self.folder / "four.toml").write_text(text)
        done = self.run_heddle("run", "--topology", "four.toml", seconds=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(Row(done.stdout.splitlines()[1]).failed, 2, done.stderr)
        self.assertIn("host b1 has 2 failed attempts but stays in use: 1 of 4 TaskTrackers, not fewer than 25 % (rule JP-8)", done.stderr)

    def test_a_job_with_a_higher_priority_overtakes(self):
        rows = self.run_topology("classic_priorities")
        self.assertEqual([row.application for row in rows], ["urgent", "nightly"], self.stderr)
        self.assertRegex(self.stderr, r"urgent: is number 1 of 2 in the job queue, by priority \(here HIGH\), .* \(rule JQ-1\)")

    def test_attempts_on_a_lost_tracker_run_again(self):
        (row,) = self.run_topology("classic_lost_host")
        self.assertEqual((row.tasks, row.failed), (30, 0), self.stderr)
        self.assertRegex(self.stderr, r"TaskTracker tracker_b1 is lost: .*; its [12] running attempts? runs? again \(rule JT-4\)")
        self.assertGreater(sum(row.locality), row.tasks, self.stderr)

    def test_a_reduce_starts_when_its_part_of_the_maps_is_done(self):
        (row,) = self.run_topology("classic_slow_start")
        self.assertEqual((row.tasks, row.failed), (11, 0), self.stderr)
        self.assertRegex(self.stderr, r"runs [12] maps? \([0-4] of 10 done\) and 0 reduces \(0 of 1 done\)")
        found = re.search(r"reduces start: (\d+) of 10 maps are done, and 5 are needed \(rule JS-1\)", self.stderr)
        self.assertTrue(found, self.stderr)
        self.assertIn(int(found[1]), range(5, 10), self.stderr)
        events = self.events("classic_attempt_launched", "classic_task_succeeded")
        start = next(index for index, event in enumerate(events) if event["event"] == "classic_attempt_launched" and "_r_" in event["attempt"]
                     and event["type"] == REDUCE)
        done = [event["attempt"] for event in events[:start] if event["event"] == "classic_task_succeeded" and self.is_map(event["attempt"], 10)]
        self.assertIn(len(done), range(5, 10), done)

    @staticmethod
    def is_map(attempt, maps):
        """Job setup and cleanup have the numbers after the maps."""
        kind, task = attempt.split("_")[-3:-1]
        return kind == "m" and int(task) < maps

    def test_padding_keeps_a_slot_free_for_the_first_job(self):
        took = {}
        for name, words in (("padded", ()), ("unpadded", ("--set", "heddle.job_tracker.capacity_pad=0"))):
            rows = {row.application: row for row in self.run_topology("classic_padding", *words)}
            self.assertEqual([rows["large"].tasks, rows["small"].tasks], [5, 2], self.stderr)
            took[name] = rows["small"].took
            padding = r"waits for a reduce slot: 3 of 4 are in use, and padding keeps the others for jobs before it \(rule JQ-10\)"
            (self.assertRegex if name == "padded" else self.assertNotRegex)(self.stderr, padding)
        self.assertGreater(took["padded"], 2, took)
        self.assertLess(took["unpadded"], took["padded"], took)

    def test_a_slow_map_gets_a_second_attempt(self):
        (row,) = self.run_topology("classic_speculation")
        self.assertLess(row.took, 20, self.stderr)
        self.assertEqual(row.failed, 0, self.stderr)
        # On a busy machine another map may be as late.
        self.assertIn(sum(row.locality), range(row.tasks + 1, row.tasks + 4), self.stderr)
        found = re.search(r"map \d+ gets a second attempt, on tracker_\w+: its progress is (\d+) %, the average (\d+) % \(rule SP-1\)", self.stderr)
        self.assertTrue(found, self.stderr)
        self.assertGreaterEqual(int(found[2]) - int(found[1]), 20, self.stderr)


if __name__ == "__main__":
    unittest.main()
