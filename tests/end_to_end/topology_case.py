"""Runs a sample topology in real processes and reads the table that it prints."""

import json
import pathlib
import subprocess

from heddle_case import HEDDLE, IS_SANITIZED, HeddleCase

SOURCES = pathlib.Path(__file__).resolve().parent.parent.parent


class Row:
    """One line of the table: application, user, queue, job, submitted, took, tasks, failed, executors, locality, outcome."""

    def __init__(self, line):
        words = line.replace(" s ", " ").split()
        self.application, self.user, self.queue, self.job = words[:4]
        self.took = float(words[5])
        self.tasks, self.failed, self.executors = (int(word) for word in words[6:9])
        self.locality = [int(count) for count in words[9].split("/")]
        self.outcome = words[10]


class TopologyCase(HeddleCase):
    def run_topology(self, name, *words):
        """The rows of the table in the order of their ends, and the lines printed during the run."""
        if IS_SANITIZED:
            words = ("--set", "heddle.node_manager.check_physical_memory=false", *words)
        ended = subprocess.run([HEDDLE, "run", "--topology", f"samples/topologies/{name}.toml", *words], cwd=SOURCES, env=self.environment,
                               stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False)
        self.stderr = ended.stderr
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assert_all_gone()
        rows = [Row(line) for line in ended.stdout.splitlines()[1:]]
        self.assertTrue(all(row.outcome == "succeeded" for row in rows), ended.stdout)
        return rows

    def events(self, *names):
        """The events of these names in the logs of all roles, by time."""
        lines = [json.loads(line) for path in self.state.rglob("*.jsonl") for line in path.read_text().splitlines()]
        return sorted((event for event in lines if event.get("event") in names), key=lambda event: event["time_us"])
