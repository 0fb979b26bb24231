"""Other resource types: containers hold those of a node, and requests that no node can satisfy are reported. Memory: a container that uses
more than its grant is killed."""

import re
import sys
import unittest

from heddle_case import HeddleCase

CLUSTER = ("--master", "local-cluster[2,1,256]", "--set", "heddle.master.memory=256m")


class ContainerResources(HeddleCase):
    def write_job(self, tasks=6, command="echo $HEDDLE_NODE_HOST >> held && sleep 0.2"):
        path = self.folder / "job.toml"
        path.write_text(f'name = "kinds"\n[[stage]]\nname = "hold"\ntasks = {tasks}\n'
                        f'command = ["sh", "-c", "{command}"]\noutput = {{ text = "{self.folder}/out" }}\n')
        return str(path)

    def write_topology(self, *hosts, settings="", application=""):
        """Hosts with their other resource types."""
        path = self.folder / "topology.toml"
        path.write_text("".join(f'[[host]]\nname = "{name}"\ncores = 4\nmemory = "4g"\n{kinds}\n' for name, kinds in hosts) +
                        f"[settings]\n\"heddle.master.memory\" = \"256m\"\n{settings}\n{application}")
        return str(path)

    def print_host(self):
        return self.write_job(command=f"echo $HEDDLE_NODE_HOST >> {self.folder}/hosts && sleep 0.05")

    def hosts(self):
        return set((self.folder / "hosts").read_text().split())

    def test_executors_run_on_nodes_with_their_other_resource_types(self):
        """One of three nodes has licences; all executors that need one start there, even if other nodes have free resources."""
        topology = self.write_topology(("plain", ""), ("licensed", 'resources = { license = 2 }'), ("other", 'resources = { "yarn.io/gpu" = 4 }'))
        done = self.run_heddle("run", "--topology", topology, "--set", "heddle.executor.cores=1", "--set", "heddle.executor.memory=256m",
                               "--set", "heddle.executor.instances=2", "--set", "spark.yarn.executor.resource.license.amount=1",
                               self.print_host(), seconds=100)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.hosts(), {"licensed"})
        self.assert_all_gone()

    def test_executors_with_devices_run_on_nodes_with_devices(self):
        topology = self.write_topology(("plain", ""), ("fast", 'resources = { "yarn.io/gpu" = 2 }'))
        for deploy in ("client", "cluster"):
            with self.subTest(deploy=deploy):
                done = self.run_heddle("run", "--deploy-mode", deploy, "--topology", topology, "--set", "heddle.executor.cores=1",
                                       "--set", "heddle.executor.memory=256m", "--set", "heddle.executor.instances=2",
                                       "--set", "spark.executor.resource.gpu.amount=1", "--set", "heddle.executor.resource.gpu.addresses=0",
                                       "--set", "spark.task.resource.gpu.amount=1", "--set", "heddle.output.success_file=false",
                                       self.print_host(), seconds=100)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertNotIn("no node counts", done.stderr)
                self.assertEqual(self.hosts(), {"fast"})
                for part in (self.folder / "out").iterdir():
                    part.unlink()
                (self.folder / "out").rmdir()
        self.assert_all_gone()

    def test_a_kind_that_no_node_counts_is_ignored_with_a_warning(self):
        done = self.run_heddle("run", *CLUSTER, "--set", "heddle.executor.container_resource.licence.amount=1", "--set",
                               "heddle.node_manager.resource.license=1", self.write_job(2, "true"), seconds=100)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('no node counts "licence": executors are started without it', done.stderr)
        self.assertIn('did you mean "license"?', done.stderr)

    def test_a_request_above_every_node_is_refused_with_the_calculation(self):
        job = self.write_job(2, "true")
        for key, sentence in (("heddle.executor.container_resource.license.amount",
                               "an executor needs 256 MiB and 1 cores, 3 of license, but no node is that large: the largest have 256 MiB and 1 "
                               "cores, 2 of license"),
                              ("spark.yarn.am.resource.license.amount",
                               "the master container needs 0 cores, 3 of license, but no node is that large")):
            with self.subTest(key=key):
                done = self.run_heddle("run", *CLUSTER, "--set", "yarn.nodemanager.resource-type.license=2", "--set", f"{key}=3", job)
                self.assertEqual(done.returncode, 4, done.stderr)
                self.assertIn(sentence, done.stderr)
        done = self.run_heddle("run", *CLUSTER, "--set", "spark.yarn.executor.resource.memory-mb.amount=3", job)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("please use heddle.executor.memory instead", done.stderr)

    def test_applications_share_the_licence_of_one_node_in_turn(self):
        """Two applications, one licence: the first runs until the client of the second has received which container holds it."""
        go = self.folder / "go"
        for name, command in (("first", f"while [ ! -e {go} ]; do sleep 0.1; done; echo first >> {self.folder}/turns"),
                              ("second", f"echo second >> {self.folder}/turns")):
            self.write_job(1, command)
            (self.folder / "job.toml").rename(self.folder / f"{name}.toml")
            (self.folder / f"{name}.toml").write_text((self.folder / f"{name}.toml").read_text().replace("/out", f"/out-{name}"))
        applications = "".join(f'[[application]]\nname = "{name}"\njob = "{name}.toml"\nsubmit_at = "{at}"\n'
                               for name, at in (("first", "0s"), ("second", "2s")))
        topology = self.write_topology(("a", "resources = { license = 1 }"), application=applications,
                                       settings='"heddle.executor.container_resource.license.amount" = 1\n"heddle.executor.cores" = 1\n'
                                       '"heddle.executor.memory" = "256m"\n"heddle.executor.instances" = 1')
        client = self.start("run", "--topology", topology)
        waits = next((line for line in client.stderr if "second" in line and "license" in line), "")
        go.touch()
        stdout, rest = client.communicate(timeout=100)
        self.assertEqual(client.returncode, 0, rest)
        self.assertRegex(waits, r"a container waits in default: .*license=1.*held by application_\d+_0001")
        self.assertEqual((self.folder / "turns").read_text().split(), ["first", "second"])
        self.assertEqual(len(re.findall("succeeded", stdout)), 2, stdout)
        self.assert_all_gone()

    def test_a_container_is_killed_for_memory_of_a_process_outside_its_session(self):
        hog = self.folder / "hog.sh"  # the process with the memory has its own session, and its parent has ended
        hog.write_text(f"setsid sh -c '{sys.executable} -c \"x = bytearray(700 << 20); import time; time.sleep(60)\" &' &\n"
                       "cat > /dev/null; sleep 60\n")
        (self.folder / "text").write_text("a\n")
        done = self.run_heddle("mapreduce", "--master", "local-cluster[1,1,800]", "--set", "heddle.executor.memory=128m",
                               "--set", "heddle.master.memory=128m", "--set", "heddle.node_manager.memory_check_interval=500ms",
                               "--set", "heddle.task.max_failures=1", "-input", "text", "-output", "out",
                               "-mapper", f"sh {hog}", "-numReduceTasks", "0", seconds=50)
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"executor 1 on \S+ is lost: it held [2-9]\d\d MiB of 128 MiB granted")
        self.assert_all_gone()


if __name__ == "__main__":
    unittest.main()
