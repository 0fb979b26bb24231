"""Goal: many applications leave nothing behind. Method: HEDDLE_REAL_APPLICATIONS (200) small applications one after another, then 20 at once in
two queues. After a tenth of them and at the end: memory, descriptors and threads of the NameNode, DataNodes, ResourceManager and
NodeManagers, files in staging, in /heddle-real and in the folders of the nodes, and processes.
"""

import concurrent.futures
import os
import pathlib
import re
import subprocess
import time
import unittest

from real_case import HEDDLE, RealCase, count_words, counted_words, processes_of_containers

APPLICATIONS = int(os.environ.get("HEDDLE_REAL_APPLICATIONS", "200"))
AT_ONCE = 20
SMALL = ["--set", "heddle.executor.memory=128m", "--set", "heddle.master.memory=128m", "--set", "heddle.executor.memory_overhead=128m",
         "--set", "heddle.executor.instances=1"]


class Soak(RealCase):
    def daemons(self):
        return {path.stem: int(path.read_text()) for path in pathlib.Path(os.environ["HEDDLE_REAL_DIR"], "run").glob("*.pid")}

    def measure(self):
        """Totals over daemons, folders and processes."""
        found = {"descriptors": 0, "threads": 0, "resident MiB": 0}
        for process in self.daemons().values():
            found["descriptors"] += len(os.listdir(f"/proc/{process}/fd"))
            status = pathlib.Path(f"/proc/{process}/status").read_text()
            found["threads"] += int(re.search(r"Threads:\s+(\d+)", status).group(1))
            found["resident MiB"] += int(re.search(r"VmRSS:\s+(\d+)", status).group(1)) // 1024
        found["staged files"] = len(self.hdfs.names(f"/user/{self.user}/.heddle"))
        cluster = pathlib.Path(os.environ["HEDDLE_REAL_DIR"])
        found["folders of applications"] = len(list(cluster.glob("data/node*/local/usercache/*/appcache/application_*")))
        found["cached files"] = len(list(cluster.glob("data/node*/local/usercache/*/filecache/*/*")))
        found["processes of containers"] = len(processes_of_containers())
        return found

    def settle(self):
        """NodeManagers remove the folders of an application some seconds after its end."""
        cluster = pathlib.Path(os.environ["HEDDLE_REAL_DIR"])
        self.wait_for(lambda: not processes_of_containers() and
                      not list(cluster.glob("data/node*/local/usercache/*/appcache/application_*/container_*")), 60, "the nodes are clean")
        time.sleep(2)

    def run_one(self, number, queue="default"):
        target = f"{self.work}/out{number}"
        job = self.write_word_job(f"{self.work}/text", target, name=f"soak{number}")
        done = subprocess.run([HEDDLE, "run", "--master", "yarn", "--queue", queue, "--no-progress", *SMALL, job], env=self.environment,
                              cwd=self.folder, capture_output=True, text=True, timeout=300, check=False)
        if done.returncode != 0:
            return f"application {number}: exit code {done.returncode}: {done.stderr[-300:]}"
        if counted_words(self.hdfs.parts(target)) != self.expected:
            return f"application {number}: another output"
        self.hdfs.remove(target)
        return ""

    def test_applications_leave_nothing_behind(self):
        text = b"to be or not to be that is the question\n" * 1000
        self.expected = count_words(text)
        self.hdfs.write(f"{self.work}/text", text)
        begin = time.monotonic()
        first = None
        for number in range(APPLICATIONS):
            self.assertEqual(self.run_one(number), "")
            if number == max(1, APPLICATIONS // 10):
                self.settle()
                first = self.measure()
                self.say(f"after {number + 1} applications: {first}")
        self.settle()
        last = self.measure()
        self.say(f"after {APPLICATIONS} applications, {(time.monotonic() - begin) / APPLICATIONS:.1f} s each: {last}")
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            results = list(pool.map(lambda number: self.run_one(1000 + number, ("default", "batch")[number % 2]), range(AT_ONCE)))
        self.assertEqual([result for result in results if result], [])
        self.settle()
        after = self.measure()
        self.say(f"after {AT_ONCE} more at once in two queues: {after}")
        for measured in (last, after):
            self.assertEqual(measured["processes of containers"], 0)
            for name in ("staged files", "cached files"):
                self.assertLessEqual(measured[name], first[name] + 3 * first["staged files"] * (measured is after), name)
            # The daemons are Hadoop's; their pools of threads and connections vary a little.
            for name in ("descriptors", "threads"):
                self.assertLess(measured[name], first[name] * 1.2 + 50, name)
        left = [name for name in self.hdfs.names(self.work) if name != "text"]
        self.assertEqual(left, [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
