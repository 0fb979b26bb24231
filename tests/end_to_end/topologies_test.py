"""Each sample topology with applications runs in real processes and prints the output in its comment."""

import json
import re
import shutil
import subprocess
import unittest

from heddle_case import HEDDLE, HeddleCase
from topology_case import SOURCES, TopologyCase


class Topologies(TopologyCase):
    def executors_of(self, application, until=None):
        """The successive numbers of executors of the application, up to the first line that contains `until`."""
        found = []
        for line in self.stderr.splitlines():
            if until is not None and until in line:
                break
            if match := re.search(rf" {application}: has (\d+) executor", line):
                found.append(int(match.group(1)))
        return found

    def test_delay_scheduling_gives_local_launches(self):
        rows = {row.application: row for row in self.run_topology("delay_scheduling")}
        patient, hasty = rows["patient"], rows["hasty"]
        self.assertEqual(patient.locality, [0, patient.tasks, 0, 0], self.stderr)
        self.assertLess(hasty.locality[1], hasty.tasks, self.stderr)

    def test_a_pool_with_larger_weight_ends_first(self):
        rows = self.run_topology("fair_pools")
        self.assertEqual([row.job for row in rows], ["short", "long"], self.stderr)

    def test_executors_are_added_with_the_backlog_and_removed_when_idle(self):
        self.run_topology("dynamic_allocation")
        counts = self.executors_of("waves")
        self.assertLess(counts[0], 4, self.stderr)
        self.assertEqual(max(counts), 4, self.stderr)
        self.assertIn(1, counts[counts.index(4):], self.stderr)

    def test_two_sizes_of_executors_run_one_job(self):
        (row,) = self.run_topology("executor_sizes")
        self.assertEqual((row.tasks, row.failed), (6, 0), self.stderr)
        large = [event["executor"] for event in self.events("executor_registered") if event["profile"] == 1]
        self.assertEqual(len(large), 2, self.stderr)
        wide = {event["executor"] for event in self.events("tasks_launched") if event["stage"] == 1}
        self.assertEqual(wide, set(large), self.stderr)
        self.assertEqual(self.executors_of("sizes", "stage large of sizes done")[-1], 2, self.stderr)

    def test_an_application_waits_for_the_only_licence(self):
        rows = self.run_topology("resource_kinds")
        self.assertEqual({row.application for row in rows}, {"first", "second"}, self.stderr)
        # On a busy machine the master of the second may ask first.
        holder, waiting = rows[0], rows[1]
        self.assertLess(self.stderr.index(f"{holder.application}: job {holder.job} succeeded"),
                        self.stderr.index(f"{waiting.application}: has 1 executor"), self.stderr)

    def test_fair_queues_share_by_weight_and_minimum(self):
        rows = self.run_topology("fair_queues")
        self.assertEqual({(row.user, row.queue) for row in rows}, {("ann", "root.etl"), ("bob", "root.adhoc")})
        self.assertEqual(self.executors_of("etl", "job steady")[-1], 5, self.stderr)
        self.assertEqual(self.executors_of("adhoc", "job steady")[-1], 3, self.stderr)

    def test_capacity_queues_are_read_from_hadoop_files(self):
        rows = self.run_topology("capacity_queues")
        self.assertEqual({(row.user, row.queue) for row in rows}, {("ann", "root.etl"), ("bob", "root.adhoc")})
        self.assertEqual(max(self.executors_of("etl")), 6, self.stderr)
        self.assertEqual(max(self.executors_of("adhoc")), 1, self.stderr)
        self.assertEqual(self.stderr.count("heddle ignores"), 2, self.stderr)
        for key in ("yarn.nodemanager.local-dirs", "yarn.resourcemanager.hostname", "fs.defaultFS"):
            self.assertEqual(self.stderr.count(key), 1, self.stderr)

    def test_a_user_without_access_to_a_queue_is_refused_by_name(self):
        shutil.copytree(SOURCES / "samples/topologies/capacity", self.folder / "capacity")
        (self.folder / "job.toml").write_text('name = "job"\n[[stage]]\nname = "job"\ntasks = 1\ncommand = ["true"]\n')
        (self.folder / "topology.toml").write_text("""
hadoop_conf = "capacity"

[[rack]]
name = "r1"
hosts = ["a1", "b1"]

[settings]
"heddle.executor.instances" = 1
"heddle.executor.memory" = "256m"
""" + "".join(f"""
[[application]]
name = "{user}-{queue}"
user = "{user}"
queue = "{queue}"
job = "job.toml"
""" for user, queue in (("ann", "etl"), ("eve", "etl"), ("eve", "adhoc"))))
        done = self.run_heddle("run", "--topology", "topology.toml", seconds=60)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, r"user eve does not have permission to submit application_\d+_\d+ to queue (root\.)?etl")
        outcomes = {line.split()[0]: line.split()[-1] for line in done.stdout.splitlines()[1:]}
        self.assertEqual({name: outcomes.get(name) for name in ("ann-etl", "eve-etl", "eve-adhoc")},
                         {"ann-etl": "succeeded", "eve-etl": "failed", "eve-adhoc": "succeeded"}, done.stdout + done.stderr)

    def test_an_executor_is_placed_on_the_host_of_its_data_in_another_rack(self):
        """The allocator also requests the rack of that host: otherwise no scheduler assigns the host."""
        (self.folder / "text").mkdir()
        (self.folder / "text" / "a.txt").write_text("one\n")
        (self.folder / "job.toml").write_text('name = "job"\n[[stage]]\nname = "job"\ninput = { text = "text" }\ncommand = ["cat"]\n')
        (self.folder / "topology.toml").write_text("".join(f"""
[[rack]]
name = "r{rack}"
hosts = ["{rack}1", "{rack}2"]
memory = "256m"
""" for rack in "ab") + """
[settings]
"heddle.master.memory" = "64m"
"heddle.resource_manager.scheduler" = "capacity"
"heddle.dynamic_allocation.enabled" = true
"heddle.dynamic_allocation.min_executors" = 0
"heddle.dynamic_allocation.initial_executors" = 0
"heddle.dynamic_allocation.max_executors" = 1
"spark.dynamicAllocation.schedulerBacklogTimeout" = "100ms"

[[replica]]
input = "text/*"
hosts = ["b2"]
""")
        for mode in ("client", "cluster"):
            with self.subTest(mode=mode):
                shutil.rmtree(self.state / "heddle", ignore_errors=True)
                done = self.run_heddle("run", "--topology", "topology.toml", "--deploy-mode", mode, "job.toml", seconds=60)
                self.assertEqual(done.returncode, 0, done.stderr)
                log = next(self.state.glob("heddle/*/resource_manager.jsonl")).read_text().splitlines()
                events = [json.loads(line) for line in log]
                placed = [event["locality"] for event in events if event["event"] == "container_allocated"]
                # The master, then the executor. A request that crossed the grant of the first executor gets one more, which goes back.
                self.assertGreaterEqual(len(placed), 2, placed)
                self.assertEqual(set(placed[1:]), {"NODE_LOCAL"}, placed)

    def test_applications_without_executor_sizes_share_one_node(self):
        """Their masters leave resources for an executor as large as the node."""
        (self.folder / "job.toml").write_text('name = "job"\n[[stage]]\nname = "job"\ntasks = 2\ncommand = ["true"]\n')
        (self.folder / "topology.toml").write_text('[[host]]\nname = "a"\n' + "".join(f"""
[[application]]
name = "{name}"
user = "ann"
job = "job.toml"
""" for name in ("f1", "f2", "f3")))
        done = self.run_heddle("run", "--topology", "topology.toml", seconds=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([line.split()[-1] for line in done.stdout.splitlines()[1:]], ["succeeded"] * 3, done.stdout + done.stderr)
        self.assert_all_gone()

    def test_a_starved_queue_preempts_containers(self):
        rows = {row.user: row for row in self.run_topology("preemption")}
        self.assertRegex(self.stderr, r"greedy: executor \d+ on a\d is lost: .*preempted")
        self.assertEqual([rows["ann"].failed, rows["bob"].failed], [0, 0], self.stderr)
        self.assertGreaterEqual(rows["bob"].executors, 3, self.stderr)

    def test_a_host_where_tasks_fail_is_excluded(self):
        (row,) = self.run_topology("exclusion")
        self.assertEqual((row.tasks, row.failed), (20, 2), self.stderr)
        self.assertRegex(self.stderr, r"careful: executor \d+ on b1 gets no more tasks of stage 'check': too many failed there")

    def test_a_straggler_is_speculated(self):
        (row,) = self.run_topology("speculation")
        self.assertLess(row.took, 10, self.stderr)
        self.assertEqual(self.stderr.count("run a second time on other executors"), 1, self.stderr)
        self.assertEqual(row.failed, 0, self.stderr)


class ChangedQueues(HeddleCase):
    def test_an_invalid_queue_file_is_ignored_and_reported_with_its_line(self):
        (self.folder / "queues.xml").write_text("<allocations/>\n")
        (self.folder / "job.toml").write_text('name = "slow"\n[[stage]]\nname = "slow"\ntasks = 2\ncommand = ["sleep", "1.5"]\n')
        (self.folder / "topology.toml").write_text("""
[[rack]]
name = "r1"
hosts = ["a1", "a2"]
memory = "256m"

[settings]
"heddle.master.memory" = "64m"
"heddle.resource_manager.scheduler" = "fair"
"heddle.resource_manager.queue_file" = "queues.xml"
"heddle.resource_manager.queue_file_interval" = "50ms"
"heddle.resource_manager.queue_file_age" = "0s"
"heddle.resource_manager.offer_on_change" = true
"heddle.fair.update_interval" = "100ms"

[[application]]
name = "slow"
user = "ann"
job = "job.toml"
""")
        client = self.start("run", "--topology", "topology.toml")
        self.wait_for(lambda: self.processes(r"^sleep 1\.5"), 15, "a task runs")
        (self.folder / "queues.xml").write_text("<allocations>\n<queue name='a'><weight>heavy</weight></queue>\n</allocations>\n")
        _, stderr = client.communicate(timeout=20)
        self.assertEqual(client.returncode, 0, stderr)
        self.assertRegex(stderr, r"slow: the queues stay as they were: \S*queues\.xml:2: ")


class RelativePaths(HeddleCase):
    def test_a_topology_names_jobs_from_its_folder_and_jobs_name_inputs_from_the_working_folder(self):
        for folder in ("text", "topologies/jobs"):
            (self.folder / folder).mkdir(parents=True)
        (self.folder / "text" / "a.txt").write_text("one\n")
        (self.folder / "topologies" / "jobs" / "read.toml").write_text(
            'name = "read"\n[[stage]]\nname = "read"\ninput = { text = "text/*" }\ncommand = ["cat"]\noutput = { text = "out" }\n')
        (self.folder / "topologies" / "one.toml").write_text(
            '[[host]]\nname = "a"\n[[application]]\nname = "one"\nuser = "ann"\njob = "jobs/read.toml"\n')
        done = self.run_heddle("run", "--topology", "topologies/one.toml")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.folder / "out" / "part-00000").read_text(), "one\n")
        inside = self.folder / "topologies"
        failed = subprocess.run([HEDDLE, "run", "--topology", "one.toml", "--format", "json"], cwd=inside, env=self.environment,
                                stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=20, check=False)
        self.assertEqual(failed.returncode, 1, failed.stderr)
        reason = f"matches no file; 'text/*' is a relative path, looked up in {inside}"
        self.assertIn(reason, failed.stderr)
        self.assertIn(reason, failed.stdout)
        self.assertFalse((inside / "out").exists())
        self.assert_all_gone()


class Refusals(HeddleCase):
    def test_a_topology_without_applications_is_an_error(self):
        ended = subprocess.run([HEDDLE, "run", "--topology", "samples/topologies/two_racks.toml"], cwd=SOURCES, env=self.environment,
                               stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=20, check=False)
        self.assertEqual(ended.returncode, 2)
        self.assertIn("has no [[application]]", ended.stderr)


if __name__ == "__main__":
    unittest.main()
