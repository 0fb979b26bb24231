"""Goal: a job has the same output with every master. Method: each recorded job of Hadoop Streaming and each sample program runs on local[2],
on local-cluster, and on YARN with its files in HDFS: Driver in the client, Driver in the master container, dynamic allocation.
HEDDLE_REAL_EVERY=N: each N-th recorded job only.
"""

import base64
import concurrent.futures
import gzip
import json
import os
import pathlib
import shutil
import subprocess
import threading
import unittest

from real_case import HEDDLE, SAMPLES, SOURCES, RealCase, WebHdfs, count_words, counted_words, has_cluster_mode

EVERY = int(os.environ.get("HEDDLE_REAL_EVERY", "1"))
AT_ONCE = 4
SMALL = ["--set", "heddle.executor.memory=256m", "--set", "heddle.master.memory=256m"]
DYNAMIC = ["--set", "heddle.dynamic_allocation.enabled=true", "--set", "heddle.dynamic_allocation.initial_executors=1", "--set",
           "heddle.dynamic_allocation.backlog_timeout=100ms"]


def recorded_jobs():
    packed = SOURCES / "tests" / "conformance" / "cases" / "streaming_job.json.zst"
    return json.loads(subprocess.run(["zstd", "-dcq", packed], capture_output=True, check=True).stdout)["cases"]


class EqualOutput(RealCase):
    """Each worker thread runs its jobs as a user of its own, because relative paths start at the user's home folder."""

    def setUp(self):
        super().setUp()
        self.homes = threading.local()
        self.numbers = iter(range(1000))

    def home(self):
        if not hasattr(self.homes, "user"):
            self.homes.user = f"user{next(self.numbers)}"
            admin = WebHdfs(self.user)
            admin.remove(f"/user/{self.homes.user}")
            admin.make_folder("/user")
            admin.call("PUT", "/user", "SETPERMISSION", permission="755")
            admin.make_folder(f"/user/{self.homes.user}", "755")
            admin.give(f"/user/{self.homes.user}", self.homes.user)
        return self.homes.user

    def run_recorded(self, case, master, options):
        """The differences from what was recorded."""
        given, expected = case["input"], case["expected"]
        is_yarn = master == "yarn"
        user = self.home() if is_yarn else "root"
        files = WebHdfs(user)
        folder = self.folder / f"{user}-{threading.get_ident()}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        if is_yarn:
            for name in files.names(f"/user/{user}"):
                if name != ".heddle":
                    files.remove(f"/user/{user}/{name}")
        for name, content in given["files"].items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(base64.b64decode(content))
            if is_yarn:
                files.write(f"/user/{user}/{name}", base64.b64decode(content))
        for name in given.get("existing_folders", []):
            (folder / name).mkdir(parents=True, exist_ok=True)
            if is_yarn:
                files.make_folder(f"/user/{user}/{name}")
        words = [HEDDLE, "mapreduce", "--format", "json", "--master", master, "-D", "mapreduce.job.maps=1", *options]
        if is_yarn or master.startswith("local-cluster"):  # LocalJobRunner has one attempt for each task
            words += ["-D", "mapreduce.map.maxattempts=1", "-D", "mapreduce.reduce.maxattempts=1"]
        done = subprocess.run(words + given["args"], cwd=folder, env=dict(self.environment, HADOOP_USER_NAME=user), capture_output=True,
                              text=True, timeout=180, check=False, stdin=subprocess.DEVNULL)
        if done.returncode != expected["exit"]:
            return f"exit code {done.returncode}, recorded {expected['exit']}: {done.stderr[-300:]}"
        output = f"/user/{user}/out" if is_yarn else folder / "out"
        has_success = files.exists(f"{output}/_SUCCESS") if is_yarn else (output / "_SUCCESS").exists()
        if has_success != expected.get("success_file", has_success):
            return f"_SUCCESS: {has_success}"
        if isinstance(expected.get("parts"), dict):
            if is_yarn:
                parts = files.parts(output) if files.exists(output) else {}
            else:
                parts = {path.name: path.read_bytes() for path in output.glob("part-*")}
            got = {name: gzip.decompress(content) if name.endswith(".gz") else content for name, content in parts.items()}
            wanted = {name: base64.b64decode(content) for name, content in expected["parts"].items()}
            if given["compare"] == "lines":
                got, wanted = ({name: sorted(content.splitlines()) for name, content in parts.items()} for parts in (got, wanted))
            if got != wanted:
                return f"parts differ: {sorted(got)}, recorded {sorted(wanted)}"
        return ""

    def check_recorded(self, name, master, options, every=EVERY, at_once=AT_ONCE):
        cases = recorded_jobs()[::every]
        with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
            results = list(pool.map(lambda case: self.run_recorded(case, master, options), cases))
        for case, difference in zip(cases, results):
            if difference:
                self.say(f"differs: {case['name']}: {difference}")
        self.say(f"{name}: {sum(not difference for difference in results)} of {len(cases)} recorded jobs have the recorded output")
        self.assertEqual([case["name"] for case, difference in zip(cases, results) if difference], [])

    def test_recorded_jobs_on_local(self):
        self.check_recorded("local[2]", "local[2]", [], at_once=2)

    def test_recorded_jobs_on_local_cluster(self):
        self.check_recorded("local-cluster", "local-cluster[2,1,512]", [], at_once=2)

    def test_recorded_jobs_on_yarn_with_the_driver_in_the_client(self):
        self.check_recorded("yarn, client mode", "yarn", SMALL)

    def test_recorded_jobs_on_yarn_with_the_driver_in_the_cluster(self):
        if not has_cluster_mode():
            self.skipTest("this build refuses --deploy-mode cluster")
        self.check_recorded("yarn, cluster mode", "yarn", [*SMALL, "--deploy-mode", "cluster"])

    def test_recorded_jobs_on_yarn_with_dynamic_allocation(self):
        self.check_recorded("yarn, dynamic allocation", "yarn", [*SMALL, *DYNAMIC], every=4 * EVERY)

    def run_sample(self, name, *words):
        done = subprocess.run([SAMPLES / name, *words], cwd=self.folder, env=self.environment, capture_output=True, text=True, timeout=180,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def masters(self):
        yield "local[2]", ["--master", "local[2]"]
        yield "local-cluster", ["--master", "local-cluster[2,1,512]"]
        yield "yarn, client mode", ["--master", "yarn"]
        yield "yarn, dynamic allocation", ["--master", "yarn", *DYNAMIC]
        if has_cluster_mode():
            yield "yarn, cluster mode", ["--master", "yarn", "--deploy-mode", "cluster"]

    def test_samples(self):
        text = b"".join(b"word%d other%d\n" % (number % 97, number % 13) for number in range(5000))
        for part in (1, 2, 3):
            self.hdfs.write(f"{self.work}/text/{part}", text)
        expected = count_words(text * 3)
        folder = f"{os.environ['HEDDLE_REAL_FS']}{self.work}"
        job = (pathlib.Path(SOURCES) / "samples" / "word_count.toml").read_text()
        for number, (name, words) in enumerate(self.masters()):
            with self.subTest(master=name):
                self.run_sample("word_count", *words, f"{folder}/text", f"{folder}/counts{number}")
                self.assertEqual(counted_words(self.hdfs.parts(f"{self.work}/counts{number}")), expected)
                path = self.folder / f"{number}.toml"
                path.write_text(job.replace('text = "text"', f'text = "{folder}/text"').replace('text = "words"', f'text = "{folder}/words{number}"'))
                self.succeed("run", *words, str(path))
                self.assertEqual(counted_words(self.hdfs.parts(f"{self.work}/words{number}")), expected)
                self.assertEqual(self.run_sample("four_stages", *words, str(self.folder / f"four{number}")),
                                 "austria 1617\nbelgium 1650\nchile 1683\n")
                self.assertEqual(self.run_sample("monte_carlo_pi", *words, "4", "100000"),
                                 "pi is about 3.1438 after 400000 points in 4 tasks\n")
                if name.startswith("yarn"):  # spawn_roles runs roles on this machine only, and says so
                    refused = subprocess.run([SAMPLES / "embedding", words[1]], cwd=self.folder, env=self.environment, capture_output=True,
                                             text=True, timeout=60, check=False)
                    self.assertNotEqual(refused.returncode, 0)
                    self.assertIn("spawn_roles has no --master yarn", refused.stderr)
                else:
                    self.assertEqual(self.run_sample("embedding", words[1]).splitlines()[-1], "20 primes below 72")
                self.say(f"{name}: the samples (C++ Session, job file) have equal output")


if __name__ == "__main__":
    unittest.main(verbosity=2)
