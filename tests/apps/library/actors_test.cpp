// Goal: heddle's roles run in the actor system of an embedding program, with typed messages and readable errors.
// Method: actor systems as an embedding program creates them; waits with CAF's blocking actor.
#include "heddle/actors.hpp"

#include <stdlib.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <caf/all.hpp>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <string>
#include <vector>

#include "tests/apps/library/own_messages.hpp"

namespace actors_test {

namespace {

using namespace heddle;

void count_myself(TaskContext& task) { task.add_to_counter("tasks", "run", 1); }
HEDDLE_TASK(count_myself)

void refuse_to_work(TaskContext&) { throw std::runtime_error{"not before noon"}; }
HEDDLE_TASK(refuse_to_work)

void dream(TaskContext& task) {
  while (!task.is_killed()) std::this_thread::yield();
}
HEDDLE_TASK(dream)

struct Fixture {
  Fixture() {
    std::string pattern = (std::filesystem::temp_directory_path() / "heddle-actors-XXXXXX").string();
    BOOST_REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    folder = pattern;
    ::setenv("XDG_STATE_HOME", (folder + "/state").c_str(), 1);
    configure(config);
  }
  ~Fixture() { std::filesystem::remove_all(folder); }
  std::string folder;
  caf::actor_system_config config;
};

/// Sends jobs and receives messages until all have ended.
std::vector<JobFinished> run_jobs(caf::actor_system& system, const DriverActor& driver,
                                  const std::vector<SubmitJob>& jobs, bool cancels = false) {
  std::vector<JobFinished> ends;
  std::vector<std::int64_t> requests;
  caf::scoped_actor self{system};
  for (const auto& job : jobs) self->send(driver, job);
  while (ends.size() < jobs.size())
    self->receive(
        [&](const JobAccepted& accepted) {
          requests.push_back(accepted.request);
          if (cancels) self->send(driver, CancelJob{accepted.job, "changed our mind"});
        },
        [&](const JobProgress&) {}, [&](const Notice&) {},
        [&](const JobFinished& finished) { ends.push_back(finished); },
        caf::after(std::chrono::seconds{60}) >> [&] { BOOST_FAIL("a job does not end"); });
  BOOST_TEST(requests.size() == jobs.size());
  return ends;
}

/// A runner that reports success for every task without running it.
class PretendingRunner final : public ports::TaskRunner {
public:
  void start(OnReports on_reports) override { on_reports_ = std::move(on_reports); }
  void load_stage(std::shared_ptr<const StageProgram>) override {}
  void unload_stage(const StageKey&) override {}
  void set_locations(std::shared_ptr<const ports::ShuffleLocations>) override {}
  void run(TaskRange range) override {
    std::vector<ports::TaskReport> reports;
    for (std::int32_t i = 0; i < range.count; ++i) {
      ports::TaskReport report{range.stage, range.first_index + i, range.attempt, {}};
      report.outcome.state = TaskState::finished;
      report.outcome.counters.emplace_back("tasks\tpretended", 1);
      reports.push_back(report);
    }
    on_reports_(std::move(reports));
  }
  std::vector<TaskRange> retract(std::int32_t) override { return {}; }
  void kill(const StageKey&, std::int32_t, std::int32_t, const std::string&) override {}
  void drop_all(const std::string&) override {}
  void stop() override { was_stopped = true; }
  bool was_stopped = false;

private:
  OnReports on_reports_;
};

JobBuilder one_stage(work::TaskFunction function) { return JobBuilder{"job"}.stage("work", tasks(5), function); }

BOOST_FIXTURE_TEST_SUITE(actors, Fixture)

BOOST_AUTO_TEST_CASE(several_jobs_run_at_the_same_time_by_messages) {
  caf::actor_system system{config};
  auto roles = spawn_roles(system, {.master = "local[2]"});
  BOOST_REQUIRE(roles);
  std::vector<SubmitJob> jobs;
  for (std::int64_t request = 0; request < 3; ++request) {
    auto job = roles->prepare(one_stage(count_myself), request);
    BOOST_REQUIRE(job);
    jobs.push_back(std::move(*job));
  }
  for (const auto& end : run_jobs(system, roles->driver(), jobs)) {
    BOOST_TEST((end.status == JobStatus::succeeded), end.text);
    BOOST_REQUIRE_EQUAL(end.totals.counters.size(), 1U);
    BOOST_TEST(end.totals.counters.front().second == 5);
  }
  BOOST_TEST(std::filesystem::exists(roles->event_log()));
}

BOOST_AUTO_TEST_CASE(a_function_that_throws_fails_the_job_with_its_text) {
  caf::actor_system system{config};
  auto roles = spawn_roles(system, {.master = "local[2]"});
  BOOST_REQUIRE(roles);
  const auto end = run_jobs(system, roles->driver(), {*roles->prepare(one_stage(refuse_to_work))}).front();
  BOOST_TEST((end.status == JobStatus::failed));
  BOOST_TEST((end.failure == FailureKind::exception));
  BOOST_TEST(end.text.find("not before noon") != std::string::npos, end.text);
}

BOOST_AUTO_TEST_CASE(a_job_is_cancelled_by_a_message) {
  caf::actor_system system{config};
  auto roles = spawn_roles(system, {.master = "local[2]"});
  BOOST_REQUIRE(roles);
  const auto end = run_jobs(system, roles->driver(), {*roles->prepare(one_stage(dream))}, true).front();
  BOOST_TEST((end.status == JobStatus::cancelled));
}

BOOST_AUTO_TEST_CASE(roles_can_be_destroyed_while_a_job_runs) {
  caf::actor_system system{config};
  auto roles = spawn_roles(system, {.master = "local[2]"});
  BOOST_REQUIRE(roles);
  caf::scoped_actor self{system};
  self->send(roles->driver(), *roles->prepare(one_stage(dream)));
  self->receive([](const JobAccepted&) {});
}

BOOST_AUTO_TEST_CASE(type_ids_of_an_embedding_program_follow_those_of_heddle) {
  config.add_message_types<caf::id_block::mine>();
  caf::actor_system system{config};
  caf::scoped_actor self{system};
  self->send(self, Greeting{"hello"});
  self->receive([](const Greeting& greeting) { BOOST_TEST(greeting.text == "hello"); });
  BOOST_TEST((caf::type_id<Greeting>::value == first_free_type_id));
}

/// Lines of a source file with the macro, without the slashes of a comment.
std::vector<std::string> lines_with(const std::string& word, const std::string& path) {
  std::ifstream file{HEDDLE_SOURCE_FOLDER "/" + path};
  BOOST_REQUIRE_MESSAGE(file.good(), path);
  std::vector<std::string> found;
  for (std::string line; std::getline(file, line);)
    if (line.find(word) != line.npos) found.push_back(line.substr(std::min(line.find_first_not_of("/ "), line.size())));
  return found;
}

BOOST_AUTO_TEST_CASE(the_documented_line_that_begins_type_ids_is_the_one_that_this_test_compiles) {
  const auto documented = lines_with("CAF_BEGIN_TYPE_ID_BLOCK", "apps/library/heddle/actors.hpp");
  BOOST_TEST(documented.size() == 1U);
  BOOST_TEST(documented == lines_with("CAF_BEGIN_TYPE_ID_BLOCK", "tests/apps/library/own_messages.hpp"),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(two_applications_run_in_one_actor_system) {
  caf::actor_system system{config};
  auto first = spawn_roles(system, {.master = "local[1]"});
  auto second = spawn_roles(system, {.master = "local[1]"});
  BOOST_REQUIRE(first);
  BOOST_REQUIRE(second);
  BOOST_TEST(first->event_log() != second->event_log());
  BOOST_TEST((run_jobs(system, first->driver(), {*first->prepare(one_stage(count_myself))}).front().status ==
              JobStatus::succeeded));
  BOOST_TEST((run_jobs(system, second->driver(), {*second->prepare(one_stage(count_myself))}).front().status ==
              JobStatus::succeeded));
}

BOOST_AUTO_TEST_CASE(a_runner_of_the_embedding_program_runs_the_tasks) {
  caf::actor_system system{config};
  PretendingRunner runner;
  {
    auto roles = spawn_roles(system, {.master = "local[2]"}, &runner);
    BOOST_REQUIRE(roles);
    const auto end = run_jobs(system, roles->driver(), {*roles->prepare(one_stage(refuse_to_work))}).front();
    BOOST_TEST((end.status == JobStatus::succeeded), end.text);
    BOOST_REQUIRE_EQUAL(end.totals.counters.size(), 1U);
    BOOST_TEST(end.totals.counters.front().first == "tasks\tpretended");
    BOOST_TEST(end.totals.counters.front().second == 5);
  }
  BOOST_TEST(runner.was_stopped);
}

BOOST_AUTO_TEST_CASE(options_that_cannot_be_embedded_are_errors) {
  caf::actor_system_config forgotten;
  caf::actor_system unprepared{forgotten};
  const auto refused = spawn_roles(unprepared);
  BOOST_REQUIRE(!refused);
  BOOST_TEST(refused.error().text ==
             "heddle's messages are not registered; call heddle::configure(config) before creating the actor system");
  caf::actor_system system{config};
  const auto cluster = spawn_roles(system, {.master = "local-cluster[1,1,512]"});
  BOOST_REQUIRE(!cluster);
  BOOST_TEST(cluster.error().text ==
             "spawn_roles on local-cluster[1,1,512] needs the network: call heddle::configure(config, argc, argv) "
             "before creating the actor system");
  auto roles = spawn_roles(system, {.master = "local[1]"});
  BOOST_REQUIRE(roles);
  const auto wrong = roles->prepare(JobBuilder{"job"}.stage("work", tasks(1), function("cuont_myself")));
  BOOST_REQUIRE(!wrong);
  BOOST_TEST((wrong.error().code == Errc::not_found));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace

}  // namespace actors_test
