"""Framework yarn: the process of the MapReduceMaster is killed, and a second one keeps the tasks that had ended, runs the rest, and ends the
commit once. Map outputs stay on their nodes.

Method: maps whose input begins with "hold" wait for the file `go`, so that the test decides which maps end under the first master. The mapper
writes the first line of its input to the file `runs` at each start."""

import collections
import json
import os
import select
import signal
import unittest

from commit_loss_case import MANY, CommitLossCase

CLUSTER = "local-cluster[2,2,1024]"


class YarnLosses(CommitLossCase):
    def setUp(self):
        super().setUp()
        self.output = self.folder / "out"
        self.temporary = self.output / "_temporary"
        self.go = self.folder / "go"
        self.runs = self.folder / "runs"
        self.inputs = []

    # -- the job -------------------------------------------------------------------------------------------

    def write_inputs(self, names):
        """One map for each name."""
        text = self.folder / "text"
        text.mkdir(exist_ok=True)
        self.inputs = [f"{name}\nshared\n" for name in names]
        for number, content in enumerate(self.inputs):
            (text / f"input-{number}").write_text(content)
        script = self.folder / "map.sh"
        script.write_text(f'''#!/bin/sh
input=$(cat)
echo "$input" | head -n 1 >> {self.runs}
case "$input" in hold*) until [ -e {self.go} ]; do sleep 0.05; done;; esac
echo "$input"
''')
        script.chmod(0o755)
        return str(script)

    def start_maps(self, names, reduces=0, *more):
        mapper = self.write_inputs(names)
        return self.start("mapreduce", "--framework", "yarn", "--master", CLUSTER,
                          "-D", "mapreduce.jobhistory.jhist.format=json", "-D", "mapreduce.job.reduce.slowstart.completedmaps=1.0",
                          "-D", "mapreduce.map.speculative=false", *more,
                          "-input", "text", "-output", "out", "-mapper", mapper, "-reducer", "uniq -c", "-numReduceTasks", str(reduces))

    def started(self):
        """How often each map was started."""
        return collections.Counter(self.runs.read_text().split()) if self.runs.exists() else collections.Counter()

    def history(self):
        """Events of the job history: (type, content), without a torn last line."""
        files = list(self.state.rglob("*.jhist"))
        if not files:
            return []
        lines = files[0].read_text().split("\n")[2:-1]
        return [(event["type"], next(iter(event["event"].values()))) for event in map(json.loads, lines)]

    def ended_tasks(self):
        return [content["taskid"] for kind, content in self.history() if kind == "TASK_FINISHED"]

    def wait_until(self, client, condition, what):
        self.wait_for(lambda: condition() or client.poll() is not None, 20, what)
        self.assertIsNone(client.poll(), what)

    def kill_master(self):
        os.kill(self.master(), signal.SIGKILL)

    def check_words(self, client, reduces):
        """The output has each line once for each input that has it; returns what the client wrote."""
        _, stderr = client.communicate(timeout=60)
        self.assertEqual(client.returncode, 0, stderr)
        self.assertRegex(stderr, r"attempt 1 .* ended: .*; attempt 2 starts")
        parts = sorted(path for path in self.output.iterdir() if path.name.startswith("part-"))
        self.assertEqual([path.name for path in self.output.iterdir() if path not in parts], ["_SUCCESS"])
        found = collections.Counter()
        for line in "".join(path.read_text() for path in parts).split("\n")[:-1]:
            words = line.split()
            found[words[-1]] += int(words[0]) if reduces else 1
        self.assertEqual(found, collections.Counter("".join(self.inputs).split()))
        self.assert_all_gone()
        self.assertEqual(list((self.folder / "temporary").iterdir()), [])
        return stderr

    # -- the master is lost before the commit ----------------------------------------------------------------

    def test_killed_before_the_first_task_ends_everything_runs_again(self):
        client = self.start_maps(["hold-a", "hold-b"])
        self.wait_until(client, lambda: len(self.started()) == 2, "both maps run")
        self.kill_master()
        self.go.touch()
        stderr = self.check_words(client, 0)
        self.assertIn("attempt 2 runs all tasks of the job: the job history has no finished task", stderr)
        self.assertEqual(self.started(), {"hold-a": 2, "hold-b": 2})

    def test_killed_with_some_maps_finished_their_outputs_are_reduced(self):
        client = self.start_maps(["a", "b", "hold-c"], 2)
        self.wait_until(client, lambda: len(self.ended_tasks()) == 2 and self.started()["hold-c"] == 1, "two of three maps have ended")
        self.kill_master()
        self.go.touch()
        stderr = self.check_words(client, 2)
        self.assertIn("attempt 2 keeps 2 of 5 tasks of the job", stderr)
        self.assertEqual(self.started(), {"a": 1, "b": 1, "hold-c": 2})
        kinds = [kind for kind, _ in self.history()]
        self.assertEqual(kinds.count("AM_STARTED"), 2)
        self.assertEqual(kinds.count("TASK_FINISHED"), 5)
        self.assertEqual(kinds[-1], "JOB_FINISHED")
        [settings] = self.state.rglob("*_conf.xml")
        self.assertIn("<name>mapreduce.jobhistory.jhist.format</name><value>json</value>", settings.read_text())

    def test_killed_with_some_outputs_finished_they_are_committed_by_the_second_master(self):
        client = self.start_maps(["a", "hold-b"])
        self.wait_until(client, lambda: len(self.ended_tasks()) == 1 and self.started()["hold-b"] == 1, "one map has ended")
        self.kill_master()
        self.go.touch()
        self.assertIn("attempt 2 keeps 1 of 2 tasks of the job", self.check_words(client, 0))
        self.assertEqual(self.started(), {"a": 1, "hold-b": 2})

    def test_killed_with_its_node_maps_of_that_node_run_again(self):
        names = ["a", "b", "c", "d", "hold-e"]
        client = self.start_maps(names, 1)
        self.wait_until(client, lambda: len(self.ended_tasks()) == 4 and self.started()["hold-e"] == 1, "four of five maps have ended")
        os.kill(self.node_of_master(), signal.SIGKILL)
        self.go.touch()
        self.check_words(client, 1)
        self.assertEqual(sorted(self.started()), sorted(names))

    def test_a_history_that_cannot_be_read_makes_everything_run_again(self):
        client = self.start_maps(["a", "hold-b"])
        self.wait_until(client, lambda: len(self.ended_tasks()) == 1 and self.started()["hold-b"] == 1, "one map has ended")
        [file] = self.state.rglob("*.jhist")
        file.write_text("damaged\n")
        self.kill_master()
        self.go.touch()
        self.assertIn("attempt 2 runs all tasks of the job", self.check_words(client, 0))
        self.assertEqual(self.started(), {"a": 2, "hold-b": 2})

    def test_after_two_lost_masters_the_job_fails_and_leaves_no_output(self):
        client = self.start_maps(["a", "hold-b"])
        for starts in (1, 2):
            self.wait_until(client, lambda: self.started()["hold-b"] == starts, "the map runs")
            self.kill_master()
        _, stderr = client.communicate(timeout=30)
        self.assertEqual(client.returncode, 1, stderr)
        self.assertFalse(self.output.exists())
        self.assert_all_gone()

    # -- in the commit ---------------------------------------------------------------------------------------

    def start_job(self):
        """A job of two maps that wait; returns the client when both have an open output file."""
        self.go.unlink(missing_ok=True)
        client = self.start_maps(["hold-a", "hold-b"])
        self.wait_until(client, lambda: len(self.parts()) == 2, "both maps run")
        return client

    def parts(self):
        return sorted(self.temporary.glob("1/_temporary/*/part-*"))

    def end_tasks(self):
        self.go.touch()

    def test_killed_before_the_decision_the_finished_tasks_are_committed(self):
        client = self.start_job()
        pipes = [part.with_name("pipe") for part in self.parts()]
        for pipe in pipes:
            os.mkfifo(pipe)  # the commit stops there: it is opened after the part file, by name
        opened = self.watch_open(self.parts())
        self.end_tasks()
        self.assertTrue(select.select([opened], [], [], 15)[0], "the commit opens a part file")
        self.assertFalse((self.temporary / "COMMIT").exists())
        node = self.node_of_master()
        self.freeze(node)  # no second master starts before the pipes are gone, where it would stop too
        self.kill_master()
        for pipe in pipes:
            pipe.unlink()
        self.go_on(node)
        self.assertIn("attempt 2 keeps 2 of 2 tasks of the job", self.check_words(client, 0))
        self.assertEqual(self.started(), {"hold-a": 1, "hold-b": 1})

    def check_decided(self, client, further=()):
        for name in further:
            self.assertEqual((self.output / name).read_text(), "x")
            (self.output / name).unlink()
        self.check_words(client, 0)
        self.assertEqual([kind for kind, _ in self.history()][-1], "JOB_FINISHED")

    def test_killed_between_two_moves_the_next_attempt_moves_the_rest(self):
        def is_wanted():
            return (self.output / "file-00000").exists() and not (self.output / "_SUCCESS").exists()

        client = self.lose_during(lambda: self.add_files(self.parts()[0].parent), is_wanted, (self.output / "_SUCCESS").exists)
        client.wait(timeout=60)
        self.check_decided(client, [f"file-{number:05}" for number in range(MANY)])

    def test_killed_after_the_commit_the_next_attempt_removes_the_working_files(self):
        def is_wanted():
            return (self.output / "_SUCCESS").exists() and self.temporary.exists()

        def is_past():
            return (self.output / "_SUCCESS").exists() and not self.temporary.exists()

        self.check_decided(self.lose_during(lambda: self.add_files(self.temporary / "1" / "unused"), is_wanted, is_past))


if __name__ == "__main__":
    unittest.main()
