"""Runs the tests of modules in this folder, and programs: run_cases.py SECONDS (MODULE | program:COMMAND)...
Prints each test with what it shows, and at last "N passed, N failed". What has not ended after SECONDS has failed.
"""

import importlib.util
import os
import pathlib
import signal
import subprocess
import sys
import time
import traceback
import unittest


class OutOfTime(BaseException):
    """The time of all cases is over."""


class Shown(unittest.TestResult):
    """Prints each test when it begins, and its result with its time when it ends."""

    def __init__(self):
        super().__init__()
        self.passed = self.failed = self.omitted = 0
        self.begin = 0.0
        self.is_broken = False

    def startTest(self, test):
        super().startTest(test)
        self.begin, self.is_broken = time.monotonic(), False
        print(f"{type(test).__module__}: {test.id().rsplit('.', 1)[-1].replace('_', ' ').removeprefix('test ')}", flush=True)

    def addSubTest(self, test, subtest, outcome):
        super().addSubTest(test, subtest, outcome)
        if outcome is not None:
            self.fault(outcome)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.fault(err)

    def addError(self, test, err):
        super().addError(test, err)
        self.fault(err)

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.omitted += 1
        self.is_broken = True
        print(f"  skipped: {reason}", flush=True)

    def fault(self, error):
        if not self.is_broken:
            self.failed += 1
        self.is_broken = True
        print("".join("  " + line for line in "".join(traceback.format_exception(*error)).splitlines(keepends=True)[-12:]), flush=True)
        print(f"  FAILED, {time.monotonic() - self.begin:.1f} s", flush=True)

    def stopTest(self, test):
        super().stopTest(test)
        if not self.is_broken:
            self.passed += 1
            print(f"  passed, {time.monotonic() - self.begin:.1f} s", flush=True)


def module(name):
    """By its path: another folder has modules of the same names."""
    spec = importlib.util.spec_from_file_location(name, pathlib.Path(__file__).with_name(f"{name}.py"))
    made = importlib.util.module_from_spec(spec)
    sys.modules[name] = made
    spec.loader.exec_module(made)
    return made


def run_program(command, shown):
    """One case. Its lines are shown; its processes are in a group of their own, which ends with it."""
    print(command, flush=True)
    begin = time.monotonic()
    child = subprocess.Popen(command.split(), start_new_session=True)
    try:
        code = child.wait()
    except OutOfTime:
        os.killpg(child.pid, signal.SIGTERM)
        child.wait()
        raise
    shown.passed += code == 0
    shown.failed += code != 0
    print(f"  {'passed' if code == 0 else 'FAILED'}, {time.monotonic() - begin:.1f} s", flush=True)


def main():
    def end(_number, _frame):
        raise OutOfTime

    shown = Shown()
    seconds, cases = int(sys.argv[1]), sys.argv[2:]
    signal.signal(signal.SIGALRM, end)
    signal.alarm(seconds)
    try:
        for case in cases:
            if case.startswith("program:"):
                run_program(case.removeprefix("program:"), shown)
            else:
                unittest.defaultTestLoader.loadTestsFromModule(module(case)).run(shown)
        signal.alarm(0)
    except OutOfTime:
        shown.failed += 1
        print(f"  FAILED: {seconds} s are over", flush=True)
    if shown.omitted:
        print(f"{shown.omitted} skipped")
    print(f"{shown.passed} passed, {shown.failed} failed")
    sys.exit(1 if shown.failed or not shown.passed else 0)


if __name__ == "__main__":
    main()
