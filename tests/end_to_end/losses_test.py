"""A process of the cluster is killed in mid-job: the job ends well, and its output is what it would have been."""

import os
import pathlib
import re
import signal
import unittest

from heddle_case import CLUSTER, HeddleCase

SPLITTING = r"^sleep 0\.701 "
COUNTING = r"^sleep 0\.702 "


class Losses(HeddleCase):
    def the(self, role):
        found = self.processes(f"heddle-role {role} ")
        self.assertTrue(found, f"no {role} runs")
        return found

    def node_of_master(self):
        """The NodeManager that started the master's container: the master's parent."""
        status = pathlib.Path(f"/proc/{self.the('application-master')[0]}/status").read_text()
        return int(re.search(r"^PPid:\s+(\d+)$", status, re.MULTILINE).group(1))

    def node_without_master(self):
        return next(node for node in self.the("node-manager") if node != self.node_of_master())

    def lose(self, victim, stage):
        """Kills one process while a task of the stage sleeps."""
        expected = self.write_words()
        client = self.start("run", "--master", CLUSTER, self.write_job("sleep 0.701;", "sleep 0.702;"))
        self.wait_for(lambda: self.processes(stage) or client.poll() is not None, 10, "a task runs")
        self.assertIsNone(client.poll(), "the job runs when the process is lost")
        lost = victim()
        os.kill(lost, signal.SIGKILL)
        said = client.communicate(timeout=30)
        self.assertEqual(client.returncode, 0, said)
        self.assertEqual(self.counted(), expected)
        self.assert_all_gone()

    def an_executor(self):
        return self.the("executor")[0]

    def master(self):
        return self.the("application-master")[0]

    def test_an_executor_is_lost_while_words_are_split(self):
        self.lose(self.an_executor, SPLITTING)

    def test_an_executor_is_lost_while_words_are_counted(self):
        self.lose(self.an_executor, COUNTING)

    def test_a_node_is_lost_while_words_are_split(self):
        self.lose(self.node_without_master, SPLITTING)

    def test_a_node_is_lost_with_its_map_output(self):
        self.lose(self.node_without_master, COUNTING)

    def test_the_node_of_the_master_is_lost(self):
        self.lose(self.node_of_master, SPLITTING)

    def test_the_master_is_lost(self):
        self.lose(self.master, SPLITTING)


if __name__ == "__main__":
    unittest.main()
