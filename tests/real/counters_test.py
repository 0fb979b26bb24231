"""Goal: a job has the counters that Hadoop Streaming counts for it. Method: one word count on the real YARN and with each framework of
heddle; the counters of its tasks beside each other. Hadoop shows the history of a job of heddle.
"""

import json
import os
import re
import subprocess
import unittest

from real_case import HADOOP, PATIENCE, RealCase, hadoop, real_text

# Hadoop's names in the summary of a job, by the end of their full names. Both frameworks of heddle also count slots and attempts, each by
# its own rule (docs/conformance.md), and Hadoop counts bytes of files and memory of its JVMs: these are not compared.
COMPARED = ["MAP_INPUT_RECORDS", "MAP_OUTPUT_RECORDS", "MAP_OUTPUT_BYTES", "COMBINE_INPUT_RECORDS", "COMBINE_OUTPUT_RECORDS",
            "REDUCE_INPUT_GROUPS", "REDUCE_INPUT_RECORDS", "REDUCE_OUTPUT_RECORDS", "SPILLED_RECORDS", "SHUFFLED_MAPS",
            "MERGED_MAP_OUTPUTS", "BYTES_READ", "BYTES_WRITTEN"]
SHOWN = {"SHUFFLED_MAPS": "Shuffled Maps ", "MERGED_MAP_OUTPUTS": "Merged Map outputs", "SPILLED_RECORDS": "Spilled Records",
         "BYTES_READ": "Bytes Read", "BYTES_WRITTEN": "Bytes Written"}
OWN = "words lines"  # counted by the mapper
MAPPER = """awk '{ for (i = 1; i <= NF; ++i) print $i "\\t1"; ++lines } END { print "reporter:counter:words,lines," lines > "/dev/stderr" }'"""
# Its input is sorted, and so is its output, as a combiner's must be.
REDUCER = """awk -F '\\t' '$1 != word { if (NR > 1) print word "\\t" sum; word = $1; sum = 0 } { sum += $2 } END { if (NR) print word "\\t" sum }'"""


def shown_name(counter):
    return SHOWN.get(counter, counter.replace("_", " ").capitalize())


class Counters(RealCase):
    def options(self, source, target):
        return ["-D", "mapreduce.job.reduces=2", "-D", "mapreduce.job.reduce.slowstart.completedmaps=1", "-D", "mapreduce.task.io.sort.mb=1",
                "-D", "mapreduce.job.maps=4", "-input", source, "-output", target, "-mapper", MAPPER, "-combiner", REDUCER, "-reducer", REDUCER]

    def counters_of_hadoop(self, source):
        done = subprocess.run([HADOOP, "streaming", *self.options(source, f"{self.work}/out")], capture_output=True, text=True,
                              timeout=3 * PATIENCE, check=False, env=dict(os.environ, HEDDLE_REAL_LOGGER="INFO,console"))
        self.assertEqual(done.returncode, 0, done.stderr[-3000:])
        shown = dict(re.findall(r"^\t\t(.+)=(\d+)$", done.stderr, re.MULTILINE))
        counters = {name: int(shown.get(shown_name(name), -1)) for name in COMPARED}
        return dict(counters, **{OWN: int(shown["lines"])})

    def counters_of_heddle(self, framework, source):
        summary = self.succeed("mapreduce", "--framework", framework, "--master", "local-cluster[2,1,1024]",
                               *self.options(source, str(self.folder / framework)), seconds=3 * PATIENCE)
        counters = {name: value for group in summary["counters"].values() for name, value in group.items()}
        return dict({name: counters.get(name, 0) for name in COMPARED}, **{OWN: counters["lines"]})

    def test_a_job_has_the_counters_of_hadoop_streaming(self):
        text = real_text(1_200_000)
        self.hdfs.write(f"{self.work}/in", text)
        local = self.folder / "in"
        local.write_bytes(text)
        found = {"Hadoop 3.4": self.counters_of_hadoop(f"{self.work}/in")}
        for framework in ("driver", "classic", "yarn"):
            found[framework] = self.counters_of_heddle(framework, str(local))
        self.say("| counter | " + " | ".join(found) + " |")
        self.say("| --- | " + " | ".join("---:" for _ in found) + " |")
        for name in [*COMPARED, OWN]:
            self.say(f"| {name} | " + " | ".join(f"{of[name]:,}" for of in found.values()) + " |")
        for framework in ("driver", "classic", "yarn"):
            self.assertEqual(found[framework], found["Hadoop 3.4"], framework)

    def test_a_job_history_is_shown_by_hadoop(self):
        source = self.folder / "in"
        source.write_bytes(real_text(1_200_000))
        for form in ("json", "binary"):
            with self.subTest(format=form):
                history = self.folder / f"history-{form}"
                summary = self.succeed("mapreduce", "--framework", "yarn", "--master", "local-cluster[2,1,1024]", "-D",
                                       f"heddle.job_history.dir={history}", "-D", f"mapreduce.jobhistory.jhist.format={form}", "-D",
                                       f"mapreduce.job.name=shown {form}", *self.options(str(source), str(self.folder / form)), seconds=3 * PATIENCE)
                [path] = history.glob("*.jhist")
                shown = json.loads(hadoop("mapred", "-history", "all", f"file://{path}", "-format", "json"))
                self.assertEqual((shown["hadoopJob"], shown["jobName"], shown["status"]), (path.stem, f"shown {form}", "SUCCEEDED"))
                counted = {group: {counter["counterName"]: counter["totalValue"] for counter in counters}
                           for group, counters in shown["counters"].items()}
                self.assertEqual(counted, summary["counters"])
                for kind in ("map", "reduce"):
                    number = counted["org.apache.hadoop.mapreduce.JobCounter"][f"TOTAL_LAUNCHED_{kind.upper()}S"]
                    self.assertEqual({name: shown["taskSummary"][kind][name] for name in ("total", "successful", "failed", "killed")},
                                     {"total": number, "successful": number, "failed": 0, "killed": 0})
                self.say(f"{form}: mapred job -history shows the {sum(map(len, counted.values()))} counters of heddle's summary")


if __name__ == "__main__":
    unittest.main(verbosity=2)
