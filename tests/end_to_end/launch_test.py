"""Goal: the launch spec of a role, in particular its token, is not visible to other users of the machine.
Method: reads /proc/PID of every process of a cluster while a task runs."""

import os
import pathlib
import re
import shutil
import unittest

from heddle_case import CLUSTER, HeddleCase

SECRET = re.compile(rb"[0-9a-f]{32}")  # the form of the ResourceManager's tokens


class LaunchTest(HeddleCase):
    def names_in_environment(self, process):
        words = pathlib.Path(f"/proc/{process}/environ").read_bytes().split(b"\0")
        names = {word.split(b"=")[0].decode() for word in words if word.startswith(b"HEDDLE_")}
        return names - {name for name in self.environment if name.startswith("HEDDLE_")}

    def secrets(self, process, file):
        known = {value.encode() for value in self.environment.values()}
        words = pathlib.Path(f"/proc/{process}/{file}").read_bytes().split(b"\0")
        return [word for word in words if SECRET.search(word) and word.split(b"=", 1)[-1] not in known]

    def open_specs(self, process):
        links = [os.readlink(entry.path) for entry in os.scandir(f"/proc/{process}/fd")]
        return [link for link in links if "launch spec" in link]

    def test_environment_and_arguments_of_roles_and_tasks_do_not_contain_the_launch_spec(self):
        for deploy in ("client", "cluster"):
            with self.subTest(deploy=deploy):
                client = self.start("run", "--master", CLUSTER, "--deploy-mode", deploy, "--", "sleep", "60.25")
                [task] = self.wait_for(lambda: self.processes(r"^sleep 60.25 "), 30, "the task runs")
                roles = {role: self.processes(f"heddle-role {role} ")
                         for role in ("resource-manager", "node-manager", "application-master", "executor", "watch")}
                common = {"HEDDLE_PROCESS_MARK"}
                for role, found in roles.items():
                    self.assertTrue(found, role)
                    allowed = common if role in ("resource-manager", "watch") else common | {"HEDDLE_NODE_HOST"}
                    for process in found:
                        self.assertLessEqual(self.names_in_environment(process), allowed, role)
                own = {"HEDDLE_TASK_INDEX", "HEDDLE_TASK_COUNT", "HEDDLE_TASK_ATTEMPT", "HEDDLE_STAGE", "HEDDLE_APPLICATION"}
                self.assertEqual(self.names_in_environment(task), common | {"HEDDLE_NODE_HOST"} | own)
                for process in (task, *sum(roles.values(), [])):
                    self.assertEqual(self.secrets(process, "environ"), [])
                    self.assertEqual(self.secrets(process, "cmdline"), [])
                    # A second executor may just be starting.
                    self.wait_for(lambda process=process: not self.open_specs(process), 10, f"process {process} has read its launch spec")
                client.terminate()
                client.wait(timeout=30)
                self.assert_all_gone()

    def test_logs_and_state_are_private_to_the_user(self):
        self.addCleanup(os.umask, os.umask(0o022))
        for master in ("local[2]", CLUSTER):
            with self.subTest(master=master):
                done = self.run_heddle("run", "--master", master, "--tasks", "2", "--", "sh", "-c", "echo out; echo err >&2")
                self.assertEqual(done.returncode, 0, done.stderr)
                logs = self.state / "heddle"
                [application] = list(logs.glob("application_*"))
                modes = {path.name: oct(path.stat().st_mode & 0o777) for path in (logs, application)}
                self.assertEqual(modes, {logs.name: "0o700", application.name: "0o700"})
                files = [path for path in application.rglob("*") if path.is_file() and path.name != "OWNER"]
                self.assertGreater(len(files), 4 if master != CLUSTER else 7)
                self.assertEqual({str(path): oct(path.stat().st_mode & 0o777) for path in files}, {str(path): "0o600" for path in files})
                shutil.rmtree(logs)

    def test_task_logs_in_a_chosen_folder_are_private_to_the_user(self):
        self.addCleanup(os.umask, os.umask(0o022))
        chosen = self.folder / "task_logs"
        chosen.mkdir(mode=0o755)
        for master in ("local[2]", CLUSTER):
            with self.subTest(master=master):
                done = self.run_heddle("run", "--master", master, "--set", f"heddle.task_log.dir={chosen}", "--tasks", "2", "--",
                                       "sh", "-c", "echo out; echo err >&2")
                self.assertEqual(done.returncode, 0, done.stderr)
                [application] = chosen.iterdir()
                found = {str(path.relative_to(chosen)): path for path in (application, *application.rglob("*"))}
                self.assertEqual(sum(path.is_file() for path in found.values()), 4, found)
                self.assertEqual({name: oct(path.stat().st_mode & 0o777) for name, path in found.items()},
                                 {name: "0o700" if path.is_dir() else "0o600" for name, path in found.items()})
                shutil.rmtree(application)

    def test_a_role_that_is_started_by_hand_fails_with_an_explanation(self):
        done = self.run_heddle("heddle-role", "executor")
        self.assertEqual(done.returncode, 70)
        self.assertIn("a role needs the descriptor of its launch spec", done.stderr)


if __name__ == "__main__":
    unittest.main()
