"""A job whose master process is killed during the commit: base of tests that set `output` and `temporary`, and have start_job, parts and
end_tasks."""

import os
import pathlib
import re
import shutil
import signal

from loss_case import LossCase

MANY = 20_000
IN_OPEN = 0x20  # of inotify
TRIES = 5  # the process may pass the wanted state before it is stopped


class CommitLossCase(LossCase):
    def add_files(self, folder):
        """Many files of the content "x"."""
        folder.mkdir(parents=True, exist_ok=True)
        first = folder / "file-00000"
        first.write_text("x")
        for number in range(1, MANY):
            os.link(first, folder / f"file-{number:05}")

    def watch_open(self, paths):
        """Returns a descriptor that can be read once one of the files is opened."""
        return self.watch(paths, IN_OPEN)

    def is_stopped(self, process):
        states = [re.search(r"^State:\s+(\w)", path.read_text(), re.MULTILINE).group(1) for path in pathlib.Path(f"/proc/{process}/task").glob("*/status")]
        return all(state == "T" for state in states)

    def stop_while(self, master, is_wanted, is_past):
        """Stops the process while the state is the wanted one; false if it passed it."""
        while not is_wanted():
            if is_past():
                return False
        os.kill(master, signal.SIGSTOP)
        self.wait_for(lambda: self.is_stopped(master), 10, "every thread is stopped")
        if is_wanted():
            return True
        os.kill(master, signal.SIGCONT)
        return False

    def lose_during(self, fill, is_wanted, is_past):
        """Kills the Driver's process in the wanted state; returns the client."""
        for _ in range(TRIES):
            client = self.start_job()
            fill()
            master = self.master()
            self.end_tasks()
            if self.stop_while(master, is_wanted, is_past):
                os.kill(master, signal.SIGKILL)
                return client
            self.assertEqual(client.wait(timeout=60), 0)
            shutil.rmtree(self.output)
        self.fail(f"the commit was over in each of {TRIES} tries")
