"""Goal: the README is correct: its console sessions print the printed output.

Method: runs each line after `$` of a block in one shell, in a new folder with the contents of the repository after `tools/demo`. Compares
line by line, with numbers, units, ids and paths masked. A line that is a single number, such as an exit code, is not masked. `…` matches
any lines.
"""

import pathlib
import re
import shutil
import subprocess
import unittest

from heddle_case import HEDDLE, IS_SANITIZED, HeddleCase

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
PAGES = ("README.md", *(str(path.relative_to(REPOSITORY)) for path in sorted((REPOSITORY / "docs").rglob("*.md"))))
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
END = "--- end of the command ---"
HOME = "/home/ann"
ANY_LINES = "…"
MASKS = ((r"application_\d+_\d+", "APPLICATION"), (r"\d+(\.\d+)?( (ms|s|min|B|KiB|MiB|GiB))?\b", "N"), (r"\s+", " "))


def blocks(page):
    return [(kind, text) for kind, text in FENCE.findall((REPOSITORY / page).read_text())]


def masked(line):
    line = line.strip()
    if line.isdecimal():
        return line
    for pattern, word in MASKS:
        line = re.sub(pattern, word, line)
    return line


def session_of(block):
    """Returns each command of a block with its output lines."""
    session = []
    for line in block.splitlines():
        if line.startswith("$ "):
            session.append((line[2:], []))
        else:
            session[-1][1].append(line)
    return session


class Readme(HeddleCase):
    def setUp(self):
        super().setUp()
        if IS_SANITIZED:
            self.skipTest("processes of a program built with sanitizers outgrow the containers of the samples")
        self.place = self.folder / "heddle"
        (self.place / "build/release/bin").mkdir(parents=True)
        (self.place / "build/release/bin/heddle").symlink_to(HEDDLE)
        for name in ("docs", "samples"):
            (self.place / name).symlink_to(REPOSITORY / name)

    def shell(self, script, seconds=100):
        done = subprocess.run(["bash", "-c", script], cwd=self.place, env=dict(self.environment, HOME=str(self.folder)), text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=seconds, check=False)
        printed = done.stdout.replace(str(self.place), f"{HOME}/heddle").replace(str(self.state), f"{HOME}/.local/state")
        return done.returncode, printed.replace(str(self.folder), HOME)

    def assert_output(self, command, expected, printed):
        pieces = [[]]
        for line in (masked(line) for line in expected):
            if line == ANY_LINES:
                pieces.append([])
            else:
                pieces[-1].append(line)
        found = [masked(line) for line in printed]
        whole = f"$ {command}\n" + "\n".join(printed)
        self.assertEqual(found[:len(pieces[0])], pieces[0], whole)
        if len(pieces) == 1:
            self.assertEqual(found, pieces[0], whole)
        at = len(pieces[0])
        for piece in pieces[1:]:
            at = next((start for start in range(at, len(found) + 1) if found[start:start + len(piece)] == piece), None)
            self.assertIsNotNone(at, f"none of the lines of {command} are\n" + "\n".join(piece) + f"\n{whole}")
            at += len(piece)

    def test_console_sessions(self):
        ran = 0
        for page in PAGES:
            # All blocks of a page are one session: later ones can need variables of earlier ones.
            session = [step for _, text in blocks(page) if text.startswith("$ ") for step in session_of(text)]
            script = "".join(f"{command}\necho '{END}'\n" for command, _ in session)
            _, printed = self.shell(script)
            parts = printed.split(END + "\n")
            self.assertEqual(len(parts), len(session) + 1, printed)
            for (command, expected), part in zip(session, parts):
                with self.subTest(page=page, command=command):
                    self.assert_output(command, expected, part.splitlines())
                    ran += 1
        self.assertGreater(ran, 5)

    def test_commands_without_their_output(self):
        commands = [text for page in PAGES for _, text in blocks(page) if text.startswith("heddle ")]
        self.assertGreater(len(commands), 0)
        shutil.copy(REPOSITORY / "README.md", self.place / "text")
        for command in commands:
            with self.subTest(command=command):
                code, printed = self.shell('PATH="$PWD/build/release/bin:$PATH"\n' + command)
                self.assertEqual(code, 0, printed)


if __name__ == "__main__":
    unittest.main()
