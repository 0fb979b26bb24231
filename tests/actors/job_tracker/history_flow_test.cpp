// Goal: the history of a job has the lines of Hadoop 1.2 in their order, is on the disk before the commit starts, and
// its failure does not fail the job. Method: a history in memory beside one JobTracker with fake peers, virtual time.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <map>
#include <variant>

#include "actors/job_tracker/job_tracker_settings.hpp"
#include "tests/actors/job_tracker/tracker_world.hpp"

namespace heddle::actors {
namespace job_history_test {
namespace {

using tests::map_only_package;
using tests::map_reduce_package;

/// Words such as "start m0.0": what an event is about.
struct Word {
  static std::string of(const history::TaskName& task) {
    return (task.is_reduce ? "r" : "m") + std::to_string(task.task);
  }
  static std::string of(const history::AttemptName& attempt) {
    return of(attempt.task) + "." + std::to_string(attempt.attempt);
  }
  std::string operator()(const history::JobSubmitted& line) const { return "job of " + line.user; }
  std::string operator()(const history::JobPriorityChanged& line) const { return "priority " + line.priority; }
  std::string operator()(const history::JobInited& line) const {
    return std::to_string(line.maps) + " maps, " + std::to_string(line.reduces) + " reduces";
  }
  std::string operator()(const history::JobStatusChanged& line) const { return line.status; }
  std::string operator()(const history::TaskStarted& line) const { return "task " + of(line.task); }
  std::string operator()(const history::AttemptStarted& line) const { return "start " + of(line.attempt); }
  std::string operator()(const history::MapAttemptFinished& line) const { return "map " + of(line.attempt); }
  std::string operator()(const history::ReduceAttemptFinished& line) const { return "reduce " + of(line.attempt); }
  std::string operator()(const history::OtherAttemptFinished& line) const {
    return line.state + " " + of(line.attempt);
  }
  std::string operator()(const history::AttemptUnsuccessful& line) const {
    return (line.end == history::BadEnd::failed ? "failed " : "killed ") + of(line.attempt) + ": " + line.error;
  }
  std::string operator()(const history::TaskFinished& line) const { return "done " + of(line.task); }
  std::string operator()(const history::TaskFailed& line) const { return "given up " + of(line.task); }
  std::string operator()(const history::JobSucceeded&) const { return "succeeded"; }
  std::string operator()(const history::JobUnsuccessful& line) const { return "failed: " + line.diagnostics; }
  template <class Other>
  std::string operator()(const Other&) const {
    return "other";
  }
};

using Words = std::vector<std::string>;

Words words_of(const std::vector<history::Event>& events) {
  Words words;
  for (const auto& event : events) words.push_back(std::visit(Word{}, event));
  return words;
}

TrackerWorld::WithStore with_history() {
  TrackerWorld::WithStore with;
  with.settings.history.folder = "/history";
  with.settings.wall_offset_ms = 1'000'000;
  return with;
}

BOOST_AUTO_TEST_CASE(the_settings_file_of_a_job_has_the_keys_of_its_package_and_its_rules) {
  auto with = with_history();
  with.settings.history.settings = {{"mapreduce.job.priority", "NORMAL"}};
  TrackerWorld world{with};
  auto package = map_reduce_package({{"a"}}, 2);
  for (auto& stage : package.graph.stages) stage.map_reduce.emplace().sort_mib = 7;
  JobRules rules;
  rules.priority = JobPriority::high;
  rules.slow_start = 0.5F;
  world.submit(package, rules);
  std::map<std::string, std::string> settings;  // the last value of a key counts
  for (const auto& [key, value] : world.history.file.settings) settings.insert_or_assign(key, value);
  const std::map<std::string, std::string> expected{{"mapreduce.job.name", "copy"},
                                                    {"mapreduce.job.user.name", "ann"},
                                                    {"mapreduce.job.queuename", "default"},
                                                    {"mapreduce.job.maps", "1"},
                                                    {"mapreduce.job.reduces", "2"},
                                                    {"mapreduce.input.fileinputformat.inputdir", "/in"},
                                                    {"mapreduce.output.fileoutputformat.outputdir", "/out"},
                                                    {"mapreduce.task.io.sort.mb", "7"},
                                                    {"mapreduce.map.sort.spill.percent", "0.8"},
                                                    {"mapreduce.job.counters.max", "120"},
                                                    {"mapreduce.job.priority", "HIGH"},
                                                    {"mapreduce.job.reduce.slowstart.completedmaps", "0.5"},
                                                    {"mapreduce.map.speculative", "true"},
                                                    {"heddle.job_tracker.speculative_lag", "60000ms"}};
  for (const auto& [key, value] : expected) BOOST_TEST(settings[key] == value, key << " is " << settings[key]);
}

BOOST_AUTO_TEST_CASE(each_start_and_end_of_a_job_has_its_line) {
  TrackerWorld world{with_history()};
  auto a = world.add_tracker("a");
  world.submit(map_reduce_package({{"a"}}, 1));
  world.beat(a);
  world.advance(2s);
  world.succeed(a);
  world.advance(3s);
  world.succeed(a);  // the map
  world.succeed(a);  // the reduce
  world.succeed(a);  // the cleanup
  BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::succeeded));
  const Words expected{"job of ann",   "priority NORMAL", "1 maps, 1 reduces", "task m2",    "start m2.0", "setup m2.0",
                       "done m2",      "RUNNING",         "task m0",           "start m0.0", "map m0.0",   "done m0",
                       "task r0",      "start r0.0",      "reduce r0.0",       "done r0",    "task m1",    "start m1.0",
                       "cleanup m1.0", "done m1",         "succeeded"};
  BOOST_TEST(words_of(world.history.events) == expected, boost::test_tools::per_element());
  BOOST_TEST(world.history.is_closed);
  BOOST_TEST((world.history.file.job == ApplicationId{1000, 1}));
  BOOST_TEST(world.history.file.job_name == "copy");
  const auto& map = std::get<history::AttemptStarted>(world.history.events.at(9));
  BOOST_TEST(map.tracker == "a");
  BOOST_TEST(map.locality == "NODE_LOCAL");
  const auto& finished = std::get<history::MapAttemptFinished>(world.history.events.at(10));
  BOOST_TEST(finished.finish_time - map.start_time == 3'000);
  BOOST_TEST(finished.host == "a");
  BOOST_TEST(finished.state == "/in:0+100");
  BOOST_TEST_REQUIRE(finished.counters.groups.size() == 1U);
  BOOST_TEST(finished.counters.groups.front().counters.front().value == 1);
  BOOST_TEST((std::get<history::TaskFinished>(world.history.events.at(11)).counters == finished.counters));
  const auto& end = std::get<history::JobSucceeded>(world.history.events.back());
  BOOST_TEST(end.finished_maps == 1);
  BOOST_TEST(end.finished_reduces == 1);
  const auto launched =
      std::find_if(end.total_counters.groups.begin(), end.total_counters.groups.end(),
                   [](auto& group) { return group.name == "org.apache.hadoop.mapred.JobInProgress$Counter"; });
  BOOST_TEST_REQUIRE((launched != end.total_counters.groups.end()));
  BOOST_TEST(launched->counters.front().display_name == "Launched map tasks");
}

/// The commit was decided under an earlier JobTracker: this one only completes it.
BOOST_AUTO_TEST_CASE(a_history_that_a_lost_job_tracker_left_gets_its_end_with_the_counts_of_its_lines) {
  const ApplicationId job{1000, 7};
  for (const bool has_lines : {true, false}) {
    auto with = with_history();
    with.is_committed = true;
    with.settings.restarts = 1;
    auto& recovered = with.settings.recovered_jobs.emplace_back();
    recovered.submission.job = JobId{7};
    recovered.submission.user = "ann";
    recovered.submission.submit_time = 5;
    recovered.submission.package = map_only_package({{"a"}});
    std::vector<history::Event> lines;
    if (has_lines) {
      const history::TaskName map{job, false, 0};
      history::AttemptUnsuccessful failed;
      failed.attempt = {map, 0};
      lines = {history::JobSubmitted{job, "copy", "ann", 5, "", ""}, failed,
               history::TaskFinished{map, AttemptType::map, 8, {}, history::AttemptName{map, 1}},
               history::TaskFinished{{job, false, 1}, AttemptType::job_cleanup, 9, {}, {}}};
    }
    TrackerWorld world{with, lines};
    BOOST_TEST((world.history.file.job == job));
    BOOST_TEST(world.history.file.submit_time == 5);
    BOOST_TEST(world.history.events.size() == (has_lines ? 5U : 2U));
    BOOST_TEST(std::holds_alternative<history::JobSubmitted>(world.history.events.front()));
    const auto& end = std::get<history::JobSucceeded>(world.history.events.back());
    BOOST_TEST(end.finished_maps == (has_lines ? 1 : 0));
    BOOST_TEST(end.failed_maps == (has_lines ? 1 : 0));
    BOOST_TEST(end.finished_reduces == 0);
    BOOST_TEST(world.history.is_closed);
  }
}

BOOST_AUTO_TEST_CASE(a_failed_attempt_has_its_reason_and_a_failed_job_its_text) {
  TrackerWorld world{with_history()};
  auto a = world.add_tracker("a");
  JobRules rules;
  rules.map_attempts_max = 1;
  world.submit(map_only_package({{"a"}}), rules);
  world.beat(a);
  world.succeed(a);
  TrackerWorld::end_all(a, TaskAttemptState::failed, "exit code 3");
  world.beat(a);
  world.succeed(a);
  const auto words = words_of(world.history.events);
  const auto failed = std::find(words.begin(), words.end(), "failed m0.0: exit code 3");
  BOOST_TEST_REQUIRE((failed != words.end()));
  BOOST_TEST(*(failed + 1) == "given up m0");
  BOOST_TEST(words.back() == "failed: stage 'map': task 0 failed 1 time; last on a: exit code 3");
}

BOOST_AUTO_TEST_CASE(the_loss_of_a_finished_map_has_its_reason_and_its_host) {  // JS-5, JT-4
  for (const bool is_tracker_lost : {false, true}) {
    TrackerWorld world{with_history()};
    auto a = world.add_tracker("a");
    const JobId job = world.submit(map_reduce_package({{"a"}}, 1));
    world.beat(a);
    world.succeed(a);
    a.runs.front().place = MapOutputLocation{NodeId{0}, Epoch{1}, "a", "shuffle:1", "/files"};
    world.succeed(a);  // the map; the reduce runs now
    if (is_tracker_lost) world.kill(*a.peer);
    for (int notice = 0; notice < 3 && !is_tracker_lost; ++notice) {
      a.failed_fetches = {{job, false, 0, 0}};
      world.beat(a);
    }
    const auto words = words_of(world.history.events);
    BOOST_TEST(std::count(words.begin(), words.end(), "start m0.0") == 1);
    const auto is_loss = [](const history::Event& event) {
      const auto* line = std::get_if<history::AttemptUnsuccessful>(&event);
      return line != nullptr && !line->attempt.task.is_reduce;
    };
    const auto loss = std::find_if(world.history.events.begin(), world.history.events.end(), is_loss);
    BOOST_TEST_REQUIRE((loss != world.history.events.end()));
    BOOST_TEST(std::visit(Word{}, *loss) == (is_tracker_lost ? "killed m0.0: its TaskTracker was lost"
                                                             : "failed m0.0: reduces could not copy its output"));
    BOOST_TEST(std::get<history::AttemptUnsuccessful>(*loss).host == "a");
  }
}

BOOST_AUTO_TEST_CASE(the_commit_starts_once_the_history_is_on_the_disk) {
  TrackerWorld world{with_history()};
  auto a = world.add_tracker("a");
  world.submit(map_only_package({{"a"}}));
  world.beat(a);
  world.succeed(a);
  world.background.is_held = true;
  TrackerWorld::end_all(a, TaskAttemptState::succeeded);
  const auto before = a.peer->count<HeartbeatResponse>();
  const auto heartbeat = world.heartbeat_of(a);
  world.say(*a.peer, world.tracker, heartbeat);
  world.say(*a.peer, world.tracker, heartbeat);             // it waits for the answer, and asks again
  world.say(world.tracker, HistoryWritten{JobId{9}, "a"});  // of another job
  BOOST_TEST(a.peer->count<HeartbeatResponse>() == before);
  world.background.release();
  world.settle();
  BOOST_TEST(a.peer->count<HeartbeatResponse>() == before + 1);
  BOOST_TEST(a.peer->last<HeartbeatResponse>().launches.front().output.is_commit);
  BOOST_TEST(world.history.synced_events > 10U);
}

BOOST_AUTO_TEST_CASE(a_full_disk_ends_the_history_with_a_notice_and_not_the_job) {
  for (const std::size_t room : {0U, 5U}) {
    TrackerWorld world{with_history()};
    world.history.room = room;
    auto a = world.add_tracker("a");
    world.submit(map_only_package({{"a"}}));
    world.beat(a);
    world.succeed(a);
    world.succeed(a);
    world.beat(a);
    world.succeed(a);
    BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::succeeded));
    BOOST_TEST(world.client.count<Notice>() == 1);
    BOOST_TEST(world.client.last<Notice>().text == "no space left on device");
    BOOST_TEST(world.events().count("job_history_ended") == 1);
  }
}

}  // namespace
}  // namespace job_history_test
}  // namespace heddle::actors
