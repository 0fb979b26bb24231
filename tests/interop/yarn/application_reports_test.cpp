// Goal: reports of YARN keep their meaning. Method: one report of each kind, complete and as a ResourceManager sends it
// before it knows anything.
#include "interop/yarn/application_reports.hpp"

#include <boost/test/unit_test.hpp>

#include "interop/yarn/yarn_ids.hpp"

namespace heddle::interop {
namespace application_reports_test {
namespace {

const AttemptId attempt{{1700000000000, 7}, 2};

BOOST_AUTO_TEST_CASE(a_report_has_state_progress_and_times) {
  proto::ApplicationReport report;
  *report.mutable_application_id() = to_proto(attempt.application);
  report.set_name("words");
  report.set_state(proto::APPLICATION_RUNNING);
  report.set_progress(0.5F);
  report.set_start_time(1000);
  report.set_launch_time(2000);
  report.set_host("h1");
  report.set_rpc_port(4711);
  report.set_diagnostics("a\n\n");
  report.add_tags("nightly");
  const auto read = application_report(report);
  BOOST_TEST((read.id == attempt.application));
  BOOST_TEST(read.state == "RUNNING");
  BOOST_TEST(!read.is_over);
  BOOST_TEST(read.progress == 0.5);
  BOOST_TEST(read.submitted_ms == 1000);
  BOOST_TEST(read.started_ms == 2000);
  BOOST_TEST(read.ended_ms == 0);
  BOOST_TEST(read.driver == "h1:4711");
  BOOST_TEST(read.diagnostics == "a");
  BOOST_TEST(read.tags.size() == 1U);
}

BOOST_AUTO_TEST_CASE(what_a_resource_manager_does_not_know_yet_is_empty) {
  proto::ApplicationReport report;
  report.set_state(proto::APPLICATION_ACCEPTED);
  report.set_host("N/A");
  report.set_rpc_port(-1);
  report.set_tracking_url("N/A");
  report.set_progress(-1.0F);
  const auto read = application_report(report);
  BOOST_TEST(read.driver.empty());
  BOOST_TEST(read.page.empty());
  BOOST_TEST(read.progress == 0.0);
  BOOST_TEST(!read.is_collecting_logs);
  report.set_state(proto::APPLICATION_KILLED);
  report.set_log_collection(proto::LOGS_RUNNING);
  BOOST_TEST(application_report(report).is_over);
  BOOST_TEST(application_report(report).is_collecting_logs);
}

BOOST_AUTO_TEST_CASE(attempts_and_containers_are_ordered) {
  proto::GetApplicationAttemptsResponse attempts;
  for (const auto number : {2, 1}) {
    auto& report = *attempts.add_attempts();
    *report.mutable_attempt_id() = to_proto(AttemptId{attempt.application, number});
    report.set_state(number == 2 ? proto::ATTEMPT_SCHEDULED : proto::ATTEMPT_FAILED);
  }
  *attempts.mutable_attempts(1)->mutable_master_container() = to_proto(ContainerId{1}, {attempt.application, 1});
  const auto read = attempt_reports(attempts);
  BOOST_REQUIRE(read.size() == 2U);
  BOOST_TEST(read[0].container == "container_1700000000000_0007_01_000001");
  BOOST_TEST(read[0].state == "FAILED");
  BOOST_TEST(read[1].container.empty());

  proto::GetContainersResponse containers;
  for (const auto number : {3, 1}) {
    auto& report = *containers.add_containers();
    *report.mutable_container_id() = to_proto(ContainerId{number}, attempt);
    report.mutable_node_id()->set_host("h1");
    report.set_state(proto::C_RUNNING);
    report.set_log_url("http://h1:8042/node/containerlogs/x/ann");
    report.set_node_http_address("http://h1:8042");
  }
  const auto live = container_reports(containers);
  BOOST_REQUIRE(live.size() == 2U);
  BOOST_TEST(live[0].name == "container_1700000000000_0007_02_000001");
  BOOST_TEST(live[0].node_page == "http://h1:8042");
  BOOST_TEST(live[0].state == "RUNNING");
}

}  // namespace
}  // namespace application_reports_test
}  // namespace heddle::interop
