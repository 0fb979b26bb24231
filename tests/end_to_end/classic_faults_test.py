"""Framework classic under faults of its TaskTrackers and of its job setup."""

import unittest

from heddle_case import CLUSTER, HeddleCase
from map_reduce_case import MapReduceRuns

EXPIRY = ("-D", "mapred.tasktracker.expiry.interval=2000")


class ClassicFaults(MapReduceRuns, HeddleCase):
    framework = "classic"

    def count_events(self, name, log="events.jsonl"):
        return sum(f'"event":"{name}"' in line for path in self.state.rglob(log) for line in path.read_text().splitlines())

    def test_a_tracker_that_was_frozen_past_its_expiry_reinitialises(self):
        """Its map runs again elsewhere, and its own child is killed after the thaw, while the job runs on."""
        text = self.write_input()
        script = self.folder / "map.sh"
        script.write_text(f"#!/bin/sh\ntouch {self.folder}/map-$$\nuntil [ -e {self.folder}/go ]; do sleep 0.05; done\ncat\n")
        script.chmod(0o755)
        client = self.start(*self.words(*EXPIRY, mapper=str(script), master=CLUSTER))
        self.wait_for(lambda: list(self.folder.glob("map-*")), 15, "a map runs")
        (child,) = [process for process in self.processes("heddle-role task-child ")]
        tracker = self.parent_of(child)
        self.freeze(tracker)
        self.wait_for(lambda: len(list(self.folder.glob("map-*"))) == 2, 20, "the map runs again")
        self.assertEqual(self.count_events("tracker_lost"), 1)
        self.go_on(tracker)
        self.wait_for(lambda: child not in self.processes("heddle-role task-child "), 15, "the old child is gone")
        self.wait_for(lambda: self.count_events("tracker_reinitialised", "task_tracker.*.jsonl") == 1, 15, "the TaskTracker reinitialises")
        self.wait_for(lambda: self.count_events("tracker_registered") == 3, 15, "the TaskTracker registers again")
        self.assertIsNone(client.poll())
        (self.folder / "go").touch()
        self.assertIn("is lost: it sent no heartbeat in time", self.assert_copies(client, text))

    def test_a_setup_that_fails_four_times_fails_the_job(self):
        """A file is where the setup creates the folder with which it claims the output."""
        self.write_input()
        (self.folder / ".out.heddle-claim").write_text("mine")
        stderr = self.assert_ends_without_output(self.start(*self.words()), 1)
        self.assertIn("the output could not be set up: cannot make folder", stderr)
        self.assertEqual(self.count_events("classic_attempt_ended"), 4)
        self.assertEqual((self.folder / ".out.heddle-claim").read_text(), "mine")


if __name__ == "__main__":
    unittest.main()
