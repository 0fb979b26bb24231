// Goal: an attempt that ends without an outcome of its own is reported with the counters that its child told last.
// Method: fake JobTracker, children and launcher around one TaskTracker, virtual time.
#include <functional>
#include <utility>

#include "tests/actors/task_tracker/slot_world.hpp"

namespace heddle::actors {
namespace reported_counters_test {
namespace {

using UserCounters = std::vector<std::pair<std::string, std::int64_t>>;

TaskCounters records(std::int64_t count) {
  TaskCounters counters;
  set_counter(counters, TaskCounter::map_input_records, count);
  return counters;
}

/// A map of a job with two counters at most runs as child 1, and has reported.
tests::Peer& run_and_report(SlotWorld& world) {
  auto launch = SlotWorld::launch_of({SlotWorld::map_launch(0)});
  launch.jobs.front().programs.front().map_reduce.emplace().counters_max = 2;
  world.answer(launch);
  world.answer();
  auto& child = world.connect(1);
  AttemptProgress message{1, SlotWorld::attempt(0), 0.5F};
  message.counters = {records(5), {{"Mine\tn", 2}}};
  world.say(child, world.tracker, message);
  message.counters = {records(6), {}};
  world.say(child, world.tracker, message);
  return child;
}

/// Outcome of the attempt in the last heartbeat.
TaskOutcome reported(const SlotWorld& world) {
  const auto attempts = world.last_beat().attempts;
  BOOST_TEST_REQUIRE(attempts.size() == 1U);
  BOOST_TEST_REQUIRE(attempts.front().outcome.has_value());
  return *attempts.front().outcome;
}

void kill(SlotWorld& world) {
  HeartbeatResponse message;
  message.kills = {SlotWorld::attempt(0)};
  world.advance(300ms);
  world.answer(message);
  BOOST_TEST(world.peer("child 1").count<KillAttempt>() == 1);
}

BOOST_AUTO_TEST_CASE(an_attempt_that_ends_without_its_own_report_keeps_the_last_counters) {
  struct Case {
    const char* name;
    std::function<void(SlotWorld&)> end;
  };
  const std::vector<Case> cases{{"its child dies", [](SlotWorld& world) { world.end(1, 137, 9); }},
                                {"it times out",
                                 [](SlotWorld& world) {
                                   world.advance(601s);
                                   world.answer();
                                 }},
                                {"it is killed and does not answer", [](SlotWorld& world) {
                                   kill(world);
                                   world.advance(2s);
                                   world.end(1, 143, 15);
                                   world.answer();
                                 }}};
  for (const auto& [name, end] : cases) BOOST_TEST_CONTEXT(name) {
      SlotWorld world;
      run_and_report(world);
      end(world);
      BOOST_TEST((reported(world).task_counters == records(6)));
      BOOST_TEST((reported(world).counters == UserCounters{{"Mine\tn", 2}}));
    }
}

BOOST_AUTO_TEST_CASE(counters_of_an_outcome_win) {
  SlotWorld world;
  auto& child = run_and_report(world);
  TaskOutcome failed;
  failed.state = TaskState::failed;
  failed.task_counters = records(7);
  failed.counters = {{"Mine\tn", 3}};
  world.say(child, world.tracker, AttemptFailed{1, SlotWorld::attempt(0), failed});
  BOOST_TEST((reported(world).task_counters == records(7)));
  BOOST_TEST((reported(world).counters == UserCounters{{"Mine\tn", 3}}));
}

BOOST_AUTO_TEST_CASE(a_success_has_the_counters_of_its_outcome_only) {
  SlotWorld world;
  auto& child = run_and_report(world);
  world.say(child, world.tracker, AttemptDone{1, SlotWorld::attempt(0), {}});
  BOOST_TEST(reported(world).task_counters.empty());
  BOOST_TEST(reported(world).counters.empty());
}

BOOST_AUTO_TEST_CASE(counters_that_no_attempt_can_have_are_ignored) {
  SlotWorld world;
  auto& child = run_and_report(world);
  AttemptProgress message{1, SlotWorld::attempt(0), 0.5F};
  message.counters = {TaskCounters(1000, 7), {{"a", 1}, {"b", 1}, {"c", 1}}};
  world.say(child, world.tracker, message);
  world.end(1, 137, 9);
  BOOST_TEST((reported(world).task_counters == records(6)));
  BOOST_TEST((reported(world).counters == UserCounters{{"Mine\tn", 2}}));
}

}  // namespace
}  // namespace reported_counters_test
}  // namespace heddle::actors
