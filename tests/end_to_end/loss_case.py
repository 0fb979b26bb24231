"""A word count that loses one of its processes while a task of one of its stages sleeps."""

import contextlib
import json
import os
import signal

from heddle_case import CLUSTER, HeddleCase

SPLITTING = r"^sleep 0\.401 "
COUNTING = r"^sleep 0\.402 "
LOST_WITH_MAP_OUTPUT = r"(?m)^heddle: node .* is lost with the map outputs that it served$"


class LossCase(HeddleCase):
    checks_invariants = True
    deploy_mode = "client"

    def the(self, role):
        return self.wait_for(lambda: self.processes(f"heddle-role {role} "), 10, f"a {role} runs")

    def node_of_master(self):
        """The NodeManager of the master container: the parent of the master."""
        return self.parent_of(self.the("application-master")[0])

    def node_without_master(self):
        master = self.node_of_master()
        return next(node for node in self.the("node-manager") if node != master)

    def an_executor(self):
        """An executor that runs a task; the job would not miss one that is still starting."""
        found = []

        def look():
            executors = self.the("executor")
            for process in self.processes(SPLITTING) + self.processes(COUNTING):
                with contextlib.suppress(OSError):  # It may have ended.
                    while process > 1 and process not in executors:
                        process = self.parent_of(process)
                    if process in executors:
                        found.append(process)
                        return True
            return False

        self.wait_for(look, 10, "an executor runs a task")
        return found[0]

    def master(self):
        return self.the("application-master")[0]

    def start_words(self):
        return self.start("run", "--master", CLUSTER, "--deploy-mode", self.deploy_mode, self.write_job("sleep 0.401;", "sleep 0.402;"))

    def check_logs_of_two_attempts(self, name):
        """Each application attempt wrote its own event log, the second one after the first one."""
        [application] = self.state.glob("heddle/application_*")
        first, second = ([json.loads(line) for line in (application / file).read_text().splitlines()]
                         for file in (f"{name}.jsonl", f"{name}.attempt-2.jsonl"))
        for events in (first, second):
            self.assertEqual([event["event"] for event in events].index("settings"), 0)
            self.assertEqual([event["event"] for event in events].count("settings"), 1)
            self.assertGreater(len(events), 5)
        self.assertLess(first[-1]["time_us"], second[0]["time_us"])

    def lose(self, victim, stage):
        """Kills one process while a task of the stage sleeps; returns the output of the client."""
        expected = self.write_words()
        client = self.start_words()
        self.wait_for(lambda: self.processes(stage) or client.poll() is not None, 10, "a task runs")
        self.assertIsNone(client.poll(), "the job runs when the process is lost")
        os.kill(victim(), signal.SIGKILL)
        _, stderr = client.communicate(timeout=30)
        self.assertEqual(client.returncode, 0, stderr)
        self.assertEqual(self.counted(), expected)
        self.assertEqual(sorted(path.name for path in (self.folder / "counts").iterdir()),
                         ["_SUCCESS", "part-00000", "part-00001", "part-00002"])
        self.assert_all_gone()
        return stderr
