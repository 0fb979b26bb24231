"""Exit codes, streams and refusals of the command line."""

import os
import select
import shutil
import signal
import subprocess
import unittest

from heddle_case import CLUSTER, HEDDLE, HeddleCase

LOCAL = "local[2]"
IN_DELETE = 0x200  # of inotify
SHUFFLE_FILES = 200


class Commands(HeddleCase):
    def test_exit_code_is_that_of_the_command(self):
        cases = ((["true"], 0), (["false"], 1), (["sh", "-c", "exit 3"], 3), (["heddle-test-nonexistent"], 127))
        for master in (LOCAL, CLUSTER):
            for command, code in cases:
                with self.subTest(master=master, command=command):
                    done = self.run_heddle("run", "--master", master, "--", *command)
                    self.assertEqual(done.returncode, code, done.stderr)
        self.assert_all_gone()

    def test_a_command_does_not_inherit_the_launch_spec_of_its_executor(self):
        own = {"HEDDLE_TASK_INDEX", "HEDDLE_TASK_COUNT", "HEDDLE_TASK_ATTEMPT", "HEDDLE_STAGE", "HEDDLE_APPLICATION", "HEDDLE_PROCESS_MARK"}
        inherited = {name for name in self.environment if name.startswith("HEDDLE_")}
        for master in (LOCAL, CLUSTER):
            with self.subTest(master=master):
                done = self.run_heddle("run", "--master", master, "--", "env")
                self.assertEqual(done.returncode, 0, done.stderr)
                names = {line.split("=")[0] for line in done.stdout.splitlines() if line.startswith("HEDDLE_")}
                self.assertEqual(names - inherited, own if master == LOCAL else own | {"HEDDLE_NODE_HOST"})

    def test_an_unknown_queue_is_refused_by_name(self):
        for master, code in ((LOCAL, 2), (CLUSTER, 3)):
            with self.subTest(master=master):
                done = self.run_heddle("run", "--master", master, "--queue", "defualt", "--", "true")
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertIn('queue "defualt"', done.stderr)
                self.assertEqual(self.run_heddle("run", "--master", master, "--queue", "default", "--", "true").returncode, 0)

    def test_a_hadoop_folder_that_is_not_read_is_named(self):
        hadoop = self.folder / "hadoop"
        hadoop.mkdir()
        (hadoop / "yarn-site.xml").write_text("<configuration></configuration>\n")
        (self.folder / "topology.toml").write_text('hadoop_conf = "hadoop"\n[[host]]\nname = "a"\n')
        effective = ("config", "--effective")
        cases = ((effective, True), ((*effective, "--topology", "topology.toml"), False), (("run", "--master", CLUSTER, "--", "true"), True),
                 (("run", "--master", LOCAL, "--", "true"), False))
        for variable in ("HADOOP_CONF_DIR", "YARN_CONF_DIR"):
            self.environment[variable] = str(hadoop)
            for words, is_named in cases:
                with self.subTest(variable=variable, words=words):
                    done = self.run_heddle(*words)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertEqual(f"{variable} is set, but only" in done.stderr, is_named, done.stderr)
            del self.environment[variable]
        self.assertNotIn("is set, but only", self.run_heddle(*effective).stderr)

    def test_streams_pass_through_a_local_run(self):
        done = self.run_heddle("run", "--master", LOCAL, "--", "sh", "-c", "cat; echo aside >&2", stdin="one\ntwo\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, "one\ntwo\n")
        self.assertIn("aside", done.stderr)


    def test_an_ignored_sigchld_does_not_change_exit_codes(self):
        for master in (LOCAL, CLUSTER):
            with self.subTest(master=master):
                done = subprocess.run([HEDDLE, "run", "--master", master, "--", "sh", "-c", "cat /dev/null; exit 3"], cwd=self.folder,
                                      env=self.environment, capture_output=True, text=True, timeout=20, check=False,
                                      preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
                self.assertEqual(done.returncode, 3, done.stderr)
        self.assert_all_gone()

    def test_a_removed_working_folder_is_reported(self):
        gone = self.folder / "gone"
        for words in (["run", "--", "true"], ["config", "--effective"], ["mapreduce", "-input", "in", "-output", "out", "-mapper", "cat"]):
            gone.mkdir()
            done = subprocess.run(["sh", "-c", 'rmdir "$PWD"; exec "$@"', "sh", HEDDLE, *words], cwd=gone, env=self.environment,
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=20, check=False)
            self.assertIn(done.returncode, range(1, 128), done.stderr)
            self.assertIn("current", done.stderr)
            self.assertNotIn("terminate called", done.stderr)

    def test_a_detached_process_does_not_write_into_other_tasks(self):
        (self.folder / "job.toml").write_text(f'''name = "stray"

[[stage]]
name = "stray"
tasks = 2
command = ["sh", "-c", "if [ $HEDDLE_TASK_INDEX = 0 ]; then env -i setsid -f sh -c 'sleep 0.3; echo STRAY'; echo zero; else sleep 0.6; echo one; fi"]
output = {{ text = "{self.folder}/out" }}
''')
        done = self.run_heddle("run", "--master", "local[1]", str(self.folder / "job.toml"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([(self.folder / "out" / f"part-0000{task}").read_text() for task in (0, 1)], ["zero\n", "one\n"])


class Signals(HeddleCase):
    def start_with(self, master, **handlers):
        """A client that waits for a line and ignores some signals, as under nohup and shells."""
        before = {number: signal.signal(number, signal.SIG_IGN) for number in handlers.get("ignored", ())}
        silent, end = os.pipe()
        self.addCleanup(os.close, end)
        client = self.start("run", "--master", master, "--", "sh", "-c", "echo ready; read line; sleep 0.1", stdin=silent)
        os.close(silent)
        for number, handler in before.items():
            signal.signal(number, handler)
        self.assertEqual(client.stdout.readline(), "ready\n")
        return client, end

    def test_each_termination_signal_cancels_the_job(self):
        for number, hint in ((signal.SIGHUP, "cancelling after SIGHUP; SIGTERM kills"), (signal.SIGTERM, "a second SIGTERM kills"),
                             (signal.SIGQUIT, "a second SIGQUIT kills"), (signal.SIGINT, "press Ctrl-C again")):
            for master in (LOCAL, CLUSTER):
                with self.subTest(signal=number, master=master):
                    client, _ = self.start_with(master)
                    client.send_signal(number)
                    _, stderr = client.communicate(timeout=20)
                    self.assertEqual(client.returncode, 7, stderr)
                    self.assertIn(hint, stderr)
                    self.assert_all_gone()
                    self.assertEqual(os.listdir(self.folder / "temporary"), [])

    def test_a_signal_ignored_at_the_start_stays_ignored(self):
        for number in (signal.SIGHUP, signal.SIGQUIT):
            for master in (LOCAL, CLUSTER):
                with self.subTest(signal=number, master=master):
                    client, end = self.start_with(master, ignored=(number,))
                    client.send_signal(number)
                    os.write(end, b"go\n")
                    _, stderr = client.communicate(timeout=20)
                    self.assertEqual(client.returncode, 0, stderr)
        self.assert_all_gone()

    def stopped_resource_manager(self):
        """While it is stopped, the client waits for it and the session is not open."""
        self.stop_next("resource-manager")
        return self.processes("heddle-role resource-manager ")[0]

    def test_a_hangup_or_quit_ends_a_run_whose_session_is_not_open(self):
        """SIGINT and SIGTERM do too: leaving_test.py."""
        for number in (signal.SIGHUP, signal.SIGQUIT):
            with self.subTest(signal=number):
                client = self.start("run", "--master", CLUSTER, "--", "sleep", "61")
                self.stopped_resource_manager()
                client.send_signal(number)
                _, stderr = client.communicate(timeout=10)
                self.assertEqual(client.returncode, 7, stderr)
                self.assert_all_gone()
                self.assertEqual(os.listdir(self.folder / "temporary"), [])

    def test_under_nohup_a_run_outlives_its_terminal(self):
        """SIGHUP reaches the process group of the client: before the session is open, and during the job."""
        command = f"touch {self.folder}/runs; until [ -e {self.folder}/go ]; do sleep 0.02; done; echo done"
        client = subprocess.Popen(["nohup", HEDDLE, "run", "--master", CLUSTER, "--", "sh", "-c", command], cwd=self.folder, env=self.environment,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
        self.addCleanup(self.reap, client)
        manager = self.stopped_resource_manager()
        os.killpg(client.pid, signal.SIGHUP)
        self.go_on(manager)
        self.wait_for((self.folder / "runs").exists, 15, "the task runs")
        os.killpg(client.pid, signal.SIGHUP)
        (self.folder / "go").touch()
        stdout, stderr = client.communicate(timeout=20)
        self.assertEqual((client.returncode, stdout), (0, "done\n"), stderr)
        self.assert_all_gone()

    def test_a_job_that_has_succeeded_before_the_client_sees_a_signal_ends_with_0(self):
        """The client is stopped while the Driver in the master container ends the job."""
        job = self.folder / "job.toml"
        job.write_text(f'[[stage]]\nname = "one"\ntasks = 1\noutput = {{ text = "out" }}\n'
                       f'command = ["sh", "-c", "until [ -e {self.folder}/go ]; do sleep 0.02; done; echo done"]\n')
        client = self.start("run", "--master", CLUSTER, "--deploy-mode", "cluster", str(job))
        self.wait_for(lambda: self.processes("^sh -c until "), 15, "the task runs")
        self.freeze(client.pid)
        (self.folder / "go").touch()
        self.wait_for((self.folder / "out" / "_SUCCESS").exists, 15, "the output is committed")
        client.send_signal(signal.SIGTERM)
        self.go_on(client.pid)
        _, stderr = client.communicate(timeout=20)
        self.assertEqual(client.returncode, 0, stderr)
        self.assertEqual((self.folder / "out" / "part-00000").read_text(), "done\n")
        self.assert_all_gone()

    def test_a_topology_whose_applications_have_succeeded_before_a_signal_ends_with_0(self):
        (self.folder / "job.toml").write_text('name = "job"\n[[stage]]\nname = "job"\ntasks = 1\ncommand = ["true"]\n')
        (self.folder / "topology.toml").write_text('[[host]]\nname = "a"\n[[application]]\nname = "one"\nuser = "ann"\njob = "job.toml"\n')
        client = self.start("run", "--topology", "topology.toml")
        while "job job succeeded" not in (line := client.stderr.readline()):
            self.assertTrue(line, "the job succeeds")
        client.send_signal(signal.SIGTERM)  # while the processes of the cluster end
        stdout, stderr = client.communicate(timeout=20)
        self.assertEqual(client.returncode, 0, stderr)
        self.assertRegex(stdout, r"(?m)^one .* succeeded$")
        self.assert_all_gone()

    def test_a_signal_during_the_removal_of_shuffle_files_ends_the_run(self):
        """With so many files that their removal takes longer than the signal. Whether the job has succeeded or was cancelled, all is gone."""
        (self.folder / "text").mkdir()
        (self.folder / "text" / "a.txt").write_text("a\n")
        job = self.write_job(count=f"until [ -e {self.folder}/go ]; do sleep 0.02; done;")
        for number, master in ((signal.SIGINT, LOCAL), (signal.SIGTERM, CLUSTER), (signal.SIGHUP, LOCAL), (signal.SIGQUIT, CLUSTER)):
            with self.subTest(signal=number, master=master):
                client = self.start("run", "--master", master, job)
                self.wait_for(lambda: self.processes("sh -c until "), 15, "a task of the second stage runs")
                [shuffle] = (self.folder / "temporary").rglob("shuffle-0")
                for file in range(SHUFFLE_FILES):
                    (shuffle / f"of-the-test-{file}").touch()
                removed = self.watch([shuffle], IN_DELETE)
                (self.folder / "go").touch()
                self.assertTrue(select.select([removed], [], [], 15)[0], "shuffle files are removed")
                client.send_signal(number)
                _, stderr = client.communicate(timeout=10)
                self.assertIn(client.returncode, (0, 7), stderr)
                self.assertEqual((self.folder / "counts").exists(), client.returncode == 0, stderr)
                self.assert_all_gone()
                self.assertEqual(os.listdir(self.folder / "temporary"), [])
                (self.folder / "go").unlink()
                shutil.rmtree(self.folder / "counts", ignore_errors=True)


class JobFiles(HeddleCase):
    def test_tasks_find_relative_files_and_duplicate_names_are_refused(self):
        (self.folder / "deep").mkdir()
        for name in ("map.sh", "deep/map.sh"):
            (self.folder / name).write_text("#!/bin/sh\necho shipped\n")
        job = self.folder / "job.toml"
        for files, master, code in (('"map.sh"', LOCAL, 0), ('"map.sh"', CLUSTER, 0), ('"map.sh", "deep/map.sh"', LOCAL, 2),
                                    ('"other.sh"', LOCAL, 3)):
            with self.subTest(files=files, master=master):
                job.write_text(f'[[stage]]\nname = "map"\ntasks = 1\nfiles = [{files}]\ncommand = ["map.sh"]\n'
                               f'output = {{ text = "out-{code}-{master[:7]}" }}\n')
                done = self.run_heddle("run", "--master", master, "job.toml")
                self.assertEqual(done.returncode, code, done.stderr)
                if code == 0:
                    self.assertEqual((self.folder / f"out-{code}-{master[:7]}" / "part-00000").read_text(), "shipped\n")
                elif code == 2:
                    self.assertIn("two files to ship are named map.sh", done.stderr)

    def test_a_job_file_can_be_read_from_stdin(self):
        job = '[[stage]]\nname = "one"\ntasks = 1\ncommand = ["echo", "hi"]\noutput = { text = "out" }\n'
        done = self.run_heddle("run", "--master", LOCAL, "-", stdin=job)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.folder / "out" / "part-00000").read_text(), "hi\n")
        wrong = self.run_heddle("run", "--master", LOCAL, "-", stdin="nmae = 1\n")
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("stdin:1:1: unknown key", wrong.stderr)

    def test_an_endless_command_ends_when_its_reader_ends(self):
        source = "while :; do echo x; sleep 0.05; done"
        job = ('[[stage]]\nname = "endless"\ntasks = 1\ncommand = ["sh", "-c", "%s"]\n'
               '[[stage]]\nname = "first"\nafter = ["endless"]\ncommand = ["head", "-1"]\noutput = { text = "%s" }\n')
        for master, name in ((LOCAL, "local"), (CLUSTER, "cluster")):
            with self.subTest(master=master):
                (self.folder / "job.toml").write_text(job % (source, name))
                done = self.run_heddle("run", "--master", master, "job.toml")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual((self.folder / name / "part-00000").read_text(), "x\n")
        self.assert_all_gone()

    def test_dropped_records_give_a_warning(self):
        (self.folder / "in.txt").write_text("a\n")
        job = self.folder / "job.toml"
        for rest, is_warned in (("", True), ('output = { text = "out" }\n', False)):
            job.write_text('[[stage]]\nname = "lost"\ninput = { text = "in.txt" }\ncommand = ["cat"]\n' + rest)
            done = self.run_heddle("run", "--master", LOCAL, "job.toml")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual("stage 'lost' has no output and no stage after it" in done.stderr, is_warned, done.stderr)

    def test_max_failures_of_a_job_file_apply_in_local_mode(self):
        job = self.folder / "job.toml"
        job.write_text('[[stage]]\nname = "one"\ntasks = 1\ncommand = ["false"]\n[settings]\n"heddle.task.max_failures" = 3\n')
        done = self.run_heddle("run", "--master", LOCAL, "job.toml")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("3 failed attempts", done.stderr)

    def test_words_are_counted_correctly_on_a_cluster(self):
        expected = self.write_words()
        done = self.run_heddle("run", "--master", CLUSTER, self.write_job())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.counted(), expected)
        self.assert_all_gone()

    def test_an_existing_output_is_refused_and_kept(self):
        self.write_words()
        (self.folder / "counts").mkdir()
        (self.folder / "counts" / "kept").write_text("kept")
        for master in (LOCAL, CLUSTER):
            with self.subTest(master=master):
                done = self.run_heddle("run", "--master", master, self.write_job())
                self.assertEqual(done.returncode, 4, done.stderr)
                self.assertEqual([path.name for path in (self.folder / "counts").iterdir()], ["kept"])

    def test_a_missing_input_is_reported_by_name(self):
        for master in (LOCAL, CLUSTER):
            with self.subTest(master=master):
                done = self.run_heddle("run", "--master", master, self.write_job())
                self.assertEqual(done.returncode, 3, done.stderr)
                self.assertIn(str(self.folder / "text"), done.stderr)

    def test_results_above_the_total_limit_fail_the_job(self):
        for limit, outcome in (("20", 1), ("1k", 0), ("0", 0)):
            done = self.run_heddle("run", "--master", "local[2]", "--tasks", "3", "--set", f"spark.driver.maxResultSize={limit}", "--", "sh",
                                   "-c", "echo reporter:counter:g,n,1 >&2")
            self.assertEqual(done.returncode, outcome, done.stderr)
            self.assertEqual("results of 2 tasks (22.0 B) is bigger than spark.driver.maxResultSize (20.0 B)" in done.stderr, outcome != 0)

    def test_an_unknown_key_gets_a_suggestion(self):
        path = self.folder / "wrong.toml"
        path.write_text('name = "words"\n\n[[stage]]\nname = "one"\ncomand = ["true"]\n')
        done = self.run_heddle("run", "--master", LOCAL, str(path))
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("comand", done.stderr)
        self.assertRegex(done.stderr, r"\bcommand\b")


if __name__ == "__main__":
    unittest.main()
