"""Goal: the texts of `heddle help` suffice to count the words of a folder, and name the sources of settings in their order.
Method: runs the printed examples, with FOLDER replaced, and compares with the counts of Python. Sets one setting in each source.
"""

import collections
import json
import os
import pathlib
import re
import subprocess
import unittest

from heddle_case import HEDDLE, HeddleCase


class Help(HeddleCase):
    def shell(self, text):
        words = {"PATH": f"{os.path.dirname(HEDDLE)}:{self.environment['PATH']}"}
        return subprocess.run(["sh", "-e", "-c", text], cwd=self.folder, env={**self.environment, **words}, capture_output=True, text=True,
                              timeout=60, check=False)

    def write_letters(self):
        (self.folder / "text").mkdir()
        text = "to be or not to be\nthat is the question\n"
        for name in ("one", "two"):
            (self.folder / "text" / name).write_text(text)
        return {word: 2 * count for word, count in collections.Counter(text.split()).items()}

    def test_the_example_of_the_help_counts_words(self):
        expected = self.write_letters()
        lines = self.run_heddle("help").stdout.splitlines()
        begin = next(number for number, line in enumerate(lines) if line.startswith("example: count the words"))
        commands = [line.strip() for line in lines[begin + 1 :] if line.startswith("  ")]
        self.assertEqual(len(commands), 2)
        done = self.shell("\n".join(commands).replace("FOLDER", "text"))
        self.assertEqual(done.returncode, 0, done.stderr)
        counts = {line.split()[1]: int(line.split()[0]) for line in done.stdout.splitlines() if len(line.split()) == 2}
        self.assertEqual(counts, expected)

    def test_the_job_file_of_the_help_counts_words_at_any_depth(self):
        expected = self.write_letters()
        (self.folder / "text" / "deep").mkdir()
        (self.folder / "text" / "two").rename(self.folder / "text" / "deep" / "two")
        done = self.shell("heddle help job-file | sed s/FOLDER/text/ > words.toml; heddle run words.toml; cat counts/part-*")
        self.assertEqual(done.returncode, 0, done.stderr)
        counts = {line.split()[1]: int(line.split()[0]) for line in done.stdout.splitlines() if len(line.split()) == 2}
        self.assertEqual(counts, expected)

    def test_a_folder_in_the_folder_is_refused_with_the_solution(self):
        self.write_letters()
        (self.folder / "text" / "deep").mkdir()
        words = ("mapreduce", "-output", "out", "-mapper", "cat", "-input")
        refused = self.run_heddle(*words, "text")
        self.assertNotEqual(refused.returncode, 0)
        pattern = re.search(r"use '([^']*/\*\*)'", refused.stderr).group(1)
        self.assertEqual(self.run_heddle(*words, pattern).returncode, 0)


README = pathlib.Path(__file__).resolve().parents[2] / "README.md"
WAIT, UPDATE = "heddle.locality.wait", "heddle.fair.update_interval"  # with a name of Spark, with a name of Hadoop
# As README and help name them; the first one wins.
SOURCES = ("--set KEY=VALUE", "--master", "[settings]", "of an [[application]]", "of the job file", "of the topology", "hadoop_conf",
           "heddle.toml in the working folder", "$XDG_CONFIG_HOME/heddle", "~/.config/heddle", "spark-defaults.conf in $SPARK_CONF_DIR",
           "in $SPARK_HOME/conf", "defaults", "the master", "of the setting")


class Sources(HeddleCase):
    def setUp(self):
        super().setUp()
        for variable in ("XDG_CONFIG_HOME", "SPARK_CONF_DIR", "SPARK_HOME", "HADOOP_CONF_DIR", "YARN_CONF_DIR"):
            self.environment.pop(variable, None)
        self.environment["HOME"] = str(self.folder / "home")

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def effective(self, key, *words):
        done = self.run_heddle("config", "--effective", "--format", "json", *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return next(setting["value"] for setting in json.loads(done.stdout)["settings"] if setting["key"] == key)

    def test_readme_and_help_list_the_sources_in_one_order(self):
        section = README.read_text().split("## Settings\n")[1].split("\n## ")[0]
        for text in (section, self.run_heddle("help", "settings").stdout):
            words = " ".join(text.replace("`", "").split())
            at = words.index("The first source")
            for source in SOURCES:
                self.assertIn(source, words[at:], f"after {words[:at]}")
                at = words.index(source, at) + len(source)
            self.assertRegex(words[at:], r"--master yarn.*HADOOP_CONF_DIR|HADOOP_CONF_DIR.*--master yarn")
            self.assertNotIn("HADOOP_CONF_DIR", words[:at], "it is no source of settings")

    def test_files_and_options_win_in_the_order_of_the_help(self):
        """Adds the sources, the last of the list first: each one wins over those before it."""
        self.assertEqual(self.effective(WAIT), "3s")
        self.environment["SPARK_HOME"] = str(self.folder / "spark")
        self.write("spark/conf/spark-defaults.conf", "spark.locality.wait 9s\n")
        self.assertEqual(self.effective(WAIT), "9s")
        self.environment["SPARK_CONF_DIR"] = str(self.folder / "conf")
        self.write("conf/spark-defaults.conf", "spark.locality.wait 10s\n")
        self.assertEqual(self.effective(WAIT), "10s")
        self.write("home/.config/heddle/heddle.toml", f'"{WAIT}" = "11s"\n')
        self.assertEqual(self.effective(WAIT), "11s")
        self.environment["XDG_CONFIG_HOME"] = str(self.folder / "xdg")
        self.write("xdg/heddle/heddle.toml", f'"{WAIT}" = "12s"\n')
        self.assertEqual(self.effective(WAIT), "12s")
        self.write("heddle.toml", f'"{WAIT}" = "13s"\n"{UPDATE}" = "13s"\n"heddle.executor.cores" = 2\n"heddle.executor.instances" = 3\n')
        self.assertEqual(self.effective(WAIT), "13s")
        self.write("hadoop/yarn-site.xml", "<configuration><property><name>yarn.scheduler.fair.update-interval-ms</name><value>14</value>"
                                           "</property></configuration>")
        topology = 'hadoop_conf = "hadoop"\n[[host]]\nname = "a"\n'
        self.write("topology.toml", topology)
        self.assertEqual(self.effective(UPDATE, "--topology", "topology.toml"), "14ms")
        self.write("topology.toml", topology + f'[settings]\n"{UPDATE}" = "15s"\n"{WAIT}" = "15s"\n')
        for key in (UPDATE, WAIT):
            self.assertEqual(self.effective(key, "--topology", "topology.toml"), "15s")
            self.assertEqual(self.effective(key, "--topology", "topology.toml", "--set", f"{key}=16s"), "16s")
        master = ("--master", "local-cluster[2,4,512]")
        self.assertEqual(self.effective("heddle.executor.cores", *master), "4")
        self.assertEqual(self.effective("heddle.executor.cores", *master, "--set", "heddle.executor.cores=1"), "1")
        self.assertEqual(self.effective("heddle.executor.instances", *master), "3", "the master has a default only")
        self.write("heddle.toml", "")
        self.assertEqual(self.effective("heddle.executor.instances", *master), "2")

    def test_settings_of_applications_win_over_those_of_jobs_and_these_over_those_of_the_topology(self):
        of_job = f'[settings]\n"{WAIT}" = "17s"\n"heddle.locality.wait.node" = "17s"\n"heddle.locality.wait.rack" = "17s"\n'
        self.write("job.toml", 'name = "job"\n[[stage]]\nname = "one"\ntasks = 1\ncommand = ["true"]\n' + of_job)
        self.write("topology.toml", f'''[[host]]
name = "a"
memory = "1g"
[settings]
"heddle.locality.wait.node" = "18s"
"{UPDATE}" = "18s"
"heddle.executor.memory" = "128m"
[[application]]
name = "one"
user = "ann"
job = "job.toml"
settings = {{ "{WAIT}" = "19s", "heddle.locality.wait.rack" = "19s" }}
''')
        done = self.run_heddle("run", "--topology", "topology.toml", "--set", "heddle.locality.wait.rack=20s")
        self.assertEqual(done.returncode, 0, done.stderr)
        with next(self.state.glob("heddle/*/events.jsonl")).open() as log:
            values = json.loads(log.readline())["values"]
        found = [values[key] for key in (UPDATE, "heddle.locality.wait.node", WAIT, "heddle.locality.wait.rack")]
        self.assertEqual(found, ["18s", "17s", "19s", "20s"])


if __name__ == "__main__":
    unittest.main()
