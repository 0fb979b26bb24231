"""`heddle bench --quick`: every measure runs, checks its own output, and prints its figures. No time is asserted."""

import json
import unittest

from heddle_case import HeddleCase


class Bench(HeddleCase):
    def figures(self, *measures):
        done = self.run_heddle("bench", "--quick", "--quiet", "--format", "json", *measures, seconds=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        document = json.loads(done.stdout)
        self.assertEqual(document["schema"], 1)
        self.assertTrue(document["quick"])
        return {figure["name"]: figure for figure in document["figures"]}

    def test_tasks_that_do_nothing(self):
        figures = self.figures("no_op_tasks", "two_process_tasks", "task_latency")
        self.assertLessEqual({"no_op_tasks", "two_process_tasks", "task_latency_p50", "task_latency_idle_p99"}, figures.keys())
        self.assertTrue(all(figure["value"] > 0 for figure in figures.values()))
        self.assert_all_gone()

    def test_processes_beside_their_bare_program(self):
        figures = self.figures("command_tasks", "start")
        self.assertGreater(figures["command_tasks"]["peer"], 0)
        self.assert_all_gone()

    def test_records_beside_their_bare_programs(self):
        figures = self.figures("mapper_cat", "word_count", "command_word_count", "sort", "shuffle_fetch")
        self.assertTrue(all(figures[name]["peer"] > 0 for name in ("word_count", "command_word_count", "sort")))
        self.assertGreater(min(figures[name]["value"] for name in ("mapper_cat", "shuffle_fetch")), 0)

    def test_starts_and_the_cost_of_tasks(self):
        figures = self.figures("cluster_start", "task_memory", "task_cost")
        self.assertLessEqual({"cluster_start", "task_memory", "task_cost"}, figures.keys())
        self.assertTrue(all(figure["value"] > 0 for figure in figures.values()))
        self.assert_all_gone()

    def test_an_unknown_measure_is_not_found(self):
        done = self.run_heddle("bench", "no_op_task")
        self.assertEqual(done.returncode, 3)
        self.assertIn("no_op_tasks", done.stderr)


if __name__ == "__main__":
    unittest.main()
