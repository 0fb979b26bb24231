"""Lack of descriptors, memory, processes or disk space: a run ends soon, with the correct output or an error, and the next run works.

With HEDDLE_WHOLE_RANGES=1 it tests the whole ranges of the limits instead of a few values (`ctest -C full`).
"""

import os
import pathlib
import resource
import shutil
import subprocess
import unittest

from heddle_case import CLUSTER, HEDDLE, IS_SANITIZED, HeddleCase

LOCAL = "local[2]"
NOBODY = 65534
KIB = 1024
SECONDS = 30
IS_WHOLE = bool(os.environ.get("HEDDLE_WHOLE_RANGES"))
# Exit codes of a run without error message: a signal, or an abort (134 in a shell).
ENDS_WITH_A_SENTENCE = range(1, 128)
PAGE = 4096
FULL = "full"  # without a free byte
FILLER = "filler"
FREE = "16m"  # size of the disk after space was freed


def values(some, every):
    return every if IS_WHOLE else some


class ScarcityCase(HeddleCase):
    def setUp(self):
        super().setUp()
        if IS_SANITIZED:
            self.skipTest("a program built with sanitizers needs far more of everything")
        (self.folder / "text").mkdir()
        (self.folder / "text" / "words").write_text("one two three\n" * 2000)
        self.expected = b"2000\t\n" * 3

    def start_of(self):
        """Arguments before the program: a command that runs it."""
        return []

    def seen(self, path):
        """Converts a path to that in the program's mount namespace."""
        return path

    def count_words(self, master, output, *more, before=None):
        words = [HEDDLE, "mapreduce", "--master", master, "--quiet", "-input", "text", "-output", str(output), "-mapper", "tr -cs A-Za-z '\\n'",
                 "-reducer", "sh -c 'uniq -c | tr -dc 0-9\\\\n'", "-numReduceTasks", "3", *more]
        return subprocess.run([*self.start_of(), *words], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=SECONDS, check=False, preexec_fn=before)

    def is_right(self, output):
        parts = sorted(self.seen(output).glob("part-*"))
        return (self.seen(output) / "_SUCCESS").exists() and b"".join(part.read_bytes() for part in parts) == self.expected

    def check_end(self, done, output):
        """Checks that the run is correct or reports an error, and that it names an output that it leaves."""
        left = [path for path in (self.seen(output), self.seen(output).with_name(f".{output.name}.heddle-claim")) if path.exists()]
        if done.returncode == 0:
            self.assertTrue(self.is_right(output), sorted(self.seen(output).rglob("*")))
            self.assertTrue(not (self.seen(output) / "_temporary").exists() or "_temporary" in done.stderr, done.stderr)
        else:
            self.assertIn(done.returncode, ENDS_WITH_A_SENTENCE, done.stderr)
            self.assertRegex(done.stderr, r"(?m)^(heddle: |.*: error while loading shared libraries: ).*\w", "a sentence")
            if left and not (self.is_right(output) and "finishes it" in done.stderr):
                self.assertRegex(done.stderr, r"_temporary|\.heddle-claim", f"left: {left}")
        self.assertNotRegex(done.stderr, r"terminate called|broken promise|core dumped")
        self.assert_all_gone()
        folders = [path.name for path in self.seen(pathlib.Path(self.environment["TMPDIR"])).iterdir() if path.name != FILLER]
        self.assertEqual(folders, [], done.stderr)

    def check_next(self, done, output, *more, before=None):
        """Checks that the same run works without the limit, after the failed one."""
        if done.returncode != 0:
            following = self.count_words(LOCAL, output, *more, before=before)
            if "the commit is finished now" not in following.stderr:
                self.assertEqual(following.returncode, 0, f"after: {done.stderr}\nnow: {following.stderr}")
            self.assertTrue(self.is_right(output), following.stderr)
        shutil.rmtree(self.seen(output))


class Limits(ScarcityCase):
    def check(self, master, kind, value, user=None):
        """Runs one word count with a limit, and then one without."""
        def become():
            if user is not None:
                os.setgid(user)
                os.setuid(user)

        def limit():
            become()
            resource.setrlimit(kind, (value, value))
        output = self.folder / "out"
        done = self.count_words(master, output, before=limit)
        self.check_end(done, output)
        self.check_next(done, output, before=become)

    def check_all(self, kind, limits, unit=1, user=None):
        for master in (LOCAL, CLUSTER):
            for value in limits:
                with self.subTest(master=master, value=value):
                    self.check(master, kind, value * unit, user)
            with self.subTest(master=master, value="none"):
                done = self.run_heddle("run", "--master", master, "--", "true")
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_few_descriptors(self):
        self.check_all(resource.RLIMIT_NOFILE, values((16, 20, 25, 29, 30, 31, 33, 36, 40, 64, 128), range(16, 129)))

    def test_little_address_space(self):
        # Around 125,000 KiB the processes of a local cluster begin to start. Those without room for connections must say so.
        self.check_all(resource.RLIMIT_AS, values((50_000, 100_000, 121_500, 200_000, 450_000, 800_000, 1_500_000),
                                                  [*range(50_000, 1_500_001, 25_000), *range(120_000, 180_000, 2_000)]), unit=KIB)

    def test_few_processes(self):
        if os.geteuid() != 0:
            self.skipTest("the limit counts all processes of the user: it takes one that has none")
        for path in (self.folder, self.folder / "state", self.folder / "temporary"):
            os.chown(path, NOBODY, NOBODY)
        try:
            subprocess.run([HEDDLE, "--help"], check=True, capture_output=True, user=NOBODY)
        except (OSError, subprocess.CalledProcessError):
            self.skipTest("another user cannot run the program here")
        self.check_all(resource.RLIMIT_NPROC, values((5, 10, 20, 30, 60, 200), range(5, 201, 3)), user=NOBODY)


class FullDisks(ScarcityCase):
    """A small file system in a private mount namespace."""

    def setUp(self):
        super().setUp()
        self.small = self.folder / "small"
        self.small.mkdir()
        user = [] if os.geteuid() == 0 else ["--map-root-user"]
        self.keeper = subprocess.Popen(["unshare", *user, "--mount", "sh", "-c", f"mount -t tmpfs -o size={FREE} tmpfs {self.small} && "
                                        "echo mounted && exec cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.addCleanup(self.leave)
        if self.keeper.stdout.readline() != b"mounted\n":
            self.skipTest("file systems cannot be mounted here")

    def leave(self):
        self.keeper.stdin.close()
        self.keeper.stdout.close()
        self.keeper.wait()

    def start_of(self):
        user = [] if os.geteuid() == 0 else ["--user", "--preserve-credentials"]
        return ["nsenter", "--target", str(self.keeper.pid), *user, "--mount", f"--wd={self.folder}", "--"]

    def seen(self, path):
        return type(path)(f"/proc/{self.keeper.pid}/root{path}")

    def resize(self, size):
        filler = self.seen(self.small) / FILLER
        filler.unlink(missing_ok=True)
        subprocess.run([*self.start_of(), "mount", "-o", f"remount,size={PAGE if size == FULL else size}", self.small], check=True)
        if size == FULL:
            filler.write_bytes(b"x" * PAGE)

    def check_place(self, place, sizes, expected):
        for master in (LOCAL, CLUSTER):
            ends = ""
            for size in sizes:
                with self.subTest(place=place, master=master, size=size):
                    output = (self.small if place == "output" else self.folder) / "out"
                    self.resize(size)
                    more = ("--set", "heddle.shuffle.compression=none")
                    done = self.count_words(master, output, *more)
                    self.check_end(done, output)
                    ends += done.stderr
                    self.resize(FREE)
                    self.check_next(done, output, *more)
                    for path in self.seen(self.small).iterdir():
                        shutil.rmtree(path)
            self.assertIn(expected, ends, "the disk was full")

    def sizes(self):
        return values((FULL, "4k", "16k"), (FULL, "4k", "8k", "12k", "16k", "24k", "32k", "48k", "64k", "128k", "256k"))

    def test_a_full_temporary_folder(self):
        self.environment["TMPDIR"] = str(self.small)
        self.check_place("temporary", self.sizes(), "No space left on device")

    def test_a_full_disk_of_the_output(self):
        self.check_place("output", self.sizes(), "No space left on device")

    def test_a_full_state_folder(self):
        self.environment["XDG_STATE_HOME"] = str(self.small)
        self.marker = b"XDG_STATE_HOME=" + os.fsencode(self.small)
        self.check_place("state", self.sizes(), "is incomplete: No space left on device")


if __name__ == "__main__":
    unittest.main()
