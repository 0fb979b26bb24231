"""Goal: the texts of `heddle help` suffice to count the words of a folder.
Method: runs the printed examples, with FOLDER replaced, and compares with the counts of Python.
"""

import collections
import os
import re
import subprocess
import unittest

from heddle_case import HEDDLE, HeddleCase


class Help(HeddleCase):
    def shell(self, text):
        words = {"PATH": f"{os.path.dirname(HEDDLE)}:{self.environment['PATH']}"}
        return subprocess.run(["sh", "-e", "-c", text], cwd=self.folder, env={**self.environment, **words}, capture_output=True, text=True,
                              timeout=60, check=False)

    def write_letters(self):
        (self.folder / "text").mkdir()
        text = "to be or not to be\nthat is the question\n"
        for name in ("one", "two"):
            (self.folder / "text" / name).write_text(text)
        return {word: 2 * count for word, count in collections.Counter(text.split()).items()}

    def test_the_example_of_the_help_counts_words(self):
        expected = self.write_letters()
        lines = self.run_heddle("help").stdout.splitlines()
        begin = next(number for number, line in enumerate(lines) if line.startswith("example: count the words"))
        commands = [line.strip() for line in lines[begin + 1 :] if line.startswith("  ")]
        self.assertEqual(len(commands), 2)
        done = self.shell("\n".join(commands).replace("FOLDER", "text"))
        self.assertEqual(done.returncode, 0, done.stderr)
        counts = {line.split()[1]: int(line.split()[0]) for line in done.stdout.splitlines() if len(line.split()) == 2}
        self.assertEqual(counts, expected)

    def test_the_job_file_of_the_help_counts_words_at_any_depth(self):
        expected = self.write_letters()
        (self.folder / "text" / "deep").mkdir()
        (self.folder / "text" / "two").rename(self.folder / "text" / "deep" / "two")
        done = self.shell("heddle help job-file | sed s/FOLDER/text/ > words.toml; heddle run words.toml; cat counts/part-*")
        self.assertEqual(done.returncode, 0, done.stderr)
        counts = {line.split()[1]: int(line.split()[0]) for line in done.stdout.splitlines() if len(line.split()) == 2}
        self.assertEqual(counts, expected)

    def test_a_folder_in_the_folder_is_refused_with_the_solution(self):
        self.write_letters()
        (self.folder / "text" / "deep").mkdir()
        words = ("mapreduce", "-output", "out", "-mapper", "cat", "-input")
        refused = self.run_heddle(*words, "text")
        self.assertNotEqual(refused.returncode, 0)
        pattern = re.search(r"use '([^']*/\*\*)'", refused.stderr).group(1)
        self.assertEqual(self.run_heddle(*words, pattern).returncode, 0)


if __name__ == "__main__":
    unittest.main()
