"""Refusals before any task runs, streams of one command with every master URL, and the environment of streaming programs."""

import os
import pathlib
import re
import signal
import time
import unittest

from heddle_case import CLUSTER, HeddleCase

LOCAL = ("--master", "local[2]")
CLIENT = ("--master", CLUSTER)
DEPLOYED = ("--master", CLUSTER, "--deploy-mode", "cluster")


class Sizes(HeddleCase):
    def test_impossible_sizes_are_refused_with_the_calculation(self):
        cases = (
            (CLIENT, "heddle.executor.memory=4g", ("4096 MiB", "512 MiB")),
            (DEPLOYED, "heddle.executor.memory=4g", ("4096 MiB", "512 MiB")),
            (CLIENT, "heddle.executor.memory=500g", ("512000 MiB", "8192 MiB")),
            (CLIENT, "heddle.executor.cores=3", ("3 cores", "1 cores")),
            (CLIENT, "heddle.master.memory=9g", ("9216 MiB", "8192 MiB")),
        )
        for master, setting, words in cases:
            with self.subTest(setting=setting, master=master):
                done = self.run_heddle("run", *master, "--set", setting, "--", "true")
                self.assertEqual(done.returncode, 4, done.stderr)
                for word in words:
                    self.assertIn(word, done.stderr)
        self.assert_all_gone()

    def test_settings_that_contradict_each_other_are_named(self):
        for master, cores in ((LOCAL, 3), (CLIENT, 2), (DEPLOYED, 2)):
            with self.subTest(master=master):
                done = self.run_heddle("run", *master, "--set", f"heddle.task.cores={cores}", "--", "true")
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(f"({cores})", done.stderr)

    def test_a_stage_with_too_large_requests_is_refused_by_name(self):
        job = self.folder / "big.toml"
        job.write_text('name = "big"\n\n[[stage]]\nname = "wide"\npartitions = 1\ncores = 5\ncommand = ["true"]\n')
        for master in (LOCAL, CLIENT):
            with self.subTest(master=master):
                done = self.run_heddle("run", *master, str(job))
                self.assertEqual(done.returncode, 4, done.stderr)
                self.assertIn("'wide'", done.stderr)


    def test_a_stage_with_a_too_large_task_binary_is_refused_with_advice(self):
        job = self.folder / "long.toml"
        job.write_text(f'name = "long"\n\n[[stage]]\nname = "long"\ntasks = 2\ncommand = ["true"]\nenvironment = {{ LONG = "{"x" * 100_000}" }}\n')
        for master in (LOCAL, CLIENT, DEPLOYED):
            for most, code in (("64k", 1), ("1m", 0)):
                with self.subTest(master=master, most=most):
                    done = self.run_heddle("run", *master, "--set", f"heddle.rpc.message.max_size={most}", str(job))
                    self.assertEqual(done.returncode, code, done.stderr)
                    self.assertEqual("heddle.rpc.message.max_size is 64.0 KiB" in done.stderr, code == 1, done.stderr)

    def test_tasks_with_large_requests_run_with_fewer_others(self):
        job = self.folder / "wide.toml"
        for master, size in (("local[3]", "cores = 2"), ("local-cluster[1,4,800]", "cores = 3"), ("local-cluster[1,4,800]", 'memory = "500m"')):
            with self.subTest(master=master, size=size):
                job.write_text(f'name = "wide"\n\n[[stage]]\nname = "alone"\npartitions = 4\n{size}\n'
                               f'command = ["sh", "-c", "mkdir {self.folder}/alone && sleep 0.05 && rmdir {self.folder}/alone"]\n')
                done = self.run_heddle("run", "--master", master, "--set", "heddle.task.max_failures=1", str(job))
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_tasks_with_several_cores_run_with_dynamic_allocation(self):
        job = self.folder / "wide.toml"
        job.write_text(f'name = "wide"\n\n[[stage]]\nname = "alone"\npartitions = 4\ncores = 3\n'
                       f'command = ["sh", "-c", "mkdir {self.folder}/alone && sleep 0.05 && rmdir {self.folder}/alone"]\n')
        done = self.run_heddle("run", "--master", "local-cluster[1,4,800]", "--set", "heddle.dynamic_allocation.enabled=true",
                               "--set", "heddle.task.max_failures=1", str(job))
        self.assertEqual(done.returncode, 0, done.stderr)


class Streams(HeddleCase):
    def test_one_command_has_the_streams_of_the_client(self):
        for master in (LOCAL, CLIENT, DEPLOYED):
            with self.subTest(master=master):
                done = self.run_heddle("run", *master, "--", "sh", "-c", "cat; echo aside >&2; exit 5", stdin="one\ntwo")
                self.assertEqual(done.returncode, 5, done.stderr)
                self.assertEqual(done.stdout, "one\ntwo")
                self.assertIn("aside", done.stderr)
        self.assert_all_gone()

    def test_large_streams_pass_completely(self):
        text = "".join(f"line {number}\n" for number in range(200_000))
        for master in (CLIENT, DEPLOYED):
            with self.subTest(master=master):
                done = self.run_heddle("run", *master, "--", "cat", stdin=text)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertTrue(done.stdout == text)

    def test_a_command_need_not_read_its_input(self):
        done = self.run_heddle("run", *CLIENT, "--", "true", stdin="unread\n" * 100_000)
        self.assertEqual(done.returncode, 0, done.stderr)


    def test_a_slow_reader_loses_nothing(self):
        for master in (CLIENT, DEPLOYED):
            with self.subTest(master=master):
                client = self.start("run", *master, "--", "sh", "-c", "head -c 300000 /dev/zero; echo aside >&2")
                self.assertEqual(client.stderr.readline(), "aside\n")  # all output is written; it is larger than the pipe
                patience = time.monotonic() + 2.5  # longer than a client waits for a silent task
                self.wait_for(lambda: time.monotonic() > patience, 10, "we are slow")
                stdout, words = client.communicate(timeout=20)
                self.assertEqual(client.returncode, 0, words)
                self.assertEqual(len(stdout), 300_000)
        self.assert_all_gone()

    def test_a_command_gets_sigpipe_when_its_reader_has_closed(self):
        for master in (LOCAL, CLIENT):
            with self.subTest(master=master):
                client = self.start("run", *master, "--", "yes")
                self.assertEqual(client.stdout.readline(), "y\n")
                client.stdout.close()
                client.wait(timeout=20)
                self.assertEqual(client.returncode, 128 + signal.SIGPIPE)
                self.assert_all_gone()
                self.assertEqual(os.listdir(self.folder / "temporary"), [])

    def test_a_document_that_nobody_reads_leaves_no_folder(self):
        client = self.start("run", *CLIENT, "--tasks", "2", "--format", "json", "--", "true")
        client.stdout.close()
        _, words = client.communicate(timeout=20)
        self.assertEqual(client.returncode, 0, words)
        self.assert_all_gone()
        self.assertEqual(os.listdir(self.folder / "temporary"), [])

    def test_a_second_attempt_cannot_read_stdin_again(self):
        client = self.start("run", *CLIENT, "--set", "heddle.task.max_failures=2", "--", "sh", "-c", "echo said; exec sleep 100.5")
        self.assertEqual(client.stdout.readline(), "said\n")
        command = self.wait_for(lambda: self.processes(r"^sleep 100\.5"), 20, "the command runs")[0]
        status = pathlib.Path(f"/proc/{command}/status").read_text()
        os.kill(int(re.search(r"^PPid:\s+(\d+)$", status, re.MULTILINE).group(1)), signal.SIGKILL)
        stdout, words = client.communicate(timeout=30)
        self.assertEqual(client.returncode, 1, words)
        self.assertEqual(stdout, "")
        self.assertIn("streams were used by an attempt that was lost", words)
        self.assert_all_gone()

    def test_an_interrupt_ends_a_command_that_waits_for_input(self):
        for master in (CLIENT, DEPLOYED):
            with self.subTest(master=master):
                silent, end = os.pipe()
                client = self.start("run", *master, "--", "cat", stdin=silent)
                self.wait_for(lambda: self.processes("^cat "), 20, "the command runs")
                client.send_signal(signal.SIGINT)
                client.communicate(timeout=20)
                self.assertEqual(client.returncode, 7)
                os.close(silent)
                os.close(end)
        self.assert_all_gone()


class Streaming(HeddleCase):
    def test_programs_find_shipped_files_and_their_task_in_the_environment(self):
        (self.folder / "in.txt").write_text("a\n")
        (self.folder / "shipped.sh").write_text("#!/bin/sh\ncat >/dev/null\necho $mapreduce_task_ismap:$mapreduce_task_attempt_id:"
                                                "$mapred_task_partition:$(basename $map_input_file):$my_own_key:$SAID\n")
        (self.folder / "shipped.sh").chmod(0o755)
        for number, master in enumerate((LOCAL, CLIENT, DEPLOYED)):
            with self.subTest(master=master):
                done = self.run_heddle("mapreduce", *master, "-D", "my.own-key=7", "-input", "in.txt", "-output", f"out{number}", "-mapper",
                                       "shipped.sh", "-numReduceTasks", "0", "-file", "shipped.sh", "-cmdenv", "SAID=yes")
                self.assertEqual(done.returncode, 0, done.stderr)
                found = (self.folder / f"out{number}" / "part-00000").read_text().strip()
                self.assertRegex(found, r"^true:attempt_\d+_0001_m_000000_0:0:in.txt:7:yes$")
        self.assert_all_gone()

    def test_shipped_scripts_run_without_execute_permission(self):
        (self.folder / "in.txt").write_text("a\n")
        (self.folder / "plain.sh").write_text("#!/bin/sh\ncat >/dev/null\necho ran\n")
        for number, master in enumerate((LOCAL, CLIENT)):
            with self.subTest(master=master):
                done = self.run_heddle("mapreduce", *master, "-input", f"file://{self.folder}/in.txt", "-output", f"file:{self.folder}/out{number}",
                                       "-mapper", "plain.sh", "-numReduceTasks", "0", "-file", "plain.sh")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual((self.folder / f"out{number}" / "part-00000").read_text().strip(), "ran")

    def test_unsupported_file_systems_are_reported(self):
        (self.folder / "in.txt").write_text("a\n")
        for words in (("-input", "gs://n/in", "-output", "out"), ("-input", "in.txt", "-output", "gs://n/out")):
            done = self.run_heddle("mapreduce", *LOCAL, *words, "-mapper", "cat")
            self.assertEqual(done.returncode, 5, done.stderr)
            self.assertIn("no such file system: gs; known: file, hdfs", done.stderr)

    def test_a_name_node_whose_name_does_not_resolve_is_reported_at_once(self):
        done = self.run_heddle("mapreduce", *LOCAL, "-input", "hdfs://no-such-host.invalid/in", "-output", "out", "-mapper", "cat")
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn("no-such-host.invalid", done.stderr)
        self.assertIn("the name does not resolve", done.stderr)

    def test_an_unclosed_quote_is_refused_with_its_position(self):
        done = self.run_heddle("mapreduce", *LOCAL, "-input", "in", "-output", "out", "-mapper", "cat 'unclosed")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("-mapper: the quote ' at character 5 is not closed", done.stderr)

    def test_ignored_keys_are_reported_even_with_quiet(self):
        (self.folder / "in.txt").write_text("a\n")
        done = self.run_heddle("mapreduce", *LOCAL, "--quiet", "-D", "mapreduce.job.reducs=2", "-input", "in.txt", "-output", "out", "-mapper",
                               "cat")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("heddle does not read -D mapreduce.job.reducs", done.stderr)

    def test_words_equal_those_of_a_pipeline_while_executors_are_killed(self):
        expected = self.write_words()
        script = self.folder / "words.sh"
        script.write_text('#!/bin/sh\nsleep 0.403\nexec tr -s " " "\\n"\n')
        script.chmod(0o755)
        for master in (CLIENT, DEPLOYED):
            with self.subTest(master=master):
                output = self.folder / f"words-{len(master)}"
                client = self.start("mapreduce", *master, "-input", str(self.folder / "text"), "-output", str(output), "-mapper", "words.sh",
                                    "-file", str(script), "-combiner", "cat", "-reducer", "uniq -c", "-numReduceTasks", "4")
                killed = set()
                for _ in range(2):
                    fresh = self.wait_for(lambda: [pid for pid in self.processes(r"^sleep 0\.403 ") if pid not in killed], 10, "a mapper")
                    killed.update(fresh)
                    os.kill(self.processes("heddle-role executor ")[0], signal.SIGKILL)
                _, stderr = client.communicate(timeout=30)
                self.assertEqual(client.returncode, 0, stderr)
                lines = "".join(part.read_text() for part in output.glob("part-*")).splitlines()
                counted = sorted(tuple(line.rstrip("\t").split()) for line in lines)
                self.assertEqual(counted, sorted((str(count), word) for word, count in expected.items()))
                self.assert_all_gone()


if __name__ == "__main__":
    unittest.main()
