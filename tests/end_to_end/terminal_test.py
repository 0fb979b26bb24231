"""Behaviour on a terminal: bars, colours, Ctrl-C once and twice, files of task attempts."""

import fcntl
import os
import pathlib
import pty
import re
import signal
import struct
import subprocess
import termios
import unittest

from heddle_case import CLUSTER, HEDDLE, HeddleCase

LOCAL = "local[2]"


class Terminal(HeddleCase):
    def run_on_terminal(self, *words, columns=100, **environment):
        """Runs heddle with stderr on a terminal of `columns` columns; returns its exit code and the terminal output."""
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        client = subprocess.Popen([HEDDLE, *words], cwd=self.folder, env={**self.environment, "TERM": "xterm", **environment},
                                  stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=theirs, start_new_session=True)
        os.close(theirs)
        text = b""
        try:
            while piece := os.read(ours, 65536):
                text += piece
        except OSError:
            pass  # the last process has closed the terminal
        os.close(ours)
        return client.wait(timeout=10), text.decode()

    def sleeping_tasks(self):
        return ["run", "--master", LOCAL, "--tasks", "4", "--", "sleep", "0.45"]

    def test_bars_and_colours_are_for_terminals(self):
        code, text = self.run_on_terminal(*self.sleeping_tasks())
        self.assertEqual(code, 0, text)
        self.assertRegex(text, r"sleep \[")
        self.assertIn("\x1b[32m", text)

    def test_no_color_removes_colours_but_not_bars(self):
        code, text = self.run_on_terminal(*self.sleeping_tasks(), NO_COLOR="1")
        self.assertEqual(code, 0, text)
        self.assertRegex(text, r"sleep \[")
        self.assertNotIn("\x1b[32m", text)

    def test_no_line_is_wider_than_a_narrow_terminal(self):
        for columns in (10, 25, 40):
            with self.subTest(columns=columns):
                code, text = self.run_on_terminal(*self.sleeping_tasks(), columns=columns)
                self.assertEqual(code, 0, text)
                progress = text.split("sleep done in")[0]
                if columns < 20:
                    self.assertNotIn("\x1b", progress)
                    continue
                for line in re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", progress).splitlines():
                    self.assertLessEqual(len(line), columns, line)

    def test_quiet_prints_nothing_and_a_dumb_terminal_gets_no_bars(self):
        self.assertEqual(self.run_on_terminal(*self.sleeping_tasks(), TERM="dumb")[1].count("\x1b"), 0)
        quiet = self.sleeping_tasks()
        quiet.insert(1, "--quiet")
        self.assertEqual(self.run_on_terminal(*quiet)[1], "")

    def test_a_pipe_gets_plain_lines_with_correct_times(self):
        done = self.run_heddle(*self.sleeping_tasks())
        self.assertNotIn("\x1b", done.stderr)
        line = re.search(r"^sleep: 4/4 done.* (\S+) (ms|s)$", done.stderr, re.MULTILINE)
        self.assertIsNotNone(line, done.stderr)
        took = float(line.group(1)) * (0.001 if line.group(2) == "ms" else 1)
        self.assertGreaterEqual(took, 0.9)
        self.assertIn("4 tasks in 1 stage, 0 failed attempts", done.stderr)


class AttemptFiles(HeddleCase):
    def named(self, text):
        return [pathlib.Path(path) for path in re.findall(r"^  logs +(\S+)$", text, re.MULTILINE)]

    def test_files_with_stdout_and_stderr_of_attempts_are_named(self):
        for master in (LOCAL, CLUSTER):
            with self.subTest(master=master):
                done = self.run_heddle("run", "--master", master, "--tasks", "2", "--", "sh", "-c", "echo out; echo err >&2")
                self.assertEqual(done.returncode, 0, done.stderr)
                files = self.named(done.stderr)
                self.assertEqual(sorted(path.suffix for path in files), [".stderr", ".stderr", ".stdout", ".stdout"], done.stderr)
                for path in files:
                    self.assertEqual(path.read_text(), "out\n" if path.suffix == ".stdout" else "err\n")

    def test_the_stderr_file_of_a_failed_stage_is_named(self):
        self.write_words(1)
        done = self.run_heddle("run", "--master", LOCAL, self.write_job("echo no luck >&2; exit 1;"))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual([path.read_text() for path in self.named(done.stderr)], ["no luck\n"])

    def test_many_files_are_reported_as_their_folder(self):
        done = self.run_heddle("run", "--master", LOCAL, "--tasks", "20", "--", "echo", "x")
        self.assertRegex(done.stderr, r"(?m)^  logs +/\S+/tasks \(20 files")


class Interrupts(HeddleCase):
    def start_stubborn(self, master):
        """A task that ignores all signals except SIGKILL."""
        client = self.start("run", "--master", master, "--set", "heddle.node_manager.kill_wait=60s", "--", "sh", "-c",
                            "trap '' INT TERM; while :; do sleep 0.71; done")
        self.wait_for(lambda: self.processes(r"^sleep 0\.71 "), 10, "a task runs")
        return client

    def test_the_second_interrupt_kills_at_once(self):
        for master in (LOCAL, CLUSTER):
            with self.subTest(master=master):
                client = self.start_stubborn(master)
                client.send_signal(signal.SIGINT)
                client.send_signal(signal.SIGTERM)  # also counts, and is not merged with a pending SIGINT
                self.assertEqual(client.wait(timeout=5), 130)
                self.assert_all_gone()
                self.assertEqual(list((self.folder / "temporary").iterdir()), [])


if __name__ == "__main__":
    unittest.main()
