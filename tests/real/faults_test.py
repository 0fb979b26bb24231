"""Goal: jobs end right under faults of the cluster, or say what is wrong, and leave nothing. Method: refusals of the ResourceManager and of
HDFS, damaged replicas, daemons killed while a job runs, frozen executors. `hdfs_faults` has further faults of HDFS.
"""

import contextlib
import os
import pathlib
import re
import select
import signal
import subprocess
import time
import unittest
import urllib.error

from real_case import HADOOP, HEDDLE, RealCase, SecondCluster, WebHdfs, ask_resource_manager, count_words, counted_words, hadoop, roles

ALLOCATIONS = """<?xml version="1.0"?>
<allocations>
  <queue name="default"><weight>1.0</weight></queue>
  <queue name="narrow"><maxAMShare>0.001</maxAMShare></queue>
  <queuePlacementPolicy><rule name="specified" create="false"/><rule name="reject"/></queuePlacementPolicy>
</allocations>
"""
PREEMPTION = """<?xml version="1.0"?>
<allocations>
  <queue name="default"><weight>1.0</weight></queue>
  <queue name="batch"><weight>1.0</weight></queue>
  <queue name="adhoc"><weight>1.0</weight><minResources>3072 mb, 3 vcores</minResources>
    <minSharePreemptionTimeout>1</minSharePreemptionTimeout></queue>
  <queuePlacementPolicy><rule name="specified" create="false"/><rule name="reject"/></queuePlacementPolicy>
</allocations>
"""


class Queues(RealCase):
    def setUp(self):
        super().setUp()
        self.allocations = pathlib.Path(os.environ["HADOOP_CONF_DIR"]) / "fair-scheduler.xml"
        self.addCleanup(self.refresh, self.allocations.read_text())
        self.refresh(ALLOCATIONS)

    def refresh(self, content):
        self.allocations.write_text(content)
        hadoop("java", "org.apache.hadoop.yarn.client.cli.RMAdminCLI", "-refreshQueues")

    def test_an_unknown_queue_is_named(self):
        done = self.run_yarn("run", "--queue", "nowhere", "--", "true")
        self.say(done.stderr.strip()[:300])
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stderr, "nowhere|rejected|placement")

    def test_a_queue_whose_share_of_masters_is_too_small_is_named(self):
        client = self.start("run", "--master", "yarn", "--queue", "narrow", "--", "true")
        time.sleep(12)
        self.assertIsNone(client.poll(), "the application waits")
        client.send_signal(signal.SIGINT)
        said = client.communicate(timeout=30)[1]
        self.say(said.strip().splitlines()[0][:300])
        self.assertEqual(client.returncode, 7)
        self.assertRegex(said, "waits for its master container.*(AM|share)")

    def test_preempted_executors_do_not_end_a_job(self):
        self.refresh(PREEMPTION)
        text = b"".join(b"word%d of fault%d\n" % (number % 197, number % 23) for number in range(16000))
        self.hdfs.write(f"{self.work}/text", text)
        name = f"preempted-{os.getpid()}"
        job = self.write_word_job(f"{self.work}/text", f"{self.work}/counts", len(text) // 60 + 1, "sleep 1.5;", name)
        size = ("--set", "heddle.executor.memory=640m")  # 1 GiB with its overhead: eleven fill the cluster
        client = self.start("run", "--master", "yarn", "--queue", "batch", "--no-progress", *size, "--set", "heddle.executor.instances=30", job)
        self.wait_for(lambda: len(roles("executor")) >= 10, 60, "executors fill the cluster")
        done = self.run_yarn("run", "--queue", "adhoc", *size, "--", "true")
        self.assertEqual(done.returncode, 0, done.stderr)
        said = client.communicate(timeout=180)[1]
        self.assertEqual(client.returncode, 0, said)
        self.assertEqual(counted_words(self.hdfs.parts(f"{self.work}/counts")), count_words(text))
        preempted = ask_resource_manager(f"apps/{self.application_of(name)}")["app"]["numNonAMContainerPreempted"]
        self.assertGreater(preempted, 0)
        self.say(f"{preempted} executors preempted, output right")


class Files(RealCase):
    def count(self, source, target):
        return self.run_yarn("run", self.write_word_job(source, target), seconds=180)

    def test_a_user_without_permission_is_refused(self):
        self.hdfs.write(f"{self.work}/text", b"to be or not to be\n")
        self.hdfs.call("PUT", f"{self.work}/text", "SETPERMISSION", permission="600")
        WebHdfs(self.user).make_folder("/user/stranger")
        self.hdfs.give("/user/stranger", "stranger")
        self.addCleanup(self.hdfs.remove, "/user/stranger")
        job = self.write_word_job(f"{self.work}/text", "counts")
        for environment in ({"HADOOP_USER_NAME": "stranger"}, {"HADOOP_USER_NAME": "homeless"}):
            done = subprocess.run([HEDDLE, "run", "--master", "yarn", job], env=dict(self.environment, **environment), cwd=self.folder,
                                  capture_output=True, text=True, timeout=120, check=False)
            self.say(done.stderr.strip()[:300])
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("ermission denied", done.stderr)

    def damage(self, content, replicas):
        """Changes a byte in this many replicas of the block that has this content."""
        changed = 0
        for path in pathlib.Path(os.environ["HEDDLE_REAL_DIR"], "data").glob("data*/**/blk_*"):
            if path.suffix != ".meta" and changed < replicas and path.read_bytes() == content:
                with open(path, "r+b") as file:
                    file.seek(len(content) // 2)
                    file.write(b"#")
                changed += 1
        self.assertEqual(changed, replicas)

    def test_wrong_checksums_of_one_and_of_all_replicas(self):
        for name, replicas in (("one", 1), ("all", 2)):
            with self.subTest(damaged=name):
                text = b"".join(b"%s word%d\n" % (name.encode(), number) for number in range(20000))
                self.hdfs.write(f"{self.work}/{name}", text, replication=2)
                self.wait_for(lambda: len(self.hdfs.hosts_of_blocks(f"{self.work}/{name}")[0]) == 2, 30, "two replicas")
                self.damage(text, replicas)
                done = self.count(f"{self.work}/{name}", f"{self.work}/counts-{name}")
                if name == "one":
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertEqual(counted_words(self.hdfs.parts(f"{self.work}/counts-{name}")), count_words(text))
                    self.say("one of two replicas damaged: the output is right")
                else:
                    self.assertEqual(done.returncode, 1, done.stderr)
                    self.assertRegex(done.stderr, "(?i)checksum")
                    self.assertFalse(self.hdfs.exists(f"{self.work}/counts-{name}/_SUCCESS"))
                    self.say(f"both replicas damaged: {[line for line in done.stderr.splitlines() if 'hecksum' in line][-1][:300]}")

    def test_of_a_file_under_construction_the_complete_blocks_are_read(self):
        lines = b"".join(b"a%05d be or not\n" % (number % 997) for number in range(16384))  # a block ends where a line ends
        block, path = len(lines) // 4, f"{self.work}/open._COPYING_"
        writer = subprocess.Popen([HADOOP, "dfs", "-D", f"dfs.blocksize={block}", "-put", "-", f"{self.work}/open"], stdin=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL)
        self.addCleanup(writer.wait, 60)
        self.addCleanup(writer.stdin.close)
        writer.stdin.write(lines[:3 * block + 1000])  # the third block is complete when the fourth one begins
        writer.stdin.flush()
        self.wait_for(lambda: self.length_of(path) == 2 * block, 60, "two blocks are complete, the third one is open")
        done = self.count(path, f"{self.work}/counts")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIsNone(writer.poll())
        self.assertEqual(self.length_of(path), 2 * block)
        self.assertEqual(counted_words(self.hdfs.parts(f"{self.work}/counts")), count_words(lines[:2 * block]))
        self.assertIn("_SUCCESS", self.hdfs.names(f"{self.work}/counts"))
        writer.stdin.write(lines[3 * block + 1000:])
        writer.stdin.close()
        self.assertEqual(writer.wait(60), 0)
        done = self.count(f"{self.work}/open", f"{self.work}/all")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(counted_words(self.hdfs.parts(f"{self.work}/all")), count_words(lines))
        self.say("two complete blocks of an open file were counted, and all four after its end")

    def length_of(self, path):
        return self.hdfs.status(path)["length"] if self.hdfs.exists(path) else None


class Losses(RealCase):
    """A word count of twelve tasks, and what must be true after it."""

    def write_text(self):
        self.text = b"".join(b"word%d of fault%d\n" % (number % 197, number % 23) for number in range(16000))
        self.hdfs.write(f"{self.work}/text", self.text)

    def start_job(self, prologue, *options):
        self.write_text()
        job = self.write_word_job(f"{self.work}/text", f"{self.work}/counts", len(self.text) // 12 + 1, prologue)
        client = self.start("run", "--master", "yarn", "--no-progress", "--set", "heddle.task.max_failures=20", *options, job)
        self.wait_for(lambda: len(roles("executor")) >= 2, 60, "executors run")
        return client

    def assert_right(self, client, seconds=180):
        said = client.communicate(timeout=seconds)[1]
        self.assertEqual(client.returncode, 0, said)
        self.assertEqual(counted_words(self.hdfs.parts(f"{self.work}/counts")), count_words(self.text))
        self.assertIn("_SUCCESS", self.hdfs.names(f"{self.work}/counts"))
        self.assert_no_working_files(f"{self.work}/counts")
        self.assert_only_programs_staged()
        return said


class Daemons(Losses):
    def test_a_frozen_executor_is_replaced(self):
        client = self.start_job("sleep 1;", "--set", "heddle.driver.executor_timeout=8s", "--set", "heddle.executor.heartbeat_interval=1s")
        frozen = roles("executor")[0]
        self.freeze(frozen)
        self.assert_right(client)
        self.say("frozen for the rest of the job: output right")

    def test_a_node_manager_that_is_killed_and_started(self):
        client = self.start_job("sleep 1;")
        number = re.search(rb"NM_HOST=127\.0\.0\.(\d+)", pathlib.Path(f"/proc/{roles('executor')[0]}/environ").read_bytes()).group(1)
        hadoop("restart", f"nodemanager{int(number) - 10}", KILL="1")
        self.assert_right(client)
        self.say("output right; its containers have ended")

    def test_a_resource_manager_that_forgets_the_application(self):
        client = self.start("run", "--master", "yarn", "--", "sleep", "300")
        self.wait_for(lambda: roles("executor"), 60, "executors run")
        self.addCleanup(self.settle)
        hadoop("restart", "resourcemanager", KILL="1")
        said = client.communicate(timeout=120)[1]
        self.say(f"exit code {client.returncode}: {said.strip()[-300:]}")
        self.assertNotIn(client.returncode, (0, 70))

    def settle(self):
        """A ResourceManager that has just started can lose the container that it granted for a master; the application then waits for ever.
        Applications of Hadoop find out when that is over, so that no failure of heddle is hidden.
        """
        [jar] = pathlib.Path(os.environ["HEDDLE_REAL_LIB"]).glob("hadoop-yarn-applications-distributedshell-*.jar")
        for is_last in (False, False, True):
            try:
                hadoop("java", "org.apache.hadoop.yarn.applications.distributedshell.Client", "-jar", str(jar), "-shell_command", "true",
                       "-num_containers", "1", "-container_memory", "128", "-master_memory", "512", "-timeout", "90000")
                return
            except AssertionError:
                if is_last:
                    raise


class Recovery(SecondCluster, Daemons):
    """The same word count on a cluster whose daemons recover applications and containers."""

    features = {"HEDDLE_REAL_RECOVERY": "1"}
    test_a_frozen_executor_is_replaced = test_a_node_manager_that_is_killed_and_started = None
    test_a_resource_manager_that_forgets_the_application = None

    def test_a_resource_manager_that_recovers_the_application(self):
        client = self.start_job("sleep 2;")
        hadoop("restart", "resourcemanager", KILL="1")
        self.assert_right(client)
        self.say("killed and started with recovery: output right")

    def test_a_node_manager_that_recovers_its_containers(self):
        client = self.start_job("sleep 2;")
        before = roles("executor")
        hadoop("restart", "nodemanager1", KILL="1")
        self.say(f"executors that live on: {len(set(before) & set(roles('executor')))} of {len(before)}")
        self.assert_right(client)
        self.say("killed and started with recovery: output right")


class HdfsLosses(Losses):
    """Faults of HDFS while a job on YARN reads or writes it."""

    def setUp(self):
        super().setUp()
        self.go = self.folder / "go"
        self.wait_for_go = f"until [ -e {self.go} ]; do sleep 0.1; done;"
        described = pathlib.Path(os.environ["HEDDLE_REAL_DIR"], "run", "cluster").read_text()
        cluster = dict(line.split("=") for line in described.split())
        self.ports = [int(cluster["dn_data"]) + 100 * index for index in range(int(cluster["datanodes"]))]

    @staticmethod
    def process_of(daemon):
        return int(pathlib.Path(os.environ["HEDDLE_REAL_DIR"], "run", f"{daemon}.pid").read_text())

    def data_nodes_of(self, processes, with_unread_bytes=False):
        """Numbers of the DataNodes to which one of these processes has a connection for blocks."""
        found = set()
        for line in subprocess.run(["ss", "-tnpH", "state", "established"], capture_output=True, text=True, check=True).stdout.splitlines():
            unread, _, _, peer, *users = line.split()  # no users: its process has ended
            port = int(peer.rsplit(":", 1)[1])
            if port in self.ports and any(f"pid={process}," in "".join(users) for process in processes) and (int(unread) or not with_unread_bytes):
                found.add(self.ports.index(port) + 1)
        return sorted(found)

    def kill_data_node(self, number):
        """It stays away until the end of the test."""
        self.addCleanup(hadoop, "restart", f"datanode{number}")
        os.kill(self.process_of(f"datanode{number}"), signal.SIGKILL)

    def begin_safe_mode(self):
        self.addCleanup(hadoop, "hdfs", "-safemode", "leave")
        hadoop("hdfs", "-safemode", "enter")

    def read_until(self, client, pattern):
        """What the client has said when this is in it."""
        said = ""
        while not re.search(pattern, said):
            self.assertTrue(select.select([client.stderr], [], [], 60)[0], f"no {pattern} in: {said}")
            piece = os.read(client.stderr.fileno(), 1 << 16).decode()
            self.assertTrue(piece, f"no {pattern} in: {said}")
            said += piece
        return said

    def test_a_data_node_that_is_killed_while_it_is_read(self):
        padding = b"x" * 50  # long words: many bytes, few records
        text = b"".join(b"word%d_%s of fault\n" % (number % 197, padding) for number in range(540_000))
        block = 16 << 20  # more than the buffers of a connection hold
        self.hdfs.write(f"{self.work}/text", text, block, replication=2)
        self.wait_for(lambda: all(len(hosts) == 2 for hosts in self.hdfs.hosts_of_blocks(f"{self.work}/text")), 30, "two replicas")
        job = self.write_word_job(f"{self.work}/text", f"{self.work}/counts", block, self.wait_for_go)
        # Two replicas of its own files too: the node must not have the only one of the owner file.
        client = self.start("run", "--master", "yarn", "--no-progress", "--set", "heddle.hdfs.replication=2", job)
        used = self.wait_for(lambda: self.data_nodes_of(roles("executor"), with_unread_bytes=True), 60, "an executor reads a block")
        self.kill_data_node(used[0])
        self.go.touch()
        self.text = text
        self.assert_right(client)
        self.say(f"DataNode {used[0]} killed while an executor read from it: output right")

    def write_writer_job(self, command):
        """One task without input that writes to HDFS."""
        path = self.folder / "writer.toml"
        path.write_text(f'''name = "writer"

[[stage]]
name = "write"
tasks = 1
command = ["sh", "-c", "{command}"]
output = {{ text = "{self.work}/out" }}
''')
        return str(path)

    @staticmethod
    def replicas_being_written():
        folders = pathlib.Path(os.environ["HEDDLE_REAL_DIR"], "data").glob("data*/current/BP-*/current/rbw")
        return {path for folder in folders for path in folder.glob("blk_*") if path.suffix != ".meta" and path.stat().st_size >= 1 << 16}

    def lose_a_data_node_of_a_pipeline(self, place):
        before = self.replicas_being_written()
        job = self.write_writer_job(f"seq 100000; {self.wait_for_go} seq 100001 200000")
        client = self.start("run", "--master", "yarn", "--no-progress", "--set", "heddle.hdfs.replication=2", job)
        self.wait_for(lambda: len(self.replicas_being_written() - before) == 2, 60, "two DataNodes have 64 KiB of the block")
        [first] = self.data_nodes_of(roles("executor"))
        [last] = self.data_nodes_of([self.process_of(f"datanode{first}")])
        victim = {"first": first, "last": last}[place]
        self.kill_data_node(victim)
        self.go.touch()
        said = client.communicate(timeout=180)[1]
        self.assertEqual(client.returncode, 0, said)
        self.assertEqual(b"".join(self.hdfs.parts(f"{self.work}/out").values()), b"".join(b"%d\n" % (number + 1) for number in range(200_000)))
        self.assertIn("_SUCCESS", self.hdfs.names(f"{self.work}/out"))
        self.assert_no_working_files(f"{self.work}/out")
        self.assert_only_programs_staged()
        self.assertIn("1 failed attempt", said)
        self.say(f"DataNode {victim} killed, the {place} one of a pipeline of two: output right; {said.splitlines()[0]}")

    def test_the_first_data_node_of_a_pipeline_is_killed(self):
        self.lose_a_data_node_of_a_pipeline("first")

    def test_the_last_data_node_of_a_pipeline_is_killed(self):
        self.lose_a_data_node_of_a_pipeline("last")

    def test_a_job_waits_for_the_end_of_safe_mode(self):
        self.write_text()
        for mode in ("client", "cluster"):
            with self.subTest(deploy_mode=mode):
                job = self.write_word_job(f"{self.work}/text", f"{self.work}/counts")
                self.begin_safe_mode()
                client = self.start("run", "--master", "yarn", "--deploy-mode", mode, "--no-progress", job)
                said = self.read_until(client, "is in safe mode; waits up to")
                hadoop("hdfs", "-safemode", "leave")
                self.assert_right(client)
                self.hdfs.remove(f"{self.work}/counts")
        self.say(f"waited for in both modes: {said.strip()[:300]}")

    def test_safe_mode_without_end_ends_a_submission(self):
        self.begin_safe_mode()
        done = self.run_yarn("run", "--set", "heddle.hdfs.safe_mode_timeout=2s", "--", "true")
        hadoop("hdfs", "-safemode", "leave")
        self.say(done.stderr.strip()[:300])
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn("in safe mode", done.stderr)
        self.assert_only_programs_staged()

    def test_executors_wait_for_the_end_of_safe_mode(self):
        client = self.start_job(self.wait_for_go)
        self.begin_safe_mode()
        self.go.touch()
        said = self.read_until(client, r"executor \d+ on .*is in safe mode; waits up to")
        hadoop("hdfs", "-safemode", "leave")
        self.say(said.strip()[-300:])
        self.assert_right(client)

    def test_safe_mode_without_end_ends_a_job(self):
        client = self.start_job(self.wait_for_go, "--set", "heddle.hdfs.safe_mode_timeout=2s", "--set", "heddle.task.max_failures=2")
        self.begin_safe_mode()
        self.go.touch()
        said = client.communicate(timeout=120)[1]
        hadoop("hdfs", "-safemode", "leave")
        self.say(said.strip()[-300:])
        self.assertEqual(client.returncode, 5, said)
        self.assertIn("in safe mode", said)
        self.assertFalse(self.hdfs.exists(f"{self.work}/counts/_SUCCESS"))
        # Nobody could remove its files in safe mode: the next job does.
        done = self.run_yarn("run", self.write_word_job(f"{self.work}/text", f"{self.work}/counts"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(counted_words(self.hdfs.parts(f"{self.work}/counts")), count_words(self.text))
        self.assert_no_working_files(f"{self.work}/counts")
        self.assert_only_programs_staged()

    def test_a_name_node_that_is_killed_and_started(self):
        for mode in ("client", "cluster"):
            with self.subTest(deploy_mode=mode):
                client = self.start_job("sleep 1;", "--deploy-mode", mode)
                hadoop("restart", "namenode", KILL="1")
                self.assert_right(client)
                self.hdfs.remove(f"{self.work}/counts")
        self.say("killed and started in both modes: output right")

    def has_space(self):
        with contextlib.suppress(urllib.error.HTTPError):
            self.hdfs.write(f"{self.work}/space", b"some")
            return True
        return False

    def test_a_full_file_system_is_named(self):
        job = self.write_writer_job(f"touch {self.folder}/begun; {self.wait_for_go} seq 100000")
        client = self.start("run", "--master", "yarn", "--no-progress", "--set", "heddle.task.max_failures=2", job)
        self.wait_for((self.folder / "begun").exists, 60, "the task runs")
        nodes = [f"datanode{number + 1}" for number in range(len(self.ports))]
        self.addCleanup(self.wait_for, self.has_space, 60, "the NameNode knows that there is space again")
        self.addCleanup(hadoop, "restart", *nodes)
        hadoop("restart", *nodes, HEDDLE_REAL_RESERVED_BYTES=str(1 << 60))
        self.go.touch()
        said = client.communicate(timeout=180)[1]
        self.say(said.strip()[-300:])
        self.assertEqual(client.returncode, 1, said)
        self.assertIn("could only be written to 0 of", said)
        self.assertFalse(self.hdfs.exists(f"{self.work}/out"))
        self.assert_no_working_files(f"{self.work}/out")
        self.assert_only_programs_staged()


if __name__ == "__main__":
    unittest.main(verbosity=2)
