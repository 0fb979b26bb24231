"""Barrier stages: all tasks run at the same time, know where, run again as a whole, and are refused where they never could."""

import unittest

from heddle_case import HeddleCase

MASTERS = ("local[3]", "local-cluster[3,1,512]")


class Barrier(HeddleCase):
    def write_job(self, before=""):
        """Three tasks, none of which ends before all have begun."""
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

    def test_tasks_meet_and_know_where_the_others_are(self):
        for master in MASTERS:
            with self.subTest(master=master):
                self.clear()
                done = self.run_heddle("run", "--master", master, self.write_job(), seconds=100)
                self.assertEqual(done.returncode, 0, done.stderr)
                count, hosts = (self.folder / "out" / "part-00000").read_text().split()
                self.assertEqual(count, "3")
                self.assertEqual(len(hosts.split(",")), 3)
        self.assert_all_gone()

    def test_one_that_fails_makes_all_run_again(self):
        once = f"echo x >> {self.folder}/runs; if [ $HEDDLE_TASK_INDEX = 1 ] && mkdir {self.folder}/failed; then exit 5; fi;"
        done = self.run_heddle("run", "--master", MASTERS[0], self.write_job(once), seconds=100)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.folder / "out" / "part-00000").read_text().split()[0], "3")
        self.assertEqual((self.folder / "runs").read_text(), "x\n" * 6)

    def test_too_few_slots_are_told(self):
        done = self.run_heddle("run", "--master", "local[2]", "--set", "heddle.barrier.check_interval=500ms", "--set",
                               "heddle.barrier.check_failures_max=3", self.write_job(), seconds=100)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("barrier stage 'meet' requires more slots than the cluster has now: 3 required, 2 available", done.stderr)
        self.assertFalse(list(self.folder.glob("begun-*")))

    def test_executors_that_come_and_go_are_refused(self):
        done = self.run_heddle("run", "--master", MASTERS[1], "--set", "heddle.dynamic_allocation.enabled=true", self.write_job(),
                               seconds=100)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("barrier stages do not go together with executors that come and go", done.stderr)
        self.assert_all_gone()


if __name__ == "__main__":
    unittest.main()
