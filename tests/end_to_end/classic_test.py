"""`heddle mapreduce --framework classic`: JobTracker, TaskTrackers and task children are real processes, and end with the job."""

import json
import os
import pathlib
import signal
import unittest

from heddle_case import HeddleCase

ONE_TRACKER = "local-cluster[1,1,512]"
ROLES = ("job-tracker", "task-tracker", "task-child")


class Classic(HeddleCase):
    checks_invariants = True

    def words(self, *more, mapper="cat", master=ONE_TRACKER):
        words = ["mapreduce", "--framework", "classic", "-input", "input.txt", "-output", "out", "-mapper", mapper, "-numReduceTasks", "0"]
        return [*words, *(["--master", master] if master else []), *more]

    def write_input(self, text="roses are red\nviolets are blue\n"):
        (self.folder / "input.txt").write_text(text)
        return text

    def start_sleeping_job(self, *more):
        self.write_input()
        client = self.start(*self.words(*more, mapper="sh -c 'sleep 61'"))
        self.wait_for(lambda: self.processes(r"^sleep 61 "), 10, "a map runs")
        return client

    def assert_nothing_is_left(self):
        self.assert_all_gone()
        self.assertEqual(list((self.folder / "temporary").iterdir()), [])

    def output(self):
        return {path.name: path.read_text() for path in (self.folder / "out").iterdir()}

    def events(self):
        logs = sorted(self.state.rglob("events.jsonl"))
        self.assertEqual(len(logs), 1)
        return [json.loads(line) for line in logs[0].read_text().splitlines()]

    def test_one_file_is_committed_through_real_processes(self):
        text = self.write_input()
        done = self.run_heddle(*self.words())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.output(), {"part-00000": text.replace("\n", "\t\n"), "_SUCCESS": ""})
        self.assertIn("streamjob done in", done.stderr)
        self.assertIn(str(self.state), done.stderr)  # the path of the event log
        self.assertTrue(list(self.state.rglob("task_tracker.node-1.children/*/stderr")))
        self.assertIn("settings", [event["event"] for event in self.events()])
        self.assert_nothing_is_left()

    def test_a_word_count_equals_that_of_the_driver(self):
        self.write_words()
        outputs = {}
        for framework in ("driver", "classic"):
            done = self.run_heddle("mapreduce", "--framework", framework, "--master", "local-cluster[2,1,512]", "-input", "text", "-output", framework,
                                   "-mapper", "tr -s ' ' '\\n'", "-reducer", "uniq -c", "-numReduceTasks", "2")
            self.assertEqual(done.returncode, 0, done.stderr)
            outputs[framework] = {path.name: path.read_text() for path in (self.folder / framework).iterdir()}
        self.assertEqual(len(outputs["driver"]), 3)
        self.assertEqual(outputs["classic"], outputs["driver"])
        self.assert_nothing_is_left()

    def test_each_role_is_a_process_of_its_own(self):
        client = self.start_sleeping_job()
        roles = {role: self.processes(f"heddle-role {role} ") for role in ROLES}
        self.assertEqual({role: len(found) for role, found in roles.items()}, dict.fromkeys(ROLES, 1))
        self.assertEqual(self.processes("heddle-role (resource-manager|node-manager|application-master|executor) "), [])
        child = roles["task-child"][0]
        self.assertEqual(os.getpgid(child), child)  # a group of its own
        client.send_signal(signal.SIGINT)
        _, stderr = client.communicate(timeout=15)
        self.assertEqual(client.returncode, 7, stderr)
        self.assertFalse((self.folder / "out").exists())
        self.assert_nothing_is_left()

    def test_a_local_cluster_of_two_trackers_is_the_default(self):
        self.write_input()
        client = self.start(*self.words(mapper="sh -c 'sleep 61'", master=""))
        self.wait_for(lambda: self.processes(r"^sleep 61 "), 10, "a map runs")
        self.assertEqual(len(self.processes("heddle-role task-tracker ")), 2)
        client.send_signal(signal.SIGINT)
        client.communicate(timeout=15)
        self.assert_nothing_is_left()

    def test_nothing_remains_after_the_client_was_killed(self):
        client = self.start_sleeping_job()
        client.kill()
        client.wait()
        self.assert_nothing_is_left()

    def test_an_interrupt_ends_a_job_with_a_stopped_process(self):
        """The process is stopped as soon as it starts, so the client waits for it while it opens the session, or while the job runs."""
        self.write_input()
        for role in ROLES:
            with self.subTest(role=role):
                client = self.start(*self.words(mapper="sh -c 'sleep 61'"))
                os.kill(self.wait_for(lambda role=role: self.processes(f"heddle-role {role} "), 10, f"the {role} starts")[0], signal.SIGSTOP)
                client.send_signal(signal.SIGINT)
                _, stderr = client.communicate(timeout=15)
                self.assertEqual(client.returncode, 7, stderr)
                self.assertFalse((self.folder / "out").exists())
                self.assert_nothing_is_left()

    def test_the_loss_of_the_job_tracker_ends_the_job_with_one_sentence(self):
        client = self.start_sleeping_job()
        os.kill(self.processes("heddle-role job-tracker ")[0], signal.SIGKILL)
        _, stderr = client.communicate(timeout=15)
        self.assertEqual(client.returncode, 1, stderr)
        self.assertIn("the JobTracker was lost, and its jobs with it", stderr)
        self.assertFalse((self.folder / "out").exists())
        self.assert_nothing_is_left()

    def start_job_that_hangs_once(self, master=ONE_TRACKER):
        """Its first map attempt sleeps, later ones copy their input."""
        text = self.write_input()
        script = self.folder / "map.sh"
        script.write_text(f"#!/bin/sh\nmkdir {self.folder}/first && exec sleep 61\ncat\n")
        script.chmod(0o755)
        client = self.start(*self.words(mapper=str(script), master=master))
        self.wait_for(lambda: self.processes(r"^sleep 61 "), 10, "a map runs")
        return client, text

    def assert_succeeds(self, client, text):
        _, stderr = client.communicate(timeout=30)
        self.assertEqual(client.returncode, 0, stderr)
        self.assertEqual(self.output(), {"part-00000": text.replace("\n", "\t\n"), "_SUCCESS": ""})
        self.assert_nothing_is_left()
        return stderr

    def test_a_killed_child_costs_one_attempt(self):
        client, text = self.start_job_that_hangs_once()
        os.kill(self.processes("heddle-role task-child ")[0], signal.SIGKILL)
        self.assertIn("1 failed attempt", self.assert_succeeds(client, text))

    def test_maps_of_a_killed_tracker_run_on_another(self):
        client, text = self.start_job_that_hangs_once("local-cluster[2,1,512]")
        parent = self.parent_of(self.processes("heddle-role task-child ")[0])
        self.assertIn(parent, self.processes("heddle-role task-tracker "))
        os.kill(parent, signal.SIGKILL)
        self.assert_succeeds(client, text)

    def test_the_loss_of_all_trackers_ends_the_job_with_one_sentence(self):
        client = self.start_sleeping_job()
        os.kill(self.processes("heddle-role task-tracker ")[0], signal.SIGKILL)
        _, stderr = client.communicate(timeout=15)
        self.assertNotEqual(client.returncode, 0)
        self.assertIn("no TaskTracker of the cluster is left: node-1 was killed by signal 9", stderr)
        self.assertFalse((self.folder / "out").exists())
        self.assert_nothing_is_left()

    @staticmethod
    def parent_of(process):
        return int(pathlib.Path("/proc", str(process), "stat").read_text().rsplit(")", 1)[1].split()[1])

    def test_a_failing_mapper_fails_the_job_after_its_attempts(self):
        self.write_input()
        done = self.run_heddle(*self.words("-D", "mapreduce.map.maxattempts=2", mapper="false"))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertFalse((self.folder / "out").exists())
        self.assert_nothing_is_left()

    def test_an_existing_output_is_refused_and_stays(self):
        self.write_input()
        (self.folder / "out").mkdir()
        (self.folder / "out" / "mine").write_text("mine")
        done = self.run_heddle(*self.words())
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertEqual(self.output(), {"mine": "mine"})

    def test_masters_without_a_cluster_are_refused_with_the_form_that_works(self):
        self.write_input()
        for master in ("local[2]", "yarn"):
            done = self.run_heddle(*self.words(master=master))
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("local-cluster[n,c,m]", done.stderr)

    def test_the_key_of_hadoop_selects_the_framework(self):
        text = self.write_input()
        words = [word for word in self.words() if word not in ("--framework", "classic")]
        done = self.run_heddle(*words, "-D", "mapreduce.framework.name=classic")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.output()["part-00000"], text.replace("\n", "\t\n"))
        self.assertTrue(list(self.state.rglob("job_tracker.stderr")))


if __name__ == "__main__":
    unittest.main()
