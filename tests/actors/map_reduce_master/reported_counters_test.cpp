// Goal: an attempt that ends without success keeps in the history the counters that it reported last.
// Method: fake parties in virtual time; the history is a list of events.
#include "tests/actors/map_reduce_master/master_world.hpp"

namespace heddle::actors {
namespace reported_counters_test {
namespace {

using UserCounters = std::vector<std::pair<std::string, std::int64_t>>;

MapReduceMasterStart with_history() {
  MapReduceMasterStart start;
  start.history.folder = "/runs/history";
  start.task_timeout = 3s;
  return start;
}

const TaskAttemptId map_0 = MasterWorld::attempt(0);

/// The only map of a job with two counters at most runs in container 11.
void run_map(MasterWorld& world) {
  world.register_application();
  SubmitJob message;
  message.package = tests::map_only_package({{}});
  message.package.graph.stages.front().map_reduce.emplace().counters_max = 2;
  world.say(world.client, world.master, message);
  world.give({11});
  world.run(11);
}

void report(MasterWorld& world, std::int64_t records, UserCounters user = {}) {
  AttemptProgress message{11, map_0, 0.5F};
  if (records != 0) set_counter(message.counters.task, TaskCounter::map_input_records, records);
  message.counters.user = std::move(user);
  world.say(world.child(11), world.master, message);
}

void fail_with(MasterWorld& world, UserCounters user) {
  TaskOutcome outcome;
  outcome.state = TaskState::failed;
  outcome.failure = FailureKind::command_exit;
  outcome.counters = std::move(user);
  world.say(world.child(11), world.master, AttemptFailed{11, map_0, outcome});
}

/// "name=value" of each counter in the event of the only attempt without success.
std::string counters_of_end(const MasterWorld& world) {
  const auto ends = world.history.all<history::AttemptUnsuccessful>();
  BOOST_TEST_REQUIRE(ends.size() == 1U);
  std::string text;
  for (const auto& group : ends.front().counters.groups)
    for (const auto& counter : group.counters)
      text += (text.empty() ? "" : " ") + counter.name + "=" + std::to_string(counter.value);
  return text;
}

BOOST_AUTO_TEST_CASE(an_attempt_that_ends_without_its_own_report_keeps_the_last_counters) {
  struct Case {
    const char* name;
    std::function<void(MasterWorld&)> end;
  };
  const std::vector<Case> cases{
      {"its container is lost", [](MasterWorld& world) { world.end_container(11, container_exit_status::aborted); }},
      {"it is preempted", [](MasterWorld& world) { world.end_container(11, container_exit_status::preempted); }},
      {"it times out",
       [](MasterWorld& world) {
         for (int second = 0; second < 4; ++second) {
           world.advance(1s);
           world.respond({});
         }
         world.end_container(11, container_exit_status::killed_by_application_master);
       }},
      {"its job is cancelled", [](MasterWorld& world) {
         world.say(world.client, world.master, CancelJob{JobId{1}, "enough"});
         world.end_container(11, container_exit_status::killed_by_application_master);
       }}};
  for (const auto& [name, end] : cases) BOOST_TEST_CONTEXT(name) {
      MasterWorld world{with_history()};
      run_map(world);
      report(world, 5, {{"Mine\tn", 2}});
      report(world, 6);
      report(world, 0, {{"Mine\tn", 3}});
      report(world, 0);
      end(world);
      BOOST_TEST(counters_of_end(world) == "MAP_INPUT_RECORDS=6 n=3");
    }
}

BOOST_AUTO_TEST_CASE(counters_of_the_report_of_a_failure_win) {
  MasterWorld world{with_history()};
  run_map(world);
  report(world, 5, {{"Mine\tn", 2}});
  fail_with(world, {{"Mine\tn", 7}});
  world.end_container(11);
  BOOST_TEST(counters_of_end(world) == "MAP_INPUT_RECORDS=5 n=7");
}

BOOST_AUTO_TEST_CASE(counters_that_no_attempt_can_have_are_ignored) {
  MasterWorld world{with_history()};
  run_map(world);
  report(world, 5, {{"Mine\tn", 2}});
  report(world, -1, {{"a", 1}, {"b", 1}, {"c", 1}});
  AttemptProgress message{11, map_0, 0.5F};
  message.counters.task = TaskCounters(1000, 7);
  world.say(world.child(11), world.master, message);
  fail_with(world, {{"a", 1}, {"b", 1}, {"c", 1}});
  world.end_container(11);
  BOOST_TEST(counters_of_end(world) == "MAP_INPUT_RECORDS=5 n=2");
}

BOOST_AUTO_TEST_CASE(a_success_has_the_counters_of_its_outcome_only) {
  MasterWorld world{with_history()};
  run_map(world);
  report(world, 5, {{"Mine\tn", 2}});
  world.say(world.child(11), world.master, CommitPending{11, map_0});
  world.say(world.child(11), world.master, AttemptDone{11, map_0, {}});
  const auto ends = world.history.all<history::MapAttemptFinished>();
  BOOST_TEST_REQUIRE(ends.size() == 1U);
  BOOST_TEST(ends.front().counters.groups.empty());
  for (const auto& [name, value] : world.client.last<JobFinished>().totals.counters)
    BOOST_TEST(!name.starts_with("Mine\t"), name);
}

}  // namespace
}  // namespace reported_counters_test
}  // namespace heddle::actors
