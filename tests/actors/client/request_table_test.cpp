// Goal: a request keeps exactly what another Driver would need. Method: plain calls.
#include "actors/client/request_table.hpp"

#include <boost/test/unit_test.hpp>

namespace heddle::actors {
namespace request_table_test {
namespace {

SubmitJob job_of(std::int64_t request) {
  SubmitJob job;
  job.request = request;
  StageDescription stage;
  stage.output.emplace().path = "/out";
  job.package.graph.stages = {stage, StageDescription{}};
  return job;
}

BOOST_AUTO_TEST_CASE(a_job_is_submitted_with_the_number_of_earlier_drivers) {
  RequestTable table;
  table.add(job_of(7));
  BOOST_TEST(!table.find(7)->was_submitted());
  BOOST_TEST(table.submit(7, false).earlier_drivers == 0);
  BOOST_TEST(table.find(7)->was_submitted());
  table.accept(7, JobId{2});
  BOOST_TEST(table.find(JobId{2}) == table.find(7));
  table.hold_all();
  BOOST_TEST(table.find(JobId{2}) == nullptr);
  const auto again = table.submit(7, false);
  BOOST_TEST(again.earlier_drivers == 1);
  BOOST_TEST(again.package.graph.stages.size() == 2U);
  BOOST_TEST((table.find(7)->output_paths == std::vector<std::string>{"/out"}));
}

BOOST_AUTO_TEST_CASE(with_an_own_driver_only_the_outputs_are_kept) {
  RequestTable table;
  table.add(job_of(7));
  BOOST_TEST(table.submit(7, true).package.graph.stages.size() == 2U);
  BOOST_TEST(table.find(7)->job.request == 7);
  BOOST_TEST(table.find(7)->job.package.graph.stages.empty());
  BOOST_TEST(table.find(7)->was_submitted());
  BOOST_TEST(table.find(7)->output_paths.size() == 1U);
}

BOOST_AUTO_TEST_CASE(requests_are_found_by_their_phase) {
  RequestTable table;
  for (std::int64_t request = 0; request < 3; ++request) table.add(job_of(request));
  static_cast<void>(table.submit(1, false));
  table.accept(1, JobId{0});
  table.settle(2);
  BOOST_TEST((table.in(RequestPhase::held) == std::vector<std::int64_t>{0}));
  BOOST_TEST((table.in(RequestPhase::settling) == std::vector<std::int64_t>{2}));
  BOOST_TEST(table.has_accepted());
  table.remove(1);
  BOOST_TEST(!table.has_accepted());
  BOOST_TEST(table.size() == 2U);
}

}  // namespace
}  // namespace request_table_test
}  // namespace heddle::actors
