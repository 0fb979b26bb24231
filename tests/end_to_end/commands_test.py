"""Exit codes, streams and refusals, as a user of the command line meets them."""

import signal
import subprocess
import unittest

from heddle_case import CLUSTER, HEDDLE, HeddleCase

LOCAL = "local[2]"


class Commands(HeddleCase):
    def test_exit_code_is_that_of_the_command(self):
        cases = ((["true"], 0), (["false"], 1), (["sh", "-c", "exit 3"], 3), (["heddle-test-nonexistent"], 127))
        for master in (LOCAL, CLUSTER):
            for command, code in cases:
                with self.subTest(master=master, command=command):
                    done = self.run_heddle("run", "--master", master, "--", *command)
                    self.assertEqual(done.returncode, code, done.stderr)
        self.assert_all_gone()

    def test_streams_pass_through_a_local_run(self):
        done = self.run_heddle("run", "--master", LOCAL, "--", "sh", "-c", "cat; echo aside >&2", stdin="one\ntwo\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, "one\ntwo\n")
        self.assertIn("aside", done.stderr)


    def test_an_ignored_sigchld_changes_no_exit_code(self):
        for master in (LOCAL, CLUSTER):
            with self.subTest(master=master):
                done = subprocess.run([HEDDLE, "run", "--master", master, "--", "sh", "-c", "cat /dev/null; exit 3"], cwd=self.folder,
                                      env=self.environment, capture_output=True, text=True, timeout=20, check=False,
                                      preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
                self.assertEqual(done.returncode, 3, done.stderr)
        self.assert_all_gone()

    def test_a_removed_working_folder_is_told(self):
        gone = self.folder / "gone"
        for words in (["run", "--", "true"], ["config", "--effective"], ["mapreduce", "-input", "in", "-output", "out", "-mapper", "cat"]):
            gone.mkdir()
            done = subprocess.run(["sh", "-c", 'rmdir "$PWD"; exec "$@"', "sh", HEDDLE, *words], cwd=gone, env=self.environment,
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=20, check=False)
            self.assertIn(done.returncode, range(1, 128), done.stderr)
            self.assertIn("current", done.stderr)
            self.assertNotIn("terminate called", done.stderr)

    def test_what_hides_from_its_task_writes_into_no_other(self):
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


class JobFiles(HeddleCase):
    def test_words_through_a_cluster_are_counted_right(self):
        expected = self.write_words()
        done = self.run_heddle("run", "--master", CLUSTER, self.write_job())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.counted(), expected)
        self.assert_all_gone()

    def test_existing_output_is_refused_and_left_alone(self):
        self.write_words()
        (self.folder / "counts").mkdir()
        (self.folder / "counts" / "kept").write_text("kept")
        for master in (LOCAL, CLUSTER):
            with self.subTest(master=master):
                done = self.run_heddle("run", "--master", master, self.write_job())
                self.assertEqual(done.returncode, 4, done.stderr)
                self.assertEqual([path.name for path in (self.folder / "counts").iterdir()], ["kept"])

    def test_missing_input_is_told_by_name(self):
        for master in (LOCAL, CLUSTER):
            with self.subTest(master=master):
                done = self.run_heddle("run", "--master", master, self.write_job())
                self.assertEqual(done.returncode, 3, done.stderr)
                self.assertIn(str(self.folder / "text"), done.stderr)

    def test_results_that_are_too_large_in_sum_end_the_job(self):
        for limit, outcome in (("20", 1), ("1k", 0), ("0", 0)):
            done = self.run_heddle("run", "--master", "local[2]", "--tasks", "3", "--set", f"spark.driver.maxResultSize={limit}", "--", "sh",
                                   "-c", "echo reporter:counter:g,n,1 >&2")
            self.assertEqual(done.returncode, outcome, done.stderr)
            self.assertEqual("results of 2 tasks (22.0 B) is bigger than spark.driver.maxResultSize (20.0 B)" in done.stderr, outcome != 0)

    def test_wrong_key_is_answered_with_the_nearest(self):
        path = self.folder / "wrong.toml"
        path.write_text('name = "words"\n\n[[stage]]\nname = "one"\ncomand = ["true"]\n')
        done = self.run_heddle("run", "--master", LOCAL, str(path))
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("comand", done.stderr)
        self.assertRegex(done.stderr, r"\bcommand\b")


if __name__ == "__main__":
    unittest.main()
