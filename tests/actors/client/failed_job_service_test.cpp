// Goal: after an exception ended the role that runs the jobs, each job ends and its output is settled, or the next job
// service gets it. Method: plain calls; effects compared by type.
#include <boost/test/unit_test.hpp>
#include <string>
#include <variant>
#include <vector>

#include "actors/client/client_protocol.hpp"
#include "tests/actors/client/reports_of.hpp"

namespace heddle::actors {
namespace failed_job_service_test {
namespace {

JobFinished failed_end() {
  JobFinished end;
  end.job = JobId{0};
  end.text = "the driver failed: no memory";
  end.service_failed = true;
  return end;
}

const JobFinished failed = failed_end();

/// The job service has accepted job 0 of request 0.
struct Running {
  ClientProtocol protocol;
  ClientEffects effects;

  explicit Running(const ClientRules& rules) : protocol{rules} {
    protocol.begin(effects);
    if (rules.has_cluster) {
      protocol.on_cluster_reached(effects);
      protocol.on_application_accepted({{1000, 1}, "root.default"}, effects);
    }
    if (!rules.has_own_driver) start_driver(1);
    RunJob message;
    message.job.package.graph.stages.emplace_back().output.emplace().path = "/out";
    protocol.on_run_job(message, effects);
    protocol.on_job_accepted({0, JobId{0}}, effects);
    effects.clear();
  }
  void start_driver(std::int32_t attempt) {
    protocol.on_driver_ready({{{1000, 1}, attempt}, "driver:" + std::to_string(attempt)}, effects);
    protocol.on_job_service_reached(attempt, effects);
  }
  template <class Effect>
  [[nodiscard]] std::vector<Effect> all() const {
    return tests::effects_of<Effect>(effects);
  }
  template <class Report>
  [[nodiscard]] std::vector<Report> reports() const {
    return reports_of<Report>(effects);
  }
};

BOOST_AUTO_TEST_CASE(the_client_settles_the_outputs_of_its_own_driver) {
  for (const bool has_cluster : {true, false}) {
    Running world{{has_cluster, true, false}};
    world.protocol.on_job_finished(failed, world.effects);
    BOOST_TEST(world.all<EndCluster>().size() == 1U);
    BOOST_TEST(world.reports<RequestEnded>().empty());
    world.protocol.on_cluster_gone(world.effects);
    BOOST_TEST_REQUIRE(world.all<SettleOutput>().size() == 1U);
    BOOST_TEST(world.all<SettleOutput>().front().paths.front() == "/out");
    world.protocol.on_output_settled({0, false, "'/out/_temporary' is busy"}, world.effects);
    BOOST_TEST_REQUIRE(world.reports<RequestEnded>().size() == 1U);
    BOOST_TEST(world.reports<RequestEnded>().front().end.error().text ==
               failed.text + "; its incomplete output could not be removed: '/out/_temporary' is busy");
    BOOST_TEST((world.protocol.phase() == ClientPhase::over));
  }
}

BOOST_AUTO_TEST_CASE(a_decided_commit_of_its_own_driver_is_completed) {
  Running world{{true, true, false}};
  world.protocol.on_job_finished(failed, world.effects);
  world.protocol.on_cluster_gone(world.effects);
  world.protocol.on_output_settled({0, true, {}}, world.effects);
  BOOST_TEST_REQUIRE(world.reports<RequestEnded>().size() == 1U);
  BOOST_TEST((world.reports<RequestEnded>().front().end->status == JobStatus::succeeded));
}

BOOST_AUTO_TEST_CASE(a_client_that_cannot_settle_outputs_ends_its_jobs_with_the_reason) {
  ClientRules rules{false, true, false};
  rules.settles_outputs = false;
  Running world{rules};
  world.protocol.on_job_finished(failed, world.effects);
  BOOST_TEST_REQUIRE(world.reports<RequestEnded>().size() == 1U);
  BOOST_TEST((world.reports<RequestEnded>().front().end.error() == Error{Errc::failed, failed.text}));
  BOOST_TEST(world.all<SettleOutput>().empty());
}

BOOST_AUTO_TEST_CASE(a_driver_in_another_process_is_replaced_by_the_next_one) {
  Running world{{true, false, false}};
  world.protocol.on_job_finished(failed, world.effects);
  BOOST_TEST_REQUIRE(world.reports<Notice>().size() == 1U);
  BOOST_TEST(world.reports<Notice>().front().text == failed.text);
  world.protocol.on_job_service_lost(world.effects);
  world.start_driver(2);
  BOOST_TEST_REQUIRE(world.all<SubmitToJobService>().size() == 1U);
  BOOST_TEST(world.all<SubmitToJobService>().front().job.earlier_drivers == 1);
  BOOST_TEST(world.all<SettleOutput>().empty());
}

}  // namespace
}  // namespace failed_job_service_test
}  // namespace heddle::actors
