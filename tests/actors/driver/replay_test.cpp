// Goal: a Driver's log contains all inputs of its deciders, and a different decision is found. Method: a job with a
// failure and a lost executor in virtual time; its log replayed whole and with missing lines. All other tests of the
// Driver replay their logs too (driver_test.cpp).
#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "tests/actors/driver/driver_world.hpp"
#include "tests/support/driver_replay.hpp"

namespace heddle::actors {
namespace replay_test {
namespace {

/// A job of two stages with a shuffle that succeeds after one failed task and one lost executor.
std::vector<std::string> log_of_a_job() {
  DriverWorld world;
  world.start();
  auto& first = world.executor(1, 2);
  world.submit({own_tasks("map", 3), after("reduce", 0, 1)});
  const auto launched = DriverWorld::launched(first);
  world.report(first, 1, {launched.at(0).stage, 0, 1, 0, {}}, failure("once"));
  auto& second = world.executor(2, 2);
  world.say(world.driver, RemoveExecutor{ExecutorId{1}, {{LossKind::exited, true}, {137, "killed"}}});
  for (int round = 0; round < 4; ++round) {
    const auto ranges = DriverWorld::launched(second);
    for (const auto& range : ranges) world.report(second, 2, range, {});
    world.advance(std::chrono::seconds{1});
  }
  BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::succeeded));
  return world.events().lines;
}

std::size_t differences_of(const std::vector<std::string>& lines) {
  tests::DriverReplay replay;
  for (const auto& line : lines) replay.take(line);
  return replay.differences().size();
}

std::vector<std::string> without(std::vector<std::string> lines, const std::string& word) {
  const auto row = std::find_if(lines.begin(), lines.end(),
                                [&word](const auto& line) { return line.find(word) != std::string::npos; });
  BOOST_REQUIRE(row != lines.end());
  lines.erase(row);
  return lines;
}

}  // namespace

BOOST_AUTO_TEST_CASE(successes_that_arrive_at_different_instants_are_one_record) {
  DriverWorld world;
  world.settings.application_attempt = 0;  // otherwise each message is an event, before which runs are written
  world.start();
  auto& executor = world.executor(1, 4);
  world.submit({own_tasks("s", 4)});
  const auto stage = DriverWorld::launched(executor).at(0).stage;
  for (std::int32_t task = 0; task < 4; ++task) {
    world.advance(std::chrono::milliseconds{1});
    const auto epoch = executor.last<RegisteredExecutor>().epoch;
    world.say(executor, world.driver, StatusUpdate{ExecutorId{1}, epoch, {{stage, task, 1, 0, {0}, {1000}}}, {}});
  }
  BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::succeeded));
  BOOST_TEST(world.events().count("stage_scheduler_success") == 1);
}

BOOST_AUTO_TEST_CASE(replaying_a_log_repeats_all_decisions) {
  const auto lines = log_of_a_job();
  tests::DriverReplay replay;
  for (const auto& line : lines) replay.take(line);
  BOOST_TEST(replay.differences().size() == 0U);
  for (const auto* name :
       {"task_scheduler_set", "task_scheduler_offers", "task_scheduler_status", "task_scheduler_executor_lost",
        "stage_scheduler_submit_job", "stage_scheduler_success", "stage_scheduler_failure", "allocation_start"})
    BOOST_TEST(replay.taken(name) > 0, name << " is in the log");
  BOOST_TEST(replay.launches.size() >= 6U);
  BOOST_TEST(replay.stage_scheduler->running().empty());
}

BOOST_AUTO_TEST_CASE(replaying_a_log_with_a_missing_input_fails) {
  const auto lines = log_of_a_job();
  for (const auto* word : {"\"task_scheduler_set\"", "\"task_scheduler_status\",\"state\":2",
                           "\"stage_scheduler_success\"", "\"full\":true"})
    BOOST_TEST(differences_of(without(lines, word)) > 0U, "without " << word);
}

}  // namespace replay_test
}  // namespace heddle::actors
