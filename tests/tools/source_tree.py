"""A small source tree in a temporary folder, with copies of check programs that read it."""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

TOOLS = pathlib.Path(__file__).resolve().parent.parent.parent / "tools"


class CheckTest(unittest.TestCase):
    """Runs the program `check` on a tree with `files`."""

    check = ""
    files = {}  # path -> text, in each test of the class

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="heddle-check-")
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "tools").mkdir()
        for name in (self.check, *(path.name for path in TOOLS.glob("*.py"))):
            shutil.copy(TOOLS / name, self.root / "tools" / name)
        for path, text in self.files.items():
            self.write(path, text)

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def allow(self, *lines):
        self.write("tools/structure_exceptions.txt", "".join(line + "\n" for line in lines))

    def run_check(self, *arguments):
        command = [sys.executable, "-B", self.root / "tools" / self.check, *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def assert_passes(self):
        code, output = self.run_check()
        self.assertEqual(code, 0, output)
        return output

    def assert_fails(self, *expected):
        """The check fails, and each expected text is in one line of its output."""
        code, output = self.run_check()
        self.assertEqual(code, 1, output)
        for text in expected:
            self.assertTrue(any(text in line for line in output.splitlines()), f"{text!r} is not in:\n{output}")
        return output
