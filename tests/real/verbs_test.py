"""Goal: applications on an unmodified Hadoop are listed, shown, awaited and cancelled by id. Method: a job that waits for a file, and the
verbs beside it."""

import json
import pathlib
import re
import unittest

from real_case import PATIENCE, RealCase, SecondCluster, ask_resource_manager, hadoop, processes_of_containers


class Verbs(RealCase):
    def setUp(self):
        super().setUp()
        self.applications = []

    def assert_no_containers(self):
        """Of the applications of this test: others may run beside it."""
        marks = [application.replace("application_", "_").encode() for application in self.applications]
        left = lambda: [words for _, words, environment in processes_of_containers()  # pylint: disable=unnecessary-lambda-assignment
                        if any(b"CONTAINER_ID=container" + mark in environment for mark in marks)]
        self.wait_for(lambda: not left(), PATIENCE, "all processes of containers have ended")

    def start_waiting(self, name):
        """A job whose task ends with the code in the file `go`; its name is the command's."""
        script = self.folder / name
        script.write_text(f'#!/bin/sh\necho words of {name}\nwhile [ ! -s {self.folder}/go ]; do sleep 0.2; done\nexit $(cat {self.folder}/go)\n')
        script.chmod(0o755)
        client = self.start("run", "--master", "yarn", "--tasks", "2", "--set", "heddle.task.max_failures=1", "--", str(script))
        application = self.wait_for(lambda: self.application_of(name), PATIENCE, "the ResourceManager knows the application")
        self.applications.append(application)
        self.wait_for(lambda: self.state_of(application) == "RUNNING", PATIENCE, "the application runs")
        return client, application

    @staticmethod
    def state_of(application):
        return ask_resource_manager(f"apps/{application}")["app"]["state"]

    def verb(self, name, *words):
        return self.run_yarn(name, *words)

    def document(self, name, *words):
        done = self.verb(name, *words, "--format", "json")
        return done.returncode, json.loads(done.stdout)

    def test_a_running_application_is_listed_and_shown_and_awaited(self):
        client, application = self.start_waiting(f"awaited-{pathlib.Path(self.folder).name}")
        _, listed = self.document("list")
        [own] = [each for each in listed["applications"] if each["id"] == application]
        self.assertEqual((own["type"], own["state"], own["final_status"], own["user"]), ("HEDDLE", "RUNNING", None, self.user))
        self.assertIn(application, self.verb("list").stdout)

        self.assert_listed_by_hadoop(application, own["name"])
        containers = self.wait_for(lambda: self.document("info", application)[1]["containers"][1:], PATIENCE, "executors run")
        for container in containers:
            self.assertRegex(container["log"], rf"^http://.*:\d+/node/containerlogs/{container['id']}/{self.user}$")

        waiting = self.start("wait", "--master", "yarn", application)
        (self.folder / "go").write_text("0")
        self.assertEqual(client.wait(PATIENCE), 0)
        self.assertEqual(waiting.wait(PATIENCE), 0)
        self.assertRegex(waiting.stderr.read(), rf"{application} succeeded after (\d+ min )?[\d.]+ s\n$")
        self.assertNotIn(application, self.verb("list").stdout)
        self.assertIn(application, self.verb("list", "--ended").stdout)
        refused = self.verb("cancel", application)
        self.assertEqual(refused.returncode, 4)
        self.assertIn("has ended already, with status SUCCEEDED", refused.stderr)

    def assert_listed_by_hadoop(self, application, name):
        """`yarn application -list`, without and with the type."""
        for words in ((), ("-appTypes", "HEDDLE")):
            listed = hadoop("yarn", "application", "-list", *words)
            [row] = [[field.strip() for field in line.split("\t")] for line in listed.splitlines() if line.startswith(application)]
            self.assertEqual(row[:7], [application, name, "HEDDLE", self.user, "root.default", "RUNNING", "UNDEFINED"])
            self.assertRegex(row[7], r"^\d+%$")

    def test_a_cancelled_application_has_ended_when_the_verb_returns(self):
        client, application = self.start_waiting(f"cancelled-{pathlib.Path(self.folder).name}")
        done = self.verb("cancel", application)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.state_of(application), "KILLED")
        self.assertEqual(client.wait(PATIENCE), 1)
        self.assertIn("with heddle cancel", client.stderr.read())
        code, ended = self.document("wait", application)
        self.assertEqual((code, ended["state"]), (7, "KILLED"))

    def test_a_submitted_job_needs_no_client(self):
        name = f"submitted-{pathlib.Path(self.folder).name}"
        script = self.folder / name
        script.write_text(f"#!/bin/sh\necho task $HEDDLE_TASK_INDEX\nwhile [ ! -s {self.folder}/go ]; do sleep 0.2; done\n")
        script.chmod(0o755)
        submitted = self.verb("submit", "--tasks", "2", "--", str(script))
        self.assertEqual(submitted.returncode, 0, submitted.stderr)
        application = submitted.stdout.strip()
        self.applications.append(application)
        self.assertEqual(self.application_of(name), application)
        (self.folder / "go").write_text("0")
        self.assertEqual(self.verb("wait", application).returncode, 0)

    def test_a_streaming_job_in_the_background_needs_no_client(self):
        (self.folder / "lines").write_text("b\na\n")
        submitted = self.verb("mapreduce", "-background", "-input", f"file://{self.folder}/lines", "-output", f"file://{self.folder}/out",
                              "-mapper", "cat", "--format", "json")
        self.assertEqual(submitted.returncode, 0, submitted.stderr)
        application = json.loads(submitted.stdout)["id"]
        self.applications.append(application)
        self.assertEqual(self.verb("wait", application).returncode, 0)
        self.assertEqual((self.folder / "out" / "part-00000").read_text(), "a\t\nb\t\n")

    def test_the_wait_for_a_failed_application_has_its_reason(self):
        client, application = self.start_waiting(f"failed-{pathlib.Path(self.folder).name}")
        (self.folder / "go").write_text("3")
        done = self.verb("wait", application)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("failed after", done.stderr)
        self.assertEqual(client.wait(PATIENCE), 1)

    def test_the_logs_of_a_running_application_have_the_stderr_of_its_tasks(self):
        name = f"logged-{pathlib.Path(self.folder).name}"
        mapper, lines = self.folder / name, self.folder / "lines"
        mapper.write_text(f"#!/bin/sh\necho starts >&2\nread offset line\n[ $line = 1 ] || while [ ! -s {self.folder}/go ]; do sleep 0.2; done\n")
        mapper.chmod(0o755)
        lines.write_text("1\n2\n")
        client = self.start("mapreduce", "--master", "yarn", "-D", f"mapreduce.job.name={name}", "-inputformat",
                            "org.apache.hadoop.mapred.lib.NLineInputFormat", "-input", f"file://{lines}", "-output", f"file://{self.folder}/out",
                            "-mapper", str(mapper), "-numReduceTasks", "0")
        application = self.wait_for(lambda: self.application_of(name), PATIENCE, "the ResourceManager knows the application")
        self.applications.append(application)
        printed = self.wait_for(lambda: self.verb("logs", application).stdout, PATIENCE, "a map has ended")
        self.assertRegex(printed, rf"^==> task-0\.0-\d\.0\.stderr of container_{application[12:]}_01_0+\d+ on \S+ <==\nstarts\n$")
        _, document = self.document("logs", "--all-files", application)
        self.assertIn("application_master.jsonl", [file["file"] for file in document["files"]])
        (self.folder / "go").write_text("0")
        self.assertEqual(client.wait(PATIENCE), 0, client.stderr.read())
        self.assert_logs_of_ended(application)

    def assert_logs_of_ended(self, application):
        self.assertIn("the cluster does not collect logs", self.verb("logs", application).stderr)

    def test_an_unknown_id_is_answered_with_the_nearest_one(self):
        done = self.verb("info", "application_1_0001")
        self.assertEqual(done.returncode, 3)
        self.assertIn("the ResourceManager does not know application_1_0001", done.stderr)


class Collected(SecondCluster, Verbs):
    """The same on a cluster that collects the logs of ended applications."""

    features = {"HEDDLE_REAL_LOG_AGGREGATION": "1"}

    def assert_logs_of_ended(self, application):
        printed = self.wait_for(lambda: self.verb("logs", application).stdout, PATIENCE, "the logs are collected")
        self.assertEqual(printed.count("starts"), 2)
        shown = hadoop("java", "org.apache.hadoop.yarn.client.cli.LogsCLI", "-applicationId", application)  # yarn logs
        self.assertEqual(shown.count("\nstarts\n"), 2)
        containers = re.findall(r"^Container: (\S+) on \S+$", shown, re.MULTILINE)  # once for each file
        self.assertEqual(len(set(containers)), 3, "the master and two executors")
        self.assertTrue(all(container.startswith(f"container_{application[12:]}_01_") for container in containers), containers)
        self.assertEqual(sorted(re.findall(r"^LogType:(task-\S+)$", shown, re.MULTILINE)), ["task-0.0-0.0.stderr", "task-0.0-1.0.stderr"])
        self.assertIn("LogType:application_master.jsonl", shown)


if __name__ == "__main__":
    unittest.main()
