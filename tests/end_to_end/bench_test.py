"""`heddle-bench --quick`: every measure runs, checks its own output, and prints its figures. No time is asserted."""

import json
import os
import subprocess
import unittest

from heddle_case import HEDDLE, HeddleCase

BENCH = os.path.join(os.path.dirname(HEDDLE), "heddle-bench")
NO_OP_TASKS = ("no_op_tasks", "two_process_tasks", "task_latency")
PROCESSES = ("command_tasks", "start")
RECORDS = ("mapper_cat", "word_count", "command_word_count", "sort", "shuffle_fetch")
STARTS_AND_COST = ("cluster_start", "task_memory", "task_cost")
MAP_REDUCE = ("map_reduce_line", "map_reduce_cat", "map_reduce_word_count", "one_line_maps", "copies_beside_maps")


class Bench(HeddleCase):
    def run_bench(self, *words):
        return subprocess.run([BENCH, *words], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=120, check=False)

    def figures(self, *measures):
        done = self.run_bench("--quick", "--quiet", "--format", "json", *measures)
        self.assertEqual(done.returncode, 0, done.stderr)
        document = json.loads(done.stdout)
        self.assertEqual(document["schema"], 1)
        self.assertTrue(document["quick"])
        return {figure["name"]: figure for figure in document["figures"]}

    def test_measures_of_no_op_tasks(self):
        figures = self.figures(*NO_OP_TASKS)
        self.assertLessEqual({"no_op_tasks", "two_process_tasks", "task_latency_p50", "task_latency_idle_p99"}, figures.keys())
        self.assertTrue(all(figure["value"] > 0 for figure in figures.values()))
        latencies = [figure for name, figure in figures.items() if name.startswith("task_latency_")]
        self.assertEqual(len(latencies), 4)
        self.assertTrue(all(figure["peer"] > 0 for figure in latencies))
        self.assert_all_gone()

    def test_measures_of_processes(self):
        figures = self.figures(*PROCESSES)
        self.assertGreater(figures["command_tasks"]["peer"], 0)
        self.assert_all_gone()

    def test_measures_of_records(self):
        figures = self.figures(*RECORDS)
        self.assertTrue(all(figures[name]["peer"] > 0 for name in ("word_count", "command_word_count", "sort")))
        self.assertGreater(min(figures[name]["value"] for name in ("mapper_cat", "shuffle_fetch")), 0)

    def test_measures_of_starts_and_task_cost(self):
        figures = self.figures(*STARTS_AND_COST)
        self.assertLessEqual({"cluster_start", "task_memory", "task_cost"}, figures.keys())
        self.assertTrue(all(figure["value"] > 0 for figure in figures.values()))
        self.assert_all_gone()

    def test_measures_of_map_reduce(self):
        figures = self.figures(*MAP_REDUCE)
        self.assertEqual(len(figures), 12)
        self.assertTrue(all(figure["value"] > 0 for figure in figures.values()))
        self.assert_all_gone()

    def test_every_listed_measure_is_measured_here(self):
        done = self.run_bench("--list")
        self.assertEqual(done.returncode, 0, done.stderr)
        listed = [line.split()[0] for line in done.stdout.splitlines()]
        self.assertEqual(sorted(listed), sorted(NO_OP_TASKS + PROCESSES + RECORDS + STARTS_AND_COST + MAP_REDUCE))

    def test_an_unknown_measure_is_not_found(self):
        done = self.run_bench("no_op_task", "--format", "json")
        self.assertEqual(done.returncode, 3)
        self.assertIn("no_op_tasks", done.stderr)
        self.assertEqual(json.loads(done.stdout)["error"]["kind"], "not_found")

    def test_the_help_lists_the_options(self):
        done = self.run_bench("--help")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("usage: heddle-bench", done.stdout)
        self.assertIn("--turns N", done.stdout)
        self.assertLessEqual(len(done.stdout.splitlines()), 24)


if __name__ == "__main__":
    unittest.main()
