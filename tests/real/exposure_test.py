"""Goal: during a job only the documented ports of heddle listen, no port answers a peer without the key of the application, the key is in
no command line, environment or log, and heddle starts no Java process. Method: `ss -ltnp`, `openssl s_client`, hostile peers, and a search
for the key that the token files of the containers hold.
"""

import contextlib
import itertools
import os
import pathlib
import re
import socket
import struct
import subprocess
import time
import unittest

from real_case import RealCase, processes_of_containers, roles

ALERT = 0x15  # a record of TLS that says why the handshake failed
CLIENT_HANDSHAKE = bytes([1, 0, 0, 0]) + struct.pack(">IQQQ", 32, 0, 0, 0) + bytes(32)  # of CAF, in clear
HOSTILE = {"plain CAF": CLIENT_HANDSHAKE, "HTTP": b"GET / HTTP/1.1\r\n\r\n", "Hadoop RPC": b"hrpc\x09\x00\x00" + bytes(60),
           "a truncated TLS record": b"\x16\x03\x01\x40\x00" + bytes(50)}
SLOW_HELLO = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(500)  # the begin of a greeting of TLS


def processor_seconds(process):
    fields = pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


STRANGERS = ("silent", "slow", "plain", "hostile")
STRANGE_SECONDS = 30


class Stranger:
    """A peer without the key. It acts once a second, and comes again when it was refused."""

    def __init__(self, address, port, kind):
        self.address, self.port, self.kind = address, port, kind
        self.hostile = itertools.cycle(HOSTILE.values())
        self.received, self.connects, self.peer = b"", 0, None
        self.connect()

    def connect(self):
        self.peer = socket.create_connection((self.address, self.port), timeout=20)
        self.peer.setblocking(False)
        self.connects += 1
        self.rest = {"silent": b"", "slow": SLOW_HELLO, "plain": CLIENT_HANDSHAKE, "hostile": next(self.hostile)}[self.kind]

    def act(self):
        try:
            while piece := self.peer.recv(1000):
                self.received += piece
            self.close()
            self.connect()
        except BlockingIOError:
            pass
        except OSError:
            self.close()
            self.connect()
        step = 1 if self.kind == "slow" else len(self.rest)
        with contextlib.suppress(OSError):
            self.peer.send(self.rest[:step])
        self.rest = self.rest[step:]

    def close(self):
        self.peer.close()


class Exposure(RealCase):
    def start_job(self):
        """A job that ends when the file `end` exists; one task with the streams of the client."""
        client = self.start("run", "--master", "yarn", "--", "sh", "-c",
                            f"touch {self.folder}/begun; while ! [ -e {self.folder}/end ]; do sleep 0.05; done; echo fine")
        self.wait_for((self.folder / "begun").exists, 60, "the task runs")
        self.wait_for(lambda: len(roles("executor")) == 2, 60, "both executors run")
        return client

    def start_job_of_cluster_mode(self):
        """The same job with its Driver in the master container, and its output in HDFS."""
        job = self.folder / "exposed.toml"
        job.write_text(f'''name = "exposed"

[[stage]]
name = "one"
tasks = 1
command = ["sh", "-c", "touch {self.folder}/begun; while ! [ -e {self.folder}/end ]; do sleep 0.05; done; echo fine"]
output = {{ text = "{self.work}/out" }}
''')
        client = self.start("run", "--master", "yarn", "--deploy-mode", "cluster", "--no-progress", str(job))
        self.wait_for((self.folder / "begun").exists, 60, "the task runs")
        self.wait_for(lambda: len(roles("executor")) == 2, 60, "both executors run")
        return client

    def end_job(self, client):
        (self.folder / "end").touch()
        output, error = client.communicate(timeout=60)
        self.assertEqual((client.returncode, output), (0, "fine\n"), error)

    def listening(self, client):
        """Address and port of each listening socket of the client and of containers, by process."""
        ours = {client.pid, *(process for process, _, _ in processes_of_containers())}
        found = []
        for line in subprocess.run(["ss", "-ltnpH"], capture_output=True, text=True, check=True).stdout.splitlines():
            process = re.search(r"pid=(\d+)", line)
            if process and int(process.group(1)) in ours:
                address, port = line.split()[3].rsplit(":", 1)
                found.append((int(process.group(1)), address, int(port)))
        return found

    def test_only_the_documented_ports_listen(self):
        client = self.start_job()
        masters, executors = roles("application-master"), roles("executor")
        ports = self.listening(client)
        for process, address, port in sorted(ports, key=lambda entry: entry[0] != client.pid):
            role = "client" if process == client.pid else "executor" if process in executors else "master" if process in masters else "other"
            self.say(f"ss -ltnp: {role} (pid {process}) listens on {address}:{port}")
            self.assertIn(role, ("client", "executor"))
            self.assertRegex(address, r"^127\.", "only the address of the node or of the client")
        of_client = [entry for entry in ports if entry[0] == client.pid]
        self.assertEqual(len(of_client), 2, "the Driver, and the streams of the command")
        self.assertEqual(sorted(entry[0] for entry in ports if entry[0] != client.pid), executors, "one port for map outputs each")
        self.end_job(client)

    def test_peers_without_the_key_get_nothing(self):
        client = self.start_job()
        self.refuse_strangers(self.listening(client))
        self.end_job(client)

    def test_ports_of_cluster_mode(self):
        client = self.start_job_of_cluster_mode()
        masters, executors = roles("application-master"), roles("executor")
        ports = self.listening(client)
        self.assertEqual(sorted(process for process, _, _ in ports), sorted(masters + executors), "one port each, the client none")
        for _, address, _ in ports:
            self.assertRegex(address, r"^127\.0\.0\.1[123]$", "only the address of the node")
        self.refuse_strangers(ports)
        (self.folder / "end").touch()
        said = client.communicate(timeout=60)[1]
        self.assertEqual(client.returncode, 0, said)
        self.assertEqual(b"".join(self.hdfs.parts(f"{self.work}/out").values()), b"fine\n")

    def refuse_strangers(self, ports):
        """Each port refuses each peer without the key, while silent ones are connected."""
        silent = [socket.create_connection((address, port), timeout=20) for _, address, port in ports]
        for _, address, port in ports:
            tried = subprocess.run(["openssl", "s_client", "-connect", f"{address}:{port}", "-tls1_3", "-quiet"], input=b"x\n",
                                   capture_output=True, timeout=30, check=False)
            self.assertNotEqual(tried.returncode, 0)
            self.assertEqual(tried.stdout, b"")
            wrong = subprocess.run(["openssl", "s_client", "-connect", f"{address}:{port}", "-tls1_3", "-quiet", "-psk", "ab" * 32,
                                    "-psk_identity", "application_1_0001"], input=b"x\n", capture_output=True, timeout=30, check=False)
            self.assertEqual(wrong.stdout, b"")
            self.assertNotEqual(wrong.returncode, 0)
            for sent in HOSTILE.values():
                self.assert_refused(address, port, sent)
        self.say(f"openssl s_client without and with a wrong key, and {', '.join(HOSTILE)}: no answer on {len(ports)} ports")
        for peer in silent:
            peer.close()

    def assert_refused(self, address, port, sent):
        """The other end closes without an answer, or with an alert."""
        received = b""
        with socket.create_connection((address, port), timeout=20) as peer:
            try:
                peer.sendall(sent)
                while piece := peer.recv(1000):
                    received += piece
            except (ConnectionResetError, BrokenPipeError):
                pass
        if received:
            self.assertEqual(received[0], ALERT, received)
            self.assertLess(len(received), 30)

    def test_a_hundred_strangers_on_each_port_cost_little(self):
        client = self.start_job()
        ports = self.listening(client)
        processes = {process for process, _, _ in ports}
        size = {process: self.resident_kib(process) for process in processes}
        kinds = [kind for kind in STRANGERS for _ in range(100 // len(STRANGERS))]
        strangers = [Stranger(address, port, kind) for _, address, port in ports for kind in kinds]
        self.assertEqual(len(strangers), 100 * len(ports))
        begin = time.monotonic()
        before, peak, turn = {}, dict(size), 0
        while (now := time.monotonic()) < begin + 1 + STRANGE_SECONDS:
            if now >= begin + 1 and not before:
                before, counted_from = {process: processor_seconds(process) for process in processes}, now
            for stranger in strangers:
                stranger.act()
            peak = {process: max(peak[process], self.resident_kib(process)) for process in processes}
            turn += 1
            time.sleep(max(0.0, begin + turn - time.monotonic()))
        seconds = time.monotonic() - counted_from
        shares = [(processor_seconds(process) - before[process]) / seconds for process in processes]
        growth = [peak[process] - size[process] for process in processes]
        connects = {kind: sum(stranger.connects for stranger in strangers if stranger.kind == kind) for kind in STRANGERS}
        self.say(f"100 peers on each of {len(ports)} ports for {seconds:.0f} s: at most {100 * max(shares):.1f} % of a core and "
                 f"{max(growth) / 1024:.1f} MiB for a process; connections: " + ", ".join(f"{count} {kind}" for kind, count in connects.items()))
        self.assertLess(max(shares), 0.05)
        self.assertLess(max(growth), 64 << 10)
        for stranger in strangers:
            stranger.close()
            self.assertIn(stranger.received[:1], (b"", bytes([ALERT])), stranger.kind)
            self.assertLess(len(stranger.received), 30 * stranger.connects)
        self.assertGreater(connects["plain"], len(strangers) / 2, "they were refused, and came again")
        self.end_job(client)

    @staticmethod
    def resident_kib(process):
        return int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{process}/status").read_text()).group(1))

    def test_the_key_is_nowhere_but_in_token_files(self):
        client = self.start_job()
        cluster = pathlib.Path(os.environ["HEDDLE_REAL_DIR"])
        secrets = set()
        for path in cluster.glob("data/node*/local/usercache/*/appcache/*/*/container_tokens"):
            # The id of the program's libraries is no secret: nodes log the names of files.
            secrets |= set(re.findall(rb"(?<![0-9a-f])(?:[0-9a-f]{64}|[0-9a-f]{32})(?![0-9a-f]|-libraries\.tar)", path.read_bytes()))
        self.assertTrue(any(len(secret) == 64 for secret in secrets), "the key of the application is found")
        looked_at = 0
        for entry in os.scandir("/proc"):
            if not entry.name.isdigit():
                continue
            for name in ("cmdline", "environ"):
                try:
                    known = pathlib.Path(entry.path, name).read_bytes()
                except OSError:
                    continue
                looked_at += 1
                for secret in secrets:
                    self.assertNotIn(secret, known, f"process {entry.name}, {name}")
                    self.assertNotIn(bytes.fromhex(secret.decode()), known, f"process {entry.name}, {name}")
        java = [process for process, words, _ in processes_of_containers() if words and words[0].endswith(b"java")]
        self.assertEqual(java, [], "no Java process in containers")
        children = subprocess.run(["ps", "-o", "args=", "--ppid", str(client.pid)], capture_output=True, text=True, check=False).stdout
        self.assertNotIn("java", children)
        self.end_job(client)
        logs = [path for folder in (cluster / "logs", self.state) for path in folder.rglob("*") if path.is_file()]
        for path in logs:
            content = path.read_bytes()
            for secret in secrets:
                self.assertNotIn(secret, content, path)
        self.say(f"{len(secrets)} secrets are in none of {looked_at} command lines and environments and of {len(logs)} logs; no Java process")


if __name__ == "__main__":
    unittest.main(verbosity=2)
