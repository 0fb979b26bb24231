"""Devices of tasks: found by the user's script, assigned by address to one task at a time, refused if they can never fit."""

import pathlib
import re
import unittest

from heddle_case import HeddleCase

MASTERS = ("local[4]", "local-cluster[1,4,1024]")
KEY = "heddle.executor.resource.gpu"


class Devices(HeddleCase):
    def write_script(self, addresses='"0", "1"'):
        script = self.folder / "find-gpus"
        script.write_text("#!/bin/sh\necho run >> " + str(self.folder / "runs") + f"\necho '{{\"name\": \"gpu\", \"addresses\": [{addresses}]}}'\n")
        script.chmod(0o755)
        return script

    def write_job(self, output):
        """Each task locks its device with a folder of its address, and prints the address."""
        path = self.folder / "job.toml"
        path.write_text(f'''name = "devices"
[[stage]]
name = "hold"
tasks = 8
command = ["sh", "-c", "mkdir {self.folder}/held-$HEDDLE_DEVICES_GPU && sleep 0.05 && rmdir {self.folder}/held-$HEDDLE_DEVICES_GPU && echo $HEDDLE_DEVICES_GPU"]
output = {{ text = "{output}" }}
''')
        return str(path)

    def test_two_devices_are_used_by_two_tasks_at_a_time(self):
        script = self.write_script()
        for number, master in enumerate(MASTERS):
            with self.subTest(master=master):
                output = self.folder / f"out{number}"
                done = self.run_heddle("run", "--master", master, "--set", "heddle.executor.cores=4", "--set", "heddle.task.max_failures=1",
                                       "--set", f"{KEY}.amount=2", "--set", f"{KEY}.discovery_script={script.name}",
                                       "--set", "heddle.task.resource.gpu.amount=1", self.write_job(output), seconds=100)
                self.assertEqual(done.returncode, 0, done.stderr)
                used = [line for part in output.glob("part-*") for line in part.read_text().split()]
                self.assertEqual(len(used), 8)
                self.assertEqual(set(used), {"0", "1"})
        self.assertEqual((self.folder / "runs").read_text(), "run\n" * len(MASTERS))
        self.assert_all_gone()

    def test_spark_defaults_can_request_devices(self):
        script = self.write_script('"a", "b"')
        (self.folder / "spark-defaults.conf").write_text("spark.executor.resource.gpu.amount 2\nspark.task.resource.gpu.amount 2\n"
                                                         f"spark.executor.resource.gpu.discoveryScript {script}\n")
        self.environment["SPARK_CONF_DIR"] = str(self.folder)
        done = self.run_heddle("run", "--master", MASTERS[0], self.write_job(self.folder / "out"), seconds=100)
        self.assertEqual(done.returncode, 0, done.stderr)
        used = [line for part in (self.folder / "out").glob("part-*") for line in part.read_text().split()]
        self.assertEqual(used, ["a,b"] * 8)

    def test_a_request_that_never_fits_is_refused(self):
        script = self.write_script()
        job = self.write_job(self.folder / "out")
        too_many = ("--set", f"{KEY}.amount=1", "--set", f"{KEY}.discovery_script={script}", "--set", "heddle.task.resource.gpu.amount=2")
        too_few = ("--set", f"{KEY}.amount=3", "--set", f"{KEY}.discovery_script={script}", "--set", "heddle.task.resource.gpu.amount=1")
        for master in MASTERS:
            with self.subTest(master=master):
                done = self.run_heddle("run", "--master", master, *too_many, job, seconds=100)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn("needs to be >= the task resource request amount of 2", done.stderr)
        done = self.run_heddle("run", "--master", MASTERS[0], *too_few, job, seconds=100)
        self.assertNotEqual(done.returncode, 0, done.stderr)
        self.assertIn("resource: gpu, with addresses: 0,1 is less than what the user requested: 3", done.stderr)

    def test_executors_without_their_devices_fail_with_the_reason(self):
        script = self.write_script()
        done = self.run_heddle("run", "--master", MASTERS[1], "--set", f"{KEY}.amount=3", "--set", f"{KEY}.discovery_script={script}",
                               "--set", "heddle.task.resource.gpu.amount=1", self.write_job(self.folder / "out"), seconds=150)
        self.assertNotEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"executors? failed, .*; its logs are in ")
        logs = pathlib.Path(re.search(r"its logs are in (\S+)", done.stderr).group(1))
        self.assertIn("is less than what the user requested: 3", "".join(path.read_text() for path in logs.iterdir()))
        self.assert_all_gone()


if __name__ == "__main__":
    unittest.main()
