"""Base of the end-to-end tests: a temporary folder, the heddle program, and its processes, identified by their environment.

Processes of a test have the test's unique XDG_STATE_HOME in their environment; only those are read or signalled.
Tests wait by polling a condition with a deadline.
"""

import collections
import contextlib
import ctypes
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

HEDDLE = os.environ["HEDDLE_PROGRAM"]
CLUSTER = "local-cluster[2,1,512]"
POLL_SECONDS = 0.02
IS_SANITIZED = b"__asan_init" in pathlib.Path(HEDDLE).read_bytes()  # its processes need larger containers than those of a normal build


class HeddleCase(unittest.TestCase):
    checks_invariants = False  # each role checks its tables after each message

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="heddle-end-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.state = self.folder / "state"
        self.state.mkdir()
        (self.folder / "temporary").mkdir()
        self.marker = b"XDG_STATE_HOME=" + os.fsencode(self.state)
        # Sanitizers of all processes write their reports there, because a role that dies of one is restarted.
        sanitizers = f"log_path={self.folder}/sanitizer"
        self.environment = dict(os.environ, XDG_STATE_HOME=str(self.state), TMPDIR=str(self.folder / "temporary"),
                                ASAN_OPTIONS=sanitizers, UBSAN_OPTIONS=sanitizers)
        if self.checks_invariants:
            (self.folder / "config" / "heddle").mkdir(parents=True)
            (self.folder / "config" / "heddle" / "heddle.toml").write_text('"heddle.debug.check_invariants" = true\n')
            self.environment["XDG_CONFIG_HOME"] = str(self.folder / "config")
        self.addCleanup(self.end_all)

    def tearDown(self):
        self.assertEqual([path.read_text() for path in sorted(self.folder.glob("sanitizer.*"))], [])
        self.assertEqual(self.failed_assertions(), [])

    def failed_assertions(self):
        """What aborted roles wrote: a run can succeed although a role aborted, because another one replaced it."""
        lines = [line for path in sorted(self.state.rglob("*stderr")) for line in path.read_text(errors="replace").splitlines()]
        return [line for line in lines if line.startswith("heddle: assertion failed")]

    def start(self, *words, stdin=subprocess.DEVNULL):
        """Starts the client in its own session, so that its signals never reach the test."""
        client = subprocess.Popen([HEDDLE, *words], cwd=self.folder, env=self.environment, stdin=stdin,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
        self.addCleanup(self.reap, client)
        return client

    @staticmethod
    def reap(client):
        if client.poll() is None:
            client.kill()
        client.wait()
        client.stdout.close()
        client.stderr.close()

    def run_heddle(self, *words, stdin="", seconds=20):
        return subprocess.run([HEDDLE, *words], cwd=self.folder, env=self.environment, input=stdin, capture_output=True, text=True,
                              timeout=seconds, check=False)

    def processes(self, pattern=""):
        """Ids of this test's live processes whose command line, words joined by spaces, matches the pattern."""
        found = []
        for entry in os.scandir("/proc"):
            if not entry.name.isdigit():
                continue
            try:
                environment = pathlib.Path(entry.path, "environ").read_bytes().split(b"\0")
                words = pathlib.Path(entry.path, "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            except OSError:
                continue
            if self.marker in environment and re.search(pattern, words):
                found.append(int(entry.name))
        return sorted(found)

    def wait_for(self, condition, seconds, what):
        deadline = time.monotonic() + seconds
        while not (value := condition()):
            if time.monotonic() > deadline:
                self.fail(f"not within {seconds} s: {what}")
            time.sleep(POLL_SECONDS)
        return value

    def assert_all_gone(self):
        self.wait_for(lambda: not self.processes(), 2, "every process of the cluster has ended")

    @staticmethod
    def parent_of(process):
        return int(pathlib.Path("/proc", str(process), "stat").read_text().rsplit(")", 1)[1].split()[1])

    def processes_of(self, role):
        """Those of the role, without a child of one that has not yet replaced its program."""
        found = self.processes(f"heddle-role {role} ")
        parents = {}
        for process in found:
            with contextlib.suppress(OSError):  # It may have ended.
                parents[process] = self.parent_of(process)
        return [process for process, parent in parents.items() if parent not in found]

    def lose_all(self, client, role):
        """Kills every process of a role that two nodes have: the run ends soon with their exits."""
        for process in self.processes_of(role):
            os.kill(process, signal.SIGKILL)
        _, stderr = client.communicate(timeout=5)
        self.assertEqual(client.returncode, 5, stderr)
        for name in ("node-1", "node-2"):
            self.assertRegex(stderr, rf"{name} was killed by signal 9 \(log: \S+/{role.replace('-', '_')}\.{name}\.stderr\)")
        self.assert_all_gone()
        return stderr

    def stop_next(self, role):
        """Stops a process of the role as soon as there is one. One that ends before it is stopped does not count."""
        def stop():
            for process in self.processes(f"heddle-role {role} "):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, signal.SIGSTOP)
                    return True
            return False
        self.wait_for(stop, 10, f"the {role} starts")

    def watch(self, paths, event):
        """Returns a descriptor that can be read once the event of inotify has happened to one of the paths."""
        libc = ctypes.CDLL(None)
        watch = libc.inotify_init1(os.O_CLOEXEC)
        self.assertGreaterEqual(watch, 0)
        self.addCleanup(os.close, watch)
        for path in paths:
            self.assertGreaterEqual(libc.inotify_add_watch(watch, os.fsencode(path), event), 0)
        return watch

    def freeze(self, process):
        os.kill(process, signal.SIGSTOP)
        self.addCleanup(self.go_on, process)

    @staticmethod
    def go_on(process):
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGCONT)

    def end_all(self):
        for process in self.processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)

    def write_words(self, files=4):
        """Input files, and the expected counts of their words."""
        (self.folder / "text").mkdir()
        expected = collections.Counter()
        for number in range(files):
            words = [f"word{(number + 1) * index % 97}" for index in range(500)]
            (self.folder / "text" / f"{number}.txt").write_text("\n".join(" ".join(words[at : at + 10]) for at in range(0, 500, 10)) + "\n")
            expected.update(words)
        return expected

    def write_job(self, split="", count=""):
        """A word count whose tasks run `split` and `count` (shell, before their filter)."""
        path = self.folder / "job.toml"
        path.write_text(f'''name = "words"

[[stage]]
name = "split"
input = {{ text = "{self.folder}/text" }}
command = ["sh", "-c", "{split} tr -cs A-Za-z0-9_ '\\\\n'"]

[[stage]]
name = "count"
after = ["split"]
partitions = 3
shuffle = {{ key_fields = 1, order = "sorted" }}
command = ["sh", "-c", "{count} uniq -c"]
output = {{ text = "{self.folder}/counts" }}
''')
        return str(path)

    def counted(self):
        counts = collections.Counter()
        for part in sorted((self.folder / "counts").glob("part-*")):
            for line in part.read_text().splitlines():
                number, word = line.split()
                self.assertNotIn(word, counts, "a word is counted in one place")
                counts[word] = int(number)
        return counts
