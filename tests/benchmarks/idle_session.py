#!/usr/bin/env python3
"""Processor time of all processes of an idle session: PROGRAM run --master 'local-cluster[2,1,512]' with one command that sleeps.
Arguments: the program (build/release/bin/heddle), seconds (30), master. Each thread's time is read in nanoseconds from
/proc/PID/task/TID/schedstat, at the start and at the end of the interval; threads that end in between do not count."""
import os
import subprocess
import sys
import tempfile
import time

SETTLE_SECONDS = 6  # start, registration, first heartbeats


def read(path):
    try:
        with open(path) as file:
            return file.read()
    except OSError:
        return ""


def family(root):
    """Descendants of `root`, and `root` itself."""
    parents = {}
    for name in os.listdir("/proc"):
        fields = read(f"/proc/{name}/stat").rpartition(")")[2].split() if name.isdigit() else []
        if fields:
            parents.setdefault(int(fields[1]), []).append(int(name))
    found = [root]
    for process in found:
        found += parents.get(process, [])
    return found


def processor_ns(process):
    """Per thread, by its id."""
    try:
        threads = os.listdir(f"/proc/{process}/task")
    except OSError:
        return {}
    times = {thread: read(f"/proc/{process}/task/{thread}/schedstat").split() for thread in threads}
    return {thread: int(time[0]) for thread, time in times.items() if time}


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else "build/release/bin/heddle"
    seconds = int(sys.argv[2]) if len(sys.argv) > 2 else 30
    master = sys.argv[3] if len(sys.argv) > 3 else "local-cluster[2,1,512]"
    with tempfile.TemporaryDirectory() as folder:
        session = subprocess.Popen([os.path.abspath(program), "run", "--master", master, "--", "sleep", str(seconds + 3 * SETTLE_SECONDS)],
                                   cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            time.sleep(SETTLE_SECONDS)
            before = {process: processor_ns(process) for process in family(session.pid)}
            start = time.monotonic()
            time.sleep(seconds)
            span, total = time.monotonic() - start, 0.0
            for process, threads in sorted(before.items()):
                now = processor_ns(process)
                share = sum(now[thread] - spent for thread, spent in threads.items() if thread in now) / 1e7 / span
                total += share
                words = read(f"/proc/{process}/cmdline").replace("\0", " ").strip()
                print(f"{share:8.4f} % of a core  {process}  {words[:80]}")
            print(f"idle_session {total:.4f} % of a core ({len(before)} processes, {span:.0f} s, {master})")
        finally:
            for process in reversed(family(session.pid)):
                try:
                    os.kill(process, 15)
                except ProcessLookupError:
                    pass
            session.wait()


main()
