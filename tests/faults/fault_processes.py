"""The processes of one run of heddle that a fault test kills or stops. Only processes of that run are ever signalled."""

import os
import pathlib
import re
import signal
import subprocess
import time

SECONDS_TO_LEAVE, POLL_SECONDS = 5, 0.02


class FaultProcesses:
    """Folder and environment of a run, and its processes, found by the run's XDG_STATE_HOME in their environment."""

    def __init__(self, folder):
        self.folder = folder
        self.folder.mkdir()
        self.folder.chmod(0o755)
        for name in ("state", "temporary"):
            (self.folder / name).mkdir()
        self.marker = b"XDG_STATE_HOME=" + os.fsencode(self.folder / "state")
        self.environment = dict(os.environ, XDG_STATE_HOME=str(self.folder / "state"), TMPDIR=str(self.folder / "temporary"))
        self.client = None

    def processes(self):
        """Id -> role of each live process of this run."""
        found = {}
        for entry in os.scandir("/proc"):
            if entry.name.isdigit() and (role := self.role_of(int(entry.name))):
                found[int(entry.name)] = role
        return found

    def role_of(self, process):
        try:
            if self.marker not in pathlib.Path(f"/proc/{process}/environ").read_bytes().split(b"\0"):
                return None
            words = pathlib.Path(f"/proc/{process}/cmdline").read_bytes().decode(errors="replace").split("\0")
        except OSError:
            return None
        if self.client and process == self.client.pid:
            return "client"
        return words[2] if words[1:2] == ["heddle-role"] and len(words) > 2 else "task"

    def send(self, process, number):
        """Sends a signal to a process of this run, and to no later process with its id. Returns whether it existed."""
        try:
            descriptor = os.pidfd_open(process)
        except OSError:
            return False
        try:
            if not self.role_of(process):
                return False
            signal.pidfd_send_signal(descriptor, number)
            return True
        except OSError:
            return False
        finally:
            os.close(descriptor)

    def kill_all(self):
        deadline = time.monotonic() + SECONDS_TO_LEAVE
        while (found := self.processes()) and time.monotonic() < deadline:
            for process in found:
                self.send(process, signal.SIGKILL)
            time.sleep(POLL_SECONDS)

    def describe(self, processes):
        lines = []
        for process, role in sorted(processes.items()):
            try:
                words = pathlib.Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                state = re.search(r"State:\s+(\S)", pathlib.Path(f"/proc/{process}/status").read_text()).group(1)
                lines.append(f"{process} {state} {role}: {words[:120]}")
            except OSError:
                pass
        return lines


def sorted_lines(text):
    return subprocess.run(["sort"], input=text, env=dict(os.environ, LC_ALL="C"), capture_output=True, check=True).stdout
