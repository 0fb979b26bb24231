"""Settings of MapReduce under the names of Hadoop 1 and 3 act in both frameworks, or are named."""

import os
import shutil
import signal
import unittest

from heddle_case import HeddleCase

FRAMEWORKS = ("classic", "yarn")
FAILS_ON_B = "sh -c 'cat > /dev/null; case $mapreduce_map_input_file in *b.txt) exit 3;; esac; echo done'"


class MapReduceSettings(HeddleCase):
    checks_invariants = True

    def setUp(self):
        super().setUp()
        (self.folder / "text").mkdir()
        for name in "ab":
            (self.folder / "text" / f"{name}.txt").write_text(f"{name}\n")

    def run_job(self, framework, *more, source="text", mapper="cat", seconds=30):
        return self.run_heddle("mapreduce", "--framework", framework, "-input", source, "-output", f"out-{framework}", "-mapper", mapper,
                               "-numReduceTasks", "0", *more, seconds=seconds)

    def test_a_job_survives_its_part_of_failed_maps(self):
        for framework, percent, attempts in (("classic", "mapred.max.map.failures.percent", "mapred.map.max.attempts"),
                                             ("yarn", "mapreduce.map.failures.maxpercent", "mapreduce.map.maxattempts")):
            with self.subTest(framework=framework):
                more = ("--master", "local-cluster[1,1,512]", "-D", f"{attempts}=1")
                done = self.run_job(framework, *more, mapper=FAILS_ON_B)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn("failed 1 time", done.stderr)
                done = self.run_job(framework, *more, "-D", f"{percent}=50", mapper=FAILS_ON_B)
                self.assertEqual(done.returncode, 0, done.stderr)
                names = sorted(path.name for path in (self.folder / f"out-{framework}").iterdir())
                self.assertEqual(len([name for name in names if name.startswith("part-")]), 1, names)
        self.assert_all_gone()

    def test_an_attempt_without_a_sign_of_life_runs_again(self):
        for framework in FRAMEWORKS:
            with self.subTest(framework=framework):
                client = self.start("mapreduce", "--framework", framework, "--master", "local-cluster[1,1,512]", "-input", "text/a.txt", "-output",
                                    f"out-{framework}", "-mapper", "sh -c 'cat > /dev/null; sleep 0.7; echo x'", "-numReduceTasks", "0",
                                    "-D", "mapred.task.timeout=1000")
                self.wait_for(lambda: self.processes(r"^sleep 0\.7 "), 15, "a map runs")
                for child in self.processes("heddle-role task-child "):
                    os.kill(child, signal.SIGSTOP)
                _, stderr = client.communicate(timeout=30)
                self.assertEqual(client.returncode, 0, stderr)
                self.assertIn("1 failed attempt", stderr)
        self.assert_all_gone()

    def test_a_silent_mapper_under_a_live_process_runs_again(self):
        """TA-1: the process of the attempt reports, but its command neither reads nor writes."""
        for framework, reason in (("classic", "its child did not report progress for 1.5 s"), ("yarn", "no sign of life for 1500 ms")):
            with self.subTest(framework=framework):
                mapper = self.folder / f"silent-{framework}.sh"
                mapper.write_text(f"#!/bin/sh\nmkdir {self.folder}/first-{framework} && exec sleep 61\ncat\n")
                mapper.chmod(0o755)
                done = self.run_job(framework, "--master", "local-cluster[1,1,512]", "-D", "mapred.task.timeout=1500",
                                    "-D", "mapreduce.map.speculative=false", mapper=str(mapper))
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn("1 failed attempt", done.stderr)
                self.assertIn("1 x " + reason, done.stderr)
                output = "".join(sorted(path.read_text() for path in (self.folder / f"out-{framework}").glob("part-*")))
                self.assertEqual(output, "a\t\nb\t\n")
        self.assert_all_gone()

    def test_a_mapper_that_only_writes_to_stderr_is_alive_beyond_the_time_out(self):
        """C-E4-14: it neither reads nor writes for almost three time-outs, but each line of stderr is a sign of life."""
        for framework in FRAMEWORKS:
            with self.subTest(framework=framework):
                mapper = self.folder / "chatty.sh"
                mapper.write_text("#!/bin/sh\nfor i in $(seq 22); do echo working >&2; sleep 0.2; done\ncat\n")
                mapper.chmod(0o755)
                done = self.run_job(framework, "--master", "local-cluster[1,1,512]", "-D", "mapred.task.timeout=1500",
                                    "-D", "mapreduce.map.speculative=false", "-D", "mapreduce.map.maxattempts=1",
                                    source="text/a.txt", mapper=str(mapper))
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn(" 0 failed attempts", done.stderr)
                self.assertEqual((self.folder / f"out-{framework}" / "part-00000").read_text(), "a\t\n")
        self.assert_all_gone()

    def test_a_job_with_too_many_counters_fails(self):
        mapper = "sh -c 'cat; for i in 1 2 3 4 5 6; do echo reporter:counter:g,n$i,1 >&2; done'"
        for framework in FRAMEWORKS:
            for limit, code in ((100, 0), (5, 1)):
                with self.subTest(framework=framework, limit=limit):
                    done = self.run_job(framework, "--master", "local-cluster[1,1,512]", "-D",
                                        f"mapreduce.job.counters.max={limit}", mapper=mapper)
                    self.assertEqual(done.returncode, code, done.stderr)
                    self.assertEqual("more than 5 counters" in done.stderr, code == 1, done.stderr)
                    if code == 0:
                        shutil.rmtree(self.folder / f"out-{framework}")
                    self.assertEqual([path.name for path in self.folder.iterdir() if "out-" in path.name], [])
                    self.assert_all_gone()
                    self.assertEqual(list((self.folder / "temporary").iterdir()), [])

    def test_what_is_not_honoured_is_named_once(self):
        done = self.run_job("yarn", "--master", "local-cluster[1,1,512]", "-D", "mapreduce.job.ubertask.enable=true", "-D", "mapred.job.tracker=host:9001")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr.count("is not honoured"), 2, done.stderr)

    def test_a_container_above_the_maximum_is_refused_before_work(self):
        done = self.run_job("yarn", "--master", "local-cluster[1,1,512]", "-D", "mapreduce.map.memory.mb=9000")
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn("a map needs a container of 9000 MiB and 1 cores, but a container has at most 8192 MiB", done.stderr)
        self.assertFalse((self.folder / "out-yarn").exists())

    def test_mapred_site_of_a_topology_selects_framework_and_slots(self):
        (self.folder / "conf").mkdir()
        (self.folder / "conf" / "mapred-site.xml").write_text("<configuration>" + "".join(
            f"<property><name>{name}</name><value>{value}</value></property>"
            for name, value in (("mapreduce.framework.name", "classic"), ("mapred.job.tracker", "host:9001"),
                                ("mapred.tasktracker.map.tasks.maximum", "3"), ("mapreduce.jobhistory.address", "host:10020"))) + "</configuration>")
        (self.folder / "t.toml").write_text('hadoop_conf = "conf"\n[[host]]\nname = "a1"\n')
        done = self.run_heddle("mapreduce", "--topology", "t.toml", "-input", "text", "-output", "out", "-mapper", "cat", "-numReduceTasks", "0",
                               seconds=30)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr.count("mapred.job.tracker=host:9001 is not honoured"), 1, done.stderr)
        self.assertEqual(done.stderr.count("mapreduce.jobhistory.address"), 1, done.stderr)
        self.assertIn('"map_slots":3', next(self.state.rglob("events.jsonl")).read_text())
        self.assert_all_gone()

    def test_a_topology_without_slots_is_refused(self):
        (self.folder / "t.toml").write_text('framework = "classic"\n[[host]]\nname = "a1"\nmap_slots = 0\n')
        done = self.run_heddle("mapreduce", "--topology", "t.toml", "-input", "text", "-output", "out", "-mapper", "cat", "-numReduceTasks", "0", seconds=30)
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn("no TaskTracker has a map slot; set map_slots of a host", done.stderr)


if __name__ == "__main__":
    unittest.main()
