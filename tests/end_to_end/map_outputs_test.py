"""Finished maps whose outputs are gone, damaged, or on a lost host run again, in both MapReduce frameworks."""

import collections
import contextlib
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

    def start_job(self, framework, names="ab", mapper=WAITS_ON_B):
        """The map of b.txt waits for the file `go`, the others finish; the reduce starts after all."""
        for name in names:
            (self.folder / "text").mkdir(exist_ok=True)
            (self.folder / "text" / f"{name}.txt").write_text(f"{name}\n" * 100)
        return self.start("mapreduce", "--framework", framework, "--master", "local-cluster[3,1,512]", "-input", "text", "-output", "out",
                          "-mapper", mapper.replace("go", str(self.folder / "go")), "-reducer", "uniq -c", "-numReduceTasks", "1",
                          *SHORT_DELAYS, *SLOW_START)

    def index_of_map(self, number):
        """Path of the index of its output."""
        return self.wait_for(lambda: list((self.folder / "temporary").rglob(f"shuffle-*/{number}.index")), 15, f"map {number} has finished")[0]

    def output_of_first_map(self):
        return list(self.index_of_map(0).parent.glob("*"))

    def assert_counted(self, client, names="ab"):
        (self.folder / "go").touch()
        _, stderr = client.communicate(timeout=60)
        self.assertEqual(client.returncode, 0, stderr)
        lines = (self.folder / "out" / "part-00000").read_text().splitlines()
        self.assertEqual([line.split() for line in lines], [["100", name] for name in names])
        self.assert_all_gone()
        self.assertEqual(list((self.folder / "temporary").iterdir()), [])
        shutil.rmtree(self.folder / "out")
        (self.folder / "go").unlink()
        return stderr

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

    def maps_that_meet(self):
        """Path of a mapper: those of a.txt and c.txt wait for each other, so that they run on two nodes. Each writes its name to `runs`."""
        script = self.folder / "map.sh"
        script.write_text(f'''#!/bin/sh
name=$(basename $mapreduce_map_input_file .txt)
echo $name >> {self.folder}/runs
case $name in
  a) other=c;;
  c) other=a;;
  *) until [ -e {self.folder}/go ]; do sleep 0.02; done;;
esac
[ -z "$other" ] || until grep -q $other {self.folder}/runs; do sleep 0.02; done
cat
''')
        script.chmod(0o755)
        return str(script)

    def processes_by_host(self, role):
        """By the name of the node, which is in the path of the event log that the process has open."""
        found = {}
        for process in self.processes_of(role):
            for entry in os.scandir(f"/proc/{process}/fd"):
                with contextlib.suppress(OSError):  # It may be closed.
                    if (path := os.readlink(entry.path)).endswith(".jsonl"):
                        found[path.split(".")[-2]] = process
        return found

    def test_outputs_on_a_lost_host_are_made_again(self):
        for framework, role in FRAMEWORKS.items():
            with self.subTest(framework=framework):
                client = self.start_job(framework, "abc", self.maps_that_meet())
                indexes = [self.index_of_map(0), self.index_of_map(2)]
                nodes = self.processes_by_host(role)
                masters = [self.parent_of(process) for process in self.processes("heddle-role application-master ")]
                index, victim = next((index, nodes[host]) for index in indexes for host in index.parts
                                     if host in nodes and nodes[host] not in masters)
                os.kill(victim, signal.SIGKILL)
                stderr = self.assert_counted(client, "abc")
                self.assertIn(f"map {index.stem} runs again: its output was lost" if framework == "yarn" else "1 finished map runs again (rule JS-6)", stderr)
                runs = collections.Counter((self.folder / "runs").read_text().split())
                self.assertEqual(runs["abc"[int(index.stem)]], 2, runs)
                (self.folder / "runs").unlink()


if __name__ == "__main__":
    unittest.main()
