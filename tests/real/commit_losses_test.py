"""Goal: a master that is killed before, in and after the commit of its job on HDFS loses and doubles nothing. Method: cluster mode; the job's two
tasks wait for a file, many further files beside their part files make the moves long enough to stop the master between two of them.
"""

import json
import os
import pathlib
import re
import signal
import subprocess
import time
import unittest

from real_case import HADOOP, RealCase, ask_resource_manager, has_cluster_mode, roles

MANY = 2000
TRIES = 5  # the master may pass the wanted state in one step
STEP_SECONDS = 0.002


class CommitLosses(RealCase):
    def setUp(self):
        super().setUp()
        if not has_cluster_mode():
            self.skipTest("this build refuses --deploy-mode cluster")
        self.go = self.folder / "go"
        self.more = [f"file-{number:05}" for number in range(MANY)]
        self.tries = 0

    def start_job(self):
        """Starts a job; returns its client when both tasks have an open output file."""
        self.tries += 1
        self.name = f"commit-{os.getpid()}-{self.id().rsplit('_', 1)[-1]}-{self.tries}"
        self.output = f"{self.work}/out{self.tries}"
        self.go.unlink(missing_ok=True)
        job = self.folder / "job.toml"
        job.write_text(f'''name = "{self.name}"

[[stage]]
name = "one"
tasks = 2
command = ["sh", "-c", "until [ -e {self.go} ]; do sleep 0.05; done; echo $HEDDLE_TASK_INDEX"]
output = {{ text = "{self.output}" }}
''')
        client = self.start("run", "--master", "yarn", "--deploy-mode", "cluster", "--no-progress", str(job))
        self.wait_for(lambda: client.poll() is not None or len(self.attempts()) == 2, 60, "both tasks have an output file")
        self.assertIsNone(client.poll())
        return client

    def attempts(self):
        """Folders of the task attempts."""
        folder = f"{self.output}/_temporary/1/_temporary"
        return [f"{folder}/{name}" for name in self.hdfs.names(folder)] if self.hdfs.exists(folder) else []

    def add_files(self):
        """Puts empty files into the folder of a task attempt."""
        folder = self.folder / "more"
        folder.mkdir(exist_ok=True)
        for name in self.more:
            (folder / name).touch()
        subprocess.run([HADOOP, "dfs", "-put", *self.more, self.attempts()[0]], cwd=folder, check=True, timeout=120, capture_output=True)

    def master(self):
        [process] = roles("application-master", self.application_of(self.name))
        return process

    def is_stopped(self, process):
        states = [re.search(r"^State:\s+(\w)", path.read_text(), re.MULTILINE).group(1)
                  for path in pathlib.Path(f"/proc/{process}/task").glob("*/status")]
        if "Z" in states:
            raise ProcessLookupError(process)
        return all(state == "T" for state in states)

    def kill_while(self, master, is_wanted, is_past):
        """Lets the master run in short steps, and kills it in the wanted state; false if it passed it."""
        while True:
            try:
                os.kill(master, signal.SIGSTOP)
                self.wait_for(lambda: self.is_stopped(master), 10, "every thread is stopped")
                if is_wanted():
                    os.kill(master, signal.SIGKILL)
                    return True
                os.kill(master, signal.SIGCONT)
            except (ProcessLookupError, FileNotFoundError):
                return False
            if is_past():
                return False
            time.sleep(STEP_SECONDS)

    def lose_during(self, fill, is_wanted, is_past):
        """Kills the master in the wanted state; returns the client."""
        for _ in range(TRIES):
            client = self.start_job()
            fill()
            master = self.master()
            self.go.touch()
            if self.kill_while(master, is_wanted, is_past):
                return client
            self.assertEqual(client.wait(timeout=120), 0)
        self.fail(f"the commit was over in each of {TRIES} tries")

    def check_end(self, client, further=()):
        said = client.communicate(timeout=120)[1]
        self.assertEqual(client.returncode, 0, said)
        self.assertEqual(self.hdfs.names(self.output), sorted(["_SUCCESS", "part-00000", "part-00001", *further]))
        self.assertEqual(list(self.hdfs.parts(self.output).values()), [b"0\n", b"1\n"])
        application = self.application_of(self.name)
        attempts = ask_resource_manager(f"apps/{application}/appattempts")["appAttempts"]["appAttempt"]
        self.assertEqual(len(attempts), 2, json.dumps(attempts))
        self.assertFalse(self.hdfs.exists(f"/user/{self.user}/.heddle/applications/{application}"))
        self.say(f"{application}: two attempts, output right, nothing left")

    def has(self, name):
        return self.hdfs.exists(f"{self.output}/{name}")

    def test_killed_before_the_commit(self):
        client = self.start_job()
        os.kill(self.master(), signal.SIGKILL)
        self.go.touch()
        self.check_end(client)

    def test_killed_between_two_moves(self):
        client = self.lose_during(self.add_files, lambda: self.has(self.more[0]) and not self.has("_SUCCESS"), lambda: self.has("_SUCCESS"))
        self.check_end(client, self.more)

    def test_killed_after_the_commit(self):
        def is_running():
            return ask_resource_manager(f"apps/{self.application_of(self.name)}")["app"]["state"] == "RUNNING"

        client = self.lose_during(lambda: None, lambda: self.has("_SUCCESS") and is_running(), lambda: not is_running())
        self.check_end(client)


if __name__ == "__main__":
    unittest.main(verbosity=2)
