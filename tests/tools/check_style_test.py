"""tools/check_style: lengths; clocks, random numbers and threads in rooms whose runs can be repeated."""
import unittest

from source_tree import CheckTest


class Determinism(CheckTest):
    check = "check_style"
    files = {"tools/style_exceptions.txt": ""}

    def test_clocks_random_numbers_and_threads_fail(self):
        for text, rule in (("auto x = std::chrono::steady_clock::now();", "clocks"), ("clock_gettime(CLOCK_REALTIME, &x);", "clocks"),
                           ("std::random_device device;", "random"), ("int x = rand();", "random"), ("#include <random>", "random"),
                           ("std::jthread thread{f};", "threads"), ("std::mutex mutex;", "threads"), ("#include <thread>", "threads"),
                           ("std::atomic<int> count;", "threads"), ("pthread_create(&t, nullptr, f, nullptr);", "threads")):
            for room in ("actors/driver", "messages", "policies", "model"):
                with self.subTest(text=text, room=room):
                    self.write(f"{room}/a.cpp", text + "\n")
                    self.assert_fails(f"{room}/a.cpp:1: {rule}: ")
                    (self.root / f"{room}/a.cpp").unlink()

    def test_other_rooms_and_names_pass(self):
        self.write("runtime/a.cpp", "std::jthread thread{f};\nauto x = std::chrono::steady_clock::now();\n")
        self.write("policies/a.cpp", "// std::mutex\nRandomStream random{seed};\nint brand(int);\nint x = brand(1);\n")
        self.assert_passes()


class Ports(CheckTest):
    check = "check_style"
    files = {"tools/style_exceptions.txt": ""}

    def test_only_rooms_that_authenticate_the_peer_open_ports(self):
        for text in ("::listen(socket, 16);", "system.middleman().publish(role, 0);", "acceptor_.listen(5, failed);", "::connect(socket, to, size);"):
            with self.subTest(text=text):
                self.write("work/transport/a.cpp", text + "\n")
                self.assert_passes()
                self.write("apps/roles/a.cpp", text + "\n")
                self.assert_fails("apps/roles/a.cpp:1: port: ")
                (self.root / "apps/roles/a.cpp").unlink()


class Lengths(CheckTest):
    check = "check_style"
    files = {"tools/style_exceptions.txt": ""}

    def test_limits_of_lines_functions_and_files(self):
        function = "void run() {{\n{}}}\n".format
        for passes, fails, rule in (("//" + "x" * 118 + "\n", "//" + "x" * 119 + "\n", "121 columns"),
                                    (function("f();\n" * 68), function("f();\n" * 69), "run has 71 lines"),
                                    ("//\n" * 500, "//\n" * 501, "501 lines")):
            with self.subTest(rule=rule):
                self.write("work/a.cpp", passes)
                self.assert_passes()
                self.write("work/a.cpp", fails)
                self.assert_fails(rule)


if __name__ == "__main__":
    unittest.main()
