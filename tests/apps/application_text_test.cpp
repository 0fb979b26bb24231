// Goal: applications are shown as tables, details and documents. Method: one application, running and ended.
#include "apps/output/application_text.hpp"

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>

namespace application_text_test {

using namespace heddle;
using namespace heddle::apps;

namespace {

ApplicationReport running() {
  ApplicationReport made;
  made.id = {1700000000000, 7};
  made.name = "words";
  made.type = "HEDDLE";
  made.state = "RUNNING";
  made.final_status = "UNDEFINED";
  made.progress = 0.256;
  made.submitted_ms = 1'700'000'001'000;
  return made;
}

ApplicationReport ended() {
  auto made = running();
  made.is_over = true;
  made.state = "FINISHED";
  made.final_status = "FAILED";
  made.ended_ms = made.submitted_ms + 61'000;
  made.diagnostics = "first\nsecond";
  return made;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_document_has_no_final_status_and_no_end_before_the_end) {
  const std::vector<ApplicationReport> both{running(), ended()};
  const auto document = boost::json::parse(application_documents(Format::json, both));
  BOOST_TEST(document.at("schema").as_int64() == 1);
  const auto& listed = document.at("applications").as_array();
  BOOST_REQUIRE(listed.size() == 2U);
  BOOST_TEST(listed[0].at("final_status").is_null());
  BOOST_TEST(listed[0].at("ended").is_null());
  BOOST_TEST(listed[0].at("progress").as_double() == 0.256);
  BOOST_TEST(listed[1].at("final_status").as_string() == "FAILED");
  BOOST_TEST(listed[1].at("ended").as_string() == "2023-11-14T22:14:22.000Z");
  const auto lines = application_documents(Format::jsonl, both);
  BOOST_TEST(std::count(lines.begin(), lines.end(), '\n') == 2);
  BOOST_TEST(lines.find("{\"schema\":1,\"id\":\"application_1700000000000_0007\"") == 0U);
  BOOST_TEST(boost::json::parse(application_documents(Format::json, {})).at("applications").as_array().empty());
}

BOOST_AUTO_TEST_CASE(details_have_a_line_for_each_known_field) {
  const auto text = application_details(ended(), {}, {});
  BOOST_TEST(text ==
             "application   application_1700000000000_0007\n"
             "name          words\n"
             "type          HEDDLE\n"
             "state         FINISHED\n"
             "final status  FAILED\n"
             "submitted     2023-11-14T22:13:21.000Z\n"
             "ended         2023-11-14T22:14:22.000Z\n"
             "took          1 min 1 s\n"
             "diagnostics   first\n"
             "              second\n");
  const auto document = boost::json::parse(
      application_document(running(), std::vector{ApplicationAttemptReport{1, "RUNNING", "container_1", 0, 0, {}}},
                           std::vector{ContainerReport{"container_1", "h1", {}, "RUNNING", {}, 0, 0, 0}}));
  BOOST_TEST(document.at("attempts").as_array().size() == 1U);
  BOOST_TEST(document.at("containers").as_array()[0].at("host").as_string() == "h1");
  BOOST_TEST(document.at("containers").as_array()[0].at("log").is_null());
}

BOOST_AUTO_TEST_CASE(progress_and_end_are_one_line) {
  auto report = running();
  BOOST_TEST(application_line(report) == "application_1700000000000_0007 RUNNING, 26 %");
  report.state = "ACCEPTED";
  report.diagnostics = "the queue is full";
  BOOST_TEST(application_line(report) == "application_1700000000000_0007 ACCEPTED: the queue is full");
  BOOST_TEST(application_end(ended()) == "application_1700000000000_0007 failed after 1 min 1 s: first\nsecond");
  report = ended();
  report.final_status = "SUCCEEDED";
  report.diagnostics.clear();
  BOOST_TEST(application_end(report) == "application_1700000000000_0007 succeeded after 1 min 1 s");
  report.state = report.final_status = "KILLED";
  BOOST_TEST(application_end(report) == "application_1700000000000_0007 was killed after 1 min 1 s");
}

}  // namespace application_text_test
