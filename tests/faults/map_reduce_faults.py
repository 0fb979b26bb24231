#!/usr/bin/env python3
"""Word counts by both MapReduce frameworks while processes are killed; each output is compared with `tr | sort | uniq -c`.

During a run one of the SLOTS is drawn every second, and the child in it is killed (kill -9); each role of ROLES is killed once, at a random
time. A slot may be empty: otherwise the last reduce, which needs some seconds, would be killed for ever. Attempts of a task may fail 20 times,
and a JobTracker recovers its jobs. Everything random comes from the seed, so `--seed S --only N` repeats the faults of one run; its
timing may still differ. A run is right if it ends with exit code 0 and that output, and leaves neither processes nor temporary folders.

Not part of the tests: with 400 MB of text a run takes about half a minute.
"""

import argparse
import collections
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from fault_processes import POLL_SECONDS, SECONDS_TO_LEAVE, FaultProcesses, sorted_lines

MASTER, SLOTS = "local-cluster[3,2,1024]", 6
# Nobody replaces a ResourceManager, so it is not killed.
ROLES = {"classic": ("job-tracker", "task-tracker"), "yarn": ("application-master", "node-manager")}
SETTINGS = ("mapred.map.max.attempts=20", "mapred.reduce.max.attempts=20", "mapred.jobtracker.restart.recover=true")
WORDS = 50_000
SECONDS_MAX = 600
ROLES_WITHIN_SECONDS = 8


class Run(FaultProcesses):
    def __init__(self, options, parent, framework, number):
        super().__init__(parent / f"{framework}-{number}")
        self.options, self.framework, self.text = options, framework, parent / "text"
        self.dice = random.Random(f"{options.seed} {framework} {number}")
        self.expected = (parent / "expected").read_bytes()
        self.kills = collections.Counter()
        self.problems = []

    def words(self):
        definitions = [word for setting in SETTINGS for word in ("-D", setting)]
        return [self.options.program, "mapreduce", *definitions, "--framework", self.framework, "--master", MASTER,
                "--set", "heddle.debug.check_invariants=true", "-input", str(self.text), "-output", "out",
                "-mapper", "tr -s ' ' '\\n'", "-reducer", "uniq -c", "-numReduceTasks", "2"]

    def kill_one(self, role, places=0):
        """Draws one of the processes of the role, or of `places` if there are fewer; returns whether one was killed."""
        victims = sorted(process for process, each in self.processes().items() if each == role)
        at = int(self.dice.random() * max(len(victims), places))
        if at >= len(victims) or not self.send(victims[at], signal.SIGKILL):
            return False
        self.kills[role] += 1
        return True

    def judge(self):
        start = time.monotonic()
        with open(self.folder / "client_log", "wb") as log:
            self.client = subprocess.Popen(self.words(), cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL, stdout=log,
                                           stderr=log, start_new_session=True)
        due = sorted((self.dice.uniform(1, ROLES_WITHIN_SECONDS), role) for role in ROLES[self.framework])
        next_child = 1.0
        while self.client.poll() is None and (now := time.monotonic() - start) < SECONDS_MAX:
            if now >= next_child:
                self.kill_one("task-child", SLOTS)
                next_child = now + 1
            if due and now >= due[0][0] and self.kill_one(due[0][1]):
                due.pop(0)
            time.sleep(POLL_SECONDS)
        seconds = time.monotonic() - start
        self.problems += [f"the run ended before a {role} was killed" for _, role in due]
        self.check_end()
        self.kill_all()
        self.client.wait()
        return seconds

    def check_end(self):
        if self.client.poll() is None:
            self.problems.append(f"no end within {SECONDS_MAX} s")
        elif self.client.returncode != 0:
            lines = (self.folder / "client_log").read_text(errors="replace").strip().splitlines()
            self.problems.append(f"exit code {self.client.returncode}: {' | '.join(lines[-4:])}")
        else:
            self.check_output()
        deadline = time.monotonic() + SECONDS_TO_LEAVE
        while (found := self.processes()) and time.monotonic() < deadline:
            time.sleep(POLL_SECONDS)
        self.problems += [f"left: process {line}" for line in self.describe(found)]
        self.problems += [f"left in TMPDIR: {path.name}" for path in (self.folder / "temporary").iterdir()]
        for path in (self.folder / "state").rglob("*stderr"):
            if found := re.search(r"terminate called|assertion failed|Sanitizer", path.read_text(errors="replace")):
                self.problems.append(f"{path.relative_to(self.folder)}: {found.group()}")

    def check_output(self):
        names = sorted(path.name for path in (self.folder / "out").iterdir())
        if names != ["_SUCCESS", "part-00000", "part-00001"]:
            self.problems.append(f"files of the output: {names}")
        lines = b"".join((self.folder / "out" / name).read_bytes() for name in names if name.startswith("part-"))
        if sorted_lines(lines.replace(b"\t\n", b"\n")) != self.expected:
            self.problems.append("the output is wrong")


def write_input(parent, megabytes, files):
    """Lines of random words, frequent ones more often; each file has the lines of one block in another order."""
    dice = random.Random(1)
    vocabulary = [f"w{number}" for number in range(WORDS)]
    lines, size = [], 0
    while size < megabytes * 1_000_000 // files:
        lines.append(" ".join(vocabulary[int(WORDS ** dice.random()) - 1] for _ in range(12)) + "\n")
        size += len(lines[-1])
    (parent / "text").mkdir()
    for number in range(files):
        at = number * len(lines) // files
        (parent / "text" / f"{number:02}.txt").write_text(f"file{number}\n" + "".join(lines[at:] + lines[:at]))
    command = f"cat {parent}/text/* | tr -s ' ' '\\n' | sort --parallel=2 -S 2G | uniq -c | sort"
    counted = subprocess.run(["sh", "-c", command], env=dict(os.environ, LC_ALL="C"), capture_output=True, check=True)
    (parent / "expected").write_bytes(counted.stdout)


def parse_options():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--runs", type=int, default=20, help="of each framework (default %(default)s)")
    options.add_argument("--framework", choices=sorted(ROLES), action="append")
    options.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10 ** 6))
    options.add_argument("--only", type=int, action="append", metavar="N", help="only the run with this number; repeatable")
    options.add_argument("--megabytes", type=int, default=400)
    options.add_argument("--files", type=int, default=40)
    options.add_argument("--program", default=str(pathlib.Path(__file__).resolve().parents[2] / "build/release/bin/heddle"))
    return options.parse_args()


def main():
    options = parse_options()
    options.program = str(pathlib.Path(options.program).resolve())
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # the run in progress ends its processes
    parent = pathlib.Path(tempfile.mkdtemp(prefix="heddle-faults-"))
    print(f"seed {options.seed}, folder {parent}", flush=True)
    write_input(parent, options.megabytes, options.files)
    findings = []
    for number in options.only or range(1, options.runs + 1):
        for framework in options.framework or sorted(ROLES):
            run = Run(options, parent, framework, number)
            try:
                seconds = run.judge()
            finally:
                run.kill_all()
            kills = ", ".join(f"{count} {role}" for role, count in sorted(run.kills.items()))
            print(f"run {number} {framework}: {'FINDING' if run.problems else 'right'}, {seconds:.1f} s; killed: {kills or 'none'}", flush=True)
            for problem in run.problems:
                print(f"    {problem}", flush=True)
            if run.problems:
                findings.append(f"{framework}-{number}")
            else:
                shutil.rmtree(run.folder)
    if findings:
        print(f"findings in {', '.join(findings)}; their folders are in {parent}")
        return 1
    shutil.rmtree(parent)
    return 0


if __name__ == "__main__":
    sys.exit(main())
