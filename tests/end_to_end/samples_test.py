"""Goal: each sample program prints what its comment says.
Method: run over local and over a cluster, output compared with what Python computes.
"""

import collections
import os
import pathlib
import re
import subprocess
import unittest

from heddle_case import CLUSTER, HeddleCase

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

    def test_word_count_refuses_what_is_missing_and_what_exists(self):
        done = self.run_sample("word_count", "nowhere", "out")
        self.assertEqual(done.returncode, 1)
        self.assertIn("nowhere", done.stderr)
        self.write_words()
        done = self.run_sample("word_count", "text", ".")
        self.assertEqual(done.returncode, 1)
        self.assertIn("already exists", done.stderr)
        self.assertEqual(self.run_sample("word_count").returncode, 2)


if __name__ == "__main__":
    unittest.main()
