"""Goal: a container of heddle stays in the memory that YARN granted it. Method: during word counts the peaks of virtual memory of all processes
of each container are read; then the same on a cluster whose NodeManager kills containers above their physical memory, or above 2.1 times
that in virtual memory.
"""

import collections
import contextlib
import os
import pathlib
import re
import subprocess
import unittest

from real_case import RealCase, SecondCluster, ask_resource_manager, count_words, counted_words, has_cluster_mode, processes_of_containers

VIRTUAL = 2.1  # yarn.nodemanager.vmem-pmem-ratio
SECONDS = 7  # of a task; the NodeManager looks every 3 s


def peaks_mib():
    """Of each container: whether it has a master, and the sum of the peaks of virtual memory of its processes."""
    found = collections.defaultdict(lambda: [False, 0])
    for process, words, environment in processes_of_containers():
        try:
            status = pathlib.Path(f"/proc/{process}/status").read_text()
        except OSError:
            continue
        peak = re.search(r"VmPeak:\s+(\d+)", status)
        container = re.search(rb"CONTAINER_ID=([^\0]+)", environment).group(1).decode()
        found[container][0] |= b"application-master" in words
        found[container][1] += int(peak.group(1)) / 1024 if peak else 0
    return found


class MeasuredCase(RealCase):
    @staticmethod
    def granted_mib(application):
        """Of each container that the ResourceManager knows."""
        granted = {}
        for attempt in ask_resource_manager(f"apps/{application}/appattempts")["appAttempts"]["appAttempt"]:
            found = ask_resource_manager(f"apps/{application}/appattempts/{attempt['appAttemptId']}/containers").get("container", [])
            for container in found if isinstance(found, list) else [found]:  # a single one is no list
                granted[container["containerId"]] = int(container["allocatedMB"])
        return granted

    def count(self, name, *options):
        """Peak and granted memory of each container of a word count whose output is right."""
        text = b"".join(b"word%d of memory%d\n" % (number % 19997, number % 23) for number in range(400000))
        self.hdfs.write(f"{self.work}/text", text)
        job = self.write_word_job(f"{self.work}/text", f"{self.work}/{name}", len(text) // 4 + 1, f"sleep {SECONDS};", f"memory-{name}")
        client = self.start("run", "--master", "yarn", "--no-progress", *options, job)
        application = self.wait_for(lambda: self.application_of(f"memory-{name}"), 60, "the application is known")
        granted, peaks = {}, {}
        while client.poll() is None:
            for container, (is_master, peak) in peaks_mib().items():
                peaks[container] = (is_master or peaks.get(container, (False, 0))[0], max(peak, peaks.get(container, (False, 0))[1]))
            granted.update(self.granted_mib(application))
            with contextlib.suppress(subprocess.TimeoutExpired):
                client.wait(0.3)
        self.assertEqual(client.returncode, 0, client.stderr.read())
        self.assertEqual(counted_words(self.hdfs.parts(f"{self.work}/{name}")), count_words(text))
        self.assertEqual(sorted(is_master for is_master, _ in peaks.values()), [False, False, True], peaks)
        for container, (is_master, peak) in sorted(peaks.items()):
            self.say(f"{name}: {'master' if is_master else 'executor'} of {granted[container]} MiB: peak virtual memory {peak:.0f} MiB, "
                     f"{peak / granted[container]:.2f} times the container")
        for container, (_, peak) in peaks.items():
            self.assertLess(peak, VIRTUAL * granted[container], container)
        return [granted[container] for container, (is_master, _) in peaks.items() if is_master][0]


class Memory(MeasuredCase):
    def test_containers_of_the_default_sizes_stay_in_their_virtual_memory(self):
        self.assertEqual(self.count("default"), 512)

    def test_a_master_of_256_mib_stays_in_its_virtual_memory(self):
        self.assertEqual(self.count("small", "--set", "heddle.master.memory=256m"), 256)

    def test_a_master_with_the_driver_stays_in_its_virtual_memory(self):
        if not has_cluster_mode():
            self.skipTest("this build refuses --deploy-mode cluster")
        self.assertGreaterEqual(self.count("cluster", "--deploy-mode", "cluster"), 512)


class Checked(SecondCluster, MeasuredCase):
    features = {"HEDDLE_REAL_MEMORY_CHECKS": "1"}

    @staticmethod
    def over_limit(application):
        """What the NodeManager wrote when it killed containers of the application for their memory."""
        log = "".join(path.read_text() for path in pathlib.Path(os.environ["HEDDLE_REAL_DIR"], "logs").glob("nodemanager*.log"))
        return re.findall(rf"containerID=container_{application[12:]}\S+ is running \S+ beyond the '\w+' memory limit", log)

    def test_a_node_manager_that_checks_lets_a_word_count_run(self):
        self.assertEqual(self.count("checked", "--set", "heddle.master.memory=256m"), 256)
        self.assertEqual(self.over_limit(self.application_of("memory-checked")), [])

    def test_a_task_that_reserves_more_ends_its_executor(self):
        reserve = "import mmap, time; space = mmap.mmap(-1, 6 << 30); time.sleep(60)"
        done = self.run_yarn("run", "--set", "heddle.task.max_failures=1", "--set", "heddle.executor.instances=1", "--", "python3", "-c", reserve)
        self.assertEqual(done.returncode, 1)
        self.assertIn("its executor was lost", done.stderr)
        [killed] = self.over_limit(self.application_of("python3"))
        self.say(killed)
        self.assertIn("'VIRTUAL'", killed)


if __name__ == "__main__":
    unittest.main(verbosity=2)
