"""Goal: each sample program prints the output in its comment.
Method: runs them in local mode and on a cluster, and compares the output with values computed in Python.
"""

import collections
import os
import pathlib
import re
import subprocess
import unittest

from heddle_case import CLUSTER, HeddleCase

SOURCES = pathlib.Path(__file__).resolve().parents[2] / "samples"
SAMPLES = pathlib.Path(os.environ["SAMPLES"])


class Samples(HeddleCase):
    def run_sample(self, name, *words, seconds=60):
        return subprocess.run([SAMPLES / name, *words], cwd=self.folder, env=self.environment, capture_output=True, text=True,
                              timeout=seconds, check=False)

    def saved(self, folder):
        return [line for part in sorted((self.folder / folder).glob("part-*")) for line in part.read_text().splitlines()]

    def test_word_count(self):
        self.write_words()
        expected = collections.Counter(re.findall(r"\w+", "".join(path.read_text() for path in (self.folder / "text").iterdir())))
        for folder, master in (("local", "local[2]"), ("cluster", CLUSTER)):
            done = self.run_sample("word_count", "--master", master, "text", folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertTrue(done.stdout.startswith("words done in "), done.stdout)
            counts = dict(line.split("\t") for line in self.saved(folder))
            self.assertEqual({word: str(count) for word, count in expected.items()}, counts)
        self.assert_all_gone()

    def test_word_count_refuses_a_missing_input_and_an_existing_output(self):
        done = self.run_sample("word_count", "nowhere", "out")
        self.assertEqual(done.returncode, 1)
        self.assertIn("nowhere", done.stderr)
        self.write_words()
        done = self.run_sample("word_count", "text", ".")
        self.assertEqual(done.returncode, 1)
        self.assertIn("already exists", done.stderr)
        self.assertEqual(self.run_sample("word_count").returncode, 2)

    def test_four_stages(self):
        for folder, master in (("local", "local[2]"), ("cluster", CLUSTER)):
            done = self.run_sample("four_stages", "--master", master, folder)
            self.assertEqual(done.stdout, "austria 1617\nbelgium 1650\nchile 1683\n", done.stderr)
        self.assert_all_gone()

    def test_monte_carlo_pi(self):
        for master in ("local[2]", CLUSTER):
            done = self.run_sample("monte_carlo_pi", "--master", master, "4", "100000")
            self.assertEqual(done.stdout, "pi is about 3.1438 after 400000 points in 4 tasks\n", done.stderr)
        self.assertEqual(self.run_sample("monte_carlo_pi").stdout, "pi is about 3.1423 after 8000000 points in 8 tasks\n")
        self.assert_all_gone()

    def test_a_task_that_throws_in_a_sample_is_reported(self):
        done = self.run_sample("monte_carlo_pi", "--master", "local[1]", "2", "many")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, "^monte_carlo_pi: stage 'throw': task [01] failed 1 time; last on localhost: stoll\n$")

    def test_embedding(self):
        done = self.run_sample("embedding")
        self.assertEqual(done.stdout, "request 7 was accepted\nstage count: 4 tasks are done\n20 primes below 72\n", done.stderr)
        on_cluster = self.run_sample("embedding", CLUSTER)
        self.assertEqual(on_cluster.stdout, done.stdout, on_cluster.stderr)
        self.assert_all_gone()
        lines = (SOURCES / "embedding.cpp").read_text().splitlines()
        self.assertLess(len(lines), 80)


if __name__ == "__main__":
    unittest.main()
