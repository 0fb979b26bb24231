// Goal: an application is submitted, its jobs are submitted to each Driver, and each job ends once, whichever peer is
// lost. Method: plain calls; effects compared by type.
#include "actors/client/client_protocol.hpp"

#include <boost/test/unit_test.hpp>
#include <utility>

#include "tests/actors/client/reports_of.hpp"

namespace heddle::actors {
namespace client_protocol_test {
namespace {

using namespace std::chrono_literals;

const ClientRules client_mode{true, true, false};
const ClientRules cluster_mode{true, false, false};
const ClientRules embedded{true, true, true};
const ClientRules local{false, true, false, "", false, false, false, false};
const ClientRules classic{true, false, false, "tracker:1"};
const ClientRules yarn{true, false, false, "", true};

struct World {
  ClientProtocol protocol;
  ClientEffects effects;
  Instant now{1h};

  explicit World(ClientRules rules) : protocol{rules} { protocol.begin(effects); }
  /// An application that the ResourceManager has accepted.
  static World running(ClientRules rules) {
    World world{rules};
    world.protocol.on_cluster_reached(world.effects);
    world.protocol.on_application_accepted({{1000, 1}, "root.default"}, world.effects);
    world.effects.clear();
    return world;
  }
  void run(std::int64_t request, const std::string& output = {}) {
    RunJob message;
    message.job.request = request;
    StageDescription stage;
    if (!output.empty()) stage.output.emplace().path = output;
    message.job.package.graph.stages.push_back(stage);
    protocol.on_run_job(message, effects);
  }
  /// The Driver of this attempt starts and is connected.
  void driver(std::int32_t attempt) {
    protocol.on_driver_ready({{{1000, 1}, attempt}, "driver:" + std::to_string(attempt)}, effects);
    protocol.on_job_service_reached(attempt, effects);
  }
  void accept(std::int64_t request, std::int64_t job) { protocol.on_job_accepted({request, JobId{job}}, effects); }
  void finish(std::int64_t job, JobStatus status = JobStatus::succeeded) {
    JobFinished end;
    end.job = JobId{job};
    end.status = status;
    protocol.on_job_finished(end, effects);
  }
  /// Advances to the next deadline within `span`; false if there is none.
  bool tick_within(Duration span) {
    const auto due = protocol.next_due();
    if (!due || *due > now + span) return false;
    now = *due;
    protocol.on_tick(now, effects);
    return true;
  }
  template <class Effect>
  [[nodiscard]] std::vector<Effect> all() const {
    return tests::effects_of<Effect>(effects);
  }
  template <class Report>
  [[nodiscard]] std::vector<Report> reports() const {
    return reports_of<Report>(effects);
  }
  [[nodiscard]] RequestEnded end() const {
    BOOST_TEST_REQUIRE(reports<RequestEnded>().size() == 1U);
    return reports<RequestEnded>().front();
  }
};

BOOST_AUTO_TEST_CASE(an_application_is_submitted_once_the_cluster_is_connected) {
  World world{client_mode};
  BOOST_TEST(world.all<ConnectCluster>().size() == 1U);
  world.protocol.on_cluster_reached(world.effects);
  BOOST_TEST(world.all<SubmitToCluster>().size() == 1U);
  BOOST_TEST(world.reports<ApplicationSubmitted>().size() == 1U);
  world.protocol.on_application_accepted({{1000, 1}, "root.default"}, world.effects);
  BOOST_TEST((world.protocol.phase() == ClientPhase::running));
  BOOST_TEST(world.reports<ApplicationAccepted>().size() == 1U);
}

BOOST_AUTO_TEST_CASE(without_a_cluster_jobs_start_at_once_and_end_with_the_session) {
  World world{local};
  BOOST_TEST(world.effects.empty());
  world.run(0);
  world.run(1);
  BOOST_TEST(world.all<SubmitToJobService>().size() == 2U);
  world.accept(0, 5);
  world.finish(5);
  BOOST_TEST((world.end().end->status == JobStatus::succeeded));
  world.effects.clear();
  world.protocol.on_application_ended({{}, false, "the driver ended"}, world.effects);
  BOOST_TEST(world.end().request == 1);
  BOOST_TEST((world.end().end.error() == Error{Errc::failed, "the driver ended"}));
  BOOST_TEST(world.all<EndCluster>().empty());
}

BOOST_AUTO_TEST_CASE(an_unreachable_cluster_and_a_refusal_end_later_jobs_too) {
  World unreachable{client_mode};
  unreachable.protocol.on_cluster_unreachable(unreachable.effects);
  BOOST_TEST((unreachable.reports<ApplicationOver>().front().why ==
              Error{Errc::unreachable, "the ResourceManager cannot be reached"}));
  World refused{cluster_mode};
  refused.protocol.on_cluster_reached(refused.effects);
  refused.protocol.on_application_refused({"no such queue"}, refused.effects);
  refused.run(0);
  BOOST_TEST((refused.end().end.error() == Error{Errc::refused, "no such queue"}));
  BOOST_TEST(refused.all<EndCluster>().empty());
}

BOOST_AUTO_TEST_CASE(jobs_wait_for_a_driver_and_are_submitted_to_each_next_one) {
  auto world = World::running(cluster_mode);
  world.run(0);
  BOOST_TEST(world.all<SubmitToJobService>().empty());
  world.driver(1);
  BOOST_TEST(world.all<SubmitToJobService>().at(0).job.earlier_drivers == 0);
  world.accept(0, 0);
  world.driver(2);
  BOOST_TEST(world.all<SubmitToJobService>().at(1).job.earlier_drivers == 1);
  world.finish(0);  // sent by the former Driver
  BOOST_TEST(world.reports<RequestEnded>().empty());
  world.accept(0, 0);
  world.finish(0);
  BOOST_TEST(world.end().request == 0);
  BOOST_TEST(world.reports<DriverAttempt>().size() == 2U);
}

BOOST_AUTO_TEST_CASE(a_job_run_while_the_driver_is_lost_counts_only_later_drivers) {
  auto world = World::running(cluster_mode);
  world.driver(1);
  world.protocol.on_job_service_lost(world.effects);
  world.run(0);
  BOOST_TEST(world.all<SubmitToJobService>().empty());
  world.driver(2);
  BOOST_TEST_REQUIRE(world.all<SubmitToJobService>().size() == 1U);
  BOOST_TEST(world.all<SubmitToJobService>().front().job.earlier_drivers == 0);
}

BOOST_AUTO_TEST_CASE(an_unreachable_driver_is_retried_until_another_one_is_ready) {
  auto world = World::running(cluster_mode);
  world.run(0);
  world.protocol.on_driver_ready({{{1000, 1}, 1}, "driver:1"}, world.effects);
  world.protocol.on_job_service_unreachable(world.now, 1, world.effects);
  BOOST_TEST(world.tick_within(1s));
  BOOST_TEST(world.all<ConnectJobService>().size() == 2U);
  BOOST_TEST(!world.tick_within(1h));  // a connection attempt is running
  world.protocol.on_driver_ready({{{1000, 1}, 2}, "driver:2"}, world.effects);
  world.protocol.on_job_service_reached(1, world.effects);  // stale: attempt 1
  BOOST_TEST(world.all<SubmitToJobService>().empty());
  world.protocol.on_job_service_unreachable(world.now, 1, world.effects);
  BOOST_TEST(!world.tick_within(1h));
  world.protocol.on_job_service_reached(2, world.effects);
  BOOST_TEST(world.all<SubmitToJobService>().size() == 1U);
  BOOST_TEST(world.all<ConnectJobService>().back().address == "driver:2");
}

BOOST_AUTO_TEST_CASE(a_cancelled_job_is_cancelled_at_each_driver_that_accepts_it) {
  auto world = World::running(cluster_mode);
  world.driver(1);
  world.run(0);
  world.accept(0, 4);
  world.protocol.on_cancel_jobs(world.now, world.effects);
  world.protocol.on_cancel_jobs(world.now, world.effects);
  world.driver(2);
  world.accept(0, 9);
  const auto cancelled = world.all<CancelAtJobService>();
  BOOST_TEST_REQUIRE(cancelled.size() == 2U);
  BOOST_TEST(cancelled.at(0).job.value == 4);
  BOOST_TEST(cancelled.at(1).job.value == 9);
  BOOST_TEST(world.all<KillAtCluster>().empty());
  world.finish(9, JobStatus::cancelled);
  BOOST_TEST((world.end().end->status == JobStatus::cancelled));
  BOOST_TEST(!world.protocol.next_due().has_value());
  world.run(1);  // a later job is not cancelled
  world.accept(1, 10);
  BOOST_TEST(world.all<CancelAtJobService>().size() == 2U);
}

BOOST_AUTO_TEST_CASE(a_cancellation_before_acceptance_kills_the_application_or_waits_for_the_own_driver) {
  auto there = World::running(cluster_mode);
  there.run(0);
  there.protocol.on_cancel_jobs(there.now, there.effects);
  BOOST_TEST(there.all<KillAtCluster>().size() == 1U);
  there.protocol.on_application_ended({{1000, 1}, false, "it was killed"}, there.effects);
  BOOST_TEST(there.all<EndCluster>().size() == 1U);
  there.protocol.on_cluster_gone(there.effects);
  BOOST_TEST((there.end().end->status == JobStatus::cancelled));
  BOOST_TEST(there.all<SettleOutput>().empty());  // no Driver got the job
  auto here = World::running(client_mode);
  here.run(0);
  here.protocol.on_cancel_jobs(here.now, here.effects);
  BOOST_TEST(here.all<KillAtCluster>().empty());
  here.accept(0, 3);
  BOOST_TEST(here.all<CancelAtJobService>().size() == 1U);
}

// The Driver does not end a cancelled job. In both modes the application is killed, and after a further wait the Client
// ends the job itself.
BOOST_AUTO_TEST_CASE(a_job_that_is_not_cancelled_in_time_ends_with_its_cluster) {
  for (const auto& rules : {client_mode, cluster_mode}) {
    auto world = World::running(rules);
    if (!rules.has_own_driver) world.driver(1);
    world.run(0, "/out");
    world.accept(0, 3);
    world.effects.clear();
    world.protocol.on_cancel_jobs(world.now, world.effects);
    BOOST_TEST(world.tick_within(4s));
    BOOST_TEST(world.all<KillAtCluster>().size() == 1U);
    BOOST_TEST(world.all<EndCluster>().empty());
    BOOST_TEST(world.tick_within(4s));
    BOOST_TEST(world.all<EndCluster>().size() == 1U);
    BOOST_TEST(!world.tick_within(1h));
    world.protocol.on_cluster_gone(world.effects);
    BOOST_TEST_REQUIRE(world.all<SettleOutput>().size() == 1U);
    const auto left = world.all<SettleOutput>().front();
    BOOST_TEST((left.paths == std::vector<std::string>{"/out"}));
    BOOST_TEST(left.attempt == 2);
    BOOST_TEST(world.reports<RequestEnded>().empty());
    world.protocol.on_output_settled({0, false, ""}, world.effects);
    BOOST_TEST((world.end().end->status == JobStatus::cancelled));
    BOOST_TEST(world.end().end->text == cancelled_without_answer);
    BOOST_TEST((world.protocol.phase() == ClientPhase::over));
  }
}

BOOST_AUTO_TEST_CASE(a_decided_commit_makes_a_cancelled_job_succeed) {
  auto world = World::running(client_mode);
  world.run(0, "/out");
  world.accept(0, 3);
  world.protocol.on_cancel_jobs(world.now, world.effects);
  while (world.tick_within(1h)) {}
  world.protocol.on_cluster_gone(world.effects);
  world.protocol.on_output_settled({0, true, ""}, world.effects);
  BOOST_TEST((world.end().end->status == JobStatus::succeeded));
  BOOST_TEST(world.end().end->text == "");
  BOOST_TEST(world.reports<Notice>().size() == 1U);
}

// An end reported by the Driver counts as long as the cluster is not gone.
BOOST_AUTO_TEST_CASE(a_job_end_from_the_driver_counts_while_the_cluster_ends) {
  auto world = World::running(client_mode);
  world.run(0, "/out");
  world.accept(0, 3);
  world.protocol.on_application_ended({{1000, 1}, false, ""}, world.effects);
  world.finish(3);
  BOOST_TEST((world.end().end->status == JobStatus::succeeded));
  world.protocol.on_cluster_gone(world.effects);
  BOOST_TEST(world.all<SettleOutput>().empty());
  BOOST_TEST((world.protocol.phase() == ClientPhase::over));
}

BOOST_AUTO_TEST_CASE(the_end_of_an_application_settles_the_outputs_of_its_unfinished_jobs) {
  auto world = World::running(cluster_mode);
  world.driver(1);
  world.run(0, "/a");
  world.run(1, "/b");
  world.run(2);
  world.accept(0, 0);
  world.accept(1, 1);
  world.driver(3);
  world.protocol.on_application_ended({{1000, 1}, false, ""}, world.effects);
  world.protocol.on_cluster_gone(world.effects);
  BOOST_TEST_REQUIRE(world.all<SettleOutput>().size() == 3U);
  BOOST_TEST(world.all<SettleOutput>().front().attempt == 4);
  world.protocol.on_output_settled({0, true, ""}, world.effects);
  world.protocol.on_output_settled({1, false, "the folder stays"}, world.effects);
  world.protocol.on_output_settled({2, false, ""}, world.effects);
  const auto ends = world.reports<RequestEnded>();
  BOOST_TEST_REQUIRE(ends.size() == 3U);
  BOOST_TEST((ends.at(0).end->status == JobStatus::succeeded));
  BOOST_TEST(ends.at(1).end->text ==
             "the application ended before its jobs; its incomplete output could not be removed: the folder "
             "stays");
  BOOST_TEST((ends.at(2).end->status == JobStatus::failed));
}

BOOST_AUTO_TEST_CASE(the_own_driver_fails_its_jobs_when_the_cluster_is_lost) {
  auto world = World::running(client_mode);
  world.run(0);
  world.accept(0, 0);
  world.protocol.on_nodes_lost({"no node is left"}, world.effects);
  world.protocol.on_resource_manager_lost(world.effects);
  BOOST_TEST_REQUIRE(world.all<FailAtDriver>().size() == 1U);
  BOOST_TEST(world.all<FailAtDriver>().front().text == "no node is left");
  BOOST_TEST((world.reports<ClusterUnusable>().front().why == Error{Errc::unreachable, "no node is left"}));
  world.finish(0, JobStatus::failed);
  BOOST_TEST((world.end().end->status == JobStatus::failed));
  world.effects.clear();
  world.run(1);
  BOOST_TEST((world.end().end.error() == Error{Errc::unreachable, "no node is left"}));
}

BOOST_AUTO_TEST_CASE(without_an_own_driver_the_loss_of_the_cluster_ends_the_jobs) {
  auto world = World::running(cluster_mode);
  world.driver(1);
  world.run(0, "/out");
  world.accept(0, 0);
  world.protocol.on_resource_manager_lost(world.effects);
  world.protocol.on_cluster_gone(world.effects);
  world.protocol.on_output_settled({0, false, ""}, world.effects);
  BOOST_TEST((world.end().end->status == JobStatus::failed));
  BOOST_TEST(world.end().end->text == cluster_lost);
}

BOOST_AUTO_TEST_CASE(a_shared_driver_gets_the_reason_of_the_end_of_its_application) {
  auto world = World::running(embedded);
  world.protocol.on_application_ended({{1000, 1}, false, "its queue was removed"}, world.effects);
  BOOST_TEST_REQUIRE(world.all<FailAtDriver>().size() == 1U);
  BOOST_TEST(world.all<FailAtDriver>().front().text == "its queue was removed");
}

BOOST_AUTO_TEST_CASE(leaving_stops_the_driver_or_kills_an_application_without_one) {
  auto here = World::running(client_mode);
  here.protocol.on_leave_application({true}, here.effects);
  BOOST_TEST(here.all<StopAtDriver>().at(0).succeeded);
  BOOST_TEST(here.reports<ApplicationOver>().empty());
  here.protocol.on_application_ended({{1000, 1}, true, ""}, here.effects);
  BOOST_TEST(here.reports<ApplicationOver>().size() == 1U);
  auto there = World::running(cluster_mode);
  there.protocol.on_leave_application({false}, there.effects);
  BOOST_TEST(there.all<KillAtCluster>().at(0).reason == "the client has ended");
  there.run(0);
  BOOST_TEST((there.end().end.error().code == Errc::refused));
}

// -- framework classic -------------------------------------------------------------------------------

/// Its JobTracker is connected.
World tracked() {
  World world{classic};
  world.protocol.on_job_service_reached(1, world.effects);
  return world;
}

BOOST_AUTO_TEST_CASE(jobs_wait_until_the_job_tracker_is_connected) {
  World world{classic};
  BOOST_TEST(world.all<ConnectCluster>().empty());
  BOOST_TEST_REQUIRE(world.all<ConnectJobService>().size() == 1U);
  BOOST_TEST(world.all<ConnectJobService>().front().address == "tracker:1");
  world.run(0);
  BOOST_TEST(world.all<SubmitToJobService>().empty());
  world.protocol.on_job_service_reached(1, world.effects);
  BOOST_TEST((world.protocol.phase() == ClientPhase::running));
  BOOST_TEST(world.reports<ApplicationSubmitted>().size() == 1U);
  BOOST_TEST(world.all<SubmitToJobService>().size() == 1U);
  world.accept(0, 1);
  world.finish(1);
  BOOST_TEST((world.end().end->status == JobStatus::succeeded));
}

BOOST_AUTO_TEST_CASE(an_unreachable_job_tracker_ends_the_session) {
  World world{classic};
  world.protocol.on_job_service_unreachable(world.now, 1, world.effects);
  BOOST_TEST(
      (world.reports<ApplicationOver>().front().why == Error{Errc::unreachable, std::string{job_tracker_unreachable}}));
  BOOST_TEST(!world.protocol.next_due().has_value());
}

BOOST_AUTO_TEST_CASE(the_loss_of_the_job_tracker_ends_its_jobs_with_one_sentence) {
  auto world = tracked();
  world.run(0, "/out");
  world.accept(0, 1);
  world.protocol.on_job_service_lost(world.effects);
  BOOST_TEST(world.reports<ApplicationOver>().front().why.text == job_tracker_lost);
  BOOST_TEST(world.all<EndCluster>().size() == 1U);
  world.protocol.on_cluster_gone(world.effects);
  BOOST_TEST_REQUIRE(world.all<SettleOutput>().size() == 1U);
  BOOST_TEST(world.all<SettleOutput>().front().attempt == 2);
  world.protocol.on_output_settled({0, false, ""}, world.effects);
  BOOST_TEST((world.end().end->status == JobStatus::failed));
  BOOST_TEST(world.end().end->text == job_tracker_lost);
}

BOOST_AUTO_TEST_CASE(a_decided_commit_of_a_lost_job_tracker_is_completed) {
  auto world = tracked();
  world.run(0, "/out");
  world.accept(0, 1);
  world.protocol.on_job_service_lost(world.effects);
  world.protocol.on_cluster_gone(world.effects);
  world.protocol.on_output_settled({0, true, ""}, world.effects);
  BOOST_TEST((world.end().end->status == JobStatus::succeeded));
  BOOST_TEST(world.reports<Notice>().size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_cancelled_job_ends_at_the_job_tracker_or_with_its_cluster) {
  auto answered = tracked();
  answered.run(0);
  answered.accept(0, 1);
  answered.protocol.on_cancel_jobs(answered.now, answered.effects);
  BOOST_TEST(answered.all<CancelAtJobService>().size() == 1U);
  answered.finish(1, JobStatus::cancelled);
  BOOST_TEST((answered.end().end->status == JobStatus::cancelled));
  auto silent = tracked();
  silent.run(0, "/out");
  silent.protocol.on_cancel_jobs(silent.now, silent.effects);
  while (silent.tick_within(10s)) {}
  BOOST_TEST(silent.all<KillAtCluster>().empty());
  BOOST_TEST(silent.reports<ApplicationOver>().front().why.text == cancelled_without_job_tracker);
  silent.protocol.on_cluster_gone(silent.effects);
  silent.protocol.on_output_settled({0, false, ""}, silent.effects);
  BOOST_TEST((silent.end().end->status == JobStatus::cancelled));
}

BOOST_AUTO_TEST_CASE(leaving_a_job_tracker_ends_the_application_at_once) {
  auto world = tracked();
  world.protocol.on_leave_application({true}, world.effects);
  BOOST_TEST(world.all<StopAtDriver>().empty());
  BOOST_TEST(world.all<KillAtCluster>().empty());
  BOOST_TEST(world.reports<ApplicationOver>().size() == 1U);
  world.protocol.on_job_service_lost(world.effects);
  BOOST_TEST(world.reports<ApplicationOver>().size() == 1U);
  world.run(0);
  BOOST_TEST((world.end().end.error().code == Errc::refused));
}

// -- framework yarn

BOOST_AUTO_TEST_CASE(the_end_of_an_application_waits_for_the_last_messages_of_its_map_reduce_master) {
  auto world = World::running(yarn);
  world.driver(1);
  world.run(0);
  world.accept(0, 1);
  world.protocol.on_application_ended({{1000, 1}, false, "done"}, world.effects);
  BOOST_TEST(world.reports<RequestEnded>().empty());
  world.finish(1);
  BOOST_TEST((world.end().end->status == JobStatus::succeeded));
  BOOST_TEST(world.reports<ApplicationOver>().size() == 1U);
}

BOOST_AUTO_TEST_CASE(an_application_that_ends_without_the_end_of_its_job_settles_the_output) {
  auto world = World::running(yarn);
  world.driver(1);
  world.run(0, "/out");
  world.accept(0, 1);
  world.protocol.on_application_ended({{1000, 1}, false, "the master failed"}, world.effects);
  world.protocol.on_job_service_lost(world.effects);
  world.protocol.on_cluster_gone(world.effects);
  BOOST_TEST(world.all<SettleOutput>().size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_map_reduce_master_ends_by_itself_after_its_job) {
  auto world = World::running(yarn);
  world.driver(1);
  world.run(0);
  world.accept(0, 1);
  world.finish(1);
  world.protocol.on_leave_application({true}, world.effects);
  BOOST_TEST(world.all<StopAtDriver>().empty());
  BOOST_TEST(world.all<KillAtCluster>().empty());
  BOOST_TEST((world.protocol.phase() == ClientPhase::leaving));
}

BOOST_AUTO_TEST_CASE(a_map_reduce_master_without_a_job_is_killed) {
  auto world = World::running(yarn);
  world.driver(1);
  world.protocol.on_leave_application({true}, world.effects);
  BOOST_TEST(world.all<StopAtDriver>().empty());
  BOOST_TEST(world.all<KillAtCluster>().size() == 1U);
}

}  // namespace
}  // namespace client_protocol_test
}  // namespace heddle::actors
