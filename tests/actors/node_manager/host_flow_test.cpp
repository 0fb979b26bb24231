// Goal: the flows push messages and process effects in the right order. Method: plain calls; no actor, no clock.
#include <boost/test/unit_test.hpp>
#include <string>

#include "actors/node_manager/memory_flow.hpp"
#include "actors/node_manager/process_flow.hpp"
#include "actors/node_manager/registration_flow.hpp"
#include "tests/actors/node_manager/node_world.hpp"

namespace heddle::actors {
namespace host_flow_test {
namespace {

/// One word per effect; the number is the index of its message in the variant.
struct Name {
  std::string operator()(const FindResourceManager&) const { return "find"; }
  std::string operator()(const SendToResourceManager& effect) const {
    return "send" + std::to_string(effect.message.index());
  }
  std::string operator()(const AnswerStart& effect) const { return "answer" + std::to_string(effect.message.index()); }
  std::string operator()(const LaunchProcess&) const { return "launch"; }
  std::string operator()(const StopProcess& effect) const { return "stop" + std::to_string(effect.process); }
  std::string operator()(const MeasureMemory&) const { return "measure"; }
  std::string operator()(const ArmHeartbeat&) const { return "arm"; }
  std::string operator()(const CancelHeartbeat&) const { return "cancel"; }
  std::string operator()(const LeaveHost&) const { return "leave"; }
};

struct Fixture : Ports {
  HostState state;
  HostEffects effects;
  Instant now{};

  Fixture() {
    state.start.host = "a";
    state.start.launcher = &launcher;
    state.start.files = &files;
  }
  /// The effects of one message.
  template <class Flow>
  std::string effects_of(Flow flow) {
    effects.clear();
    HostTurn turn{state, effects, now};
    flow(turn);
    std::string words;
    for (const auto& effect : effects) words += (words.empty() ? "" : " ") + std::visit(Name{}, effect);
    return words;
  }
  std::string register_as(NodeId node, Epoch epoch) {
    return effects_of([&](HostTurn& turn) { begin_epoch(turn, NodeRegistered{node, epoch}); });
  }
  /// The effects up to LaunchProcess, and after its result.
  std::pair<std::string, std::string> start(const Result<std::int64_t>& process) {
    StartContainer request{ContainerId{7}, {{1000, 1}, 1}, {100, 1}, "secret", NodeWorld::executor_launch()};
    auto before = effects_of([&](HostTurn& turn) { start_container(turn, request); });
    const auto launch = std::get<LaunchProcess>(effects.back());
    return {std::move(before), effects_of([&](HostTurn& turn) { handle_launched(turn, launch, process); })};
  }
};

BOOST_AUTO_TEST_CASE(the_answer_to_a_start_precedes_the_heartbeat_that_lists_the_container) {
  Fixture fixture;
  BOOST_TEST(fixture.register_as(NodeId{3}, Epoch{3}) == "send1 arm");
  const auto [before, after] = fixture.start(std::int64_t{1});
  BOOST_TEST(before == "launch");
  BOOST_TEST(after == "answer0 send1");
  BOOST_TEST(fixture.state.containers.find(ContainerId{7})->process == 1);
}

BOOST_AUTO_TEST_CASE(a_container_that_could_not_be_started_is_answered_and_its_end_is_reported) {
  Fixture fixture;
  static_cast<void>(fixture.register_as(NodeId{3}, Epoch{3}));
  BOOST_TEST(fixture.start(Error{Errc::io, "no descriptors are left"}).second == "answer1 send2");
  BOOST_TEST((fixture.state.containers.find(ContainerId{7}) == nullptr));
}

BOOST_AUTO_TEST_CASE(memory_is_measured_once_at_a_time_and_a_container_far_above_its_limit_is_stopped) {
  Fixture fixture;
  static_cast<void>(fixture.register_as(NodeId{3}, Epoch{3}));
  static_cast<void>(fixture.start(std::int64_t{1}));
  fixture.state.next_memory_check = Instant{};
  BOOST_TEST(fixture.effects_of(run_heartbeat) == "measure send1 arm");
  fixture.state.next_memory_check = Instant{};
  BOOST_TEST(fixture.effects_of(run_heartbeat) == "send1 arm");
  const MemoryMeasured measured{{{1, std::int64_t{300} << 20}, {9, 0}}};
  BOOST_TEST(fixture.effects_of([&](HostTurn& turn) { handle_memory_measured(turn, measured); }) == "stop1");
}

BOOST_AUTO_TEST_CASE(memory_is_measured_at_each_third_heartbeat_whatever_their_lateness) {
  Fixture fixture;
  fixture.now = Instant{Duration{400}};
  static_cast<void>(fixture.register_as(NodeId{3}, Epoch{3}));
  static_cast<void>(fixture.start(std::int64_t{1}));
  std::string measured_at;
  for (int beat = 1; beat <= 9; ++beat) {
    fixture.now = Instant{beat * std::chrono::seconds{1} + Duration{400 - 40 * beat}};
    if (fixture.effects_of(run_heartbeat) != "measure send1 arm") continue;
    measured_at += std::to_string(beat);
    static_cast<void>(fixture.effects_of([](HostTurn& turn) { handle_memory_measured(turn, {}); }));
  }
  BOOST_TEST(measured_at == "369");
}

BOOST_AUTO_TEST_CASE(a_refused_node_stops_its_containers_before_it_exits) {
  Fixture fixture;
  static_cast<void>(fixture.register_as(NodeId{3}, Epoch{3}));
  static_cast<void>(fixture.start(std::int64_t{1}));
  const NodeRefused refused{"its build is another one"};
  BOOST_TEST(fixture.effects_of([&](HostTurn& turn) { leave_refused(turn, refused); }) == "stop1 leave");
}

}  // namespace
}  // namespace host_flow_test
}  // namespace heddle::actors
