"""Goal: no port of a cluster talks to a peer without the key, and strangers disturb neither the cluster nor the job.
Method: finds every listening socket of the processes of a running job, and connects to it."""

import contextlib
import os
import pathlib
import re
import socket
import ssl
import struct
import time
import unittest

from heddle_case import CLUSTER, HeddleCase

ALERT = 0x15  # a record of TLS that says why the handshake failed
CLIENT_HANDSHAKE = bytes([1, 0, 0, 0]) + struct.pack(">IQQQ", 32, 0, 0, 0) + bytes(32)  # of CAF, in clear


class PortsTest(HeddleCase):
    def ports(self):
        """Listening ports of this test's processes, by port the process."""
        lines = pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]
        listening = {line.split()[9]: int(line.split()[1].split(":")[1], 16) for line in lines if line.split()[3] == "0A"}
        found = {}
        for process in self.processes():
            with contextlib.suppress(FileNotFoundError):  # it has ended
                for entry in os.scandir(f"/proc/{process}/fd"):
                    inode = re.fullmatch(r"socket:\[(\d+)\]", os.readlink(entry.path))
                    if inode and inode.group(1) in listening:
                        found[listening[inode.group(1)]] = process
        return found

    def start_job(self):
        """A job that ends when the file `end` exists; one task with the streams of the client."""
        command = f"touch {self.folder}/begun; while ! [ -e {self.folder}/end ]; do sleep 0.05; done; echo fine"
        client = self.start("run", "--master", CLUSTER, "--", "sh", "-c", command)
        self.wait_for((self.folder / "begun").exists, 30, "the task runs")
        return client

    def end_job(self, client):
        (self.folder / "end").touch()
        output, error = client.communicate(timeout=30)
        self.assertEqual((client.returncode, output), (0, "fine\n"), error)
        self.assert_all_gone()

    @staticmethod
    def connect(port, sent=b""):
        peer = socket.create_connection(("127.0.0.1", port), timeout=15)
        peer.sendall(sent)
        return peer

    def assert_refused(self, peer):
        """The other end closes without an answer, or with an alert."""
        received = b""
        try:
            while piece := peer.recv(1000):
                received += piece
        except ConnectionResetError:
            pass
        peer.close()
        if received:
            self.assertEqual(received[0], ALERT, received)
            self.assertLess(len(received), 30)

    def test_every_port_refuses_silent_plain_and_unauthenticated_peers(self):
        client = self.start_job()
        ports = self.ports()
        # Driver and streams of the client, ResourceManager, NodeManagers and their shuffle servers.
        self.assertGreaterEqual(len(ports), 7, ports)
        silent = [self.connect(port) for port in ports]
        for port in ports:
            for sent in (CLIENT_HANDSHAKE, b"GET / HTTP/1.1\r\n\r\n", b"HSF2" + bytes(60), b"HTRM2 1 a\n" + bytes(30)):
                self.assert_refused(self.connect(port, sent))
            stranger = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            stranger.check_hostname = False
            stranger.verify_mode = ssl.CERT_NONE
            with self.assertRaises((ssl.SSLError, ConnectionResetError)):
                stranger.wrap_socket(self.connect(port))
        for peer in silent:
            self.assert_refused(peer)
        self.end_job(client)

    @staticmethod
    def processor_seconds(process):
        fields = pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def test_a_hundred_strangers_on_a_port_cost_no_processor_time(self):
        client = self.start_job()
        ports = self.ports()
        [manager] = self.processes("heddle-role resource-manager ")
        [port] = [port for port, process in ports.items() if process == manager]
        hello_of_tls = bytes([0x16, 3, 1, 2, 0, 1])
        peers = [self.connect(port, sent) for _ in range(34) for sent in (b"", hello_of_tls[:3], hello_of_tls)]
        before, begin = self.processor_seconds(manager), time.monotonic()
        for peer in peers:
            self.assert_refused(peer)
        seconds = time.monotonic() - begin
        self.assertLess(seconds, 15)
        self.assertLess(self.processor_seconds(manager) - before, 0.3)
        self.end_job(client)

    def test_the_driver_and_the_streams_listen_where_the_settings_say(self):
        words = ("run", "--master", CLUSTER, "--set", "heddle.driver.bind_address=127.0.0.2", "--set", "heddle.driver.host=127.0.0.2")
        done = self.run_heddle(*words, "--", "sh", "-c", "cat; echo fine", stdin="some input\n")
        self.assertEqual((done.returncode, done.stdout), (0, "some input\nfine\n"), done.stderr)
        refused = self.run_heddle("run", "--master", CLUSTER, "--set", "heddle.driver.bind_address=0.0.0.0", "--tasks", "1", "--", "true")
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("heddle.driver.host", refused.stderr)


if __name__ == "__main__":
    unittest.main()
