"""Goal: many applications leave nothing behind. Method: HEDDLE_REAL_APPLICATIONS (200) small applications one after another, then 20 at once in
two queues. After a tenth of them and at the end: memory, descriptors and threads of the NameNode, DataNodes, ResourceManager and
NodeManagers, files in staging, in /heddle-real and in the folders of the nodes, and processes. Of the first and the last twenty
applications: peak memory, descriptors and threads of their clients, masters and executors.
"""

import collections
import concurrent.futures
import contextlib
import os
import pathlib
import re
import statistics
import subprocess
import time
import unittest

from real_case import HEDDLE, RealCase, count_words, counted_words, processes_of_containers, roles

APPLICATIONS = int(os.environ.get("HEDDLE_REAL_APPLICATIONS", "200"))
AT_ONCE = 20
COMPARED = 20  # first and last applications
# What may be more at the end than at the beginning: a factor, and an amount. The JVMs of Hadoop fill their heaps of 256 MiB by and by.
OF_DAEMONS = {"descriptors": (1.2, 50), "threads": (1.2, 50), "resident MiB": (1.2, 64)}
OF_HEDDLE = {"descriptors": (1.0, 4), "threads": (1.0, 2), "resident MiB": (1.1, 4)}
SMALL = ["--set", "heddle.executor.memory=128m", "--set", "heddle.master.memory=128m", "--set", "heddle.executor.memory_overhead=128m",
         "--set", "heddle.executor.instances=1"]


def use_of(process, peak):
    """What one process uses: its memory in MiB, now or at its peak."""
    status = pathlib.Path(f"/proc/{process}/status").read_text()
    numbers = {name: int(re.search(rf"{name}:\s+(\d+)", status).group(1)) for name in ("Threads", "VmHWM" if peak else "VmRSS")}
    return {"descriptors": len(os.listdir(f"/proc/{process}/fd")), "threads": numbers.pop("Threads"),
            "resident MiB": numbers.popitem()[1] / 1024}


class Soak(RealCase):
    def daemons(self):
        return {path.stem: int(path.read_text()) for path in pathlib.Path(os.environ["HEDDLE_REAL_DIR"], "run").glob("*.pid")}

    def measure(self):
        """Totals over daemons, folders and processes."""
        found = dict.fromkeys(OF_DAEMONS, 0)
        for process in self.daemons().values():
            for name, number in use_of(process, False).items():
                found[name] = round(found[name] + number)
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

    @staticmethod
    def look(kind, processes, uses):
        """Notes the highest numbers of each kind of process."""
        for process in processes:
            with contextlib.suppress(OSError, AttributeError):  # it has just ended
                for name, number in use_of(process, True).items():
                    uses[kind][name] = max(uses[kind].get(name, 0), number)

    def run_one(self, number, queue="default", uses=None):
        target = f"{self.work}/out{number}"
        job = self.write_word_job(f"{self.work}/text", target, name=f"soak{number}")
        said = self.folder / f"stderr{number}"
        with open(said, "wb") as stream:
            client = subprocess.Popen([HEDDLE, "run", "--master", "yarn", "--queue", queue, "--no-progress", *SMALL, job],
                                      env=self.environment, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=stream)
        deadline = time.monotonic() + 300
        while client.poll() is None and time.monotonic() < deadline:
            if uses is not None:
                self.look("client", [client.pid], uses)
                for role in ("application-master", "executor"):
                    self.look(role, roles(role), uses)
            time.sleep(0.1)
        client.kill()
        if client.wait() != 0:
            return f"application {number}: exit code {client.returncode}: {said.read_text()[-300:]}"
        said.unlink()
        if counted_words(self.hdfs.parts(target)) != self.expected:
            return f"application {number}: another output"
        self.hdfs.remove(target)
        return ""

    @staticmethod
    def typical(kind, uses):
        """Medians over some applications."""
        return {name: round(statistics.median(of_one[kind].get(name, 0) for of_one in uses), 1) for name in OF_HEDDLE}

    def assert_no_growth(self, before, after, bounds, what):
        for name, (factor, amount) in bounds.items():
            self.assertGreater(before[name], 0, (what, name))
            self.assertLessEqual(after[name], factor * before[name] + amount, (what, name))

    def test_applications_leave_nothing_behind(self):
        text = b"to be or not to be that is the question\n" * 1000
        self.expected = count_words(text)
        self.hdfs.write(f"{self.work}/text", text)
        begin = time.monotonic()
        first = None
        uses = []  # of each application
        for number in range(APPLICATIONS):
            uses.append(collections.defaultdict(dict))
            self.assertEqual(self.run_one(number, uses=uses[-1]), "")
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
            self.assert_no_growth(first, measured, OF_DAEMONS, "daemons of Hadoop")
        number = min(COMPARED, APPLICATIONS // 2)
        for kind in ("client", "application-master", "executor"):
            begin_uses, end_uses = (self.typical(kind, part) for part in (uses[:number], uses[-number:]))
            self.say(f"{kind}: of the first {number} {begin_uses}, of the last {number} {end_uses}")
            self.assert_no_growth(begin_uses, end_uses, OF_HEDDLE, kind)
        left = [name for name in self.hdfs.names(self.work) if name != "text"]
        self.assertEqual(left, [])
        self.assert_only_programs_staged()


if __name__ == "__main__":
    unittest.main(verbosity=2)
