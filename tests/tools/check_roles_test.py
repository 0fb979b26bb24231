"""tools/check_roles: where a role sends and reads the clock; and the list of exceptions, which may only shrink."""
import unittest

from source_tree import CheckTest

LIST = "tools/structure_exceptions.txt"


class RolesTest(CheckTest):
    check = "check_roles"
    files = {f"actors/{name}/{name}.hpp": "" for name in ("application_master", "client", "map_reduce_master", "yarn_allocator")}


def role(body):
    return "namespace heddle::actors {\n" + body + "\n}  // namespace heddle::actors\n"


class Effects(RolesTest):
    def test_each_kind_of_effect_outside_of_the_effects_file_fails(self):
        for call, name in (("self_->send(x, Stop{})", "send"), ("self_->delayed_send(self_, wait, Tick{})", "delayed_send"),
                           ("self_\n      ->request(peer, wait, Ask{})", "request"), ("self_->monitor(peer)", "monitor"),
                           ("self_->demonitor(peer)", "demonitor"), ("caf::anon_send(peer, Stop{})", "anon_send"),
                           ("caf::send_as(self, peer, Stop{})", "send_as"), ("tick_.arm<DriverTick>(self_, wait)", "arm"),
                           ("tick_.cancel()", "cancel")):
            with self.subTest(call):
                self.write("actors/driver/driver_jobs.cpp", role(f"void Driver::stop() {{\n  {call};\n}}"))
                self.assert_fails(f"calls {name}; expected in actors/driver/driver_effects.cpp only")

    def test_the_effects_file_of_the_role_passes(self):
        self.write("actors/driver/driver_effects.cpp", role("void Driver::stop() {\n  self_->send(x, Stop{});\n}"))
        self.assert_passes()

    def test_the_effects_file_of_another_role_fails(self):
        self.write("actors/driver/executor_effects.cpp", role("void Driver::stop() {\n  self_->send(x, Stop{});\n}"))
        self.assert_fails("actors/driver/executor_effects.cpp:3: calls send")

    def test_comments_literals_and_other_names_pass(self):
        body = '  // self_->send(x)\n  log("self_->send(x)");\n  parts_.on_send();\n  resend(x);\n'
        self.write("actors/driver/driver.cpp", role("void f() {\n" + body + "}"))
        self.assert_passes()


class Delays(RolesTest):
    def test_a_delayed_message_outside_of_the_timers_fails(self):
        for path in ("actors/driver/driver_effects.cpp", "runtime/net/connector.cpp", "apps/roles/watch.cpp"):
            for call in ("delayed_send(self_, wait, Tick{})", "scheduled_send(self_, due, Tick{})"):
                with self.subTest((path, call)):
                    self.write(path, role(f"void f() {{\n  self_->{call};\n}}"))
                    self.assert_fails(f"{path}:3: calls {call[:call.index('(')]}; expected: Timer or send_later of runtime/timers.hpp")
            self.write(path, "")

    def test_the_timers_pass(self):
        self.write("runtime/timers.hpp", "void f() { self->delayed_send(self, delay, Tick{}); }\n")
        self.assert_passes()

    def test_a_later_message_is_sent_by_the_effects_file_only(self):
        self.write("actors/driver/driver_effects.cpp", role("void f() {\n  runtime::send_later(self_, wait, Tick{});\n}"))
        self.assert_passes()
        self.write("actors/driver/driver_jobs.cpp", role("void f() {\n  runtime::send_later(self_, wait, Tick{});\n}"))
        self.assert_fails("driver_jobs.cpp:3: calls send_later; expected in actors/driver/driver_effects.cpp only")


class Waits(RolesTest):
    def test_a_request_outside_of_the_connectors_fails(self):
        for path in ("actors/driver/driver_effects.cpp", "runtime/net/peer_list.cpp", "interop/yarn/link.cpp"):
            self.write(path, role("void f() {\n  self_\n      ->request(peer, 10s, Ask{});\n}"))
            self.assert_fails(f"{path}:4: calls request; expected: connect_peer of runtime/net/, or a message with a Timer")
            self.write(path, role("void f() {\n  allocator.on_request(peer);\n  send_request(peer);\n}"))
            self.assert_passes()

    def test_the_connectors_may_request(self):
        for path in ("runtime/net/connect_peer.hpp", "runtime/net/peer_connector.cpp", "runtime/net/peer_network.cpp"):
            self.write(path, "void f() { self->request(peer, 10s, Ask{}); }\n")
        self.assert_passes()

    def test_a_wait_that_blocks_a_role_fails(self):
        for call, name in (("std::this_thread::sleep_for(1s)", "sleep_for"), ("ready_.wait_for(lock, 1s)", "wait_for"),
                           ("ready_->wait_until(lock, due)", "wait_until")):
            with self.subTest(call):
                self.write("actors/driver/driver_effects.cpp", role(f"void f() {{\n  {call};\n}}"))
                self.assert_fails(f"actors/driver/driver_effects.cpp:3: {name} blocks the thread; expected: a Timer of runtime/timers.hpp")
                self.write("actors/driver/driver_effects.cpp", "")
                self.write("apps/session/wait.cpp", f"void f() {{ {call}; }}\n")
                self.assert_passes()

    def test_nodes_may_wait_for_a_connection(self):
        self.write("actors/driver/driver.cpp", role("void f() {\n  if (nodes.wait_for(address, container)) open(address);\n}"))
        self.assert_passes()


class Parts(RolesTest):
    def hold(self, member, keyword="class", name="Table"):
        self.write("actors/driver/table.hpp", f"class Other {{\n  int x_ = 0;\n}};\nclass Driver {{\n  Other other_;\n}};\n"
                   f"class Listener {{\n  virtual void hear() = 0;\n}};\n{keyword} {name} {{\n  void f(const Other& other) {{ g(&other); }}\n"
                   f"  {member}\n}};\n")

    def test_a_part_that_holds_another_part_or_the_actor_fails(self):
        for member in ("Other* other_ = nullptr;", "const Other& other_;", "std::function<void(int)> then_;", "std::reference_wrapper<Other> o_;",
                       "std::shared_ptr<Other> other_;", "Driver* driver_;"):
            with self.subTest(member):
                self.hold(member)
                self.assert_fails(f"actors/driver/table.hpp:10: Table holds {member[:-1]}; expected: parts know neither each other")

    def test_values_ports_and_interfaces_pass(self):
        for member in ("Other other_;", "ports::EventSink* events_;", "Listener* listener_ = nullptr;", "Other& other();"):
            with self.subTest(member):
                self.hold(member)
                self.assert_passes()

    def test_the_actor_and_the_state_of_one_message_may_hold_parts(self):
        self.hold("Other& other;", "struct", "Turn")
        self.assert_passes()
        self.hold("Other& other;", "struct")
        self.assert_fails("Table holds Other& other")
        self.write("actors/driver/table.hpp", "class Other {\n};\nclass Driver {\n  std::shared_ptr<Other> other_;\n};\n")
        self.assert_passes()


class Clock(RolesTest):
    def test_one_read_per_handler_of_the_main_file_passes(self):
        self.write("actors/driver/driver.cpp", role(
            "Driver::Driver() : a_{1} {\n  start(clock->now());\n}\n"
            "void Driver::on_stop() {\n  const auto now = clock->now();\n  stop(now);\n}\n"
            "void Driver::on_tick() {\n  tick(clock->now());\n}\nvoid Driver::stop(Instant now) {}"))
        self.assert_passes()

    def test_a_read_outside_of_the_main_file_fails(self):
        self.write("actors/driver/driver_jobs.cpp", role("void Driver::on_stop() {\n  stop(tools_.clock->now());\n}"))
        self.assert_fails("actors/driver/driver_jobs.cpp:3: reads the clock; expected: the handler in driver.cpp reads it")

    def test_two_reads_in_a_handler_fail(self):
        self.write("actors/driver/driver.cpp", role("void Driver::on_stop() {\n  if (x) { stop(clock->now()); }\n  end(clock->now());\n}"))
        self.assert_fails("actors/driver/driver.cpp:2: handler on_stop reads the clock 2 times")

    def test_a_second_read_in_a_called_function_fails(self):
        self.write("actors/driver/driver.cpp", role(
            "void Driver::on_stop() {\n  const auto now = clock->now();\n  stop();\n}\nvoid Driver::stop() { end(clock->now()); }"))
        self.assert_fails("handler on_stop reads the clock 2 times")

    def test_lambdas_of_the_behavior_are_handlers(self):
        one = "[this](const Stop& m) { on_stop(clock->now(), m); }"
        self.write("actors/driver/driver.cpp", role(f"B Driver::make_behavior() {{\n  return {{{one},\n          {one}}};\n}}"))
        self.assert_passes()
        two = "[this](const Stop& m) { end(clock->now()), on_stop(clock->now(), m); }"
        self.write("actors/driver/driver.cpp", role(f"B Driver::make_behavior() {{\n  return {{{one},\n          {two}}};\n}}"))
        self.assert_fails("actors/driver/driver.cpp:4: handler lambda reads the clock 2 times")


class Exceptions(RolesTest):
    files = {**RolesTest.files, "actors/driver/driver.cpp": role("void Driver::stop() {\n  self_->send(x, Stop{});\n  self_->send(y, Stop{});\n}")}

    def test_the_listed_count_passes(self):
        self.allow("# comment", "effects_elsewhere actors/driver/driver.cpp 2  # reason")
        self.assertIn("1 exception", self.assert_passes())

    def test_a_larger_count_fails_with_each_place(self):
        self.allow("effects_elsewhere actors/driver/driver.cpp 1")
        self.assert_fails("driver.cpp:3: calls send", "driver.cpp:4: calls send", "[effects_elsewhere actors/driver/driver.cpp 2; listed")

    def test_a_smaller_count_fails(self):
        self.allow("effects_elsewhere actors/driver/driver.cpp 3")
        self.assert_fails(f"{LIST}:1: effects_elsewhere actors/driver/driver.cpp: the count is 2 now, lower it from 3")

    def test_a_line_that_no_longer_occurs_fails(self):
        self.allow("effects_elsewhere actors/driver/driver.cpp 2", "effects_elsewhere actors/driver/gone.cpp 1")
        self.assert_fails(f"{LIST}:2: effects_elsewhere actors/driver/gone.cpp: no longer occurs, remove the line")

    def test_lines_of_other_checks_are_left_alone(self):
        self.allow("class_functions heddle::A 41", "effects_elsewhere actors/driver/driver.cpp 2")
        self.assert_passes()

    def test_unsorted_double_and_malformed_lines_fail(self):
        good = "effects_elsewhere actors/driver/driver.cpp 2"
        for lines, number in (((good, "class_files heddle::A 4"), 2), ((good, good), 2), (("unknown_rule x 1",), 1),
                              (("effects_elsewhere actors/driver/driver.cpp",), 1), (("effects_elsewhere actors/driver/driver.cpp 0",), 1)):
            with self.subTest(lines):
                self.allow(*lines)
                self.assert_fails(f"{LIST}:{number}: ")

    def test_write_lowers_and_removes_and_never_adds(self):
        self.write("actors/executor/executor.cpp", role("void f() { self_->send(x, Stop{}); }"))
        self.write("actors/driver/driver_jobs.cpp", role("void f() { self_->send(x, Stop{}), self_->send(y, Stop{}); }"))
        self.allow("# kept", "effects_elsewhere actors/driver/driver.cpp 3", "effects_elsewhere actors/driver/driver_jobs.cpp 1",
                   "effects_elsewhere actors/driver/gone.cpp 1")
        code, output = self.run_check("--write")
        self.assertEqual(code, 1, output)
        self.assertIn("actors/executor/executor.cpp:2: calls send", output)
        self.assertEqual((self.root / LIST).read_text(), "# kept\neffects_elsewhere actors/driver/driver.cpp 2\n"
                         "effects_elsewhere actors/driver/driver_jobs.cpp 1\n")


if __name__ == "__main__":
    unittest.main()
