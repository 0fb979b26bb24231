"""Goal: jobs run on an unmodified Hadoop, end right under faults, and leave no process. Method: the heddle program on the cluster that
`tests/real/hadoop start` has started and eval "$(tests/real/hadoop env)" names; without one the tests are skipped.
"""

import collections
import os
import pathlib
import re
import signal
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "end_to_end"))
from heddle_case import HEDDLE, HeddleCase  # pylint: disable=wrong-import-position
from real_case import RealCase, ask_resource_manager, count_words, counted_words, has_cluster_mode, processes_of_containers  # pylint: disable=wrong-import-position

PATIENCE = 60
TEXT = "to be or not to be that is the question\n"
JOB = """name = "words"
[[stage]]
name = "split"
input = {{ text = "file://{folder}/in/*" }}
command = ["tr", "-s", " ", "\\n"]
[[stage]]
name = "count"
after = ["split"]
shuffle = {{ key_fields = 1, order = "sorted" }}
partitions = 3
command = ["uniq", "-c"]
output = {{ text = "file://{folder}/out" }}
[settings]
"heddle.task.max_failures" = 4
"""


def roles(name=""):
    """Ids of all processes of containers that run heddle, of this role if one is named."""
    return [process for process, words, _ in processes_of_containers() if b"heddle-role" in words and (not name or os.fsencode(name) in words)]


@unittest.skipUnless("HEDDLE_REAL_RM" in os.environ, "no real Hadoop")
class Yarn(HeddleCase):
    def tearDown(self):
        self.wait_until(lambda: not roles(), "processes of containers are left")
        super().tearDown()

    def wait_until(self, is_true, what):
        deadline = time.monotonic() + PATIENCE
        while not is_true():
            self.assertLess(time.monotonic(), deadline, what)
            time.sleep(0.05)

    def run_on_yarn(self, *words):
        return self.run_heddle("run", "--master", "yarn", *words, seconds=PATIENCE)

    def write_words(self):
        (self.folder / "in").mkdir()
        for number in range(3):
            (self.folder / "in" / f"part-{number}").write_text(TEXT * 1000)
        job = self.folder / "words.toml"
        job.write_text(JOB.format(folder=self.folder))
        return job

    def assert_words(self):
        counted = {}
        for path in (self.folder / "out").glob("part-*"):
            counted.update({line.split()[1]: int(line.split()[0]) for line in path.read_text().splitlines()})
        expected = {word: count * 3000 for word, count in collections.Counter(TEXT.split()).items()}
        self.assertEqual(counted, expected)
        self.assertEqual(sorted(path.name for path in (self.folder / "out").iterdir())[0], "_SUCCESS")

    def test_commands_run_in_containers(self):
        self.assertEqual(self.run_on_yarn("--", "true").returncode, 0)
        done = self.run_on_yarn("--", "sh", "-c", 'echo "$NM_HOST"; cat; exit 3')
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertRegex(done.stdout, r"\S+\n")

    def test_words_of_shared_files_are_counted(self):
        done = self.run_on_yarn(str(self.write_words()))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_words()

    def test_a_killed_executor_and_a_killed_master_are_replaced(self):
        for role in ("executor", "application-master"):
            with self.subTest(role=role):
                client = self.start("run", "--master", "yarn", "--", "sleep", "8")
                self.wait_until(lambda: len(roles("executor")) >= 2, "no executors")
                os.kill(roles(role)[0], signal.SIGKILL)
                self.assertEqual(client.wait(PATIENCE), 0)
                self.wait_until(lambda: not roles(), "processes are left")

    def unmanaged_master(self):
        """Ids of the masters on this host that are no containers."""
        return self.processes("heddle-role application-master")

    def test_an_unmanaged_master_runs_beside_the_client(self):
        job = self.write_words()
        client = self.start("run", "--master", "yarn", "--set", "spark.yarn.unmanagedAM.enabled=true", str(job))
        self.wait_until(self.unmanaged_master, "no unmanaged master")
        self.assertEqual(roles("application-master"), [])
        self.assertEqual(client.wait(PATIENCE), 0, client.stderr.read())
        self.assert_words()
        self.assertEqual(self.unmanaged_master(), [])
        self.assertEqual(list(self.state.rglob("*.tokens")), [])
        self.assertEqual(len(list(self.state.rglob("application_master*.jsonl"))), 1)

    def test_the_end_of_an_unmanaged_master_or_of_its_client_ends_the_application(self):
        for victim, code in (("master", 1), ("client", -signal.SIGKILL)):
            with self.subTest(victim=victim):
                client = self.start("run", "--master", "yarn", "--set", "heddle.yarn.unmanaged_master=true", "--", "sleep", "1000")
                # A container of an application that was killed may still start, and end at once.
                self.wait_until(lambda: self.unmanaged_master() and roles("executor"), "no executors")
                [master] = self.unmanaged_master()
                os.kill(master if victim == "master" else client.pid, signal.SIGKILL)
                self.assertEqual(client.wait(PATIENCE), code)
                if victim == "master":
                    self.assertIn("the ApplicationMaster was killed by signal 9 (log: ", client.stderr.read())
                self.wait_until(lambda: not roles() and not self.unmanaged_master(), "processes are left")
                self.assertEqual(list(self.state.rglob("*.tokens")), [])

    def test_containers_beyond_the_maximum_are_refused(self):
        done = self.run_on_yarn("--set", "heddle.executor.memory=900g", "--", "true")
        self.assertEqual(done.returncode, 4)
        self.assertIn("but the ResourceManager grants at most", done.stderr)

    def test_no_secret_is_in_command_lines_and_environments(self):
        client = self.start("run", "--master", "yarn", "--", "sleep", "3")
        self.wait_until(lambda: roles("executor"), "no executors")
        for process in roles():
            try:
                known = pathlib.Path(f"/proc/{process}/environ").read_bytes() + pathlib.Path(f"/proc/{process}/cmdline").read_bytes()
            except OSError:
                continue
            self.assertNotIn(b"HDLS", known)
            known = re.sub(rb"/filecache/[^\0]*", b"", known)  # the name of the program has the hash of its content
            self.assertNotRegex(known, rb"[0-9a-f]{32}")
        self.assertEqual(client.wait(PATIENCE), 0)


class EndedClients(RealCase):
    """The client of client mode is killed or cancelled while a task writes its output: its processes end, its command too."""

    def start_writer(self, output, command):
        job = self.folder / "writer.toml"
        job.write_text(f'''name = "writer"

[[stage]]
name = "write"
tasks = 1
command = ["sh", "-c", "echo begun; {command}"]
output = {{ text = "{output}" }}
''')
        return self.start("run", "--master", "yarn", "--no-progress", str(job))

    @staticmethod
    def sleeping_commands():
        return [process for process, words, _ in processes_of_containers() if words[:2] == [b"sleep", b"1000"]]

    def test_nothing_is_left_of_a_killed_or_cancelled_client(self):
        for number, code in ((signal.SIGKILL, -signal.SIGKILL), (signal.SIGINT, 7)):
            with self.subTest(signal=number):
                output = f"{self.work}/out{int(number)}"
                client = self.start_writer(output, "sleep 1000")
                self.wait_for(self.sleeping_commands, PATIENCE, "the command of the task runs")
                self.assertTrue(self.hdfs.exists(f"{output}/_temporary"))
                client.send_signal(number)
                self.assertEqual(client.wait(PATIENCE), code)
                self.assert_no_containers()  # with the commands of tasks
                self.assert_only_programs_staged()
                if number == signal.SIGINT:
                    self.assertFalse(self.hdfs.exists(output))
                else:  # nobody could remove its output; the next run with this output does
                    self.assertFalse(self.hdfs.exists(f"{output}/_SUCCESS"))
                    client = self.start_writer(output, "true")
                    said = client.communicate(timeout=PATIENCE)[1]
                    self.assertEqual(client.returncode, 0, said)
                    self.assertEqual(list(self.hdfs.parts(output).values()), [b"begun\n"])
                self.assert_no_working_files(output)


class KilledClientsOfClusterMode(RealCase):
    """What docs/yarn.md promises: the application goes on, and at the end nothing of it is in staging."""

    def setUp(self):
        super().setUp()
        if not has_cluster_mode():
            self.skipTest("this build refuses --deploy-mode cluster")
        self.text = b"".join(b"word%d of client%d\n" % (number % 197, number % 23) for number in range(16000))
        self.hdfs.write(f"{self.work}/text", self.text)

    def start_job(self, name, *options):
        job = self.write_word_job(f"{self.work}/text", f"{self.work}/{name}", len(self.text) // 8 + 1, "sleep 1.5;", f"{name}-{os.getpid()}")
        client = self.start("run", "--master", "yarn", "--deploy-mode", "cluster", "--no-progress", *options, job)
        return client, self.wait_for(lambda: self.application_of(f"{name}-{os.getpid()}"), PATIENCE, "the application is known")

    def kill_client(self, client):
        client.send_signal(signal.SIGKILL)
        self.assertEqual(client.wait(PATIENCE), -signal.SIGKILL)

    def staged(self):
        folder = f"/user/{self.user}/.heddle/applications"
        return self.hdfs.names(folder) if self.hdfs.exists(folder) else []

    def test_an_application_goes_on_when_its_client_is_killed(self):
        for moment in ("accepted", "running"):
            with self.subTest(moment=moment):
                client, application = self.start_job(moment)
                if moment == "running":
                    self.wait_for(lambda: roles("executor"), PATIENCE, "executors run")
                state = ask_resource_manager(f"apps/{application}")["app"]["state"]
                self.kill_client(client)
                self.assertIn(application, self.staged())
                waited = self.run_yarn("wait", application)
                self.assertEqual(waited.returncode, 0, waited.stderr)
                self.assertEqual(ask_resource_manager(f"apps/{application}")["app"]["finalStatus"], "SUCCEEDED")
                self.assertEqual(counted_words(self.hdfs.parts(f"{self.work}/{moment}")), count_words(self.text))
                names = self.hdfs.names(f"{self.work}/{moment}")
                self.assertIn("_SUCCESS", names)
                self.assertNotIn("_temporary", names)
                self.wait_for(lambda: application not in self.staged(), PATIENCE, "nothing of the application is staged")  # pylint: disable=cell-var-from-loop
                self.say(f"client killed when its application was {state}: output right, nothing staged")

    def test_what_a_killed_client_and_its_killed_master_staged_goes_with_the_next_submission(self):
        client, application = self.start_job("lost", "--set", "heddle.application.max_attempts=1")
        self.wait_for(lambda: roles("executor"), PATIENCE, "executors run")
        self.kill_client(client)
        os.kill(roles("application-master")[0], signal.SIGKILL)
        self.assertEqual(self.run_yarn("wait", application).returncode, 1)
        self.assertIn(application, self.staged())
        self.assertFalse(self.hdfs.exists(f"{self.work}/lost/_SUCCESS"))
        client, _ = self.start_job("next")
        said = client.communicate(timeout=2 * PATIENCE)[1]
        self.assertEqual(client.returncode, 0, said)
        self.assertEqual(counted_words(self.hdfs.parts(f"{self.work}/next")), count_words(self.text))
        self.assertNotIn(application, self.staged())


class ShippedFiles(RealCase):
    """Files of the client's host that a job ships reach the nodes through staging."""

    def test_containers_read_the_staged_copy_of_a_script_and_of_a_text(self):
        self.hdfs.write(f"{self.work}/text", b"a b\nb c\n" * 1000)
        script, addition = self.folder / "mapper.sh", self.folder / "addition.txt"
        script.write_text("cat addition.txt; tr ' ' '\\n'\n")
        addition.write_text("added\n")
        client = self.start("mapreduce", "--master", "yarn", "--no-progress", "-D", "mapred.map.tasks=1", "-files", f"{script},{addition}",
                            "-input", f"{self.work}/text", "-output", f"{self.work}/shipped", "-mapper", "sh mapper.sh", "-reducer", "uniq -c",
                            "-numReduceTasks", "1")
        staging = f"/user/{self.user}/.heddle/applications"

        def copies():
            return sorted(name for application in (self.hdfs.names(staging) if self.hdfs.exists(staging) else [])
                          for number in (1, 2) if self.hdfs.exists(f"{staging}/{application}/files/{number}")
                          for name in self.hdfs.names(f"{staging}/{application}/files/{number}"))
        self.wait_for(lambda: copies() == ["addition.txt", "mapper.sh"], PATIENCE, "both files are staged")
        script.unlink()
        addition.unlink()
        said = client.communicate(timeout=PATIENCE)[1]
        self.assertEqual(client.returncode, 0, said)
        self.assertRegex(b"".join(self.hdfs.parts(f"{self.work}/shipped").values()).decode(), r"^ *1000 a\s+\d+ added\s+2000 b\s+1000 c\s*$")
        self.assert_only_programs_staged()
        self.say("files that had left the client's disk were read from staging")


if __name__ == "__main__":
    if "HEDDLE_REAL_RM" not in os.environ:
        print("no real Hadoop")
    print(f"program: {HEDDLE}", flush=True)
    unittest.main(verbosity=2)
