"""Hadoop Streaming's own tests as runs of `heddle mapreduce`: the numbered cases of the MapReduce specification, E4.

Each test is one case: its input, its commands, and the lines that the job leaves in part-00000."""

import os
import shutil
import unittest

from heddle_case import HeddleCase

ROSES = "roses.are.red\nviolets.are.blue\nbunnies.are.pink\n"


class Streaming(HeddleCase):
    def command(self, name, text):
        """A named shell command, which replaces a small program of the original tests."""
        path = self.folder / name
        path.write_text("#!/bin/sh\n" + text + "\n")
        path.chmod(0o755)
        return str(path)

    def words_of_lines(self):
        return self.command("map.sh", "tr . '\\n'")

    def unique(self, prefix="R"):
        return self.command("reduce.sh", "cut -f1 | uniq | sed 's/^/" + prefix + "/'")

    def stream(self, *words, expect=0):
        done = self.run_heddle("mapreduce", "--master", "local[2]", *words)
        self.assertEqual(done.returncode, expect, done.stderr)
        return done

    def job(self, *words, text=ROSES, expect=0):
        (self.folder / "input.txt").write_text(text)
        return self.stream("-input", "input.txt", "-output", "out", *words, expect=expect)

    def lines(self, part="part-00000"):
        return (self.folder / "out" / part).read_text().splitlines()

    def test_lines_are_split_sorted_and_made_unique(self):
        """C-E4-01"""
        self.job("-mapper", self.words_of_lines(), "-reducer", self.unique())
        self.assertEqual(self.lines(), [f"R{word}\t" for word in ("are", "blue", "bunnies", "pink", "red", "roses", "violets")])

    def test_every_step_has_its_own_separator(self):
        """C-E4-02: 1 in the input, 2 before the map, 3 after it and before the reduce, 4 after that, 5 in the output."""
        mapper = self.command("map.sh", "sed 's/2/3/'")
        reducer = self.command("reduce.sh", "sed 's/3/4/'")
        self.job("-D", "mapreduce.input.keyvaluelinerecordreader.key.value.separator=1",
                 "-D", "stream.map.input.field.separator=2", "-D", "stream.map.output.field.separator=3",
                 "-D", "stream.reduce.input.field.separator=3", "-D", "stream.reduce.output.field.separator=4",
                 "-D", "mapreduce.output.textoutputformat.separator=5", "-inputformat", "KeyValueTextInputFormat",
                 "-mapper", mapper, "-reducer", reducer,
                 text="roses1are.red\nviolets1are.blue\nbunnies1are.pink\n")
        self.assertEqual(self.lines(), ["bunnies5are.pink", "roses5are.red", "violets5are.blue"])

    def test_lines_without_offsets_are_sorted_by_the_text_before_the_tab(self):
        """C-E4-03: a line without a tab is a key with an empty value, so that the output has a tab after it."""
        self.job("-mapper", "cat", "-reducer", "cat",
                 text="roses are \tred\t\n\tviolets are blue\nbunnies are pink\nthis is for testing a big\tinput line\nsmall input\n")
        self.assertEqual(self.lines(), ["\tviolets are blue", "bunnies are pink\t", "roses are \tred\t", "small input\t",
                                        "this is for testing a big\tinput line"])

    def test_a_failing_command_fails_the_job_unless_that_is_allowed(self):
        """C-E4-04"""
        for failing in ("mapper", "reducer"):
            for is_failure, code in (("true", 1), ("false", 0)):
                with self.subTest(failing=failing, is_failure=is_failure):
                    broken = self.command("broken.sh", "cat >/dev/null; exit 1")
                    commands = {"mapper": "cat", "reducer": "cat", failing: broken}
                    self.stream_away()
                    self.job("-D", f"stream.non.zero.exit.is.failure={is_failure}", "-D", "mapreduce.map.maxattempts=1",
                             "-D", "mapreduce.reduce.maxattempts=1", "-mapper", commands["mapper"], "-reducer", commands["reducer"],
                             expect=code)

    def stream_away(self):
        shutil.rmtree(self.folder / "out", ignore_errors=True)

    def test_a_missing_input_is_refused(self):
        """C-E4-05"""
        self.stream("-input", "missing.txt", "-output", "out", "-mapper", "cat", "-reducer", "cat", expect=5)
        self.assertFalse((self.folder / "out").exists())

    def test_help_succeeds_and_no_arguments_fail(self):
        """C-E4-06"""
        self.assertEqual(self.run_heddle("mapreduce").returncode, 1)
        self.assertEqual(self.run_heddle("mapreduce", "-help").returncode, 0)
        self.assertEqual(self.run_heddle("mapreduce", "-info").returncode, 0)

    def test_an_unexpected_argument_is_refused(self):
        """C-E4-07"""
        self.job("-mapper", "cat", "-reducer", "cat", "stray", expect=1)
        self.assertFalse((self.folder / "out").exists())

    def test_without_reducers_the_output_is_that_of_the_maps(self):
        """C-E4-08"""
        self.job("-D", "mapreduce.job.maps=1", "-mapper", "cat", "-reducer", "cat", "-numReduceTasks", "0")
        self.assertEqual([line.rstrip("\t") for line in self.lines()], ROSES.splitlines())

    def test_the_reducer_aggregate_sums_by_its_aggregator(self):
        """C-E4-09"""
        mapper = self.command("map.sh", "tr . '\\n' | sed 's/.*/LongValueSum:&\\t1/'")
        self.job("-mapper", mapper, "-reducer", "aggregate")
        self.assertEqual(self.lines(), ["are\t3", "blue\t1", "bunnies\t1", "pink\t1", "red\t1", "roses\t1", "violets\t1"])

    def test_keys_without_values_are_written_without_separator(self):
        """C-E4-11"""
        keys = [word for side in ("map.output", "reduce.input", "reduce.output") for word in ("-D", f"stream.{side}=keyonlytext")]
        self.job(*keys, "-mapper", self.words_of_lines(), "-reducer", self.unique())
        self.assertEqual(self.lines(), [f"R{word}" for word in ("are", "blue", "bunnies", "pink", "red", "roses", "violets")])

    def test_whole_lines_are_keys(self):
        """C-E4-12: text that looks like a key and a value is one key."""
        self.job("-D", "mapreduce.job.maps=1", "-D", "stream.map.output=keyonlytext", "-mapper", "cat", "-numReduceTasks", "0",
                 text="key,value\nkey2,value2\nnocomma\n")
        self.assertEqual(self.lines(), ["key,value", "key2,value2", "nocomma"])

    def test_large_stderr_before_and_after_the_records_is_allowed(self):
        """C-E4-14. Framework driver has no task time-out, so stderr need not count as progress."""
        many = "i=0; while [ $i -lt 10000 ]; do echo line $i >&2; i=$((i + 1)); done"
        rows = (("before", many + "; cat"), ("after", "cat; " + many),
                ("on and on", "i=0; while [ $i -lt 15 ]; do echo still here >&2; sleep 0.1; i=$((i + 1)); done; cat"))
        for name, text in rows:
            with self.subTest(name):
                self.stream_away()
                self.job("-mapper", self.command("map.sh", text), "-numReduceTasks", "0")
                self.assertEqual([line.rstrip("\t") for line in self.lines()], ROSES.splitlines())

    def test_a_mapper_that_reads_nothing_keeps_its_output(self):
        """C-E4-15"""
        mapper = self.command("map.sh", "exec 0<&-; i=0; while [ $i -lt 10000 ]; do echo record $i; i=$((i + 1)); done")
        self.job("-D", "stream.minRecWrittenToEnableSkip_=0", "-D", "mapreduce.job.maps=1", "-mapper", mapper, "-numReduceTasks", "0",
                 text="".join(f"line {i} of the input\n" for i in range(30000)))
        self.assertEqual(len(self.lines()), 10000)

    def test_files_are_shipped_into_the_working_folder_of_tasks(self):
        """C-E4-16: `ls` reads nothing, which is tolerated so that the test does not depend on who is faster."""
        (self.folder / "sidefile").write_text("aside")
        self.job("-D", "stream.minRecWrittenToEnableSkip_=0", "-D", "mapreduce.job.maps=1", "-file", "sidefile", "-mapper", "ls",
                 "-numReduceTasks", "0")
        self.assertIn("sidefile", [os.path.basename(line.rstrip("\t")) for line in self.lines()])


if __name__ == "__main__":
    unittest.main()
