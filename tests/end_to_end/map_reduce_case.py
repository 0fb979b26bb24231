"""Runs of `heddle mapreduce` whose roles are real processes, and the tests that hold for both frameworks, classic and yarn."""

import getpass
import json
import os
import signal
from xml.etree import ElementTree

from heddle_case import CLUSTER

ONE_NODE = "local-cluster[1,1,512]"
COMMITTED = "_SUCCESS"


class MapReduceRuns:
    """Goes before HeddleCase in the bases of a test class. It is no test case itself, so importing it runs no test."""

    checks_invariants = True
    framework = ""
    role_of_nodes = ""
    roles = ()  # those that have one process each while one map runs on one node
    roles_of_others = ""  # pattern: the roles that no process has

    # -- runs ----------------------------------------------------------------------------------------

    def words(self, *more, mapper="cat", master=ONE_NODE):
        words = ["mapreduce", "--framework", self.framework, "-input", "input.txt", "-output", "out", "-mapper", mapper, "-numReduceTasks", "0"]
        return [*words, *(["--master", master] if master else []), *more]

    def write_input(self, text="roses are red\nviolets are blue\n"):
        (self.folder / "input.txt").write_text(text)
        return text

    def start_sleeping_job(self, *more, master=ONE_NODE):
        self.write_input()
        client = self.start(*self.words(*more, mapper="sh -c 'sleep 61'", master=master))
        self.wait_for_sleeping_map()
        return client

    def hangs_once(self, before="true"):
        """Path of a script: its first process runs the command `before` and sleeps, later ones copy their input."""
        script = self.folder / "hang.sh"
        script.write_text(f"#!/bin/sh\nmkdir {self.folder}/first && {{ {before}; exec sleep 61; }}\ncat\n")
        script.chmod(0o755)
        return str(script)

    def start_job_that_hangs_once(self, master=ONE_NODE, before="true"):
        """Of its first map attempt."""
        text = self.write_input()
        client = self.start(*self.words(mapper=self.hangs_once(before), master=master))
        self.wait_for_sleeping_map()
        return client, text

    def wait_for_sleeping_map(self):
        self.wait_for(lambda: self.processes(r"^sleep 61 "), 15, "a map runs")

    def child_of(self, process):
        """The task child that runs this process."""
        children = self.processes("heddle-role task-child ")
        while process not in children:
            self.assertGreater(process, 1)
            process = self.parent_of(process)
        return process

    def output(self):
        return {path.name: path.read_text() for path in (self.folder / "out").iterdir()}

    def events(self):
        logs = sorted(self.state.rglob("events.jsonl"))
        self.assertEqual(len(logs), 1)
        return [json.loads(line) for line in logs[0].read_text().splitlines()]

    def assert_nothing_is_left(self):
        self.assert_all_gone()
        self.assertEqual(list((self.folder / "temporary").iterdir()), [])

    def assert_copied(self, text):
        self.assertEqual(self.output(), {"part-00000": text.replace("\n", "\t\n"), COMMITTED: ""})
        self.assert_nothing_is_left()

    def assert_copies(self, client, text):
        _, stderr = client.communicate(timeout=30)
        self.assertEqual(client.returncode, 0, stderr)
        self.assert_copied(text)
        return stderr

    def assert_ends_without_output(self, client, code):
        _, stderr = client.communicate(timeout=15)
        self.assertEqual(client.returncode, code, stderr)
        self.assertFalse((self.folder / "out").exists())
        self.assert_nothing_is_left()
        return stderr

    def copy_one_file(self):
        text = self.write_input()
        done = self.run_heddle(*self.words())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_copied(text)
        return done


class MapReduceTests(MapReduceRuns):
    """Tests of each framework. It is no test case itself."""

    def test_a_word_count_equals_that_of_the_driver(self):
        self.write_words()
        outputs = {}
        for framework in ("driver", self.framework):
            done = self.run_heddle("mapreduce", "--framework", framework, "--master", CLUSTER, "-input", "text", "-output", framework,
                                   "-mapper", "tr -s ' ' '\\n'", "-reducer", "uniq -c", "-numReduceTasks", "2")
            self.assertEqual(done.returncode, 0, done.stderr)
            outputs[framework] = {path.name: path.read_text() for path in (self.folder / framework).iterdir()}
        self.assertEqual(len(outputs["driver"]), 3)
        self.assertEqual(outputs[self.framework], outputs["driver"])
        self.assert_nothing_is_left()

    def test_each_role_is_a_process_of_its_own(self):
        client = self.start_sleeping_job()
        found = {role: self.processes(f"heddle-role {role} ") for role in self.roles}
        self.assertEqual({role: len(each) for role, each in found.items()}, dict.fromkeys(self.roles, 1))
        self.assertEqual(self.processes(f"heddle-role ({self.roles_of_others}) "), [])
        child = found["task-child"][0]
        self.assertEqual(os.getpgid(child), child)  # a group of its own
        client.send_signal(signal.SIGINT)
        self.assert_ends_without_output(client, 7)

    def test_nothing_remains_after_the_client_was_killed(self):
        client = self.start_sleeping_job()
        client.kill()
        client.wait()
        self.assert_nothing_is_left()

    def test_the_log_of_a_job_is_closed_although_the_client_was_killed(self):
        client = self.start_sleeping_job()
        client.kill()
        client.wait()
        self.assert_nothing_is_left()
        self.assertEqual(self.events()[-1]["event"], "log_closed")

    def test_a_killed_child_costs_one_attempt(self):
        client, text = self.start_job_that_hangs_once()
        os.kill(self.processes("heddle-role task-child ")[0], signal.SIGKILL)
        self.assertIn("1 failed attempt", self.assert_copies(client, text))

    def test_a_killed_child_of_a_reduce_costs_one_attempt(self):
        text = self.write_input()
        client = self.start("mapreduce", "--framework", self.framework, "--master", CLUSTER, "-input", "input.txt", "-output", "out",
                            "-mapper", "cat", "-reducer", self.hangs_once(), "-numReduceTasks", "1")
        [sleeping] = self.wait_for(lambda: self.processes(r"^sleep 61 "), 15, "the reduce runs")
        os.kill(self.child_of(sleeping), signal.SIGKILL)
        self.assertIn("1 failed attempt", self.assert_copies(client, text))

    def test_an_attempt_whose_child_was_killed_keeps_the_counters_that_it_reported(self):
        before = "cat > /dev/null; echo reporter:counter:Mine,lines,7 >&2; echo reporter:status:read >&2"
        client, text = self.start_job_that_hangs_once(before=before)
        self.wait_for(lambda: any('"attempt_status"' in log.read_text() for log in self.state.rglob("*.jsonl")), 20, "the child reports")
        os.kill(self.processes("heddle-role task-child ")[0], signal.SIGKILL)
        self.assertIn("1 failed attempt", self.assert_copies(client, text))
        self.assertEqual(self.counters_of_failed_attempts(), [{"MAP_INPUT_RECORDS": 2, "BYTES_READ": len(text), "lines": 7}])

    def test_the_loss_of_all_nodes_ends_the_run_soon_with_their_exits(self):
        client = self.start_sleeping_job(master=CLUSTER)
        stderr = self.lose_all(client, self.role_of_nodes)
        self.assertRegex(stderr, "no (NodeManager|TaskTracker) of the cluster is left: ")
        self.assertFalse((self.folder / "out").exists())
        self.assert_nothing_is_left()

    def test_nodes_that_fail_at_their_start_end_the_run(self):
        self.write_input()
        client = self.start(*self.words(mapper="sh -c 'sleep 61'", master=CLUSTER))
        self.wait_for(lambda: len(self.processes_of(self.role_of_nodes)) == 2, 10, "both nodes start")
        self.lose_all(client, self.role_of_nodes)
        self.assert_nothing_is_left()

    def test_an_existing_output_is_refused_and_stays(self):
        self.write_input()
        (self.folder / "out").mkdir()
        (self.folder / "out" / "mine").write_text("mine")
        done = self.run_heddle(*self.words())
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertEqual(self.output(), {"mine": "mine"})

    def test_the_settings_file_has_the_commands_and_keys_of_the_user_and_no_secret(self):
        self.write_input()
        given = ["-D", "mapreduce.job.name=two words", "-D", "my.own=x", "-D", "mapreduce.map.java.opts=-Xmx1g", "-D", "my.Secret.key=hidden",
                 "-D", "mapred.map.max.attempts=2", "-D", "mapreduce.job.priority=HIGH"]
        done = self.run_heddle("mapreduce", "--framework", self.framework, "--master", ONE_NODE, *given, "-input", "input.txt", "-output", "out",
                               "-mapper", "tr -s ' ' '\\n'", "-combiner", "uniq", "-reducer", "uniq -c", "-numReduceTasks", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        [file] = self.state.rglob("*_conf.xml")
        rows = [(each.findtext("name"), each.findtext("value")) for each in ElementTree.parse(file).getroot()]
        settings = dict(rows)
        self.assertEqual(len(rows), len(settings))
        expected = {"stream.map.streamprocessor": "tr+-s+%27+%27+%27%5Cn%27", "stream.combine.streamprocessor": "uniq",
                    "stream.reduce.streamprocessor": "uniq+-c", "mapreduce.job.name": "two words", "mapreduce.job.reduces": "2",
                    "mapreduce.input.fileinputformat.inputdir": str(self.folder / "input.txt"), "mapreduce.job.queuename": "default",
                    "mapreduce.output.fileoutputformat.outputdir": str(self.folder / "out"), "mapreduce.job.priority": "HIGH",
                    "mapreduce.job.user.name": getpass.getuser(), "my.own": "x", "mapreduce.map.java.opts": "-Xmx1g",
                    "mapreduce.map.maxattempts": "2", "mapreduce.framework.name": self.framework}
        self.assertEqual({key: settings.get(key) for key in expected}, expected)
        self.assertNotIn("hidden", file.read_text())

    def test_masters_without_a_cluster_are_refused_with_the_form_that_works(self):
        self.write_input()
        for master in ("local[2]", "yarn", "heddle://x", "spark://x", "foo"):
            done = self.run_heddle(*self.words(master=master))
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("local-cluster[n,c,m]", done.stderr)
            self.assertNotIn("local[N]", done.stderr)
        done = self.run_heddle(*self.words("-background"))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("omit -background", done.stderr)

    def test_masters_are_refused_with_the_form_that_works_wherever_the_framework_is_named(self):
        self.write_input()
        words = [word for word in self.words(master=None) if word not in ("--framework", self.framework)]
        (self.folder / "cluster.toml").write_text(f'framework = "{self.framework}"\n[[host]]\nname = "a"\n')
        named = [["--set", f"mapreduce.framework.name={self.framework}"], ["--topology", "cluster.toml"], []]
        for source in named:
            if not source:
                (self.folder / "heddle.toml").write_text(f'"heddle.map_reduce.framework" = "{self.framework}"\n')
            for master in ("local[2]", "yarn", "heddle://x", "spark://x", "foo"):
                done = self.run_heddle(*words, *source, "--master", master)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn("local-cluster[n,c,m]", done.stderr)
                self.assertNotIn("local[N]", done.stderr)
