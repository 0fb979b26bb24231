"""Short of descriptors, memory or processes: a run ends soon, right or with a sentence, and leaves nothing behind."""

import os
import resource
import shutil
import subprocess
import unittest

from heddle_case import CLUSTER, HEDDLE, IS_SANITIZED, HeddleCase

LOCAL = "local[2]"
NOBODY = 65534
KIB = 1024
# Ends of a run that are not a sentence: a signal, or an abort that a shell would tell as 134.
ENDS_WITH_A_SENTENCE = range(1, 128)


class Scarcity(HeddleCase):
    def setUp(self):
        super().setUp()
        if IS_SANITIZED:
            self.skipTest("a program built with sanitizers needs far more of everything")
        (self.folder / "text").mkdir()
        (self.folder / "text" / "words").write_text("one two three\n" * 2000)
        self.expected = b"2000\t\n" * 3

    def limited(self, kind, value, user=None):
        def limit():
            if user is not None:
                os.setgid(user)
                os.setuid(user)
            resource.setrlimit(kind, (value, value))
        return limit

    def check(self, master, kind, value, user=None):
        """One word count under one limit, and one without after it."""
        words = [HEDDLE, "mapreduce", "--master", master, "--quiet", "-input", "text", "-output", "out", "-mapper", "tr -cs A-Za-z '\\n'",
                 "-reducer", "sh -c 'uniq -c | tr -dc 0-9\\\\n'", "-numReduceTasks", "3"]
        done = subprocess.run(words, cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=30, check=False, preexec_fn=self.limited(kind, value, user))
        if done.returncode == 0:
            parts = sorted((self.folder / "out").glob("part-*"))
            self.assertEqual(b"".join(part.read_bytes() for part in parts), self.expected)
        else:
            self.assertIn(done.returncode, ENDS_WITH_A_SENTENCE, done.stderr)
            self.assertRegex(done.stderr, r"(?m)^heddle: .*\w", "a sentence")
        self.assertNotIn("terminate called", done.stderr)
        self.assert_all_gone()
        self.assertEqual(list((self.folder / "temporary").iterdir()), [])
        shutil.rmtree(self.folder / "out", ignore_errors=True)

    def check_all(self, kind, values, unit=1, user=None):
        for master in (LOCAL, CLUSTER):
            for value in values:
                with self.subTest(master=master, value=value):
                    self.check(master, kind, value * unit, user)
            with self.subTest(master=master, value="none"):
                done = self.run_heddle("run", "--master", master, "--", "true")
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_few_descriptors(self):
        self.check_all(resource.RLIMIT_NOFILE, (16, 20, 25, 29, 30, 31, 33, 36, 40, 64))

    def test_little_address_space(self):
        self.check_all(resource.RLIMIT_AS, (50_000, 100_000, 200_000, 400_000, 800_000), unit=KIB)

    def test_few_processes(self):
        if os.geteuid() != 0:
            self.skipTest("the limit counts all processes of the user: it takes one that has none")
        for path in (self.folder, self.folder / "state", self.folder / "temporary"):
            os.chown(path, NOBODY, NOBODY)
        try:
            subprocess.run([HEDDLE, "--help"], check=True, capture_output=True, user=NOBODY)
        except (OSError, subprocess.CalledProcessError):
            self.skipTest("another user cannot run the program here")
        self.check_all(resource.RLIMIT_NPROC, (5, 10, 20, 30, 60), user=NOBODY)


if __name__ == "__main__":
    unittest.main()
