"""Bad input, bad commands, and a lack of resources: each run ends soon, reports the cause, and leaves nothing behind."""

import os
import pathlib
import resource
import shutil
import signal
import subprocess
import unittest

from heddle_case import CLUSTER, HEDDLE, IS_SANITIZED, HeddleCase

LOCAL = "local[2]"
MASTERS = (LOCAL, CLUSTER)
LESS_THAN_A_SPILL = 128 << 10  # bytes; a spill is larger if 1 MiB is sorted at a time
SPILL = r"cannot write '\S+/shuffle-0/0-0\.\d\.spill-0'"
SANITIZER_DESCRIPTORS = 64  # minimum for the sanitizers' runtime: it opens a pipe to read memory, and a file for its report


class FaultCase(HeddleCase):
    checks_invariants = True

    def check(self, done, code, *printed):
        self.assertEqual(done.returncode, code, done.stderr)
        for text in printed:
            self.assertIn(text, done.stderr)
        self.assert_all_gone()

    def run_limited(self, limits, *words, seconds=30):
        """Runs heddle with resource limits, which all its processes inherit."""
        def limit():
            for kind, value in limits:
                resource.setrlimit(kind, (value, value))
        return subprocess.run([HEDDLE, *words], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=seconds, check=False, preexec_fn=limit)

    def write_text(self, name, text):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        return str(path)

    def map_reduce(self, master, *words, **more):
        return self.run_heddle("mapreduce", "--master", master, "-input", "text", "-output", "out", *words, **more)

    def no_output(self):
        self.assertEqual([str(path) for path in self.folder.rglob("out")], [], "the folder of the output is gone too")


class Inputs(FaultCase):
    def test_a_broken_file_is_named_with_line_and_column(self):
        path = self.write_text("job.toml", 'name = "words"\n\n[[stage]]\nname = "one\ncommand = ["true"]\n')
        self.check(self.run_heddle("run", "--master", LOCAL, path), 2, f"{path}:4:")

    def test_an_unknown_key_and_a_wrong_value_are_reported_with_their_position(self):
        for text, printed in (('name = "w"\n[[stage]]\nname = "one"\ncomand = ["true"]\n', ':4:1'),
                           ('name = "w"\n[settings]\n"spark.localty.wait" = "3s"\n[[stage]]\nname = "one"\ntasks = 1\ncommand = ["true"]\n', "spark.locality.wait"),
                           ('name = "w"\n[[stage]]\nname = "one"\npartitions = "many"\ncommand = ["true"]\n', ":4:")):
            path = self.write_text("job.toml", text)
            self.check(self.run_heddle("run", "--master", LOCAL, path), 2, path, printed)

    def test_an_unreadable_file_is_named(self):
        self.write_text("text/good", "a\n")
        bad = pathlib.Path(self.write_text("text/bad", "b\n"))
        bad.chmod(0)
        program = [HEDDLE]
        if os.geteuid() == 0:  # root can read every file, unless it lacks that capability
            program = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--", HEDDLE]
            if subprocess.run([*program[:-1], "cat", bad], capture_output=True, check=False).stdout:
                self.skipTest("nothing is unreadable for this user")
        for master in MASTERS:
            done = subprocess.run([*program, "mapreduce", "--master", master, "-input", "text", "-output", "out", "-mapper", "cat"],
                                  cwd=self.folder, env=self.environment, capture_output=True, text=True, timeout=20, check=False)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("text/bad", done.stderr)
            self.assertIn("Permission denied", done.stderr)
            self.no_output()

    def test_pipes_and_devices_are_refused_as_input(self):
        (self.folder / "text").mkdir()
        os.mkfifo(self.folder / "text" / "pipe")
        for master in MASTERS:
            done = self.map_reduce(master, "-mapper", "cat")
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("text/pipe", done.stderr)
            self.no_output()

    def test_a_long_line_is_reported_by_file_and_offset_or_dropped_as_in_hadoop(self):
        self.write_text("text/one", "short\n" + "x" * 5000 + "\nlast\n")
        for master in MASTERS:
            done = self.map_reduce(master, "-mapper", "cat", "--set", "heddle.input.line_bytes_max=1000")
            self.check(done, 1, "text/one", "byte 6", "heddle.input.line_bytes_max")
            self.no_output()
        done = self.map_reduce(LOCAL, "-mapper", "cat", "-numReduceTasks", "0", "-D",
                               "mapreduce.input.linerecordreader.line.maxlength=100")
        self.check(done, 0)
        self.assertEqual((self.folder / "out" / "part-00000").read_text(), "short\t\nlast\t\n")


class Commands(FaultCase):
    def setUp(self):
        super().setUp()
        self.write_text("text/one", "".join(f"line {number}\n" for number in range(50_000)))

    def test_an_unknown_command_is_named(self):
        for master in MASTERS:
            self.check(self.map_reduce(master, "-mapper", "no-such-command-here"), 1, "no-such-command-here")
            self.no_output()

    def test_a_mapper_that_exits_with_1_fails_the_job_with_its_last_lines(self):
        for master in MASTERS:
            done = self.map_reduce(master, "-mapper", "sh -c 'cat >/dev/null; echo out of ideas >&2; exit 1'")
            self.check(done, 1, "exited with code 1", "out of ideas")
            self.no_output()

    def test_a_command_that_reads_only_some_input_ends(self):
        path = self.write_text("job.toml", f'''name = "first"
[[stage]]
name = "one"
input = {{ text = "{self.folder}/text" }}
command = ["head", "-1"]
output = {{ text = "{self.folder}/out" }}
''')
        for master in MASTERS:
            self.check(self.run_heddle("run", "--master", master, path), 0)
            self.assertEqual((self.folder / "out" / "part-00000").read_text(), "line 0\n")
            shutil.rmtree(self.folder / "out")

    def test_much_stderr_needs_neither_memory_nor_disk(self):
        for master in MASTERS:
            with self.subTest(master=master):
                client = subprocess.Popen([HEDDLE, "run", "--master", master, "--tasks", "2", "--", "sh", "-c",
                                           "head -c 600000000 /dev/zero | tr '\\0' x >&2; echo last words >&2"],
                                          cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
                self.addCleanup(client.stderr.close)
                _, status, used = os.wait4(client.pid, 0)  # with the processes of the cluster, which the client waits for
                client.returncode = os.waitstatus_to_exitcode(status)
                self.assertEqual(client.returncode, 0, client.stderr.read())
                self.assertLess(used.ru_maxrss, (500 if IS_SANITIZED else 200) << 10)  # KiB; a sanitizer keeps freed memory for a while
                logs = list(self.state.rglob("tasks/**/*.stderr"))
                self.assertEqual(len(logs), 2)
                for log in logs:
                    self.assertLess(log.stat().st_size, 2 << 20)
                    self.assertTrue(log.read_text().endswith("last words\n"))
                self.assertLess(sum(path.stat().st_size for path in self.state.rglob("*") if path.is_file()), 8 << 20)
                self.assert_all_gone()
                shutil.rmtree(self.state / "heddle")

    def test_processes_that_fork_and_hang_are_killed_and_block_no_other(self):
        for master in MASTERS:
            for left in ("sleep 1000 &", "setsid sleep 1000 &", "(trap '' TERM HUP; sleep 1000) &", "sh -c 'sleep 1000 & sleep 1000' &"):
                with self.subTest(master=master, left=left):
                    done = self.map_reduce(master, "-mapper", f'sh -c "cat; {left} exit 0"')
                    self.check(done, 0)
                    shutil.rmtree(self.folder / "out")

    def test_ctrl_c_kills_processes_that_ignore_signals_and_left_the_session(self):
        for master in MASTERS:
            with self.subTest(master=master):
                client = self.start("run", "--master", master, "--tasks", "2", "--", "sh", "-c",
                                    "trap '' INT TERM HUP; setsid sh -c \"trap '' INT TERM HUP; while :; do sleep 0.73; done\" & "
                                    "while :; do sleep 0.72; done")
                self.wait_for(lambda: self.processes(r"^sleep 0\.72 ") and self.processes(r"^sleep 0\.73 "), 10, "both run")
                client.send_signal(signal.SIGINT)
                self.assertEqual(client.wait(timeout=10), 7)
                self.assert_all_gone()


class Scarcity(FaultCase):
    """Inherited resource limits simulate a full disk and a lack of descriptors."""

    def words(self):
        self.write_text("text/one", "".join(f"word{number * 7919 % 100_003} {number}\n" for number in range(200_000)))

    def test_a_full_disk_fails_the_job_by_name_and_leaves_no_output(self):
        self.words()
        for master in MASTERS:
            for reducers in ("2", "0"):
                with self.subTest(master=master, reducers=reducers):
                    done = self.run_limited([(resource.RLIMIT_FSIZE, LESS_THAN_A_SPILL)], "mapreduce", "--master", master, "-input", "text",
                                            "-output", "out", "-mapper", "cat", "-numReduceTasks", reducers, "-D",
                                            "mapreduce.task.io.sort.mb=1", "--set", "heddle.shuffle.compression=none")
                    self.check(done, 1, "File too large")
                    self.assertRegex(done.stderr, {"2": SPILL, "0": "cannot write '.*/part-00000'"}[reducers])
                    self.no_output()

    def test_a_full_disk_fails_the_spill_of_a_job_file_by_name(self):
        self.words()
        for master in MASTERS:
            with self.subTest(master=master):
                done = self.run_limited([(resource.RLIMIT_FSIZE, LESS_THAN_A_SPILL)], "run", "--master", master, "--set",
                                        "heddle.shuffle.sort_memory=1m", "--set", "heddle.shuffle.block=4k", "--set",
                                        "heddle.shuffle.merge_width=16", "--set", "heddle.shuffle.compression=none", self.write_job())
                self.check(done, 1, "File too large")
                self.assertRegex(done.stderr, SPILL)
                self.assertFalse((self.folder / "counts").exists())

    def test_a_full_file_system_is_reported(self):
        self.words()
        small = self.folder / "small"
        small.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", small], capture_output=True, check=False)
        if mounted.returncode != 0:
            self.skipTest("file systems cannot be mounted here")
        self.addCleanup(subprocess.run, ["umount", "-l", small], check=False)
        done = self.run_heddle("mapreduce", "--master", LOCAL, "-input", "text", "-output", "small/out", "-mapper", "cat",
                               "-numReduceTasks", "0")
        self.check(done, 1, "No space left on device", "small/out")
        self.environment["TMPDIR"] = str(small)
        done = self.run_heddle("mapreduce", "--master", LOCAL, "-input", "text", "-output", "out", "-mapper", "cat", "--set",
                               "heddle.shuffle.compression=none")
        self.check(done, 1, "No space left on device")
        self.no_output()

    def test_a_full_disk_ends_the_event_log_with_a_warning_but_not_the_job(self):
        done = self.run_limited([(resource.RLIMIT_FSIZE, 200)], "run", "--master", LOCAL, "--tasks", "3", "--", "true")
        self.check(done, 0, "event log")

    def test_with_every_limit_of_descriptors_a_run_succeeds_or_reports_an_error(self):
        self.words()
        for master in MASTERS:
            for count in (4, 8, 12, 16, 20, 24, 28, 32, 40, 48, 64):
                if IS_SANITIZED and count < SANITIZER_DESCRIPTORS:
                    continue
                with self.subTest(master=master, count=count):
                    done = self.run_limited([(resource.RLIMIT_NOFILE, count)], "mapreduce", "--master", master, "-input", "text",
                                            "-output", "out", "-mapper", "cat", "-reducer", "uniq -c", "-numReduceTasks", "2")
                    self.assertIn(done.returncode, (0, 1, 5), done.stderr)
                    parts = sorted(self.folder.glob("out/part-*"))
                    if done.returncode == 0:
                        self.assertEqual(sum(len(part.read_text().splitlines()) for part in parts), 200_000)
                    else:
                        self.assertRegex(done.stderr, r"(?m)^(heddle: |  why  +).{20,}", "a sentence")
                        self.assertEqual(parts, [])
                    self.assert_all_gone()
                    found = sorted(path.name for path in self.folder.glob("out/*"))
                    if done.returncode != 0:  # a client without descriptors may leave files to the next run, and names them
                        self.assertIn(found, ([], ["_temporary"]), done.stderr)
                        self.assertTrue(not found or "_temporary" in done.stderr, done.stderr)
                        continue
                    self.assertEqual(found, ["_SUCCESS", "part-00000", "part-00001"])
                    shutil.rmtree(self.folder / "out")
            self.check(self.map_reduce(master, "-mapper", "cat", "-reducer", "uniq -c", "-numReduceTasks", "2"), 0)
            shutil.rmtree(self.folder / "out")


class MapOutputs(FaultCase):
    """The last map task waits while the outputs of another are damaged. As in Spark, a failed fetch discards only the outputs of the
    executor that wrote the failed one."""

    def spoil(self, master, harm, *settings):
        expected = self.write_words()
        runs = self.folder / "runs"
        once = f"echo $HEDDLE_TASK_INDEX $PPID >> {runs}; if [ $HEDDLE_TASK_INDEX = 3 ]; then " \
               f"until [ -e {self.folder}/go ]; do sleep 0.05; done; fi;"
        client = self.start("run", "--master", master, *settings, self.write_job(once))
        folder = self.folder / "temporary"
        self.wait_for(lambda: len(list(folder.rglob("shuffle-*/*.index"))) == 3, 15, "three map outputs are there")
        harm(folder)
        (self.folder / "go").touch()
        printed = client.communicate(timeout=60)
        self.assertEqual(client.returncode, 0, printed)
        self.assertEqual(self.counted(), expected)
        self.assert_all_gone()
        ran = [line.split() for line in runs.read_text().splitlines()]
        executor = dict(ran[:4])
        self.assertEqual(sorted(executor), ["0", "1", "2", "3"])
        again = sorted(index for index, _ in ran[4:])
        self.assertEqual(again, sorted(index for index in executor if executor[index] == executor["0"]), ran)

    @staticmethod
    def flip(folder):
        victim = sorted(folder.rglob("shuffle-*/0-*.data"))[0]
        content = bytearray(victim.read_bytes())
        content[len(content) // 2] ^= 1
        victim.write_bytes(content)

    @staticmethod
    def remove(folder):
        sorted(folder.rglob("shuffle-*/0-*.data"))[0].unlink()

    def test_a_flipped_bit_is_detected_and_the_output_is_computed_again(self):
        self.spoil(CLUSTER, self.flip)

    def test_a_flipped_bit_is_detected_in_local_mode(self):
        self.spoil("local[4,4]", self.flip)

    def test_a_lost_file_is_computed_again(self):
        self.spoil(CLUSTER, self.remove)

    def test_a_flipped_bit_is_detected_over_the_network(self):
        self.spoil(CLUSTER, self.flip, "--set", "spark.shuffle.readHostLocalDisk=false")

    def test_a_silent_shuffle_server_loses_its_outputs_but_not_the_job(self):
        expected = self.write_words()
        runs = self.folder / "runs"
        once = f"echo x >> {runs}; if [ $HEDDLE_TASK_INDEX = 3 ]; then until [ -e {self.folder}/go ]; do sleep 0.05; done; fi;"
        client = self.start("run", "--master", CLUSTER, "--set", "spark.shuffle.readHostLocalDisk=false", "--set",
                            "heddle.shuffle.fetch_timeout=500ms", "--set", "heddle.resource_manager.node_timeout=5s",
                            # Until the node expires, outputs can be computed there again, and fail again.
                            "--set", "heddle.stage.max_consecutive_attempts=50", self.write_job(once))
        folder = self.folder / "temporary"
        self.wait_for(lambda: len(list(folder.rglob("shuffle-*/*.index"))) == 3, 15, "three map outputs are there")
        nodes = self.processes("heddle-role node-manager ")
        master = self.processes("heddle-role application-master ")[0]
        silent = next(node for node in nodes if node != self.parent_of(master))
        self.freeze(silent)
        (self.folder / "go").touch()
        printed = client.communicate(timeout=90)
        self.go_on(silent)
        self.assertEqual(client.returncode, 0, printed)
        self.assertEqual(self.counted(), expected)


if __name__ == "__main__":
    unittest.main()
