// Goal: a MapReduceMaster writes the history of its job, and a second one keeps the tasks that had succeeded.
// Method: fake parties in virtual time; the history is a list of events.
#include "tests/actors/map_reduce_master/master_world.hpp"

namespace heddle::actors {
namespace master_history_test {
namespace {

constexpr std::int64_t clock_offset = 1'700'000'000'000;
constexpr ApplicationId application{1000, 1};

MapReduceMasterStart with_history(std::int32_t attempt = 1) {
  MapReduceMasterStart start;
  start.attempt.attempt = attempt;
  start.history = {"/runs/history",
                   ports::JobHistoryFormat::avro_json,
                   "me",
                   "root.default",
                   {{"a", "1"}},
                   ContainerId{3},
                   "master-host",
                   clock_offset};
  return start;
}

/// Names of the events: the alternative of history::Event.
std::vector<std::size_t> kinds(const std::vector<history::Event>& events) {
  std::vector<std::size_t> made;
  for (const auto& event : events) made.push_back(event.index());
  return made;
}

template <class... Events>
std::vector<std::size_t> kinds_of() {
  return {history::Event{Events{}}.index()...};
}

BOOST_AUTO_TEST_CASE(the_history_of_a_job_has_its_events_in_order) {
  MasterWorld world{with_history()};
  world.begin(1);
  world.advance(1s);
  world.give({11});
  world.run(11);
  world.done(11, MasterWorld::attempt(0));
  BOOST_TEST((world.history.calls == std::vector<std::string>{"begin", "sync", "close"}));
  using namespace history;
  BOOST_TEST(
      kinds(world.history.events) == (kinds_of<MasterStarted, JobSubmitted, JobInited, JobTimesChanged, TaskStarted,
                                               AttemptStarted, MapAttemptFinished, TaskFinished, JobSucceeded>()),
      boost::test_tools::per_element());
  BOOST_TEST((world.history.file.job == application));
  BOOST_TEST(world.history.file.folder == "/runs/history");
  BOOST_TEST((world.history.file.settings.front() == std::pair<std::string, std::string>{"a", "1"}));
  BOOST_TEST((world.history.file.settings.back() ==
              std::pair<std::string, std::string>{"mapreduce.output.fileoutputformat.outputdir", "/out"}));
  const auto master = world.history.all<MasterStarted>().front();
  BOOST_TEST(master.node_host == "master-host");
  BOOST_TEST((master.container.container == ContainerId{3}));
  const auto submitted = world.history.all<JobSubmitted>().front();
  BOOST_TEST(submitted.name == "copy");
  BOOST_TEST(submitted.settings_path == "/runs/history/job_1000_0001_conf.xml");
  BOOST_TEST(submitted.submit_time >= clock_offset);
  const auto started = world.history.all<AttemptStarted>().front();
  BOOST_TEST(started.tracker == "a:1");
  BOOST_TEST(started.locality == "NODE_LOCAL");
  BOOST_TEST(started.avataar == "VIRGIN");
  BOOST_TEST((started.container.container == ContainerId{11}));
  BOOST_TEST(started.start_time == submitted.submit_time + 1000);
  const auto finished = world.history.all<MapAttemptFinished>().front();
  BOOST_TEST(finished.host == "a");
  const auto task = world.history.all<TaskFinished>().front();
  BOOST_TEST((task.winner == AttemptName{{application, false, 0}, 0}));
  BOOST_TEST((task.counters == finished.counters));
  const auto end = world.history.all<JobSucceeded>().front();
  BOOST_TEST(end.finished_maps == 1);
  BOOST_TEST(end.total_counters.groups.size() > 0U);
  BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::succeeded));
  BOOST_TEST(world.has_ended(world.master));
}

BOOST_AUTO_TEST_CASE(a_failed_attempt_is_recorded_with_its_reason) {
  MasterWorld world{with_history()};
  world.begin(1);
  world.give({11});
  world.run(11);
  world.fail(11, MasterWorld::attempt(0), "exit code 3");
  const auto lost = world.history.all<history::AttemptUnsuccessful>();
  BOOST_TEST_REQUIRE(lost.size() == 1U);
  BOOST_TEST(lost.front().error == "exit code 3");
  BOOST_TEST((lost.front().end == history::BadEnd::failed));
  BOOST_TEST(lost.front().host == "a");
}

BOOST_AUTO_TEST_CASE(a_cancelled_job_is_recorded_as_killed_before_its_client_knows) {
  MasterWorld world{with_history()};
  world.begin(1);
  world.give({11});
  world.run(11);
  world.say(world.client, world.master, CancelJob{JobId{1}, "cancelled by the user"});
  world.end_container(11, container_exit_status::killed_by_application_master);
  const auto ends = world.history.all<history::JobUnsuccessful>();
  BOOST_TEST_REQUIRE(ends.size() == 1U);
  BOOST_TEST((ends.front().end == history::BadEnd::killed));
  BOOST_TEST(ends.front().diagnostics == "cancelled by the user");
  BOOST_TEST((world.history.all<history::TaskFailed>().front().end == history::BadEnd::killed));
  BOOST_TEST(world.history.calls.back() == "close");
  BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::cancelled));
}

BOOST_AUTO_TEST_CASE(a_full_disk_ends_the_history_with_a_notice_and_not_the_job) {
  MasterWorld world{with_history()};
  world.begin(1);
  world.give({11});
  world.history.failure = "the history of job_1000_0001 ends here: no space";
  world.run(11);
  BOOST_TEST_REQUIRE(world.client.count<Notice>() == 1);
  BOOST_TEST(world.client.last<Notice>().text == "the history of job_1000_0001 ends here: no space");
  const auto written = world.history.events.size();
  world.done(11, MasterWorld::attempt(0));
  BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::succeeded));
  BOOST_TEST(world.history.events.size() == written);
  BOOST_TEST(world.client.count<Notice>() == 1);
  BOOST_TEST(world.events().count("job_history_ended") == 1);
}

BOOST_AUTO_TEST_CASE(a_history_that_cannot_be_created_is_named_and_the_job_runs) {
  MasterWorld world{with_history()};
  world.history.failure = "/runs: permission denied";
  world.begin(1);
  BOOST_TEST(world.client.last<Notice>().text == "no job history is written: /runs: permission denied");
  world.give({11});
  world.run(11);
  world.done(11, MasterWorld::attempt(0));
  BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::succeeded));
  BOOST_TEST(world.history.events.empty());
}

BOOST_AUTO_TEST_CASE(late_results_of_work_on_the_history_are_ignored) {
  MasterWorld world{with_history()};
  world.say(world.master, HistoryOpened{});
  world.say(world.master, HistoryEnded{});
  BOOST_TEST(world.events().count("stale_history_opened") == 1);
  BOOST_TEST(world.events().count("stale_history_ended") == 1);
}

BOOST_AUTO_TEST_CASE(a_copy_of_a_slow_map_is_recorded_as_speculative) {
  MasterWorld world{with_history()};
  world.begin(3);
  world.give({11, 12, 13});
  for (const std::int64_t container : {11, 12, 13}) world.run(container);
  world.pass_seconds(10);
  for (const std::int32_t map : {0, 1}) {
    world.done(11 + map, MasterWorld::attempt(map));
    world.end_container(11 + map);
  }
  world.pass_seconds(60, 13, MasterWorld::attempt(2));
  if (world.asked() == 0) world.respond({});  // an AllocateRequest was under way
  world.respond({MasterWorld::grant(14)});
  world.run(14);
  const auto copy = world.history.all<history::AttemptStarted>().back();
  BOOST_TEST((copy.attempt == history::AttemptName{{application, false, 2}, 1}));
  BOOST_TEST(copy.avataar == "SPECULATIVE");
}

BOOST_AUTO_TEST_CASE(a_reduce_is_recorded_with_the_end_of_its_copying) {
  MasterWorld world{with_history()};
  world.begin_with_reduces(1, 1);
  world.give({11});
  world.run(11);
  world.finish_map(11, MasterWorld::attempt(0));
  world.say(world.cluster, world.master, AllocationAvailable{});
  world.respond({MasterWorld::grant(21, 10)});
  world.run(21);
  const auto id = MasterWorld::reduce(0);
  world.advance(100ms);
  const auto copied = to_milliseconds(world.now().time_since_epoch()) + clock_offset;
  world.say(world.child(21), world.master, AttemptProgress{21, id, 0.7F, TaskPhase::reduce});
  world.advance(100ms);
  world.done(21, id);
  const auto ended = world.history.all<history::ReduceAttemptFinished>();
  BOOST_TEST_REQUIRE(ended.size() == 1U);
  BOOST_TEST(ended.front().shuffle_finish_time == copied);
  BOOST_TEST(ended.front().finish_time == copied + 100);
  BOOST_TEST(world.history.all<history::AttemptStarted>().back().locality == "OFF_SWITCH");
}

BOOST_AUTO_TEST_CASE(a_failed_task_is_recorded_with_its_last_attempt) {
  MasterWorld world{with_history()};
  world.begin(1);
  for (std::int32_t number = 0; number < 4; ++number) {
    const std::int64_t container = 11 + number;
    if (number == 0) world.give({container});
    else world.respond({MasterWorld::grant(container)});
    world.run(container);
    world.fail(container, MasterWorld::attempt(0, number), "exit code 3");
    world.end_container(container);
    world.advance(1s);
  }
  const auto ends = world.history.all<history::TaskFailed>();
  BOOST_TEST_REQUIRE(ends.size() == 1U);
  BOOST_TEST((ends.front().end == history::BadEnd::failed));
  BOOST_TEST(ends.front().error == "exit code 3");
  BOOST_TEST((ends.front().last_attempt == history::AttemptName{{application, false, 0}, 3}));
  const auto job = world.history.all<history::JobUnsuccessful>().back();
  BOOST_TEST((job.end == history::BadEnd::failed));
  BOOST_TEST(job.diagnostics == world.client.last<JobFinished>().text);
  BOOST_TEST(job.failed_maps == 1);
}

// -- a second master -----------------------------------------------------------------------------------------

/// The history of a first master that has run this job of two maps until one had ended.
std::vector<history::Event> history_of_first_master() {
  MasterWorld first{with_history()};
  first.begin(2);
  first.give({11, 12});
  first.run(11);
  first.run(12);
  first.done(11, MasterWorld::attempt(0));
  return first.history.events;
}

MasterWorld& begin_second(MasterWorld& world, std::vector<history::Event> events, std::int32_t maps = 2) {
  world.history.earlier.events = std::move(events);
  world.register_application();
  world.submit(maps, 1);
  return world;
}

BOOST_AUTO_TEST_CASE(a_second_master_keeps_finished_tasks_and_runs_the_rest) {
  MasterWorld world{with_history(2)};
  begin_second(world, history_of_first_master());
  BOOST_TEST(world.client.last<Notice>().text == "attempt 2 keeps 1 of 2 tasks of the job");
  BOOST_TEST((world.history.calls == std::vector<std::string>{"resume"}));
  BOOST_TEST((world.commit.calls == std::vector<std::string>{"recover"}));
  world.respond({});
  BOOST_TEST(world.asked() == 1);
  world.respond({MasterWorld::grant(21)});
  world.run(21);
  const auto rest = MasterWorld::attempt(1, 1000);
  BOOST_TEST((world.child(21).last<RunAttempt>().launch.attempt == rest));
  world.done(21, rest);
  const auto end = world.client.last<JobFinished>();
  BOOST_TEST((end.status == JobStatus::succeeded), end.text);
  BOOST_TEST((world.commit.committed.front().task_attempts ==
              std::vector<std::string>{"attempt-0.0-0-0", "attempt-0.0-1-1000"}));
  BOOST_TEST(end.totals.tasks == 2);
  BOOST_TEST(end.totals.records_read == 6);
  std::int64_t launched = 0;
  for (const auto& [name, value] : end.totals.counters)
    if (name.ends_with("\tTOTAL_LAUNCHED_MAPS")) launched = value;
  BOOST_TEST(launched == 2);
  // Nothing that the first master wrote is written again.
  BOOST_TEST(world.history.all<history::TaskFinished>().size() == 1U);
  BOOST_TEST(world.history.all<history::MapAttemptFinished>().size() == 1U);
  BOOST_TEST(world.history.all<history::MasterStarted>().front().application.attempt == 2);
  BOOST_TEST(world.history.all<history::JobSucceeded>().front().finished_maps == 2);
}

BOOST_AUTO_TEST_CASE(a_third_master_reads_what_both_wrote) {
  auto events = history_of_first_master();
  {
    MasterWorld second{with_history(2)};
    begin_second(second, events);
    second.respond({});
    second.respond({MasterWorld::grant(21)});
    second.run(21);
    events.insert(events.end(), second.history.events.begin(), second.history.events.end());
  }
  MasterWorld third{with_history(3)};
  begin_second(third, events);
  BOOST_TEST(third.client.last<Notice>().text == "attempt 3 keeps 1 of 2 tasks of the job");
  third.respond({});
  third.respond({MasterWorld::grant(31)});
  third.run(31);
  BOOST_TEST((third.child(31).last<RunAttempt>().launch.attempt == MasterWorld::attempt(1, 2000)));
}

BOOST_AUTO_TEST_CASE(a_task_whose_output_is_gone_runs_again) {
  MasterWorld world{with_history(2)};
  world.commit.missing = {"attempt-0.0-0-0"};
  begin_second(world, history_of_first_master());
  BOOST_TEST(world.client.last<Notice>().text ==
             "attempt 2 keeps 0 of 2 tasks of the job; the outputs of 1 finished task are gone");
  world.respond({});
  BOOST_TEST(world.asked() == 2);
  const auto lost = world.history.all<history::AttemptUnsuccessful>();
  BOOST_TEST_REQUIRE(lost.size() == 1U);
  BOOST_TEST((lost.front().attempt == history::AttemptName{{application, false, 0}, 0}));
  world.respond({MasterWorld::grant(21), MasterWorld::grant(22)});
  world.run(21);
  world.run(22);
  for (const std::int64_t container : {21, 22}) {
    const auto id = world.child(container).last<RunAttempt>().launch.attempt;
    BOOST_TEST(id.attempt == 1000);
    world.done(container, id);
    if (container == 21) world.end_container(21);
  }
  BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::succeeded));
  BOOST_TEST(world.commit.committed.front().task_attempts.front() == "attempt-0.0-0-1000");
}

BOOST_AUTO_TEST_CASE(a_job_whose_tasks_all_had_ended_is_committed_at_once) {
  MasterWorld first{with_history()};
  first.begin(1);
  first.give({11});
  first.run(11);
  first.done(11, MasterWorld::attempt(0));
  auto events = first.history.events;
  events.pop_back();  // killed in the commit
  MasterWorld world{with_history(2)};
  begin_second(world, events, 1);
  BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::succeeded));
  BOOST_TEST((world.commit.calls == std::vector<std::string>{"recover", "commit"}));
  BOOST_TEST((world.commit.committed.front().task_attempts == std::vector<std::string>{"attempt-0.0-0-0"}));
}

BOOST_AUTO_TEST_CASE(a_commit_that_the_first_master_decided_ends_the_job_with_its_counters) {
  MasterWorld world{with_history(2)};
  world.commit.was_committed = true;
  begin_second(world, history_of_first_master());
  const auto end = world.client.last<JobFinished>();
  BOOST_TEST((end.status == JobStatus::succeeded));
  BOOST_TEST(end.totals.tasks == 1);
  BOOST_TEST(end.totals.records_read == 3);
  BOOST_TEST((world.commit.calls == std::vector<std::string>{"recover"}));
  BOOST_TEST(world.history.all<history::JobSucceeded>().size() == 1U);
  BOOST_TEST(world.history.calls.back() == "close");
}

/// The first master is lost before the client hears of the end.
BOOST_AUTO_TEST_CASE(a_job_that_failed_or_was_cancelled_under_the_first_master_does_not_run_again) {
  for (const bool is_cancelled : {false, true}) {
    MasterWorld first{with_history()};
    first.begin(1);
    for (std::int32_t number = 0; number < 4 && !is_cancelled; ++number) {
      const std::int64_t container = 11 + number;
      if (number == 0) first.give({container});
      else first.respond({MasterWorld::grant(container)});
      first.run(container);
      first.fail(container, MasterWorld::attempt(0, number), "exit code 3");
      first.end_container(container);
      first.advance(1s);
    }
    if (is_cancelled) first.say(first.client, first.master, CancelJob{JobId{1}, "enough"});
    BOOST_TEST_REQUIRE(first.client.count<JobFinished>() == 1);
    MasterWorld world{with_history(2)};
    begin_second(world, first.history.events, 1);
    BOOST_TEST_REQUIRE(world.client.count<JobFinished>() == 1);
    const auto end = world.client.last<JobFinished>();
    BOOST_TEST((end.status == (is_cancelled ? JobStatus::cancelled : JobStatus::failed)));
    BOOST_TEST(end.text == first.client.last<JobFinished>().text);
    BOOST_TEST(!world.application.last<EndApplication>().succeeded);
    BOOST_TEST(world.commit.calls.empty());
    BOOST_TEST(world.history.events.empty());
    BOOST_TEST(world.history.calls.back() == "close");
  }
}

/// The state machine of the job is killed then, but nobody has cancelled the job.
BOOST_AUTO_TEST_CASE(a_job_with_too_many_counters_is_recorded_as_failed_and_fails_under_a_second_master) {
  MasterWorld first{with_history()};
  first.register_application();
  SubmitJob message;
  message.package = tests::map_only_package({{}});
  message.package.graph.stages.front().map_reduce.emplace().counters_max = 1;
  first.say(first.client, first.master, message);
  first.give({11});
  first.run(11);
  TaskOutcome outcome;
  outcome.counters = {{"Mine\ta", 1}, {"Mine\tb", 1}};
  first.say(first.child(11), first.master, CommitPending{11, MasterWorld::attempt(0)});
  first.say(first.child(11), first.master, AttemptDone{11, MasterWorld::attempt(0), outcome});
  const auto ends = first.history.all<history::JobUnsuccessful>();
  BOOST_TEST_REQUIRE(ends.size() == 1U);
  BOOST_TEST((ends.front().end == history::BadEnd::failed));
  MasterWorld second{with_history(2)};
  begin_second(second, first.history.events, 1);
  BOOST_TEST_REQUIRE(second.client.count<JobFinished>() == 1);
  BOOST_TEST((second.client.last<JobFinished>().status == JobStatus::failed));
  BOOST_TEST(second.client.last<JobFinished>().text == first.client.last<JobFinished>().text);
}

BOOST_AUTO_TEST_CASE(without_a_history_a_second_master_runs_everything_and_says_so) {
  MasterWorld world{with_history(2)};
  begin_second(world, {});
  BOOST_TEST(world.client.last<Notice>().text ==
             "attempt 2 runs all tasks of the job: the job history has no finished task");
  world.respond({});
  BOOST_TEST(world.asked() == 2);
}

BOOST_AUTO_TEST_CASE(tasks_that_the_job_cannot_have_are_not_kept) {
  auto events = history_of_first_master();
  for (auto& event : events) {
    if (auto* started = std::get_if<history::AttemptStarted>(&event)) started->attempt.attempt += 1000;
    if (auto* ended = std::get_if<history::MapAttemptFinished>(&event)) ended->attempt.attempt += 1000;
    if (auto* task = std::get_if<history::TaskFinished>(&event)) task->winner->attempt += 1000;
  }
  const auto with_other_numbers = events;
  for (auto& event : events) {
    if (auto* ended = std::get_if<history::MapAttemptFinished>(&event)) ended->attempt = {{application, false, 7}, 0};
    if (auto* task = std::get_if<history::TaskFinished>(&event)) {
      task->task.task = 7;
      task->winner = history::AttemptName{{application, false, 7}, 0};
    }
  }
  for (const auto& damaged : {with_other_numbers, events}) {
    MasterWorld world{with_history(2)};
    begin_second(world, damaged);
    world.respond({});
    BOOST_TEST(world.asked() == 2);
  }
}

BOOST_AUTO_TEST_CASE(an_unreadable_history_is_named_and_everything_runs) {
  MasterWorld world{with_history(2)};
  world.history.failure = "/runs/history: permission denied";
  begin_second(world, history_of_first_master());
  BOOST_TEST(world.client.last<Notice>().text ==
             "attempt 2 runs all tasks of the job: /runs/history: permission denied");
  world.respond({});
  BOOST_TEST(world.asked() == 2);
  BOOST_TEST(world.history.events.empty());
}

BOOST_AUTO_TEST_CASE(a_job_that_is_cancelled_while_its_history_is_read_removes_the_output_of_the_first_master) {
  MasterWorld world{with_history(2)};
  world.submit(2, 1);  // not registered yet
  world.say(world.client, world.master, CancelJob{JobId{1}, "cancelled by the user"});
  BOOST_TEST(world.client.count<JobFinished>() == 0);
  world.register_application();
  BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::cancelled));
  BOOST_TEST((world.commit.calls == std::vector<std::string>{"recover", "abort"}));
}

/// A first master whose two maps have ended; a reduce reads their outputs.
std::vector<history::Event> history_of_two_maps() {
  MasterWorld first{with_history()};
  first.begin_with_reduces(2, 1);
  first.give({11, 12});
  for (const std::int32_t map : {0, 1}) {
    first.run(11 + map);
    first.advance(2s);
    first.finish_map(11 + map, MasterWorld::attempt(map));
  }
  return first.history.events;
}

void begin_second_with_reduces(MasterWorld& world) {
  world.history.earlier.events = history_of_two_maps();
  world.register_application();
  SubmitJob message;
  message.request = 7;
  message.package = tests::map_reduce_package(std::vector<std::vector<std::string>>(2), 1);
  message.earlier_drivers = 1;
  world.say(world.client, world.master, message);
}

BOOST_AUTO_TEST_CASE(reduces_of_a_second_master_get_the_map_outputs_of_the_first) {
  MasterWorld world{with_history(2)};
  begin_second_with_reduces(world);
  world.respond({});
  world.respond({MasterWorld::grant(21, 10)});
  auto& reduce = world.run(21);
  const auto id = MasterWorld::reduce(0, 1000);
  BOOST_TEST((reduce.last<RunAttempt>().launch.attempt == id));
  world.say(reduce, world.master, GetMapCompletions{21, id, 0});
  BOOST_TEST_REQUIRE(reduce.count<MapCompletions>() == 1);
  const auto rows = reduce.last<MapCompletions>().rows;
  BOOST_TEST_REQUIRE(rows.size() == 2U);
  for (const std::int32_t map : {0, 1}) {
    const auto row = std::find_if(rows.begin(), rows.end(), [map](const auto& each) { return each.map == map; });
    BOOST_TEST_REQUIRE((row != rows.end()));
    BOOST_TEST(row->attempt == 0);
    BOOST_TEST((row->place == MasterWorld::map_output(map)));
    BOOST_TEST(row->run_us == 2'000'000);
  }
}

BOOST_AUTO_TEST_CASE(maps_on_a_node_that_was_lost_with_the_first_master_run_again) {
  MasterWorld world{with_history(2)};
  world.register_application();
  AllocateResponse lost;
  lost.response_id = ++world.last_response;
  lost.cluster_nodes = 1;
  lost.headroom = {8192, 4};
  lost.updated_nodes = {{NodeId{5}, "a", NodeCondition::lost}};
  world.say(world.cluster, world.master, lost);
  begin_second_with_reduces(world);
  BOOST_TEST(world.client.last<Notice>().text ==
             "attempt 2 keeps 0 of 3 tasks of the job; the outputs of 2 finished tasks are gone");
  world.respond({});
  BOOST_TEST(world.asked() == 2);  // both maps, before the reduce
  BOOST_TEST(world.history.all<history::AttemptUnsuccessful>().size() == 2U);
}

}  // namespace
}  // namespace master_history_test
}  // namespace heddle::actors
