#!/usr/bin/env python3
"""Runs a word count many times under random faults and checks how each run ends.

A run gets one or two of these: kill -9 of a process, SIGSTOP of a process for some seconds, a limit of descriptors (ulimit -n), of address
space (-v) or of processes (-u), a small disk for temporary files, the output or the state. Everything random comes from the seed and the
number of the run, so `--seed S --only N` repeats the faults of one run. Its timing may still differ. Each run has these outcomes:

  right output   exit code 0, and the output equals that of `tr | sort | uniq -c`
  sentence       another exit code with a message; `_temporary` is gone or named, and the next run without faults works
  client killed  the faults killed the client; its processes end, and the next run without faults works
  FINDING        everything else, with the command that repeats the run; its folder stays

With `--framework classic` or `yarn` a run is a `heddle mapreduce` of that framework on a local cluster.

The shells of the commands end at the first failure (-e): otherwise a killed `uniq` would be the success of its shell.

Small disks are mounted in a mount namespace of this program's own, which takes root.

Not part of the tests: it takes about ten seconds per run.
"""

import argparse
import collections
import math
import os
import pathlib
import random
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from fault_processes import POLL_SECONDS, SECONDS_TO_LEAVE, FaultProcesses, sorted_lines

LOCAL, CLUSTER = "local[2]", "local-cluster[2,1,512]"
ROLES = ("client", "resource-manager", "node-manager", "application-master", "executor", "task")
ROLES_OF = {"driver": ROLES, "classic": ("client", "job-tracker", "task-tracker", "task-child", "forkserver", "task"),
            "yarn": ("client", "resource-manager", "node-manager", "application-master", "task-child", "forkserver", "task")}
SPLIT_FILES, WORDS_PER_FILE, PARTITIONS = 6, 4000, 3
SECONDS_AFTER_FAULT = 60
FAULTS_WITHIN_SECONDS = 2  # about as long as a run without faults
OTHER_USER = 65534  # root has no limit of processes
OWN_MOUNTS = "HEDDLE_FAULTS_OWN_MOUNTS"  # set in the mount namespace of this program
DISKS = {"temporary": "TMPDIR", "out": "output", "state": "state"}  # folder of a run: what it is for
DISK_KIB = (4, 4096)
ROOMY = "64m"  # size of a disk for the next run
KIB = 1024
SHORT_TIMEOUTS = ("heddle.driver.executor_timeout=3s", "heddle.executor.heartbeat_interval=500ms", "heddle.resource_manager.node_timeout=5s",
                  "heddle.resource_manager.master_timeout=5s", "heddle.allocator.heartbeat_interval=1s",
                  "heddle.allocator.executor_start_timeout=5s", "heddle.shuffle.fetch_timeout=5s")
SHORT_MAP_REDUCE_TIMEOUTS = ("heddle.job_tracker.tracker_timeout=5s", "heddle.map_reduce.task_timeout=5s",
                             "heddle.resource_manager.node_timeout=5s", "heddle.resource_manager.master_timeout=5s",
                             "heddle.map_reduce_master.heartbeat_interval=1s", "heddle.reduce.copy_connect_timeout=3s",
                             "heddle.reduce.copy_read_timeout=3s", "heddle.reduce.copy_retry_max=2s")
CHECKS = "heddle.debug.check_invariants=true"  # a role with a contradiction in a table aborts; ABORT finds it
FOR_EVER = float("inf")
SENTENCE = re.compile(r"(?m)^(heddle: |  why  +).{10,}")
ABORT = re.compile(r"terminate called|assertion failed|AddressSanitizer|Segmentation fault|core dumped")
JOB = '''name = "words"

[[stage]]
name = "split"
input = {{ text = "{folder}/text" }}
command = ["sh", "-ec", "sleep 0.2; tr -cs A-Za-z0-9_ '\\\\n'"]

[[stage]]
name = "count"
after = ["split"]
partitions = {partitions}
shuffle = {{ key_fields = 1, order = "sorted" }}
command = ["sh", "-ec", "uniq -c; sleep 0.2"]

[[stage]]
name = "order"
after = ["count"]
partitions = {partitions}
shuffle = {{ key_fields = 1, order = "sorted" }}
command = ["sh", "-ec", "sleep 0.2; cat"]
output = {{ text = "{folder}/out/counts" }}
'''


class Fault(collections.namedtuple("Fault", "kind at role choice seconds")):
    """Kills or stops a process of `role` (any process if there is none) `at` seconds after the start; stopped for `seconds`."""

    def __str__(self):
        duration = " for ever" if self.seconds == FOR_EVER else f" for {self.seconds:.1f} s"
        return f"{self.kind} {self.role} at {self.at:.2f} s" + (duration if self.kind == "stop" else "")


class Plan:
    """Faults of one run, drawn from the seed and the number of the run."""

    def __init__(self, seed, number, framework):
        dice = random.Random(f"{seed} {number}" if framework == "driver" else f"{seed} {framework} {number}")
        self.framework = framework
        self.master = dice.choice((LOCAL, CLUSTER, CLUSTER)) if framework == "driver" else CLUSTER
        self.mode = dice.choice(("client", "cluster")) if self.master == CLUSTER and framework == "driver" else "client"
        self.recovers = framework == "classic" and dice.random() < 0.7  # the jobs of a lost JobTracker
        self.short_timeouts = dice.random() < 0.5
        self.limit = self.disk = None
        self.faults = []
        for kind in dice.choice((("kill",), ("kill",), ("kill", "kill"), ("stop",), ("stop",), ("stop", "kill"), ("-n",), ("-v",), ("-u",),
                                 ("-n", "kill"), ("disk",), ("disk", "kill"))):
            if kind == "disk":
                self.disk = (dice.choice(sorted(DISKS)), round(2 ** dice.uniform(*(math.log2(bound) for bound in DISK_KIB))))
            elif kind.startswith("-"):
                bounds = {"-n": (16, 128), "-v": (50_000, 1_500_000), "-u": (5, 200)}[kind]
                self.limit = (kind, dice.randint(*bounds))
            else:
                roles = ROLES_OF[framework] if self.master == CLUSTER else ("client", "task", "task")
                at, role, choice, seconds = dice.uniform(0, FAULTS_WITHIN_SECONDS), dice.choice(roles), dice.random(), dice.uniform(0.5, 8)
                # Roles have timeouts. A task or a client that never continues would block the run for ever.
                if self.short_timeouts and role not in ("client", "task") and dice.random() < 0.5:
                    seconds = FOR_EVER
                self.faults.append(Fault(kind, at, role, choice, seconds))
        self.faults.sort(key=lambda fault: fault.at)

    def __str__(self):
        limit = [f"ulimit {self.limit[0]} {self.limit[1]}"] if self.limit else []
        limit += [f"{DISKS[self.disk[0]]} on a disk of {self.disk[1]} KiB"] if self.disk else []
        kind = self.mode if self.framework == "driver" else self.framework + (" with recovery" if self.recovers else "")
        return (f"{self.master} {kind}{' short time-outs' if self.short_timeouts else ''}: "
                + ", ".join(limit + [str(fault) for fault in self.faults]))


class Run(FaultProcesses):
    """One run: its folder, its processes, its faults, its outcome."""

    def __init__(self, program, plan, parent, number):
        super().__init__(parent / f"run-{number}")
        self.program, self.plan = program, plan
        (self.folder / "out").mkdir()
        shutil.copytree(parent / "text", self.folder / "text")
        (self.folder / "job.toml").write_text(JOB.format(folder=self.folder, partitions=PARTITIONS))
        self.user = OTHER_USER if os.geteuid() == 0 and plan.limit and plan.limit[0] == "-u" else None
        if self.user is not None:
            for path in (self.folder, *self.folder.rglob("*")):
                os.chown(path, self.user, self.user)
        if plan.disk:
            subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={plan.disk[1]}k", "tmpfs", self.folder / plan.disk[0]], check=True)
        self.expected = (parent / "expected").read_bytes()
        self.client_killed = False
        self.done = []
        self.problems = []

    # The run with faults.

    def become_user(self):
        if self.user is not None:
            os.setgid(self.user)
            os.setuid(self.user)

    def limits(self):
        if not self.plan.limit:
            return None
        kind, value = self.plan.limit
        if kind == "-u":
            value += threads_of(self.user if self.user is not None else os.geteuid())
        what, unit = {"-n": (resource.RLIMIT_NOFILE, 1), "-v": (resource.RLIMIT_AS, KIB), "-u": (resource.RLIMIT_NPROC, 1)}[kind]

        def limit():
            self.become_user()
            resource.setrlimit(what, (value * unit, value * unit))
        return limit

    def words(self):
        if self.plan.framework != "driver":
            return self.map_reduce_words()
        settings = (CHECKS, *(SHORT_TIMEOUTS if self.plan.short_timeouts else ()))
        return [self.program, "run", "--master", self.plan.master, "--deploy-mode", self.plan.mode,
                *(word for setting in settings for word in ("--set", setting)), str(self.folder / "job.toml")]

    def map_reduce_words(self):
        settings = [CHECKS, *(SHORT_MAP_REDUCE_TIMEOUTS if self.plan.short_timeouts else ())]
        settings += ["heddle.job_tracker.recover=true"] if self.plan.recovers else []
        return [self.program, "mapreduce", "--framework", self.plan.framework, "--master", self.plan.master,
                *(word for setting in settings for word in ("--set", setting)), "-input", str(self.folder / "text"),
                "-output", str(self.folder / "out/counts"), "-mapper", 'sh -ec "sleep 0.2; tr -cs A-Za-z0-9_ \'\\n\'"',
                "-reducer", 'sh -ec "uniq -c; sleep 0.2"', "-numReduceTasks", str(PARTITIONS)]

    def start_client(self, log, preexec_fn=None):
        with open(self.folder / log, "wb") as output:
            return subprocess.Popen(self.words(), cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL, stdout=output,
                                    stderr=output, start_new_session=True, preexec_fn=preexec_fn)

    def apply(self, fault):
        """Returns the process that was hit, if any."""
        found = self.processes()
        victims = sorted(process for process, role in found.items() if role == fault.role)
        if not victims and fault.seconds != FOR_EVER:
            victims = sorted(found)
        if not victims:
            return None
        victim = victims[int(fault.choice * len(victims))]
        if not self.send(victim, signal.SIGKILL if fault.kind == "kill" else signal.SIGSTOP):
            return None
        self.client_killed = self.client_killed or (fault.kind == "kill" and found[victim] == "client")
        self.done.append(f"{fault.kind} {found[victim]} {victim}")
        return victim

    def suffer(self):
        """Starts the client, applies the faults and waits for the end."""
        start = last_fault = time.monotonic()
        self.client = self.start_client("client_log", self.limits())
        waiting, stopped = list(self.plan.faults), []
        while True:
            now = time.monotonic()
            for victim in [entry for entry in stopped if entry[0] <= now]:
                stopped.remove(victim)
                if self.send(victim[1], signal.SIGCONT):
                    last_fault = now
            if self.client.poll() is not None:
                break
            if waiting and start + waiting[0].at <= now:
                fault = waiting.pop(0)
                if victim := self.apply(fault):
                    last_fault = now
                    if fault.kind == "stop" and fault.seconds != FOR_EVER:
                        stopped.append((now + fault.seconds, victim))
            if not stopped and now > last_fault + SECONDS_AFTER_FAULT:
                self.problems.append(f"no end within {SECONDS_AFTER_FAULT} s of the last fault")
                self.problems += [f"  runs: {line}" for line in self.describe(self.processes())]
                break
            time.sleep(POLL_SECONDS)
        for _, victim in stopped:
            self.send(victim, signal.SIGCONT)
        seconds = time.monotonic() - start
        self.check_processes("after the client ended")
        self.kill_all()
        self.client.wait()
        return seconds

    # Files and processes that remain.

    def check_processes(self, when):
        deadline = time.monotonic() + SECONDS_TO_LEAVE
        while (found := self.processes()) and time.monotonic() < deadline:
            time.sleep(POLL_SECONDS)
        self.problems += [f"left {when}: process {line}" for line in self.describe(found)]

    def outputs(self):
        counts = self.folder / "out/counts"
        return sorted(path.name for path in counts.iterdir()) if counts.exists() else None

    def folders(self):
        return sorted(path.name for path in (self.folder / "temporary").iterdir())

    def remove(self):
        if self.plan.disk:
            subprocess.run(["umount", "--lazy", self.folder / self.plan.disk[0]], check=True)
        shutil.rmtree(self.folder)

    def keep(self):
        """Copies a small disk, which goes with this program."""
        if self.plan.disk:
            place = self.folder / self.plan.disk[0]
            shutil.copytree(place, place.with_name(place.name + ".disk"), symlinks=True)
            subprocess.run(["umount", "--lazy", place], check=True)

    def left(self):
        return (f"processes {len(self.processes())}, temporary folders {self.folders() or 'none'}, "
                f"output {self.outputs() if self.outputs() is not None else 'none'}")

    def is_right(self):
        names = ["_SUCCESS", *(f"part-{index:05}" for index in range(PARTITIONS))]
        # A client that is killed after it has committed may leave working files. The next run removes them.
        if [name for name in self.outputs() if name != "_temporary" or not self.client_killed] != names:
            return False
        text = b"".join((self.folder / "out/counts" / name).read_bytes() for name in names[1:])
        if self.plan.framework != "driver":
            text = text.replace(b"\t\n", b"\n")  # a key without a value
        return sorted_lines(text) == self.expected

    def client_log(self, log="client_log"):
        return (self.folder / log).read_text(errors="replace")

    # The outcome.

    def judge(self):
        seconds = self.suffer()
        code, text = self.client.returncode, self.client_log()
        aborts = [path for path in [self.folder / "client_log", *(self.folder / "state").rglob("*stderr")]
                  if ABORT.search(path.read_text(errors="replace"))]
        self.problems += [f"{path.relative_to(self.folder)}: {ABORT.search(path.read_text(errors='replace')).group()}" for path in aborts]
        after = self.left()
        if self.problems:
            outcome = "FINDING"
        elif self.client_killed:
            outcome = "client killed"
            self.check_next_run()
        elif code == 0:
            outcome = "right output"
            if not self.is_right():
                self.problems.append(f"exit code 0, but the output is wrong: {self.outputs()}")
            self.check_folders()
        else:
            outcome = "sentence"
            self.check_failure(code, text)
            self.check_folders()
            self.check_next_run()
        return "FINDING" if self.problems else outcome, code, seconds, after

    def check_failure(self, code, text):
        if not 1 <= code < 128:
            self.problems.append(f"the client ended with {code}")
        if not SENTENCE.search(text):
            self.problems.append(f"exit code {code} without a sentence")
        found = self.outputs()
        if found is None:
            return
        if "_SUCCESS" in found:
            self.problems.append(f"exit code {code}, but the output is committed: {found}")
        elif "_temporary" not in text:
            self.problems.append(f"exit code {code}, the output folder stays, and no message names _temporary: {found}")

    def check_folders(self):
        if self.folders():
            self.problems.append(f"left in TMPDIR: {self.folders()}")

    def check_next_run(self):
        """Runs the same job without faults. Only a committed output may refuse it."""
        if self.outputs() and "_SUCCESS" in self.outputs() and self.client_killed:
            if not self.is_right():
                self.problems.append(f"the client was killed, and the committed output is wrong: {self.outputs()}")
            shutil.rmtree(self.folder / "out/counts")
        before = self.outputs()
        if self.plan.disk:
            subprocess.run(["mount", "-o", f"remount,size={ROOMY}", self.folder / self.plan.disk[0]], check=True)
        self.client = self.start_client("client_next", self.become_user)
        try:
            self.client.wait(timeout=SECONDS_AFTER_FAULT)
        except subprocess.TimeoutExpired:
            self.problems.append(f"the next run does not end within {SECONDS_AFTER_FAULT} s")
            self.problems += [f"  runs: {line}" for line in self.describe(self.processes())]
        self.check_processes("after the next run")
        self.kill_all()
        code = self.client.wait()
        if code != 0:
            last = (self.client_log("client_next").strip().splitlines() or ["nothing"])[-1]
            self.problems.append(f"the next run ended with {code}: {last} (output before it: {before})")
        elif not self.is_right():
            self.problems.append(f"the output of the next run is wrong: {self.outputs()}")
        self.check_folders()


def threads_of(user):
    """The limit of processes counts all threads of a user."""
    count = 0
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            try:
                if entry.stat().st_uid == user:
                    count += len(os.listdir(f"{entry.path}/task"))
            except OSError:
                pass
    return count


def write_input(parent):
    """Text whose words depend only on their position, and the output of `tr | sort | uniq -c`."""
    (parent / "text").mkdir()
    for number in range(SPLIT_FILES):
        words = [f"word{(number + 1) * index % 977}" for index in range(WORDS_PER_FILE)]
        lines = [" ".join(words[at:at + 10]) for at in range(0, WORDS_PER_FILE, 10)]
        (parent / "text" / f"{number}.txt").write_text("\n".join(lines) + "\n")
    command = f"cat {shlex.quote(str(parent))}/text/* | tr -cs A-Za-z0-9_ '\\n' | sort | uniq -c | sort"
    counted = subprocess.run(["sh", "-c", command], env=dict(os.environ, LC_ALL="C"), capture_output=True, check=True)
    (parent / "expected").write_bytes(counted.stdout)


def can_mount():
    return subprocess.run(["unshare", "--mount", "true"], stderr=subprocess.DEVNULL, check=False).returncode == 0


def can_run(program, user):
    try:
        return subprocess.run([program, "version"], capture_output=True, user=user, check=False).returncode == 0
    except OSError:
        return False


def parse_options():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--framework", choices=sorted(ROLES_OF), default="driver")
    options.add_argument("--runs", type=int, default=300)
    options.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10 ** 6))
    options.add_argument("--only", type=int, action="append", metavar="N", help="only the run with this number; repeatable")
    options.add_argument("--program", default=str(pathlib.Path(__file__).resolve().parents[2] / "build/release/bin/heddle"))
    options.add_argument("--minutes", type=float, default=120, help="start no run after this time (default %(default)s)")
    return options.parse_args()


def main():
    options = parse_options()
    if OWN_MOUNTS not in os.environ and can_mount():
        os.execvpe("unshare", ["unshare", "--mount", sys.executable, "-B", *sys.argv], dict(os.environ, **{OWN_MOUNTS: "1"}))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # the run in progress ends its processes
    program = str(pathlib.Path(options.program).resolve())
    parent = pathlib.Path(tempfile.mkdtemp(prefix="heddle-faults-"))
    parent.chmod(0o755)
    other_user_runs = os.geteuid() != 0 or can_run(program, OTHER_USER)
    print(f"seed {options.seed}, folder {parent}", flush=True)
    write_input(parent)
    outcomes, findings = collections.Counter(), []
    end = time.monotonic() + 60 * options.minutes
    for number in options.only or range(1, options.runs + 1):
        if time.monotonic() > end:
            print(f"{options.minutes:g} minutes are over")
            break
        plan = Plan(options.seed, number, options.framework)
        if plan.limit and plan.limit[0] == "-u" and not other_user_runs:
            outcomes["skipped: another user cannot run the program"] += 1
            continue
        if plan.disk and OWN_MOUNTS not in os.environ:
            outcomes["skipped: small disks cannot be mounted here"] += 1
            continue
        run = Run(program, plan, parent, number)
        try:
            outcome, code, seconds, after = run.judge()
        finally:
            run.kill_all()
        outcomes[outcome] += 1
        print(f"run {number}: {outcome}, exit code {code}, {seconds:.1f} s; {plan}; hit: {', '.join(run.done) or 'none'}; after it: {after}",
              flush=True)
        if run.problems:
            findings.append(number)
            run.keep()
            for problem in run.problems:
                print(f"    {problem}")
            print(f"    repeat: {sys.argv[0]} --framework {options.framework} --seed {options.seed} --only {number}; its folder: {run.folder}", flush=True)
        else:
            run.remove()
    print(f"seed {options.seed}: " + ", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items())))
    if findings:
        print(f"findings in runs {', '.join(map(str, findings))}")
        return 1
    shutil.rmtree(parent)
    return 0


if __name__ == "__main__":
    sys.exit(main())
