// Goal: a JobTracker stores each job before it accepts it, and one that follows a lost JobTracker runs the unfinished
// jobs anew, once. Method: fake clients and TaskTrackers around one JobTracker with a store in memory, virtual time.
#include <boost/test/unit_test.hpp>

#include "actors/job_tracker/job_tracker_settings.hpp"
#include "tests/actors/job_tracker/tracker_world.hpp"

namespace heddle::actors {
namespace recovery_test {
namespace {

using tests::map_only_package;
using WithStore = TrackerWorld::WithStore;

JobSubmission submission_of(std::int64_t job) {
  JobSubmission submission;
  submission.job = JobId{job};
  submission.user = "ann";
  submission.package_file = "/package-" + std::to_string(job);
  submission.package = map_only_package({{"a"}});
  return submission;
}

/// The client that lost the connection submits its job again.
SubmitJob submitted_again(std::int64_t job) {
  SubmitJob message{5, {}, "/package-" + std::to_string(job), 1};
  message.earlier_job = JobId{job};
  return message;
}

BOOST_AUTO_TEST_CASE(a_job_is_stored_before_it_is_accepted_and_forgotten_at_its_end) {
  TrackerWorld world{WithStore{}};
  auto a = world.add_tracker("a");
  SubmitJob message{3, {}, "/package"};
  message.user = "ann";
  world.say(world.client, world.tracker, message);
  BOOST_TEST_REQUIRE(world.store.rows.size() == 1U);
  const auto& stored = world.store.rows.at(JobId{1});
  BOOST_TEST(stored.user == "ann");
  BOOST_TEST(stored.package_file == "/package");
  BOOST_TEST(stored.package.graph.name == "copy");
  BOOST_TEST(world.client.last<JobAccepted>().request == 3);
  world.beat(a);
  world.succeed(a);
  world.succeed(a);
  world.succeed(a);
  BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::succeeded));
  BOOST_TEST(world.store.rows.empty());
  BOOST_TEST(world.recovered_outputs.empty());
}

BOOST_AUTO_TEST_CASE(a_job_that_cannot_be_stored_fails_with_the_reason) {
  TrackerWorld world{WithStore{}};
  world.store.fault = "no space left on device";
  world.submit(map_only_package({{"a"}}));
  BOOST_TEST(world.client.last<JobFinished>().text == "the job cannot be stored: no space left on device");
  world.submit(map_only_package({{"a"}}));
  BOOST_TEST(world.client.count<JobFinished>() == 1);
}

BOOST_AUTO_TEST_CASE(a_recovered_job_runs_anew_with_its_id_and_later_attempt_numbers) {
  TrackerWorld world{WithStore{TrackerWorld::restarted(2, {{submission_of(7)}})}};
  BOOST_TEST(world.events().count("classic_job_recovered") == 1);
  BOOST_TEST_REQUIRE(world.recovered_outputs.size() == 1U);
  BOOST_TEST((world.recovered_outputs.front() == std::pair{std::vector<std::string>{"/out"}, 3}));
  world.say(world.client, world.tracker, submitted_again(7));
  BOOST_TEST((world.client.last<JobAccepted>().job == JobId{7}));
  BOOST_TEST(world.client.last<JobAccepted>().request == 5);
  auto a = world.add_tracker("a");
  const auto setup = a.peer->last<HeartbeatResponse>();
  BOOST_TEST_REQUIRE(setup.launches.size() == 1U);
  BOOST_TEST((setup.launches.front().attempt == TaskAttemptId{JobId{7}, false, 2, 2'000}));
  BOOST_TEST(setup.launches.front().output.outputs.empty());  // they are ready
  BOOST_TEST((setup.jobs.front().application == ApplicationId{1000, 7}));
  BOOST_TEST(setup.jobs.front().programs.front().application_attempt == 3);
  const auto map = world.succeed(a);
  BOOST_TEST_REQUIRE(map.launches.size() == 1U);
  BOOST_TEST(map.launches.front().range.attempt == 2'000);
  const auto cleanup = world.succeed(a);
  BOOST_TEST_REQUIRE(cleanup.launches.size() == 1U);
  BOOST_TEST(cleanup.launches.front().output.is_commit);
  BOOST_TEST(cleanup.launches.front().output.application_attempt == 3);
  world.succeed(a);
  BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::succeeded));
  BOOST_TEST(world.client.count<JobFinished>() == 1);
  // Ids of jobs that an earlier JobTracker has ended are not used again.
  BOOST_TEST(world.submit(map_only_package({{"a"}})).value > 200'000);
}

BOOST_AUTO_TEST_CASE(a_recovered_job_whose_commit_was_decided_does_not_run_again) {
  TrackerWorld world{WithStore{TrackerWorld::restarted(1, {{submission_of(7)}}), true}};
  auto a = world.add_tracker("a");
  BOOST_TEST(world.beat(a).launches.empty());
  world.say(world.client, world.tracker, submitted_again(7));
  BOOST_TEST((world.client.last<JobAccepted>().job == JobId{7}));
  BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::succeeded));
}

BOOST_AUTO_TEST_CASE(an_unreadable_submission_fails_alone) {
  RecoveredJob damaged{{}, "it is damaged"};
  damaged.submission.job = JobId{6};
  TrackerWorld world{WithStore{TrackerWorld::restarted(1, {damaged, {submission_of(7)}})}};
  world.say(world.client, world.tracker, submitted_again(6));
  BOOST_TEST((world.client.last<JobFinished>().job == JobId{6}));
  BOOST_TEST(world.client.last<JobFinished>().text ==
             "the job cannot run anew after the loss of its JobTracker: it is damaged");
  const auto a = world.add_tracker("a");
  BOOST_TEST_REQUIRE(a.launches.size() == 1U);
  BOOST_TEST((a.launches.front().attempt.job == JobId{7}));
}

BOOST_AUTO_TEST_CASE(a_client_without_an_id_finds_its_job_by_its_package_file) {
  TrackerWorld world{WithStore{TrackerWorld::restarted(1, {{submission_of(7)}})}};
  auto message = submitted_again(7);
  message.earlier_job = {};
  world.say(world.client, world.tracker, message);
  BOOST_TEST((world.client.last<JobAccepted>().job == JobId{7}));
}

/// The lost JobTracker may have ended it, or never stored it.
BOOST_AUTO_TEST_CASE(a_job_that_is_not_in_the_store_runs_unless_its_outputs_are_committed) {
  for (const bool is_committed : {false, true}) {
    TrackerWorld world{WithStore{TrackerWorld::restarted(1), is_committed}};
    auto a = world.add_tracker("a");
    world.say(world.client, world.tracker, submitted_again(7));
    BOOST_TEST(world.client.count<JobAccepted>() == 1);
    BOOST_TEST(world.client.count<JobFinished>() == (is_committed ? 1 : 0));
    BOOST_TEST(world.beat(a).launches.size() == (is_committed ? 0U : 1U));
    BOOST_TEST(world.recovered_outputs.size() == 1U);
  }
}

BOOST_AUTO_TEST_CASE(a_client_whose_connection_broke_follows_its_running_job) {
  TrackerWorld world{WithStore{}};
  const JobId job = world.submit(map_only_package({{"a"}}));
  auto& later = world.peer("later");
  auto message = submitted_again(1);
  message.earlier_job = job;
  world.say(later, world.tracker, message);
  BOOST_TEST((later.last<JobAccepted>().job == job));
  world.say(later, world.tracker, CancelJob{job, "enough"});
  BOOST_TEST((later.last<JobFinished>().status == JobStatus::cancelled));
  BOOST_TEST(world.client.count<JobFinished>() == 0);
}

BOOST_AUTO_TEST_CASE(a_client_that_reconnects_while_its_job_is_stored_is_answered_after_that) {
  TrackerWorld world{WithStore{}};
  world.background.is_held = true;
  world.say(world.client, world.tracker, SubmitJob{7, {}, "/package-1"});
  auto& later = world.peer("later");
  world.say(later, world.tracker, submitted_again(1));
  BOOST_TEST(later.count<JobAccepted>() == 0);
  world.background.release();
  world.settle();
  BOOST_TEST((later.last<JobAccepted>().job == JobId{1}));
  BOOST_TEST(later.last<JobAccepted>().request == 5);
  BOOST_TEST(world.client.count<JobAccepted>() == 0);
}

/// Their setups do not see each other's files, because the JobTracker has emptied the output.
BOOST_AUTO_TEST_CASE(of_two_recovered_jobs_with_the_same_output_the_later_is_refused) {
  auto other = submission_of(8);
  other.package.graph.stages.front().output->path = "/in/../out/";
  TrackerWorld world{WithStore{TrackerWorld::restarted(1, {{submission_of(7)}, {other}})}};
  BOOST_TEST(world.recovered_outputs.size() == 1U);
  world.say(world.client, world.tracker, submitted_again(8));
  BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::failed));
  BOOST_TEST(world.client.last<JobFinished>().text ==
             "the job cannot run anew after the loss of its JobTracker: its output '/in/../out/' is also that of job "
             "7; submit it again with another output");
  const auto a = world.add_tracker("a");
  BOOST_TEST_REQUIRE(a.launches.size() == 1U);
  BOOST_TEST((a.launches.front().attempt.job == JobId{7}));
  world.say(world.client, world.tracker, submitted_again(9));  // the JobTracker does not know it
  BOOST_TEST(world.client.last<JobFinished>().text.find("also that of job 7") != std::string::npos);
  BOOST_TEST(world.recovered_outputs.size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_recovered_job_that_is_cancelled_removes_its_output) {
  TrackerWorld world{WithStore{TrackerWorld::restarted(1, {{submission_of(7)}})}};
  auto a = world.add_tracker("a");
  world.say(world.client, world.tracker, submitted_again(7));
  world.say(world.client, world.tracker, CancelJob{JobId{7}, "enough"});
  BOOST_TEST(world.beat(a).kills.size() == 1U);  // its setup
  TrackerWorld::end_all(a, TaskAttemptState::killed);
  const auto cleanup = world.beat(a);
  BOOST_TEST_REQUIRE(cleanup.launches.size() == 1U);
  BOOST_TEST((cleanup.launches.front().type == AttemptType::job_cleanup));
  BOOST_TEST(cleanup.launches.front().output.outputs.size() == 1U);
  world.succeed(a);
  BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::cancelled));
}

BOOST_AUTO_TEST_CASE(a_job_that_is_cancelled_while_its_outputs_are_recovered_removes_them) {
  TrackerWorld world{WithStore{}};
  world.background.is_held = true;
  auto a = world.add_tracker("a");
  world.say(world.client, world.tracker, submitted_again(7));
  world.say(world.client, world.tracker, CancelJob{JobId{1}, "enough"});
  BOOST_TEST(world.client.count<JobFinished>() == 0);
  world.background.release();
  world.settle();
  const auto cleanup = world.beat(a);
  BOOST_TEST_REQUIRE(cleanup.launches.size() == 1U);
  BOOST_TEST((cleanup.launches.front().type == AttemptType::job_cleanup));
  world.succeed(a);
  BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::cancelled));
}

}  // namespace
}  // namespace recovery_test
}  // namespace heddle::actors
