"""`heddle mapreduce --framework yarn`: the MapReduceMaster and each task child are containers with a process of their own, and end
with the job."""

import json
import os
import signal
import unittest

from heddle_case import HeddleCase

ONE_NODE = "local-cluster[1,1,512]"
ROLES = ("resource-manager", "node-manager", "application-master", "task-child")


class Yarn(HeddleCase):
    checks_invariants = True

    def words(self, *more, mapper="cat", master=ONE_NODE):
        words = ["mapreduce", "--framework", "yarn", "-input", "input.txt", "-output", "out", "-mapper", mapper, "-numReduceTasks", "0"]
        return [*words, *(["--master", master] if master else []), *more]

    def write_input(self, text="roses are red\nviolets are blue\n"):
        (self.folder / "input.txt").write_text(text)
        return text

    def start_sleeping_job(self, *more, master=ONE_NODE):
        self.write_input()
        client = self.start(*self.words(*more, mapper="sh -c 'sleep 61'", master=master))
        self.wait_for(lambda: self.processes(r"^sleep 61 "), 15, "a map runs")
        return client

    def assert_nothing_is_left(self):
        self.assert_all_gone()
        self.assertEqual(list((self.folder / "temporary").iterdir()), [])

    def output(self):
        return {path.name: path.read_text() for path in (self.folder / "out").iterdir()}

    def test_one_file_is_committed_through_real_processes(self):
        text = self.write_input()
        done = self.run_heddle(*self.words())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.output(), {"part-00000": text.replace("\n", "\t\n"), "_SUCCESS": ""})
        logs = sorted(self.state.rglob("events.jsonl"))
        self.assertEqual(len(logs), 1)
        events = [json.loads(line) for line in logs[0].read_text().splitlines()]
        states = [(event["subject"], event["state"]) for event in events if event["event"] == "map_reduce_state"]
        self.assertEqual([state for subject, state in states if subject == "job"][-2:], ["COMMITTING", "SUCCEEDED"])
        self.assertIn(("map 0 attempt 0", "RUNNING"), states)
        self.assert_nothing_is_left()

    def test_reduces_copy_the_outputs_of_all_maps(self):
        words = [f"w{number % 7} v{number % 3}" for number in range(3000)]
        (self.folder / "input.txt").write_text("\n".join(words) + "\n")
        done = self.run_heddle("mapreduce", "--framework", "yarn", "--master", "local-cluster[2,2,1024]", "-D", "mapreduce.job.maps=6",
                               "-input", "input.txt", "-output", "out", "-mapper", "tr ' ' '\n'", "-reducer", "uniq -c",
                               "-numReduceTasks", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        counted = {}
        for part in (self.folder / "out").glob("part-*"):
            for line in part.read_text().splitlines():
                count, word = line.split()
                counted[word] = int(count)
        flat = " ".join(words).split()
        self.assertEqual(counted, {word: flat.count(word) for word in set(flat)})
        self.assertEqual(sorted(path.name for path in (self.folder / "out").iterdir()), ["_SUCCESS", "part-00000", "part-00001"])
        self.assert_nothing_is_left()

    def test_each_attempt_has_a_container_of_its_own(self):
        client = self.start_sleeping_job()
        roles = {role: self.processes(f"heddle-role {role} ") for role in ROLES}
        self.assertEqual({role: len(found) for role, found in roles.items()}, dict.fromkeys(ROLES, 1))
        self.assertEqual(self.processes("heddle-role (executor|job-tracker|task-tracker) "), [])
        child = roles["task-child"][0]
        self.assertEqual(os.getpgid(child), child)  # a group of its own
        client.send_signal(signal.SIGINT)
        _, stderr = client.communicate(timeout=15)
        self.assertEqual(client.returncode, 7, stderr)
        self.assertFalse((self.folder / "out").exists())
        self.assert_nothing_is_left()

    def test_nothing_remains_after_the_client_was_killed(self):
        client = self.start_sleeping_job()
        client.kill()
        client.wait()
        self.assert_nothing_is_left()

    def test_a_killed_child_costs_one_attempt(self):
        text = self.write_input()
        script = self.folder / "map.sh"
        script.write_text(f"#!/bin/sh\nmkdir {self.folder}/first && exec sleep 61\ncat\n")
        script.chmod(0o755)
        client = self.start(*self.words(mapper=str(script)))
        self.wait_for(lambda: self.processes(r"^sleep 61 "), 15, "a map runs")
        os.kill(self.processes("heddle-role task-child ")[0], signal.SIGKILL)
        _, stderr = client.communicate(timeout=30)
        self.assertEqual(client.returncode, 0, stderr)
        self.assertEqual(self.output(), {"part-00000": text.replace("\n", "\t\n"), "_SUCCESS": ""})
        self.assertIn("1 failed attempt", stderr)
        self.assert_nothing_is_left()

    def test_a_failing_mapper_fails_the_job_after_its_attempts(self):
        self.write_input()
        done = self.run_heddle(*self.words(mapper="false"))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("task 0 failed 4 times", done.stderr)
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


if __name__ == "__main__":
    unittest.main()
