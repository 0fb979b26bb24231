"""Framework classic under faults of its TaskTrackers and of its job setup."""

import os
import select
import signal
import subprocess
import unittest

from commit_loss_case import IN_OPEN, MANY
from heddle_case import CLUSTER, HeddleCase
from map_reduce_case import COMMITTED, MapReduceRuns

MAPS = 40
IN_MOVED_TO = 0x80  # of inotify
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

    # -- the child that runs the job cleanup, which commits -------------------------------------------------

    def start_job_before_its_commit(self):
        """Its map waits for the file `go`. Returns the client, the input and the path of the part file."""
        text = self.write_input()
        script = self.folder / "map.sh"
        script.write_text(f"#!/bin/sh\nuntil [ -e {self.folder}/go ]; do sleep 0.05; done\ncat\n")
        script.chmod(0o755)
        client = self.start(*self.words(mapper=str(script)))
        [part] = self.wait_for(lambda: list((self.folder / "out").glob("_temporary/1/_temporary/*/part-*")), 15, "a map writes its part file")
        return client, text, part

    def start_commit(self, part):
        """Returns the process of the job cleanup, once it has opened the part file to sync it."""
        opened = self.watch([part], IN_OPEN)
        (self.folder / "go").touch()
        self.assertTrue(select.select([opened], [], [], 15)[0], "the commit opens the part file")
        self.wait_for(lambda: len(self.processes("heddle-role task-child ")) == 1, 5, "the child of the map has ended")
        return self.processes("heddle-role task-child ")[0]

    def assert_commits(self, client, expected):
        """By the second attempt of the job cleanup. As in Hadoop it does not count among the attempts of tasks."""
        _, stderr = client.communicate(timeout=60)
        self.assertEqual(client.returncode, 0, stderr)
        self.assertEqual(self.output(), expected)
        self.assert_nothing_is_left()
        launched = [event["attempt"] for event in self.events() if event["event"] == "classic_attempt_launched"]
        self.assertEqual(launched[-2:], ["attempt_1_m_1_0", "attempt_1_m_1_1"])
        self.assertIn(" 0 failed attempts", stderr)
        self.assertIn("1 x its child process ended before it: killed by signal 9", stderr)

    def test_a_child_that_is_killed_before_it_decides_the_commit_is_replaced(self):
        """A pipe beside the part file stops the commit, which opens and syncs each file, in the order of their names."""
        client, text, part = self.start_job_before_its_commit()
        pipe = part.with_name("pipe")
        os.mkfifo(pipe)
        child = self.start_commit(part)
        self.freeze(child)
        self.assertFalse((self.folder / "out" / "_temporary" / "COMMIT").exists())
        pipe.unlink()
        os.kill(child, signal.SIGKILL)
        self.assert_commits(client, {"part-00000": text.replace("\n", "\t\n"), COMMITTED: ""})

    def test_a_child_that_is_killed_between_two_moves_of_the_commit_is_replaced(self):
        client, text, part = self.start_job_before_its_commit()
        names = [f"file-{number:05}" for number in range(MANY)]
        part.with_name(names[0]).write_text("x")
        for name in names[1:]:
            os.link(part.with_name(names[0]), part.with_name(name))
        moved = self.watch([self.folder / "out"], IN_MOVED_TO)
        child = self.start_commit(part)
        self.assertTrue(select.select([moved], [], [], 60)[0], "the commit moves a file")
        self.freeze(child)
        self.assertFalse((self.folder / "out" / COMMITTED).exists())
        os.kill(child, signal.SIGKILL)
        self.assert_commits(client, {"part-00000": text.replace("\n", "\t\n"), COMMITTED: "", **dict.fromkeys(names, "x")})

    def mount_small_disk(self, folder, kilobytes):
        folder.mkdir(exist_ok=True)
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", folder], capture_output=True, check=False)
        if mounted.returncode != 0:
            self.skipTest("file systems cannot be mounted here")
        self.addCleanup(subprocess.run, ["umount", "-l", folder], capture_output=True, check=False)

    def test_a_full_disk_on_one_tracker_costs_an_attempt_of_its_map(self):
        """Its map outputs have room for less than one: the map runs again on the other host. The reduce waits until that disk is gone."""
        (self.folder / "input.txt").mkdir()
        for number in range(2):
            (self.folder / "input.txt" / f"{number}.txt").write_text("a line\n")
        scripts = {"map": "touch {0}/map,$HEDDLE_NODE_HOST,$$; until [ -e {0}/go ]; do sleep 0.05; done; cat; head -c 300000 /dev/urandom | base64",
                   "reduce": "until [ -e {0}/go_on ]; do sleep 0.05; done; wc -l"}
        for name, script in scripts.items():
            (self.folder / name).write_text("#!/bin/sh\n" + script.format(self.folder) + "\n")
            (self.folder / name).chmod(0o755)
        client = self.start("mapreduce", "--framework", "classic", "--master", CLUSTER, "-input", "input.txt", "-output", "out",
                            "-mapper", str(self.folder / "map"), "-reducer", str(self.folder / "reduce"), "-numReduceTasks", "1")
        runs = lambda: sorted(path.name for path in self.folder.glob("map,*"))  # noqa: E731
        self.wait_for(lambda: len(runs()) == 2, 15, "both maps run")
        host = runs()[0].split(",")[1]
        (outputs,) = (self.folder / "temporary").glob(f"heddle-*/{host}/application_*/shuffle/shuffle-0")
        self.mount_small_disk(outputs, 64)
        (self.folder / "go").touch()
        self.wait_for(lambda: len(runs()) == 3, 15, "the map runs again")
        self.assertNotEqual(runs()[1].split(",")[1], host)
        self.assertEqual(sum(name.split(",")[1] == host for name in runs()), 1)
        self.assertEqual(self.count_events("classic_attempt_ended"), 1)
        subprocess.run(["umount", "-l", outputs], check=True)
        (self.folder / "go_on").touch()
        _, stderr = client.communicate(timeout=30)
        self.assertEqual(client.returncode, 0, stderr)
        self.assertIn("1 failed attempt", stderr)
        self.assertIn("No space left on device", stderr)
        self.assertEqual(self.output(), {"part-00000": "10530\t\n", "_SUCCESS": ""})
        self.assert_nothing_is_left()

    def test_a_full_disk_ends_the_history_with_a_notice_and_not_the_job(self):
        """The disk has room for the settings of the job and some lines."""
        small = self.folder / "small"
        self.mount_small_disk(small, 56)
        (self.folder / "input.txt").mkdir()
        for number in range(MAPS):
            (self.folder / "input.txt" / f"{number}.txt").write_text("roses are red\n")
        done = self.run_heddle(*self.words("-D", f"heddle.job_history.dir={small}", master=CLUSTER), seconds=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"the history of job_\d+_0001 ends here: .*No space left on device")
        self.assertEqual(len(self.output()), MAPS + 1)
        self.assert_nothing_is_left()


if __name__ == "__main__":
    unittest.main()
