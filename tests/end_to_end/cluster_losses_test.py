"""Losses of processes in cluster mode, where the Driver is lost with the master container."""

import json
import os
import re
import signal
import unittest

from heddle_case import CLUSTER
from loss_case import COUNTING, LOST_WITH_MAP_OUTPUT, SPLITTING, LossCase


class ClusterLosses(LossCase):
    deploy_mode = "cluster"

    def test_an_executor_is_lost(self):
        self.assertRegex(self.lose(self.an_executor, SPLITTING), r"executor \d+ on .* is lost: killed by signal 9")

    def test_a_node_is_lost_with_its_map_output(self):
        self.assertRegex(self.lose(self.node_without_master, COUNTING), LOST_WITH_MAP_OUTPUT)

    def test_the_node_of_the_master_is_lost(self):
        self.assertIn("attempt 2 starts", self.lose(self.node_of_master, SPLITTING))

    def test_the_master_is_lost_while_words_are_split(self):
        self.assertRegex(self.lose(self.master, SPLITTING), r"attempt 1 .* ended: .*killed by signal 9.*; attempt 2 starts")

    def test_executor_logs_have_the_loss_of_the_driver(self):
        self.write_words()
        client = self.start_words()
        self.wait_for(lambda: self.processes(SPLITTING), 10, "a task runs")
        executor, master, nodes = self.an_executor(), self.master(), self.the("node-manager")
        for node in nodes:
            os.kill(node, signal.SIGSTOP)  # otherwise it may kill the executors first
        os.kill(master, signal.SIGKILL)
        self.wait_for(lambda: executor not in self.processes("heddle-role executor "), 10, "the executor ends")
        for node in nodes:
            os.kill(node, signal.SIGCONT)  # it copies the output of the executors into their logs
        self.wait_for(lambda: re.search(r"(?m)^heddle: executor \d+ ends: the connection to the driver is lost$", "".join(
            path.read_text() for path in self.state.glob("heddle/*/container-*/stderr"))), 10, "an executor says why it ends")
        _, stderr = client.communicate(timeout=30)
        self.assertEqual(client.returncode, 0, stderr)

    def test_the_master_is_lost_while_words_are_counted(self):
        self.assertRegex(self.lose(self.master, COUNTING), r"attempt 1 .* ended: .*killed by signal 9.*; attempt 2 starts")
        self.check_logs_of_two_attempts("events")

    def test_each_master_is_lost(self):
        """The last application attempt ends the application, and an uncommitted output is removed."""
        self.write_words()
        client = self.start_words()
        for _ in range(2):
            self.wait_for(lambda: self.processes(SPLITTING), 10, "a task runs")
            os.kill(self.master(), signal.SIGKILL)
            self.wait_for(lambda: not self.processes(SPLITTING), 10, "its tasks are gone")
        _, stderr = client.communicate(timeout=30)
        self.assertEqual(client.returncode, 1, stderr)
        self.assertIn("the last of 2 attempts ended", stderr)
        self.assertFalse((self.folder / "counts").exists())
        self.assert_all_gone()


class ClusterMode(LossCase):
    deploy_mode = "cluster"

    def test_progress_and_summary_come_from_the_driver_in_the_master(self):
        expected = self.write_words()
        done = self.run_heddle("run", "--master", CLUSTER, "--deploy-mode", "cluster", self.write_job())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.counted(), expected)
        self.assertIn("count: 3/3 done", done.stderr)
        self.assertIn("words done in", done.stderr)
        [folder] = self.state.glob("heddle/*")
        self.assertGreater((folder / "events.jsonl").stat().st_size, 0)
        lines = [json.loads(line) for line in (folder / "client.jsonl").read_text().splitlines()]
        self.assertEqual((lines[0]["event"], lines[-1]["event"], lines[-1]["lines"]), ("settings", "log_closed", len(lines)))
        self.assertIn("client_job_sent", [line["event"] for line in lines])
        self.assert_all_gone()

    def test_a_failing_command_is_reported_with_its_exit_code(self):
        done = self.run_heddle("run", "--master", CLUSTER, "--deploy-mode", "cluster", "--", "sh", "-c", "exit 3")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assert_all_gone()

    def test_an_interrupt_cancels_the_job(self):
        client = self.start("run", "--master", CLUSTER, "--deploy-mode", "cluster", "--tasks", "4", "--", "sleep", "61")
        self.wait_for(lambda: self.processes(r"^sleep 61 "), 10, "a task runs")
        client.send_signal(signal.SIGINT)
        self.assertEqual(client.wait(timeout=10), 7)
        self.assert_all_gone()

    def test_an_interrupt_ends_a_run_whose_driver_does_not_respond(self):
        for signal_sent in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(signal=signal_sent):
                client = self.start("run", "--master", CLUSTER, "--deploy-mode", "cluster", "--tasks", "4", "--", "sleep", "61")
                self.wait_for(lambda: self.processes(r"^sleep 61 "), 10, "a task runs")
                os.kill(self.master(), signal.SIGSTOP)
                client.send_signal(signal_sent)
                self.assertEqual(client.wait(timeout=9), 7)
                self.assert_all_gone()

    def test_an_interrupt_before_the_start_of_the_driver_ends_the_application(self):
        client = self.start("run", "--master", CLUSTER, "--deploy-mode", "cluster", "--", "sleep", "61")
        self.wait_for(lambda: self.processes("heddle-role resource-manager "), 10, "the cluster starts")
        client.send_signal(signal.SIGINT)
        self.assertEqual(client.wait(timeout=10), 7)
        self.assert_all_gone()

    def test_nothing_remains_after_the_client_was_killed(self):
        client = self.start("run", "--master", CLUSTER, "--deploy-mode", "cluster", "--tasks", "4", "--", "sleep", "61")
        self.wait_for(lambda: self.processes(r"^sleep 61 "), 10, "a task runs")
        client.kill()
        client.wait()
        self.assert_all_gone()

    def test_cluster_mode_is_refused_without_a_cluster(self):
        done = self.run_heddle("run", "--master", "local[2]", "--deploy-mode", "cluster", "--", "true")
        self.assertEqual(done.returncode, 2, done.stderr)


if __name__ == "__main__":
    unittest.main()
