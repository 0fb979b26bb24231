"""No process of a local cluster outlives its client, for every end of the client."""

import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time
import unittest

from heddle_case import CLUSTER, HeddleCase


class Leaving(HeddleCase):
    checks_invariants = True

    def start_sleeping_job(self):
        client = self.start("run", "--master", CLUSTER, "--tasks", "4", "--", "sleep", "61")
        self.wait_for(lambda: self.processes(r"^sleep 61 "), 10, "a task runs")
        return client

    def test_nothing_remains_after_a_job(self):
        self.assertEqual(self.run_heddle("run", "--master", CLUSTER, "--", "true").returncode, 0)
        self.assert_all_gone()
        self.assertEqual(list((self.folder / "temporary").iterdir()), [])

    def test_nothing_remains_after_an_interrupt(self):
        client = self.start_sleeping_job()
        client.send_signal(signal.SIGINT)
        self.assertEqual(client.wait(timeout=10), 7)
        self.assert_all_gone()
        self.assertEqual(list((self.folder / "temporary").iterdir()), [])

    def test_an_interrupt_ends_a_run_whose_cluster_does_not_start(self):
        """A process of the cluster is stopped when it starts: the client waits for it while it opens the session, or while the job runs."""
        for mode in ("client", "cluster"):
            for role in ("resource-manager", "node-manager", "application-master"):
                for stop in (signal.SIGINT, signal.SIGTERM):
                    with self.subTest(mode=mode, role=role, stop=stop):
                        client = self.start("run", "--master", "local-cluster[1,1,512]", "--deploy-mode", mode, "--tasks", "2", "--", "sleep", "61")
                        self.stop_next(role)
                        client.send_signal(stop)
                        _, stderr = client.communicate(timeout=10)
                        self.assertEqual(client.returncode, 7, stderr)
                        self.assert_all_gone()
        self.assertEqual(list((self.folder / "temporary").iterdir()), [])

    def test_nothing_remains_after_the_client_was_killed(self):
        client = self.start_sleeping_job()
        client.kill()
        client.wait()
        self.assert_all_gone()
        self.assertEqual(list((self.folder / "temporary").iterdir()), [])

    def test_nothing_remains_after_a_local_client_was_killed(self):
        client = self.start("run", "--master", "local[2]", "--tasks", "2", "--", "sh", "-c", "setsid -f sleep 62; sleep 61")
        self.wait_for(lambda: len(self.processes(r"^sleep 6[12] ")) == 4, 10, "all tasks run")
        client.kill()
        client.wait()
        self.assert_all_gone()
        self.assertEqual(list((self.folder / "temporary").iterdir()), [])

    def hidden(self, seconds):
        """Processes `sleep SECONDS` without the environment by which processes of this test are found."""
        return subprocess.run(["pgrep", "-x", "-f", f"sleep {seconds}"], capture_output=True, text=True, check=False).stdout.split()

    def test_a_detached_process_ends_with_the_session(self):
        for master in ("local[1]", CLUSTER):
            with self.subTest(master=master):
                done = self.run_heddle("run", "--master", master, "--", "env", "-i", "setsid", "-f", "sleep", "63.25")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(self.hidden("63.25"), [])

    def test_a_detached_process_ends_with_the_session_after_its_node_was_killed(self):
        command = "env -i setsid -f sleep 63.75; sleep 61"
        client = self.start("run", "--master", "local-cluster[1,1,512]", "--", "sh", "-c", command)
        self.wait_for(lambda: self.hidden("63.75") and self.processes(r"^sleep 61 "), 15, "the task runs")
        for node in self.processes("heddle-role node-manager "):
            os.kill(node, signal.SIGKILL)
        _, stderr = client.communicate(timeout=20)
        self.assertNotEqual(client.returncode, 0, stderr)
        self.assert_all_gone()
        self.wait_for(lambda: not self.hidden("63.75"), 5, "the detached process has ended")

    def test_detached_processes_leave_no_zombies(self):
        """Of each task one process is left that ends by itself, later than its task."""
        command = f"setsid sleep 0.05 & if [ $HEDDLE_TASK_INDEX = 39 ]; then touch {self.folder}/last; sleep 61; fi"
        for master in ("local[1]", "local-cluster[1,1,512]"):
            with self.subTest(master=master):
                client = self.start("run", "--master", master, "--tasks", "40", "--", "sh", "-c", command)
                self.wait_for((self.folder / "last").exists, 20, "the last task runs")
                self.wait_for(lambda client=client: self.zombies_below(client.pid) == [], 5, "no zombie is left")
                client.send_signal(signal.SIGTERM)
                client.communicate(timeout=10)
                (self.folder / "last").unlink()
        self.assert_all_gone()

    def zombies_below(self, root):
        rows = subprocess.run(["ps", "-e", "-o", "pid=,ppid=,stat="], capture_output=True, text=True, check=True).stdout.splitlines()
        table = [line.split()[:3] for line in rows]
        family = {str(root)}
        for _ in range(8):  # levels of processes below a client
            family |= {pid for pid, parent, _ in table if parent in family}
        return [pid for pid, _, state in table if pid in family and state.startswith("Z")]

    def start_local_job(self):
        client = self.start("run", "--master", "local[1]", "--", "sleep", "62.5")
        self.wait_for(lambda: self.processes(r"^sleep 62\.5 "), 10, "the task runs")
        return client

    def end(self, client):
        client.send_signal(signal.SIGTERM)
        self.assertEqual(client.wait(timeout=10), 7)

    def test_the_next_session_removes_the_working_folder_of_a_killed_client(self):
        """The watch of the client was killed too: otherwise it would remove the folder."""
        folders = self.folder / "temporary"
        client = self.start_sleeping_job()
        (left,) = folders.iterdir()
        foreign = folders / "heddle-Abc123"  # no owner file: of an unknown owner
        foreign.mkdir()
        (watch,) = self.processes("heddle-role watch ")
        os.kill(watch, signal.SIGKILL)
        client.kill()
        client.wait()
        self.assert_all_gone()
        self.assertEqual(set(folders.iterdir()), {left, foreign})
        living = self.start_local_job()
        self.assertFalse(left.exists())
        (used,) = set(folders.iterdir()) - {foreign}
        self.assertEqual(self.run_heddle("run", "--master", "local[1]", "--", "true").returncode, 0)
        self.assertEqual(set(folders.iterdir()), {foreign, used}, "the folder of a client that lives stays")
        self.end(living)
        self.assertEqual(list(folders.iterdir()), [foreign])

    def write_output_job(self, wait=""):
        self.path = self.folder / "job.toml"
        self.path.write_text(f'''name = "numbers"

[[stage]]
name = "one"
tasks = 2
command = ["sh", "-c", "{wait} echo $HEDDLE_TASK_INDEX"]
output = {{ text = "{self.folder}/out" }}
''')
        return str(self.path)

    def test_the_next_run_replaces_the_incomplete_output_of_a_killed_client(self):
        for mode in ("client", "cluster"):
            with self.subTest(mode=mode):
                job = self.write_output_job(f"touch {self.folder}/runs; sleep 61;")
                client = self.start("run", "--master", CLUSTER, "--deploy-mode", mode, job)
                self.wait_for((self.folder / "runs").exists, 15, "a task runs")
                refused = self.run_heddle("run", "--master", "local[1]", self.write_output_job())
                self.assertEqual(refused.returncode, 4, refused.stderr)
                self.assertIn(f"rm -r {self.folder}/out", refused.stderr)
                self.assertIn(f"process {client.pid} ", refused.stderr)
                client.kill()
                client.wait()
                self.wait_for(lambda: not self.processes(), 5, "every process of the cluster has ended")
                self.assertTrue((self.folder / "out" / "_temporary").exists())
                done = self.run_heddle("run", "--master", "local[1]", self.write_output_job())
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(sorted(path.name for path in (self.folder / "out").iterdir()), ["_SUCCESS", "part-00000", "part-00001"])
                shutil.rmtree(self.folder / "out")
                (self.folder / "runs").unlink()

    def test_the_next_run_completes_a_recorded_commit_of_a_killed_client(self):
        job = self.write_output_job()
        out = self.folder / "out"
        self.assertEqual(self.run_heddle("run", "--master", "local[1]", job).returncode, 0)
        text = (out / "part-00001").read_text()
        # The state during the commit, with a dead owner.
        ended = subprocess.Popen(["true"])
        ended.wait()
        attempt = out / "_temporary" / "1" / "_temporary" / "a"
        attempt.mkdir(parents=True)
        (out / "_SUCCESS").unlink()
        (out / "part-00001").rename(attempt / "part-00001")
        record = f"heddle commit 1\napplication_attempt 1\noutput {out}\nmove {attempt}/part-00001\nto {out}/part-00001\nend\n"
        (out / "_temporary" / "COMMIT").write_text(record)
        boot = pathlib.Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        owner = {"cluster_start": 1, "application": 1, "attempt": 1, "user": os.geteuid(), "host": socket.gethostname(), "boot_id": boot,
                 "pid_namespace": os.readlink("/proc/self/ns/pid"), "process": ended.pid, "start_time": 1, "written_at": 1, "output": out}
        lines = "".join(f"{key} {value}\n" for key, value in owner.items())
        (out / "_temporary" / "OWNER").write_text(f"heddle owner 1\n{lines}end\n")
        done = self.run_heddle("run", "--master", "local[1]", job)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("the commit is finished now", done.stderr)
        self.assertEqual(sorted(path.name for path in out.iterdir()), ["_SUCCESS", "part-00000", "part-00001"])
        self.assertEqual((out / "part-00001").read_text(), text)

    def test_logs_of_ended_runs_are_removed_by_age_and_by_size(self):
        def run(*more):
            self.assertEqual(self.run_heddle("run", "--master", "local[1]", *more, "--", "true").returncode, 0)

        run()
        logs = self.state / "heddle"
        first = next(logs.glob("application_*"))
        for path in (*first.rglob("*"), first):
            os.utime(path, (0, 0))
        kept = logs / "of_a_user"
        kept.mkdir()
        os.utime(kept, (0, 0))
        run("--set", "heddle.event_log.retention_age=0s", "--set", "heddle.event_log.retention_bytes=0")
        self.assertTrue(first.exists(), "both limits are off")
        run("--set", "heddle.event_log.retention_age=1h")
        self.assertFalse(first.exists(), "it is too old")
        self.assertTrue(kept.exists(), "heddle did not make it")
        self.assertEqual(len(list(logs.glob("application_*"))), 2)
        run("--set", "heddle.event_log.retention_bytes=1")
        self.assertEqual(len(list(logs.glob("application_*"))), 1, "only the log of the run itself is left")
        chosen = self.folder / "chosen"
        run("--set", f"heddle.event_log.dir={chosen}")
        for path in (*chosen.rglob("*"), *chosen.glob("application_*")):
            os.utime(path, (0, 0))
        run("--set", f"heddle.event_log.dir={chosen}")
        self.assertEqual(len(list(chosen.glob("application_*"))), 2, "the user chose the place")
        run("--set", f"heddle.event_log.dir={chosen}", "--set", "heddle.event_log.retention_age=1h")
        self.assertEqual(len(list(chosen.glob("application_*"))), 2, "and the age as well")

    def test_without_settings_logs_of_ended_runs_stay_for_7_days(self):
        def set_age(folder, days):
            for path in (*folder.rglob("*"), folder):
                os.utime(path, (time.time() - days * 24 * 3600,) * 2)

        self.assertEqual(self.run_heddle("run", "--master", "local[1]", "--", "true").returncode, 0)
        logs = self.state / "heddle"
        (old,) = logs.glob("application_*")
        living = self.start_local_job()
        (running,) = set(logs.glob("application_*")) - {old}
        young = shutil.copytree(old, logs / "application_1_0001")
        for folder, days in ((old, 8), (young, 6), (running, 8)):
            set_age(folder, days)
        os.utime(logs / ".retention", (0, 0))  # the last check was long ago
        self.assertEqual(self.run_heddle("run", "--master", "local[1]", "--", "true").returncode, 0)
        self.assertEqual([folder.exists() for folder in (old, young, running)], [False, True, True])
        self.end(living)

    def test_without_a_home_logs_are_private_and_a_shared_folder_is_refused(self):
        for name in ("XDG_STATE_HOME", "HOME"):
            self.environment.pop(name, None)
        logs = self.folder / "temporary" / f"heddle-state-{os.geteuid()}"
        self.assertEqual(self.run_heddle("run", "--master", "local[1]", "--", "true").returncode, 0)
        self.assertEqual(logs.stat().st_mode & 0o777, 0o700)
        logs.chmod(0o755)
        refused = self.run_heddle("run", "--master", "local[1]", "--", "true")
        self.assertNotEqual(refused.returncode, 0)
        for text in (str(logs), "heddle.event_log.dir", "XDG_STATE_HOME"):
            self.assertIn(text, refused.stderr)
        shutil.rmtree(logs)
        (self.folder / "elsewhere").mkdir(mode=0o700)
        logs.symlink_to(self.folder / "elsewhere")
        self.assertNotEqual(self.run_heddle("run", "--master", "local[1]", "--", "true").returncode, 0)
        self.assertEqual(list((self.folder / "elsewhere").iterdir()), [])

    def test_a_log_folder_that_cannot_be_created_is_reported_with_a_solution(self):
        del self.environment["XDG_STATE_HOME"]
        self.environment["HOME"] = str(self.folder / "job.toml")
        (self.folder / "job.toml").touch()
        refused = self.run_heddle("run", "--master", "local[1]", "--", "true")
        self.assertNotEqual(refused.returncode, 0)
        for text in (str(self.folder / "job.toml"), "heddle.event_log.dir", "XDG_STATE_HOME"):
            self.assertIn(text, refused.stderr)


if __name__ == "__main__":
    unittest.main()
