"""Exit codes, streams and refusals, as a user of the command line meets them."""

import unittest

from heddle_case import CLUSTER, HeddleCase

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

    def test_a_command_inherits_nothing_of_what_its_executor_was_told(self):
        own = {"HEDDLE_TASK_INDEX", "HEDDLE_TASK_COUNT", "HEDDLE_TASK_ATTEMPT", "HEDDLE_STAGE", "HEDDLE_APPLICATION", "HEDDLE_PROCESS_MARK"}
        inherited = {name for name in self.environment if name.startswith("HEDDLE_")}
        for master in (LOCAL, CLUSTER):
            with self.subTest(master=master):
                done = self.run_heddle("run", "--master", master, "--", "env")
                self.assertEqual(done.returncode, 0, done.stderr)
                names = {line.split("=")[0] for line in done.stdout.splitlines() if line.startswith("HEDDLE_")}
                self.assertEqual(names - inherited, own)

    def test_an_unknown_queue_is_refused_by_name(self):
        for master, code in ((LOCAL, 2), (CLUSTER, 3)):
            with self.subTest(master=master):
                done = self.run_heddle("run", "--master", master, "--queue", "defualt", "--", "true")
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertIn('queue "defualt"', done.stderr)
                self.assertEqual(self.run_heddle("run", "--master", master, "--queue", "default", "--", "true").returncode, 0)

    def test_streams_pass_through_a_local_run(self):
        done = self.run_heddle("run", "--master", LOCAL, "--", "sh", "-c", "cat; echo aside >&2", stdin="one\ntwo\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, "one\ntwo\n")
        self.assertIn("aside", done.stderr)


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
