"""Goal: tasks run where their blocks are. Method: counts words of header files of this machine, stored in HDFS as at least 90 blocks of
one replica each on three DataNodes, with an executor on each of the three nodes; the same without locality waits.
"""

import collections
import json
import os
import pathlib
import unittest

from real_case import RealCase, count_words, counted_words, real_text

BLOCKS = 96
BLOCK_BYTES = 512 << 10


class Locality(RealCase):
    @staticmethod
    def finished_by_host(log):
        """Number of tasks that executors of each host have finished."""
        hosts, finished = {}, collections.Counter()
        for line in pathlib.Path(log).read_text().splitlines():
            event = json.loads(line)
            if event["event"] == "executor_registered":
                hosts[event["executor"]] = event["host"]
            elif event["event"] == "stage_scheduler_success":
                finished[hosts[event["executor"]]] += event["count"]
        return finished

    def test_tasks_run_on_the_nodes_of_their_blocks(self):
        self.work = "/heddle-real/words"  # stays, as does the log, for those who want to look at them
        logs = os.path.join(os.environ["HEDDLE_REAL_DIR"], "logs", "heddle")
        self.hdfs.remove(self.work)
        text = real_text(BLOCKS * BLOCK_BYTES)
        self.hdfs.write(f"{self.work}/text", text, BLOCK_BYTES)
        hosts = collections.Counter(host for block in self.hdfs.hosts_of_blocks(f"{self.work}/text") for host in block)
        self.say(f"blocks: {sum(hosts.values())} of {BLOCK_BYTES >> 10} KiB, one replica each: " +
                 ", ".join(f"{count} on {host}" for host, count in sorted(hosts.items())))
        self.assertEqual(sum(hosts.values()), BLOCKS)
        self.assertEqual(len(hosts), 3, "start the cluster with three DataNodes")
        self.assertLessEqual(max(hosts.values()), BLOCKS / 2)
        expected = count_words(text)
        shares = {}
        for name, wait in (("with locality waits", "3s"), ("without", "0s")):
            target = f"{self.work}/{'near' if wait == '3s' else 'far'}"
            job = self.write_word_job(f"{self.work}/text", target)
            # Memory of which a node has room for one executor: each of the three nodes gets one.
            done = self.succeed("run", "--master", "yarn", "--set", "heddle.executor.instances=3", "--set",
                                "heddle.executor.memory=2200m", "--set", f"heddle.locality.wait={wait}",
                                "--set", f"heddle.event_log.dir={logs}", job, seconds=300)
            tasks = done["stages"][0]["locality"]
            near = tasks["process"] + tasks["node"]
            shares[wait] = near / sum(tasks.values())
            self.say(f"{name}: {near} of {sum(tasks.values())} tasks node-local ({100 * shares[wait]:.1f} %), {done['wall_ms'] / 1000:.1f} s; "
                     f"output {target}, log {done['event_log']}")
            self.assertEqual(counted_words(self.hdfs.parts(target)), expected)
            finished = self.finished_by_host(done["event_log"])
            self.say("tasks finished: " + ", ".join(f"{count} on {host}" for host, count in sorted(finished.items())))
            self.assertEqual(set(finished), set(hosts), "executors ran on all three nodes")
        self.say(f"{len(expected)} different words, {sum(expected.values())} words; equal to the count of Python")
        self.assertGreaterEqual(shares["3s"], 0.95)


if __name__ == "__main__":
    unittest.main(verbosity=2)
