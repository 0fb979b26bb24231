"""A stage whose output several stages read with the same shuffle runs only once, with every master URL."""

import unittest

from heddle_case import CLUSTER, HeddleCase


class SharedShuffle(HeddleCase):
    def write_diamond(self, last_partitions):
        """Two stages read the first one; their shuffles are equal if `last_partitions` is 2."""
        runs = self.folder / "runs"
        runs.mkdir(exist_ok=True)
        path = self.folder / "diamond.toml"
        path.write_text(f'''name = "diamond"

[[stage]]
name = "made"
tasks = 2
command = ["sh", "-c", "touch {runs}/$HEDDLE_TASK_INDEX.$$; printf 'a\\\\tx\\\\nb\\\\ty\\\\n'"]

[[stage]]
name = "first"
after = ["made"]
partitions = 2
shuffle = {{ key_fields = 1 }}
command = ["cut", "-f1"]
output = {{ text = "{self.folder}/first" }}

[[stage]]
name = "second"
after = ["made"]
partitions = {last_partitions}
shuffle = {{ key_fields = 1 }}
command = ["cut", "-f2"]
output = {{ text = "{self.folder}/second" }}
''')
        return str(path), runs

    def records(self, name):
        return sorted(line for part in (self.folder / name).glob("part-*") for line in part.read_text().splitlines())

    def test_the_parent_runs_once_for_two_children_with_equal_shuffles(self):
        for master in ("local[2]", CLUSTER):
            for last_partitions, expected in ((2, 2), (3, 4)):
                with self.subTest(master=master, last_partitions=last_partitions):
                    job, runs = self.write_diamond(last_partitions)
                    done = self.run_heddle("run", "--master", master, job)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertEqual(len(list(runs.iterdir())), expected)
                    self.assertEqual(self.records("first"), ["a", "a", "b", "b"])
                    self.assertEqual(self.records("second"), ["x", "x", "y", "y"])
                    for folder in ("first", "second", "runs"):
                        for file in (self.folder / folder).iterdir():
                            file.unlink()
                        (self.folder / folder).rmdir()
        self.assert_all_gone()


if __name__ == "__main__":
    unittest.main()
