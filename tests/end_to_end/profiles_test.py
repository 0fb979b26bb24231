"""Profiles: executors of a stage's own size run only this stage, and idle executors of the other size are removed."""

import json
import pathlib
import subprocess
import unittest

from heddle_case import HEDDLE, IS_SANITIZED, HeddleCase

REPLAY = pathlib.Path(HEDDLE).with_name("heddle-replay")
DYNAMIC = ("--set", "heddle.dynamic_allocation.enabled=true", "--set", "heddle.dynamic_allocation.idle_timeout=1s",
           "--set", "heddle.dynamic_allocation.backlog_timeout=100ms")


class Profiles(HeddleCase):
    def write_topology(self):
        path = self.folder / "topology.toml"
        path.write_text('[[rack]]\nname = "r1"\nhosts = ["a", "b"]\ncores = 4\nmemory = "800m"\n\n'
                        '[settings]\n"heddle.master.memory" = "64m"\n"heddle.executor.cores" = 1\n"heddle.executor.memory" = "150m"\n')
        return path

    def write_sizes(self, size="executor_cores = 2\nexecutor_memory = \"300m\"", wait=""):
        path = self.folder / "sizes.toml"
        path.write_text(f'name = "sizes"\n\n[[stage]]\nname = "usual"\ntasks = 4\ncommand = ["sh", "-c", "sleep 0.1; echo one"]\n\n'
                        f'[[stage]]\nname = "wide"\nafter = ["usual"]\npartitions = 4\n{size}\nshuffle = {{ order = "none" }}\n'
                        f'command = ["sh", "-c", "{wait} cat"]\noutput = {{ text = "{self.folder}/out" }}\n')
        return path

    def executors(self, profile):
        """Executors of the profile that are registered and not removed, by the Driver's log."""
        found = set()
        for log in self.state.glob("heddle/*/events.jsonl"):
            for line in log.read_text().splitlines(keepends=True):
                event = json.loads(line) if line.endswith("\n") else {"event": "is being written"}
                if event["event"] == "executor_registered" and event["profile"] == profile:
                    found.add(event["executor"])
                elif event["event"] == "executor_removed":
                    found.discard(event["executor"])
        return found

    def only_the_second_size_runs(self):
        return not self.executors(0) and len(self.processes("heddle-role executor ")) == len(self.executors(1))

    def test_executors_of_the_second_size_start_and_idle_ones_of_the_first_end(self):
        words = ("--set", "heddle.node_manager.check_physical_memory=false") if IS_SANITIZED else ()
        for deploy in ("client", "cluster"):
            with self.subTest(deploy=deploy):
                go = self.folder / f"go-{deploy}"
                job = self.write_sizes(wait=f"while [ ! -e {go} ]; do sleep 0.05; done;")
                client = self.start("run", "--topology", str(self.write_topology()), "--deploy-mode", deploy, *DYNAMIC, *words, str(job))
                self.wait_for(lambda: self.executors(1), 60, "an executor of the second size runs")
                self.wait_for(lambda: self.processes(r"^sleep 0.05"), 60, "a task of the second stage runs")
                self.wait_for(self.only_the_second_size_runs, 60, "the executors of the first size have left")
                self.assertTrue(self.executors(1))
                go.touch()
                self.assertEqual(client.wait(timeout=60), 0, client.stderr.read())
                self.assert_all_gone()
                self.check_log(deploy)
                subprocess.run(["rm", "-rf", str(self.folder / "out"), str(self.state / "heddle")], check=True)

    def check_log(self, deploy):
        [folder] = (self.state / "heddle").iterdir()
        done = subprocess.run([REPLAY, folder], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.stdout.count(" inputs, "), done.stdout.count(" 0 decided otherwise"), done.stdout + done.stderr)
        if deploy == "client":  # a Driver in the master container can be killed before it closes its log
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        lines = [json.loads(line) for log in folder.glob("*.jsonl") for line in log.read_text().splitlines()]
        profile_of = {line["executor"]: line["profile"] for line in lines if line["event"] == "executor_registered"}
        self.assertEqual({line["cores"] for line in lines if line["event"] == "executor_registered" and line["profile"] == 1}, {2})
        stages = {}
        for line in lines:
            if line["event"] == "tasks_launched":
                stages.setdefault(line["stage"], set()).add(profile_of[line["executor"]])
        self.assertEqual(list(stages.values()), [{0}, {1}], deploy)
        [added] = [line for line in lines if line["event"] == "profile_added"]
        self.assertEqual((added["executor_cores"], added["executor_memory_mib"], added["tasks_per_executor"]), (2, 300, 2))

    def test_impossible_sizes_are_refused_by_name(self):
        topology = ("--topology", str(self.write_topology()))
        for words, size, expected in (
            (("--master", "local[2]"), "executor_cores = 2", "stage 'wide' asks for executors of its own"),
            (topology, "executor_cores = 2", "ResourceProfiles are only supported on YARN and Kubernetes and Standalone"),
            ((*topology, *DYNAMIC), "executor_cores = 2\ncores = 3", "stage 'wide': a task needs 3 cores, but an executor has 2"),
            ((*topology, *DYNAMIC), "executor_memory = \"100m\"\nmemory = \"120m\"", "a task needs 120 MiB, but an executor has 100 MiB"),
            ((*topology, *DYNAMIC), "executor_memory = \"2g\"", "stage 'wide': an executor needs 2048 MiB and 1 cores, but"),
        ):
            with self.subTest(size=size, expected=expected):
                done = self.run_heddle("run", *words, str(self.write_sizes(size)))
                self.assertEqual(done.returncode, 4, done.stderr)
                self.assertIn(expected, done.stderr)

    def test_piped_stages_with_different_sizes_are_refused_or_get_the_maximum(self):
        path = self.folder / "piped.toml"
        path.write_text(f'name = "piped"\n\n[[stage]]\nname = "first"\ntasks = 1\nexecutor_cores = 2\ncommand = ["echo", "one"]\n\n'
                        f'[[stage]]\nname = "second"\nafter = ["first"]\nexecutor_memory = "200m"\ncommand = ["cat"]\n'
                        f'output = {{ text = "{self.folder}/out" }}\n')
        words = ("run", "--topology", str(self.write_topology()), *DYNAMIC)
        done = self.run_heddle(*words, str(path))
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("stage 'second': Multiple ResourceProfiles specified", done.stderr)
        merged = self.run_heddle(*words, "--set", "heddle.stage.merge_resource_profiles=true", str(path), seconds=60)
        self.assertEqual(merged.returncode, 0, merged.stderr)
        lines = [json.loads(line) for log in self.state.glob("heddle/*/events.jsonl") for line in log.read_text().splitlines()]
        [added] = [line for line in lines if line["event"] == "profile_added"]
        self.assertEqual((added["executor_cores"], added["executor_memory_mib"]), (2, 200))


if __name__ == "__main__":
    unittest.main()
