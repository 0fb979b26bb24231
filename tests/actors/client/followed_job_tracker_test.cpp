// Goal: a Client whose JobTracker recovers jobs follows its job to the next JobTracker, and gives up if none follows.
// Method: plain calls; effects compared by type.
#include <boost/test/unit_test.hpp>
#include <string>
#include <variant>
#include <vector>

#include "actors/client/client_protocol.hpp"
#include "tests/actors/client/reports_of.hpp"

namespace heddle::actors {
namespace followed_job_tracker_test {
namespace {

/// A JobTracker had accepted job 1 of request 0, and is lost.
struct LostTracker {
  ClientProtocol protocol{{true, false, false, "tracker:1", false, true}};
  ClientEffects effects;
  LostTracker() {
    protocol.begin(effects);
    protocol.on_job_service_reached(1, effects);
    RunJob message;
    message.job.request = 0;
    message.job.package.graph.stages.emplace_back().output.emplace().path = "/out";
    protocol.on_run_job(message, effects);
    protocol.on_job_accepted({0, JobId{1}}, effects);
    protocol.on_job_service_lost(effects);
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

BOOST_AUTO_TEST_CASE(a_job_is_followed_to_the_job_tracker_that_recovers_it) {
  LostTracker world;
  BOOST_TEST(world.reports<ApplicationOver>().empty());
  BOOST_TEST(world.reports<Notice>().front().text == job_tracker_returns);
  BOOST_TEST_REQUIRE(world.all<ConnectJobService>().size() == 2U);
  BOOST_TEST(world.all<ConnectJobService>().back().address == "tracker:1");
  world.protocol.on_job_service_reached(2, world.effects);
  BOOST_TEST_REQUIRE(world.all<SubmitToJobService>().size() == 2U);
  BOOST_TEST((world.all<SubmitToJobService>().front().job.earlier_job == JobId{}));
  const auto again = world.all<SubmitToJobService>().back().job;
  BOOST_TEST(again.earlier_drivers == 1);
  BOOST_TEST((again.earlier_job == JobId{1}));
  world.protocol.on_job_accepted({0, JobId{1}}, world.effects);
  JobFinished end;
  end.job = JobId{1};
  end.status = JobStatus::succeeded;
  world.protocol.on_job_finished(end, world.effects);
  BOOST_TEST_REQUIRE(world.reports<RequestEnded>().size() == 1U);
  BOOST_TEST((world.reports<RequestEnded>().front().end->status == JobStatus::succeeded));
}

BOOST_AUTO_TEST_CASE(a_job_ends_if_no_job_tracker_follows) {
  LostTracker world;
  world.protocol.on_job_service_unreachable(Instant{}, 2, world.effects);
  BOOST_TEST(world.reports<ApplicationOver>().front().why.text == job_tracker_lost);
  world.protocol.on_cluster_gone(world.effects);
  BOOST_TEST(world.all<SettleOutput>().front().attempt > 100);  // later than any that a JobTracker used
  world.protocol.on_output_settled({0, false, ""}, world.effects);
  const auto end = world.reports<RequestEnded>().front().end;
  BOOST_TEST((end->status == JobStatus::failed));
  BOOST_TEST((end->job == JobId{1}));
}

}  // namespace
}  // namespace followed_job_tracker_test
}  // namespace heddle::actors
