"""Goal: with --format json or jsonl, stdout has only documents, for every verb and every end.

Method: runs each verb, with valid and invalid arguments, in both formats; parses all of stdout.
"""

import json
import os
import pathlib
import resource
import signal
import subprocess
import unittest

from heddle_case import CLUSTER, HEDDLE, IS_SANITIZED, HeddleCase

LOCAL = ("--master", "local[2]")


class Documents(HeddleCase):
    def documents_of(self, text):
        documents = [json.loads(line) for line in text.splitlines()]
        for document in documents:
            self.assertEqual(document["schema"], 1, text)
        return documents

    def document(self, *words, code=0, form="json", stdin=""):
        """Returns the only document of a run, and its stderr."""
        done = self.run_heddle(*words, stdin=stdin, seconds=60)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        documents = self.documents_of(done.stdout)
        self.assertEqual(len(documents), 1, f"{form}: {done.stdout}")
        return documents[0], done.stderr

    def write_job(self, name="job.toml", command="true", output=""):
        path = self.folder / name
        path.write_text(f'name = "job"\n[[stage]]\nname = "one"\ntasks = 1\ncommand = ["sh", "-c", "{command}"]\n{output}')
        return name

    def test_the_document_names_the_files_with_command_output(self):
        for master in ("local[2]", CLUSTER):
            for form in ("json", "jsonl"):
                with self.subTest(master=master, form=form):
                    words = ("run", "--master", master, "--format", form, "--", "sh", "-c", "echo hi; echo aside >&2; exit $0")
                    for code in (0, 3):
                        document, _ = self.document(*words, str(code), code=code)
                        self.assertEqual(document["succeeded"], code == 0)
                        printed = {path.rsplit(".", 1)[1]: pathlib.Path(path).read_text() for path in document["task_logs"]}
                        self.assertEqual(printed, {"stdout": "hi\n", "stderr": "aside\n"})
                        self.assertTrue(document["task_logs"][0].startswith(document["task_log_folder"] + "/"))

    def test_refusals_are_documents_and_their_texts_are_on_stderr(self):
        self.write_job(output='output = { text = "there" }\n')
        (self.folder / "there").mkdir()
        (self.folder / "wrong.toml").write_text("nmae = 1\n")
        (self.folder / "empty.toml").write_text('[[host]]\nname = "a"\n')
        for words, code, kind in ((("run", *LOCAL, "none.toml"), 3, "not_found"), (("run", *LOCAL, "wrong.toml"), 2, "usage"),
                                  (("run", *LOCAL, "job.toml"), 4, "refused"), (("run", "--nonsense"), 2, "usage"),
                                  (("run", "--topology", "empty.toml"), 2, "usage"), (("run", "--topology", "none"), 3, "not_found"),
                                  (("mapreduce", "-mapper"), 1, "usage"), (("mapreduce", *LOCAL), 1, "usage"),
                                  (("mapreduce", *LOCAL, "-input", "none", "-output", "out", "-mapper", "cat"), 5, "not_found"),
                                  (("config", "--explain", "nothing.like.it"), 3, "not_found"), (("config", "--nonsense"), 2, "usage"),
                                  (("config", "--effective", "--set", "x=y"), 2, "usage"), (("version", "now"), 2, "usage"),
                                  (("nonsense",), 2, "usage"), (("completion",), 2, "usage"), (("completion", "csh"), 2, "usage"), (("bench", "start"), 2, "usage")):
            for form in ("json", "jsonl"):
                with self.subTest(words=words, form=form):
                    document, printed = self.document(*words, "--format", form, code=code)
                    self.assertEqual(document["error"]["kind"], kind)
                    self.assertIn(document["error"]["text"], printed)

    def test_other_verbs_print_documents(self):
        for words in (("version",), ("help",), ("help", "run"), ("run", "--help"), ("mapreduce", "-help"), ("config",), ("config", "--list"),
                      ("config", "--effective"), ("config", "--explain", "spark.locality.wait")):
            with self.subTest(words=words):
                document, _ = self.document(*words, "--format", "json")
                self.assertGreater(len(document), 1)
        for shell in ("bash", "zsh", "fish"):
            script = self.run_heddle("completion", shell).stdout
            for form in ("json", "jsonl"):
                document, _ = self.document("completion", shell, "--format", form)
                self.assertEqual(document["text"], script)
        listed = self.run_heddle("config", "--list", "--format", "jsonl")
        self.assertGreater(len(self.documents_of(listed.stdout)), 100)

    def test_a_cancelled_job_prints_its_document(self):
        client = self.start("run", *LOCAL, "--format", "json", "--", "sleep", "100.25")
        self.wait_for(lambda: self.processes(r"^sleep 100\.25"), 20, "the command runs")
        client.send_signal(signal.SIGTERM)
        printed, words = client.communicate(timeout=20)
        self.assertEqual(client.returncode, 7, words)
        (document,) = self.documents_of(printed)
        self.assertFalse(document["succeeded"])

    def test_a_cancelled_topology_prints_a_document_of_all_its_jobs(self):
        """One application runs, the time of the other has not come."""
        self.write_job(command="sleep 100.75")
        applications = "".join(f'[[application]]\nname = "{name}"\nuser = "ann"\njob = "job.toml"\nsubmit_at = "{time}"\n'
                               for name, time in (("now", "0s"), ("later", "90s")))
        (self.folder / "topology.toml").write_text('[[host]]\nname = "a"\nmemory = "1g"\ncores = 2\n[settings]\n"heddle.master.memory" = "64m"\n'
                                                   '"heddle.executor.memory" = "128m"\n"heddle.executor.cores" = 1\n' + applications)
        for form in ("json", "jsonl"):
            with self.subTest(form=form):
                client = self.start("run", "--topology", "topology.toml", "--format", form)
                self.wait_for(lambda: self.processes(r"^sleep 100\.75"), 20, "the command runs")
                os.kill(client.pid, signal.SIGINT)
                printed, words = client.communicate(timeout=20)
                self.assertEqual(client.returncode, 7, words)
                documents = self.documents_of(printed)
                self.assertEqual(len(documents), 1 if form == "json" else 2, printed)
                jobs = documents[0]["jobs"] if form == "json" else documents
                self.assertEqual({job["application"]: job["outcome"] for job in jobs}, {"now": "cancelled", "later": "cancelled"}, printed)
        self.assert_all_gone()

    def test_a_topology_that_is_cancelled_while_its_cluster_starts_prints_one_document(self):
        self.write_job()
        (self.folder / "topology.toml").write_text('[[host]]\nname = "a"\n[[application]]\nname = "one"\nuser = "ann"\njob = "job.toml"\n')
        client = self.start("run", "--topology", "topology.toml", "--format", "json")
        self.stop_next("resource-manager")
        os.kill(client.pid, signal.SIGINT)
        printed, words = client.communicate(timeout=20)
        self.assertEqual(client.returncode, 7, words)
        (document,) = self.documents_of(printed)
        # If the ResourceManager had reported its address before it stopped, the cluster has started and the document has the job.
        self.assertEqual(document["error"]["kind"] if "error" in document else document["jobs"][0]["outcome"], "cancelled")
        self.assert_all_gone()

    def test_a_second_interrupt_prints_one_document(self):
        for master in ("local[2]", CLUSTER):
            for form in ("json", "jsonl"):
                with self.subTest(master=master, form=form):
                    client = self.start("run", "--master", master, "--set", "heddle.node_manager.kill_wait=60s", "--format", form, "--",
                                        "sh", "-c", "trap '' INT TERM; while :; do sleep 0.73; done")
                    self.wait_for(lambda: self.processes(r"^sleep 0\.73 "), 20, "the command runs")
                    client.send_signal(signal.SIGINT)
                    client.send_signal(signal.SIGTERM)
                    printed, words = client.communicate(timeout=10)
                    self.assertEqual(client.returncode, 130, words)
                    (document,) = self.documents_of(printed)
                    self.assertEqual(document["error"]["kind"], "cancelled")
                    self.assert_all_gone()

    def test_a_program_without_memory_prints_one_document(self):
        if IS_SANITIZED:
            self.skipTest("a program built with sanitizers needs more address space than any limit here")
        ends = set()
        for kib in range(60_000, 460_000, 20_000):
            done = subprocess.run([HEDDLE, "run", *LOCAL, "--format", "json", "--", "true"], cwd=self.folder, env=self.environment,
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30, check=False,
                                  preexec_fn=lambda kib=kib: resource.setrlimit(resource.RLIMIT_AS, (kib * 1024, kib * 1024)))
            if "error while loading shared libraries" in done.stderr:
                continue
            with self.subTest(kib=kib):
                (document,) = self.documents_of(done.stdout)
                # The session did not start, or its task ran out of memory.
                self.assertEqual("error" not in document and document["succeeded"], done.returncode == 0)
                ends.add(done.returncode)
        self.assertIn(70, ends, "some limit is met where nothing but a prepared document can be printed")

    def test_task_logs_are_reported_as_files_or_as_their_folder(self):
        for tasks in (2, 20):
            document, _ = self.document("run", *LOCAL, "--tasks", str(tasks), "--format", "json", "--", "echo", "x")
            files = [pathlib.Path(path) for path in document["task_logs"]]
            self.assertEqual([path.is_file() for path in files], [True] * (2 if tasks == 2 else 0))
            self.assertTrue(pathlib.Path(document["task_log_folder"]).is_dir(), document)

    def test_jobs_of_a_topology_are_documents(self):
        self.write_job("good.toml")
        self.write_job("bad.toml", "echo broken >&2; exit 1")
        applications = "".join(f'[[application]]\nname = "same"\nuser = "ann"\njob = "{job}.toml"\n' for job in ("good", "bad", "good"))
        (self.folder / "topology.toml").write_text('[[host]]\nname = "a"\nmemory = "2g"\ncores = 4\n[settings]\n"heddle.master.memory" = "64m"\n'
                                                   '"heddle.executor.memory" = "128m"\n"heddle.executor.cores" = 1\n"heddle.executor.instances" = 1\n'
                                                   '"heddle.task.max_failures" = 1\n' + applications)
        words = ("run", "--topology", "topology.toml", "--format")
        document, printed = self.document(*words, "json", code=1)
        jobs = {job["application"]: job for job in document["jobs"]}
        self.assertEqual({name: job["outcome"] for name, job in jobs.items()},
                         {"same#1": "succeeded", "same#2": "failed", "same#3": "succeeded"}, printed)
        self.assertEqual(len({job["id"] for job in jobs.values()}), 3)
        self.assertIn("broken", jobs["same#2"]["text"])
        for job in jobs.values():
            self.assertIn(f"{job['application']}: accepted in root.default as {job['id']}", printed.replace("in default", "in root.default"))
            self.assertTrue(pathlib.Path(job["event_log"]).is_file(), job)
        self.assertIn("same#2: the stdout and stderr of its tasks are in " + jobs["same#2"]["task_log_folder"], printed)
        lines = self.run_heddle(*words, "jsonl", seconds=60)
        self.assertEqual(len(self.documents_of(lines.stdout)), 3, lines.stderr)


if __name__ == "__main__":
    unittest.main()
