"""Base of the tests on a real Hadoop: the heddle program on the cluster that `hadoop start` has started, its files over WebHDFS,
and the processes of its containers.
"""

import collections
import contextlib
import functools
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time
import unittest
import urllib.error
import urllib.parse
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "end_to_end"))
from heddle_case import HEDDLE, HeddleCase  # pylint: disable=wrong-import-position

SOURCES = pathlib.Path(__file__).resolve().parents[2]
HADOOP = SOURCES / "tests" / "real" / "hadoop"
SAMPLES = pathlib.Path(os.environ.get("SAMPLES", pathlib.Path(HEDDLE).parent / "samples"))
PATIENCE = 120  # seconds


def hadoop(*words, **environment):
    """Output of tests/real/hadoop."""
    seconds = int(os.environ.get("HEDDLE_REAL_WAIT_S", "120")) + 60
    done = subprocess.run([HADOOP, *words], env=dict(os.environ, **environment), capture_output=True, text=True, timeout=seconds, check=False)
    if done.returncode != 0:
        raise AssertionError(f"hadoop {' '.join(words)}: {done.stdout}{done.stderr}")
    return done.stdout


class WebHdfs:
    """Files of the cluster for one user. Paths are absolute."""

    def __init__(self, user="root"):
        self.base = os.environ.get("HEDDLE_REAL_WEBHDFS", "")
        self.user = user

    def call(self, method, path, operation, data=None, **parameters):
        query = urllib.parse.urlencode({"op": operation, "user.name": self.user, **parameters})
        request = urllib.request.Request(f"{self.base}{urllib.parse.quote(path)}?{query}", method=method, data=data)
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return answer.read()

    def make_folder(self, path, permission="755"):
        self.call("PUT", path, "MKDIRS", permission=permission)

    def give(self, path, user):
        self.call("PUT", path, "SETOWNER", owner=user)

    def write(self, path, content, block_bytes=64 << 20, replication=1):
        place = json.loads(self.call("PUT", path, "CREATE", noredirect="true", overwrite="true", blocksize=block_bytes,
                                     replication=replication, permission="644"))["Location"]
        request = urllib.request.Request(place, method="PUT", data=content, headers={"Content-Type": "application/octet-stream"})
        with urllib.request.urlopen(request, timeout=PATIENCE):
            pass

    def read(self, path):
        return self.call("GET", path, "OPEN")

    def remove(self, path):
        self.call("DELETE", path, "DELETE", recursive="true")

    def status(self, path):
        return json.loads(self.call("GET", path, "GETFILESTATUS"))["FileStatus"]

    def exists(self, path):
        try:
            self.status(path)
        except urllib.error.HTTPError as refused:
            if refused.code == 404:
                return False
            raise
        return True

    def names(self, path):
        listed = json.loads(self.call("GET", path, "LISTSTATUS"))["FileStatuses"]["FileStatus"]
        return sorted(entry["pathSuffix"] for entry in listed)

    def hosts_of_blocks(self, path):
        """One list of hosts for each block."""
        found = json.loads(self.call("GET", path, "GETFILEBLOCKLOCATIONS"))["BlockLocations"]["BlockLocation"]
        return [[host.split(":")[0] for host in block["hosts"]] for block in found]

    def parts(self, folder):
        return {name: self.read(f"{folder}/{name}") for name in self.names(folder) if name.startswith("part-")}


def processes_of_containers():
    """Id, words and environment of each process that a NodeManager of this cluster has started, or a descendant."""
    mark = b"LOCAL_DIRS=" + os.fsencode(os.environ.get("HEDDLE_REAL_DIR", "/nowhere")) + b"/data/"
    found = []
    for entry in os.scandir("/proc"):
        if not entry.name.isdigit():
            continue
        try:
            environment = pathlib.Path(entry.path, "environ").read_bytes()
            words = pathlib.Path(entry.path, "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if mark in environment:
            found.append((int(entry.name), words, environment))
    return sorted(found)


def roles(name, application=""):
    """Ids of the processes of this role, such as executor."""
    mark = os.fsencode(application)
    return [process for process, words, environment in processes_of_containers()
            if words[1:3] == [b"heddle-role", os.fsencode(name)] and mark in environment]


def ask_resource_manager(path):
    with urllib.request.urlopen(f"{os.environ['HEDDLE_REAL_RM_WEB']}/ws/v1/cluster/{path}", timeout=PATIENCE) as answer:
        return json.load(answer)


def count_words(text):
    return collections.Counter(re.findall(rb"[A-Za-z0-9_]+", text))


def counted_words(parts):
    """Counts in the output of `uniq -c`, or lines `word TAB count`."""
    counts = collections.Counter()
    for content in parts.values():
        for line in content.splitlines():
            fields = line.split()
            if len(fields) == 2:  # a split that starts between two words has an empty word
                number, word = fields if b"\t" not in line.rstrip(b"\t") else fields[::-1]
                counts[word] += int(number)
    return counts


def real_text(size):
    """A text of this size out of the header files of the machine."""
    text = bytearray()
    while len(text) < size:
        for path in sorted(pathlib.Path("/usr/include").rglob("*.h*")):
            if path.is_file():
                text += path.read_bytes()
            if len(text) >= size:
                break
    return bytes(text[:size])


@unittest.skipUnless("HEDDLE_REAL_RM" in os.environ, "no real Hadoop")
class RealCase(HeddleCase):
    user = os.environ.get("USER", "root") or "root"

    def setUp(self):
        super().setUp()
        self.hdfs = WebHdfs(self.user)
        self.work = f"/heddle-real/{self.id().rsplit('.', 1)[-1]}-{os.getpid()}"
        self.hdfs.make_folder(self.work)
        self.addCleanup(self.hdfs.remove, self.work)

    def tearDown(self):
        self.assert_no_containers()
        super().tearDown()

    def assert_no_containers(self):
        self.wait_for(lambda: not processes_of_containers(), PATIENCE, "all processes of containers have ended")

    def assert_only_programs_staged(self):
        """In staging nothing of an application is left; programs and their libraries stay, named by hash."""
        staging = f"/user/{self.user}/.heddle"
        names = self.hdfs.names(staging)
        if "applications" in names:
            self.assertEqual(self.hdfs.names(f"{staging}/applications"), [])
        for name in names:
            self.assertRegex(name, r"^([0-9a-f]{32,}-[^/]+|owner|applications)$")

    def assert_no_working_files(self, output):
        """Of a commit nothing is left: neither in the output, if there is one, nor its claim folder beside it."""
        parent, name = output.rsplit("/", 1)
        names = self.hdfs.names(parent)
        self.assertNotIn(f".{name}.heddle-claim", names)
        if name in names:
            self.assertEqual([each for each in self.hdfs.names(output) if each.startswith("_") and each != "_SUCCESS"], [])

    @staticmethod
    def application_of(name):
        """Id of the newest application with this name; empty: none."""
        listed = (ask_resource_manager("apps")["apps"] or {}).get("app", [])
        found = [application["id"] for application in listed if application["name"] == name]
        return max(found, default="")

    def say(self, text):
        print(f"    {text}", flush=True)

    def run_yarn(self, *words, seconds=PATIENCE, **options):
        return self.run_heddle(words[0], "--master", "yarn", *words[1:], seconds=seconds, **options)

    def succeed(self, *words, seconds=PATIENCE):
        """The summary of a job that must succeed; words are the verb and its options."""
        done = self.run_heddle(words[0], "--format", "json", *words[1:], seconds=seconds)
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        return json.loads(done.stdout)

    def write_word_job(self, source, target, split_bytes_max=0, prologue="", name="words"):
        """A word count over HDFS by commands."""
        path = self.folder / f"{name}.toml"
        limit = f'"heddle.input.split_bytes_max" = {split_bytes_max}\n' if split_bytes_max else ""
        path.write_text(f'''name = "{name}"

[[stage]]
name = "split"
input = {{ text = "{source}" }}
command = ["sh", "-c", "{prologue} tr -cs A-Za-z0-9_ '\\\\n'"]

[[stage]]
name = "count"
after = ["split"]
partitions = 3
shuffle = {{ key_fields = 1, order = "sorted" }}
command = ["uniq", "-c"]
output = {{ text = "{target}" }}

[settings]
{limit}''')
        return str(path)


class SecondCluster:
    """Before a RealCase: its tests run on a cluster of one node with these features (ports + 20000)."""

    features = {}

    @classmethod
    def setUpClass(cls):
        if "HEDDLE_REAL_RM" not in os.environ:
            raise unittest.SkipTest("no real Hadoop")
        cls.before = dict(os.environ)
        cls.addClassCleanup(cls.restore)
        offset = int(os.environ.get("HEDDLE_REAL_PORT_OFFSET", "0")) + 20000
        os.environ.update(cls.features, HEDDLE_REAL_DIR=os.environ["HEDDLE_REAL_DIR"] + "-second", HEDDLE_REAL_PORT_OFFSET=str(offset),
                          HEDDLE_REAL_NODES="1", HEDDLE_REAL_DATANODES="1")
        cls.addClassCleanup(hadoop, "clean")
        hadoop("start")
        for line in hadoop("env").splitlines():
            for pair in line.removeprefix("export ").split():
                name, value = pair.split("=", 1)
                os.environ[name] = value

    @classmethod
    def restore(cls):
        os.environ.clear()
        os.environ.update(cls.before)


@functools.lru_cache(maxsize=None)
def has_cluster_mode():
    """True if this build runs the Driver in the master container."""
    done = subprocess.run([HEDDLE, "mapreduce", "--master", "yarn", "--deploy-mode", "cluster", "-input", "/none", "-output", "/none2",
                           "-mapper", "cat"], capture_output=True, text=True, timeout=PATIENCE, check=False)
    return "--deploy-mode" not in done.stderr


class Killer(threading.Thread):
    """Kills a random process of the roles at intervals until it is told to stop."""

    def __init__(self, act, interval):
        super().__init__(daemon=True)
        self.act, self.interval, self.over = act, interval, threading.Event()

    def run(self):
        while not self.over.wait(self.interval):
            self.act()

    def stop(self):
        self.over.set()
        self.join()


def kill(process):
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)
        return True
    return False


def wait_until(condition, seconds, what):
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {seconds} s: {what}")
        time.sleep(0.1)
    return value
