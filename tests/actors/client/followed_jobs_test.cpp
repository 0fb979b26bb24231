// Goal: a Client whose jobs lie in a master container gets their results and submits none; the application ends without
// it. Method: plain calls; effects compared by type.
#include <boost/test/unit_test.hpp>
#include <string>
#include <variant>
#include <vector>

#include "actors/client/client_protocol.hpp"
#include "tests/actors/client/reports_of.hpp"

namespace heddle::actors {
namespace followed_jobs_test {
namespace {

using namespace std::chrono_literals;

/// An application with these jobs is accepted.
struct World {
  ClientProtocol protocol{{true, false, false, {}, false, false, true}};
  ClientEffects effects;

  explicit World(std::int64_t jobs = 1) {
    protocol.begin(effects);
    protocol.on_cluster_reached(effects);
    for (std::int64_t request = 0; request < jobs; ++request) {
      RunJob message;
      message.job.request = request;
      message.job.package.graph.stages.emplace_back().output.emplace().path = "/out" + std::to_string(request);
      protocol.on_run_job(message, effects);
    }
    protocol.on_application_accepted({{1000, 1}, "root.default"}, effects);
  }
  void driver(std::int32_t attempt) {
    protocol.on_driver_ready({{{1000, 1}, attempt}, "driver:" + std::to_string(attempt)}, effects);
    protocol.on_job_service_reached(attempt, effects);
  }
  void finish(std::int64_t job, JobStatus status = JobStatus::succeeded) {
    JobFinished end;
    end.job = JobId{job};
    end.status = status;
    end.totals.tasks = 3;
    protocol.on_job_finished(end, effects);
  }
  void end_application(bool succeeded, const std::string& text) {
    protocol.on_application_ended({{1000, 1}, succeeded, text}, effects);
  }
  template <class Effect>
  [[nodiscard]] std::vector<Effect> all() const {
    return tests::effects_of<Effect>(effects);
  }
  template <class Report>
  [[nodiscard]] std::vector<Report> reports() const {
    return reports_of<Report>(effects);
  }
  [[nodiscard]] JobFinished end() const {
    BOOST_TEST_REQUIRE(reports<RequestEnded>().size() == 1U);
    BOOST_TEST_REQUIRE(reports<RequestEnded>().front().end.has_value());
    return *reports<RequestEnded>().front().end;
  }
};

BOOST_AUTO_TEST_CASE(jobs_are_followed_and_none_is_submitted) {
  World world{2};
  world.driver(1);
  BOOST_TEST(world.all<FollowAtDriver>().size() == 1U);
  world.protocol.on_job_accepted({0, JobId{4}}, world.effects);
  world.protocol.on_job_accepted({1, JobId{5}}, world.effects);
  world.protocol.on_job_progress({JobId{4}, {}, 1, 2, {}}, world.effects);
  world.finish(5);
  world.finish(4);
  BOOST_TEST(world.reports<JobProgress>().size() == 1U);
  BOOST_TEST_REQUIRE(world.reports<RequestEnded>().size() == 2U);
  BOOST_TEST(world.reports<RequestEnded>().front().request == 1);
  BOOST_TEST(world.reports<RequestEnded>().front().end->totals.tasks == 3);
  BOOST_TEST(world.all<SubmitToJobService>().empty());
}

BOOST_AUTO_TEST_CASE(a_client_with_all_results_confirms_them_and_kills_nothing) {
  World world;
  world.driver(1);
  world.protocol.on_job_accepted({0, JobId{4}}, world.effects);
  world.finish(4);
  world.protocol.on_leave_application({true, {}}, world.effects);
  BOOST_TEST(world.all<StopFollowingAtDriver>().size() == 1U);
  BOOST_TEST(world.all<StopAtDriver>().empty());
  BOOST_TEST(world.all<KillAtCluster>().empty());
  BOOST_TEST((world.protocol.phase() == ClientPhase::leaving));
  world.end_application(true, {});
  BOOST_TEST(world.reports<ApplicationOver>().size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_session_that_ends_before_its_jobs_kills_the_application) {
  World world;
  world.driver(1);
  world.protocol.on_leave_application({}, world.effects);
  BOOST_TEST(world.all<KillAtCluster>().size() == 1U);
}

BOOST_AUTO_TEST_CASE(the_jobs_are_followed_at_the_driver_of_the_next_attempt) {
  World world{2};
  world.driver(1);
  world.protocol.on_job_accepted({0, JobId{4}}, world.effects);
  world.protocol.on_job_accepted({1, JobId{5}}, world.effects);
  world.finish(4);
  world.protocol.on_job_service_lost(world.effects);
  world.driver(2);
  BOOST_TEST(world.all<FollowAtDriver>().size() == 2U);
  world.protocol.on_job_accepted({0, JobId{0}}, world.effects);  // its end is known
  world.protocol.on_job_accepted({1, JobId{1}}, world.effects);
  world.finish(0);
  world.finish(1);
  BOOST_TEST(world.reports<RequestEnded>().size() == 2U);
  BOOST_TEST(world.reports<JobAccepted>().size() == 3U);
}

BOOST_AUTO_TEST_CASE(the_end_of_the_application_waits_for_reports_that_are_under_way) {
  World world;
  world.driver(1);
  world.protocol.on_job_accepted({0, JobId{4}}, world.effects);
  world.end_application(true, {});
  BOOST_TEST(world.reports<RequestEnded>().empty());
  world.finish(4);
  BOOST_TEST(world.end().totals.tasks == 3);
}

BOOST_AUTO_TEST_CASE(the_final_status_counts_if_the_driver_was_never_reached) {
  World world{2};
  world.protocol.on_driver_ready({{{1000, 1}, 1}, "driver:1"}, world.effects);
  world.protocol.on_job_service_unreachable(Instant{1h}, 1, world.effects);
  world.end_application(true, {});
  BOOST_TEST(world.reports<Notice>().front().text == ended_unseen);
  BOOST_TEST_REQUIRE(world.reports<RequestEnded>().size() == 2U);
  for (const auto& ended : world.reports<RequestEnded>()) BOOST_TEST((ended.end->status == JobStatus::succeeded));
  BOOST_TEST(world.all<EndCluster>().empty());
  BOOST_TEST((world.protocol.phase() == ClientPhase::over));
}

BOOST_AUTO_TEST_CASE(the_outputs_of_an_application_whose_masters_died_are_settled) {
  World world;
  world.driver(1);
  world.protocol.on_job_accepted({0, JobId{4}}, world.effects);
  world.protocol.on_job_service_lost(world.effects);
  world.end_application(false, "failed 2 times due to AM Container");
  BOOST_TEST(world.all<EndCluster>().size() == 1U);
  world.protocol.on_cluster_gone(world.effects);
  BOOST_TEST_REQUIRE(world.all<SettleOutput>().size() == 1U);
  BOOST_TEST(world.all<SettleOutput>().front().paths.front() == "/out0");
  BOOST_TEST(world.all<SettleOutput>().front().attempt > 2);  // the client has not seen each attempt
  world.protocol.on_output_settled({0, false, {}}, world.effects);
  BOOST_TEST((world.end().status == JobStatus::failed));
  BOOST_TEST(world.end().text == "failed 2 times due to AM Container");
}

// The commit of an output would show it. A job that runs alone has failed if its application has.
BOOST_AUTO_TEST_CASE(of_several_jobs_one_without_an_output_may_have_succeeded_in_a_failed_application) {
  for (const bool is_alone : {true, false}) {
    World world{is_alone ? 0 : 1};
    RunJob without_output;
    without_output.job.request = 7;
    without_output.job.package.graph.stages.emplace_back();
    world.protocol.on_run_job(without_output, world.effects);
    world.end_application(false, "job 'words' failed");
    world.protocol.on_cluster_gone(world.effects);
    world.protocol.on_output_settled({7, false, {}}, world.effects);
    BOOST_TEST(world.end().text == "job 'words' failed" + std::string{is_alone ? "" : success_unknown});
  }
}

BOOST_AUTO_TEST_CASE(outputs_are_settled_although_no_driver_was_ever_reached) {
  World world;
  world.end_application(false, "failed 2 times");
  world.protocol.on_cluster_gone(world.effects);
  BOOST_TEST_REQUIRE(world.all<SettleOutput>().size() == 1U);
  world.protocol.on_output_settled({0, true, {}}, world.effects);
  BOOST_TEST((world.end().status == JobStatus::succeeded));
}

BOOST_AUTO_TEST_CASE(a_refused_application_has_no_output_to_settle) {
  ClientProtocol protocol{{true, false, false, {}, false, false, true}};
  ClientEffects effects;
  protocol.begin(effects);
  protocol.on_cluster_reached(effects);
  RunJob message;
  message.job.package.graph.stages.emplace_back().output.emplace().path = "/out";
  protocol.on_run_job(message, effects);
  protocol.on_application_refused({"unknown queue"}, effects);
  protocol.on_cluster_gone(effects);
  BOOST_TEST(tests::effects_of<SettleOutput>(effects).empty());
  const auto reports = tests::effects_of<ReportToSession>(effects);
  BOOST_TEST_REQUIRE(!reports.empty());
  const auto* ended = std::get_if<RequestEnded>(&reports.back().report);
  BOOST_TEST_REQUIRE(ended != nullptr);
  BOOST_TEST((ended->end.error() == Error{Errc::refused, "unknown queue"}));
}

BOOST_AUTO_TEST_CASE(a_cancellation_kills_the_application_at_once) {
  World world;
  world.driver(1);
  world.protocol.on_job_accepted({0, JobId{4}}, world.effects);
  world.protocol.on_cancel_jobs(Instant{1h}, world.effects);
  BOOST_TEST(world.all<KillAtCluster>().size() == 1U);
  BOOST_TEST(world.all<CancelAtJobService>().empty());
  world.end_application(false, "Application was killed by user ann");
  BOOST_TEST(world.reports<RequestEnded>().empty());  // until the connection to the master breaks
  world.protocol.on_job_service_lost(world.effects);
  world.protocol.on_cluster_gone(world.effects);
  world.protocol.on_output_settled({0, false, {}}, world.effects);
  BOOST_TEST((world.end().status == JobStatus::cancelled));
}

}  // namespace
}  // namespace followed_jobs_test
}  // namespace heddle::actors
