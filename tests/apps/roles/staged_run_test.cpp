// Goal: the jobs of a staging folder are submitted to the Driver, a client that follows gets their results and the
// event log, and the application ends with their outcome. Method: a Driver and a client that the test plays, real
// files.
#include "apps/roles/staged_run.hpp"

#include <boost/test/unit_test.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>

#include "apps/job_files/staging_folder.hpp"
#include "apps/roles/role_tools.hpp"
#include "tests/support/scratch_folder.hpp"
#include "work/files/local_file_system.hpp"

namespace heddle::apps {
namespace staged_run_test {
namespace {

using namespace std::chrono_literals;

JobFinished end_of(std::int64_t job, JobStatus status, const std::string& text = {}) {
  JobFinished end;
  end.job = JobId{job};
  end.status = status;
  end.text = text;
  return end;
}

struct Folders {
  work::ScratchFolder place;
  LaunchSpec spec;
  ApplicationMasterLaunch launch;

  Folders(std::size_t count, std::int32_t attempt, bool is_followed) {
    spec.log_directory = place.path();
    spec.container.attempt = {{1000, 7}, attempt};
    launch.staging_folder = place.path() + "/applications/application_1000_0007";
    launch.is_followed = is_followed;
    std::vector<SubmitJob> jobs(count);
    for (std::size_t number = 0; number < count; ++number)
      jobs[number].package.graph.name = "job" + std::to_string(number);
    work::LocalFileSystem files;
    if (count > 0) BOOST_REQUIRE(write_staging_folder(files, launch.staging_folder, jobs).has_value());
  }
};

/// The test plays the Driver and a client.
struct World : Folders {
  RoleRuntime runtime;
  StagedRun run;
  std::unique_ptr<caf::scoped_actor> driver;
  std::unique_ptr<caf::scoped_actor> client;
  caf::strong_actor_ptr submitter;

  explicit World(std::size_t count, std::int32_t attempt = 1, bool is_followed = false)
      : Folders{count, attempt, is_followed},
        runtime{{}, role_events(spec, {}, driver_log_name(attempt)), {{"application", "secret"}, "application-master"}},
        run{runtime, spec, launch},
        driver{std::make_unique<caf::scoped_actor>(runtime.system())},
        client{std::make_unique<caf::scoped_actor>(runtime.system())} {
    run.begin({caf::actor_cast<DriverActor>(caf::actor_cast<caf::strong_actor_ptr>(driver->ptr())), {}});
  }
  ~World() {
    for (const auto& actor : {submitter, caf::actor_cast<caf::strong_actor_ptr>(run.reporter())})
      if (actor) caf::anon_send_exit(caf::actor_cast<caf::actor>(actor), caf::exit_reason::kill);
    submitter = nullptr;
    runtime.stop_connecting();
  }
  /// The next message to the actor, which must be of this type.
  template <class Message>
  Message next(caf::scoped_actor& actor) {
    std::optional<Message> got;
    actor->receive([&](const Message& message) { got = message; }, caf::after(20s) >> [] {});
    BOOST_REQUIRE_MESSAGE(got.has_value(), "no such message has come");
    return *got;
  }
  SubmitJob submitted() {
    std::optional<SubmitJob> got;
    (*driver)->receive(
        [&](const SubmitJob& message) {
          got = message;
          submitter = (*driver)->current_sender();
        },
        caf::after(20s) >> [] {});
    BOOST_REQUIRE(got.has_value());
    return *got;
  }
  template <class Message>
  void answer(Message message) {
    (*driver)->send(caf::actor_cast<ClientActor>(submitter), std::move(message));
  }
  void follow() { (*client)->send(run.reporter(), FollowJobs{}); }
  [[nodiscard]] bool has_folder() const { return std::filesystem::exists(launch.staging_folder); }
};

BOOST_AUTO_TEST_CASE(jobs_are_submitted_and_their_success_ends_the_application) {
  World world{2};
  for (std::int64_t request = 0; request < 2; ++request) {
    const auto job = world.submitted();
    BOOST_TEST(job.request == request);
    BOOST_TEST(job.package.graph.name == "job" + std::to_string(request));
    BOOST_TEST(job.earlier_drivers == 0);
    world.answer(JobAccepted{request, JobId{request + 4}});
  }
  world.answer(end_of(5, JobStatus::succeeded));
  world.answer(end_of(4, JobStatus::succeeded));
  const auto stopped = world.next<StopDriver>(*world.driver);
  BOOST_TEST(stopped.succeeded);
  BOOST_TEST(stopped.text == "");
  BOOST_TEST(world.has_folder());  // until the ResourceManager has recorded the end
  world.run.remove_folder();
  BOOST_TEST(!world.has_folder());
}

BOOST_AUTO_TEST_CASE(the_first_job_that_fails_names_the_reason_of_the_application) {
  World world{2};
  for (std::int64_t request = 0; request < 2; ++request) {
    static_cast<void>(world.submitted());
    world.answer(JobAccepted{request, JobId{request}});
  }
  world.answer(end_of(0, JobStatus::succeeded));
  world.answer(end_of(1, JobStatus::failed, "task 3 failed 4 times"));
  const auto stopped = world.next<StopDriver>(*world.driver);
  BOOST_TEST(!stopped.succeeded);
  BOOST_TEST(stopped.text == "job 'job1': task 3 failed 4 times");
}

BOOST_AUTO_TEST_CASE(a_later_attempt_tells_the_driver_that_others_ran_the_job_before) {
  World world{1, 3};
  BOOST_TEST(world.submitted().earlier_drivers == 2);
  world.answer(JobAccepted{0, JobId{0}});
  world.answer(end_of(0, JobStatus::succeeded));
  static_cast<void>(world.next<StopDriver>(*world.driver));
}

BOOST_AUTO_TEST_CASE(a_client_gets_the_end_when_the_event_log_is_in_the_staging_folder) {
  World world{1, 1, true};
  world.follow();
  static_cast<void>(world.submitted());
  world.answer(JobAccepted{0, JobId{0}});
  world.answer(JobProgress{JobId{0}, {}, 1, 2, {}});
  world.answer(Notice{"an executor is lost"});
  world.answer(end_of(0, JobStatus::succeeded));
  BOOST_TEST(world.next<JobAccepted>(*world.client).request == 0);
  BOOST_TEST(world.next<JobProgress>(*world.client).executors_wanted == 2);
  BOOST_TEST(world.next<Notice>(*world.client).text == "an executor is lost");
  BOOST_TEST((world.next<JobFinished>(*world.client).status == JobStatus::succeeded));
  const auto copy = world.launch.staging_folder + "/events.jsonl";
  BOOST_REQUIRE(std::filesystem::exists(copy));
  BOOST_TEST(std::filesystem::file_size(copy) == std::filesystem::file_size(world.place.file("events.jsonl")));
  (*world.client)->send(world.run.reporter(), StopFollowing{});
  BOOST_TEST(world.next<StopDriver>(*world.driver).succeeded);
}

BOOST_AUTO_TEST_CASE(the_folder_stays_for_a_client_that_does_not_know_which_jobs_were_committed) {
  enum class Client : std::uint8_t { confirms, is_lost };
  struct Row {
    Client client;
    JobStatus second;  // the first job succeeds
    bool stays;
  };
  for (const Row& row : {Row{Client::is_lost, JobStatus::failed, true}, Row{Client::confirms, JobStatus::failed, false},
                         Row{Client::is_lost, JobStatus::succeeded, false}}) {
    World world{2, 1, true};
    world.follow();
    for (std::int64_t request = 0; request < 2; ++request) {
      static_cast<void>(world.submitted());
      world.answer(JobAccepted{request, JobId{request}});
      static_cast<void>(world.next<JobAccepted>(*world.client));
    }
    world.answer(end_of(0, JobStatus::succeeded));
    world.answer(end_of(1, row.second, "task 3 failed 4 times"));
    for (int ends = 0; ends < 2; ++ends) static_cast<void>(world.next<JobFinished>(*world.client));
    if (row.client == Client::confirms) (*world.client)->send(world.run.reporter(), StopFollowing{});
    else world.client.reset();
    static_cast<void>(world.next<StopDriver>(*world.driver));
    world.run.remove_folder();
    BOOST_TEST(world.has_folder() == row.stays);
  }
}

BOOST_AUTO_TEST_CASE(files_that_a_killed_client_has_left_are_removed) {
  const Folders left{1, 1, false};
  remove_left_folder({}, left.launch.staging_folder);
  BOOST_TEST(!std::filesystem::exists(left.launch.staging_folder));
  remove_left_folder({}, left.launch.staging_folder);
  remove_left_folder({}, "");
}

BOOST_AUTO_TEST_CASE(a_staging_folder_without_jobs_ends_the_application_as_failed) {
  World world{0};
  const auto stopped = world.next<StopDriver>(*world.driver);
  BOOST_TEST(!stopped.succeeded);
  BOOST_TEST(stopped.text.find("application_1000_0007 has no job") != std::string::npos, stopped.text);
}

}  // namespace
}  // namespace staged_run_test
}  // namespace heddle::apps
