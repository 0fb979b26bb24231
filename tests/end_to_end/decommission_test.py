"""A signal decommissions a node: its map outputs are migrated before it ends, and no map task runs again."""

import json
import os
import pathlib
import signal
import unittest

from loss_case import LossCase


class Decommission(LossCase):
    def events(self):
        """The Driver's events so far, without an incomplete last line."""
        found = []
        for path in self.state.glob("heddle/*/events.jsonl"):
            for line in path.read_text().splitlines():
                try:
                    found.append(json.loads(line))
                except ValueError:
                    pass
        return found

    def named(self, name):
        return [event for event in self.events() if event["event"] == name]

    def host_of(self, node):
        environment = pathlib.Path(f"/proc/{node}/environ").read_bytes().split(b"\0")
        return next(entry.split(b"=")[1].decode() for entry in environment if entry.startswith(b"HEDDLE_NODE_HOST="))

    def hosts_with_outputs(self):
        hosts = {event["executor"]: event["host"] for event in self.named("executor_registered")}
        return {hosts[event["executor"]] for event in self.named("tasks_launched") if event["stage"] == 0}

    def start_words(self, *settings):
        words = [word for setting in settings for word in ("--set", setting)]
        return self.start("run", "--master", "local-cluster[3,1,512]", "--set", "heddle.shuffle.read_local=false", "--set",
                          "heddle.shuffle.fetch_retries=0", *words, self.write_job("sleep 0.401;", "sleep 2.402;"))

    def leave(self, client):
        """Decommissions a node without the master, but with map outputs; returns it when the Driver has received that."""
        self.wait_for(lambda: self.processes(r"^sleep 2\.402 ") or client.poll() is not None, 30, "words are counted")
        self.assertIsNone(client.poll(), "the job runs when the node is decommissioned")
        hosts = self.hosts_with_outputs()
        master = self.node_of_master()
        node = next(node for node in self.the("node-manager") if node != master and self.host_of(node) in hosts)
        os.kill(node, signal.SIGPWR)
        return node

    def end(self, client, expected):
        _, stderr = client.communicate(timeout=60)
        self.assertEqual(client.returncode, 0, stderr)
        self.assertEqual(self.counted(), expected)
        self.assert_all_gone()
        return stderr

    def test_map_outputs_are_migrated_before_the_node_ends(self):
        expected = self.write_words(files=9)
        client = self.start_words("spark.decommission.enabled=true", "spark.storage.decommission.enabled=true")
        node = self.leave(client)
        moved = self.wait_for(lambda: [event for event in self.named("outputs_moved") if event["waiting"] == 0], 30, "outputs have moved")
        self.assertGreater(sum(event["count"] for event in self.named("outputs_moved")), 0, moved)
        os.kill(node, signal.SIGKILL)
        stderr = self.end(client, expected)
        self.assertRegex(stderr, r"host .* is being decommissioned")
        self.assertEqual({(event["stage"], event["attempt"]) for event in self.named("stage_submitted")}, {(0, 0), (1, 0)})

    def test_a_node_that_ends_during_the_migration_costs_no_output(self):
        expected = self.write_words(files=9)
        client = self.start_words("spark.decommission.enabled=true", "spark.storage.decommission.enabled=true")
        os.kill(self.leave(client), signal.SIGKILL)
        self.end(client, expected)

    def test_without_the_settings_the_signal_kills_the_node(self):
        expected = self.write_words(files=9)
        client = self.start_words()
        node = self.leave(client)
        self.wait_for(lambda: node not in self.processes(r"heddle-role node-manager "), 10, "the node has ended")
        self.end(client, expected)
        self.assertEqual(self.named("host_decommissioning"), [])


if __name__ == "__main__":
    unittest.main()
