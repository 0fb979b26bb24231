"""Barrier stages: all tasks run at the same time, know each other's hosts, are retried as a whole, and are refused if they cannot run."""

import unittest

from heddle_case import HeddleCase

MASTERS = ("local[3]", "local-cluster[3,1,512]")


class Barrier(HeddleCase):
    def write_job(self, before=""):
        """Three tasks that each wait until all have started."""
        meet = f"{before} touch {self.folder}/begun-$HEDDLE_TASK_INDEX; until [ -e {self.folder}/begun-0 -a -e {self.folder}/begun-1 " \
               f"-a -e {self.folder}/begun-2 ]; do sleep 0.01; done; echo $HEDDLE_BARRIER_HOSTS"
        path = self.folder / "job.toml"
        path.write_text(f'''name = "barrier"
[[stage]]
name = "meet"
tasks = 3
barrier = true
command = ["sh", "-c", "{meet}"]

[[stage]]
name = "count"
after = ["meet"]
partitions = 1
shuffle = {{ key_fields = 1, order = "sorted" }}
command = ["uniq", "-c"]
output = {{ text = "{self.folder}/out" }}
''')
        return str(path)

    def clear(self):
        for path in self.folder.glob("begun-*"):
            path.unlink()
        for path in (self.folder / "out").glob("*"):
            path.unlink()
        if (self.folder / "out").exists():
            (self.folder / "out").rmdir()

    def test_tasks_run_at_the_same_time_and_know_all_hosts(self):
        for master in MASTERS:
            with self.subTest(master=master):
                self.clear()
                done = self.run_heddle("run", "--master", master, self.write_job(), seconds=100)
                self.assertEqual(done.returncode, 0, done.stderr)
                count, hosts = (self.folder / "out" / "part-00000").read_text().split()
                self.assertEqual(count, "3")
                self.assertEqual(len(hosts.split(",")), 3)
        self.assert_all_gone()

    def test_all_tasks_are_retried_after_one_fails(self):
        once = f"echo x >> {self.folder}/runs; if [ $HEDDLE_TASK_INDEX = 1 ] && mkdir {self.folder}/failed; then exit 5; fi;"
        done = self.run_heddle("run", "--master", MASTERS[0], self.write_job(once), seconds=100)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.folder / "out" / "part-00000").read_text().split()[0], "3")
        self.assertEqual((self.folder / "runs").read_text(), "x\n" * 6)

    def test_too_few_task_slots_are_reported(self):
        done = self.run_heddle("run", "--master", "local[2]", "--set", "heddle.barrier.check_interval=500ms", "--set",
                               "heddle.barrier.check_failures_max=3", self.write_job(), seconds=100)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("barrier stage 'meet' requires more slots than the cluster has now: 3 required, 2 available", done.stderr)
        self.assertFalse(list(self.folder.glob("begun-*")))

    def test_dynamic_allocation_is_refused(self):
        done = self.run_heddle("run", "--master", MASTERS[1], "--set", "heddle.dynamic_allocation.enabled=true", self.write_job(),
                               seconds=100)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("barrier stages cannot be used with dynamic allocation", done.stderr)
        self.assert_all_gone()


if __name__ == "__main__":
    unittest.main()
