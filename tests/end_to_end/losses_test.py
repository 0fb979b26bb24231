"""A process of the cluster is killed during a job: the job succeeds with the same output."""

import os
import select
import shutil
import signal
import unittest

from heddle_case import CLUSTER
from loss_case import COUNTING, LOST_WITH_MAP_OUTPUT, SPLITTING, LossCase


class Losses(LossCase):
    def test_an_executor_is_lost_while_words_are_split(self):
        self.assertRegex(self.lose(self.an_executor, SPLITTING), r"executor \d+ on .* is lost: killed by signal 9")

    def test_an_executor_is_lost_while_words_are_counted(self):
        self.assertRegex(self.lose(self.an_executor, COUNTING), r"executor \d+ on .* is lost: killed by signal 9")

    def test_a_node_is_lost_while_words_are_split(self):
        self.assertRegex(self.lose(self.node_without_master, SPLITTING), r"node .* is lost")

    def test_a_node_is_lost_with_its_map_output(self):
        self.assertRegex(self.lose(self.node_without_master, COUNTING), LOST_WITH_MAP_OUTPUT)

    def test_the_node_of_the_master_is_lost(self):
        self.assertIn("attempt 2 starts", self.lose(self.node_of_master, SPLITTING))

    def test_the_node_of_the_master_is_lost_with_its_map_output(self):
        stderr = self.lose(self.node_of_master, COUNTING)
        self.assertRegex(stderr, r"attempt 1 .* ended: the node of the master container was lost: .*; attempt 2 starts")
        self.assertRegex(stderr, LOST_WITH_MAP_OUTPUT)

    def test_the_master_is_lost(self):
        self.assertIn("attempt 2 starts", self.lose(self.master, SPLITTING))
        self.check_logs_of_two_attempts("application_master")

    def test_the_master_is_lost_and_finished_stages_are_kept(self):
        stderr = self.lose(self.master, COUNTING)
        self.assertIn("attempt 2 starts", stderr)
        self.assertEqual(len([line for line in stderr.splitlines() if line.startswith("split: 4/4 done")]), 1, stderr)

    def test_without_a_resource_manager_the_job_fails_and_nothing_is_left(self):
        for mode in ("client", "cluster"):
            with self.subTest(mode=mode):
                shutil.rmtree(self.folder / "text", ignore_errors=True)
                self.write_words()
                client = self.start("run", "--master", CLUSTER, "--deploy-mode", mode, self.write_job("sleep 30.401;", "true;"))
                self.wait_for(lambda: self.processes(r"^sleep 30\.401 "), 10, "a task runs")  # longer than the detection of the loss
                os.kill(self.the("resource-manager")[0], signal.SIGKILL)
                _, stderr = client.communicate(timeout=10)
                self.assertEqual(client.returncode, 1, stderr)
                self.assertIn("ResourceManager", stderr)
                self.assertFalse((self.folder / "counts").exists())
                self.assert_all_gone()

    def test_a_resource_manager_that_is_killed_at_its_start_ends_the_run_soon(self):
        """Before it has reported its address, or after that and before the client is connected."""
        for has_address in (False, True):
            with self.subTest(has_address=has_address):
                code, stderr = self.run_without_resource_manager(has_address)
                self.assertEqual(code, 5, stderr)
                self.assertRegex(stderr, r"the ResourceManager was killed by signal 9 \(log: \S+/resource_manager\.stderr\)")

    def run_without_resource_manager(self, has_address):
        """Returns the exit code and the output of the client. Repeated if the ResourceManager was stopped only after the session was open."""
        tries_max = 10
        for _ in range(tries_max):
            client = self.start("run", "--master", CLUSTER, "--", "sleep", "61")
            self.stop_next("resource-manager")
            [manager] = self.processes_of("resource-manager")
            if has_address:
                self.freeze(client.pid)
                self.go_on(manager)
                self.wait_for(self.has_reported, 10, "its address is in the pipe, or with the nodes")
            os.kill(manager, signal.SIGKILL)
            self.go_on(client.pid)
            _, stderr = client.communicate(timeout=5)
            self.assert_all_gone()
            self.assertEqual(os.listdir(self.folder / "temporary"), [])
            if "the ResourceManager was lost" not in stderr:
                break
        return client.returncode, stderr

    def has_reported(self):
        [pipe] = (self.folder / "temporary").rglob("resource_manager.ready")
        descriptor = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        try:
            return select.select([descriptor], [], [], 0)[0] or self.processes_of("node-manager")
        finally:
            os.close(descriptor)

    def test_without_a_node_manager_the_run_ends_soon_with_their_exits(self):
        for mode in ("client", "cluster"):
            with self.subTest(mode=mode):
                self.deploy_mode = mode
                shutil.rmtree(self.folder / "text", ignore_errors=True)
                self.write_words()
                client = self.start_words()
                self.wait_for(lambda: self.processes(SPLITTING), 10, "a task runs")
                self.lose_all(client, "node-manager")
                self.assertFalse((self.folder / "counts").exists())

    def test_without_a_node_manager_a_topology_ends_soon_with_their_exits(self):
        (self.folder / "wait.toml").write_text('name = "wait"\n[[stage]]\nname = "wait"\ntasks = 1\ncommand = ["sleep", "61"]\n')
        (self.folder / "two.toml").write_text("".join(f'[[host]]\nname = "node-{number}"\n' for number in (1, 2)) + "".join(
            f'[[application]]\nname = "{name}"\njob = "wait.toml"\n' for name in ("one", "two")))
        client = self.start("run", "--topology", "two.toml")
        self.wait_for(lambda: len(self.processes(r"^sleep 61 ")) == 2, 20, "both applications run")
        self.lose_all(client, "node-manager")

    def test_node_managers_that_fail_at_their_start_end_the_run(self):
        for mode in ("client", "cluster"):
            with self.subTest(mode=mode):
                client = self.start("run", "--master", CLUSTER, "--deploy-mode", mode, "--", "sleep", "61")
                self.wait_for(lambda: len(self.processes_of("node-manager")) == 2, 10, "both nodes start")
                self.lose_all(client, "node-manager")


if __name__ == "__main__":
    unittest.main()
