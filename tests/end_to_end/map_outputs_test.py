"""Finished maps whose outputs are gone, damaged, or on a lost host run again, in both MapReduce frameworks."""

import os
import shutil
import signal
import unittest

from heddle_case import HeddleCase

FRAMEWORKS = {"classic": "task-tracker", "yarn": "node-manager"}
WAITS_ON_B = "sh -c 'case $mapreduce_map_input_file in *b.txt) until [ -e go ]; do sleep 0.02; done;; esac; cat'"
# Without them a reduce waits 10 s after its first failed copy, and tells its master after ten.
SHORT_DELAYS = ("-D", "mapreduce.reduce.shuffle.retry-delay.max.ms=50", "-D", "mapreduce.reduce.shuffle.maxfetchfailures=1")
SLOW_START = ("-D", "mapreduce.job.reduce.slowstart.completedmaps=1.0")


class MapOutputs(HeddleCase):
    checks_invariants = True

    def start_job(self, framework, *more):
        """The map of a.txt finishes; that of b.txt waits for the file `go`; the reduce starts after both."""
        for name in "ab":
            (self.folder / "text").mkdir(exist_ok=True)
            (self.folder / "text" / f"{name}.txt").write_text(f"{name}\n" * 100)
        return self.start("mapreduce", "--framework", framework, "--master", "local-cluster[3,1,512]", "-input", "text", "-output", "out",
                          "-mapper", WAITS_ON_B.replace("go", str(self.folder / "go")), "-reducer", "uniq -c", "-numReduceTasks", "1",
                          *SHORT_DELAYS, *SLOW_START, *more)

    def output_of_first_map(self):
        def find():
            indexes = list((self.folder / "temporary").rglob("shuffle-*/*.index"))
            return indexes and list(indexes[0].parent.glob("*"))
        return self.wait_for(find, 15, "the first map has finished")

    def assert_counted(self, client):
        (self.folder / "go").touch()
        _, stderr = client.communicate(timeout=60)
        self.assertEqual(client.returncode, 0, stderr)
        lines = (self.folder / "out" / "part-00000").read_text().splitlines()
        self.assertEqual([line.split() for line in lines], [["100", "a"], ["100", "b"]])
        self.assert_all_gone()
        self.assertEqual(list((self.folder / "temporary").iterdir()), [])
        shutil.rmtree(self.folder / "out")
        (self.folder / "go").unlink()

    def check_each(self, spoil):
        for framework in FRAMEWORKS:
            with self.subTest(framework=framework):
                client = self.start_job(framework)
                for path in self.output_of_first_map():
                    spoil(path)
                self.assert_counted(client)

    def test_an_output_that_is_gone_is_made_again(self):
        self.check_each(lambda path: path.unlink())

    def test_a_damaged_output_is_made_again(self):
        self.check_each(lambda path: path.write_bytes(bytes(byte ^ 0x55 for byte in path.read_bytes())) if path.suffix == ".data" else None)

    def test_outputs_on_a_lost_host_are_made_again(self):
        for framework, role in FRAMEWORKS.items():
            with self.subTest(framework=framework):
                client = self.start_job(framework)
                self.output_of_first_map()
                waiting = self.wait_for(lambda: self.processes(r"^sh -c case "), 15, "the second map runs")
                parents = {self.ancestor(process, role) for process in waiting}
                masters = {self.ancestor(process, role) for process in self.processes("heddle-role application-master ")}
                idle = [process for process in self.processes(f"heddle-role {role} ") if process not in parents | masters]
                for process in idle:  # one of them has the output
                    os.kill(process, signal.SIGKILL)
                self.assert_counted(client)

    def ancestor(self, process, role):
        hosts = set(self.processes(f"heddle-role {role} "))
        while process not in hosts and process > 1:
            process = self.parent_of(process)
        return process


if __name__ == "__main__":
    unittest.main()
