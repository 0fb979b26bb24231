// Goal: summaries, documents and progress lines are correct and fit their width.
// Method: tables of values; a scripted sequence of snapshots.
#include <algorithm>
#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>

#include "apps/output/human_text.hpp"
#include "apps/output/progress.hpp"
#include "apps/output/summary.hpp"
#include "apps/output/topology_report.hpp"

namespace output_test {

using namespace heddle;
using namespace heddle::apps;
using std::chrono::seconds;

BOOST_AUTO_TEST_CASE(times_are_rfc_3339_in_utc) {
  BOOST_TEST(rfc3339(0) == "1970-01-01T00:00:00.000Z");
  BOOST_TEST(rfc3339(951'782'400'123'456) == "2000-02-29T00:00:00.123Z");
  BOOST_TEST(rfc3339(-1) == "1969-12-31T23:59:59.999Z");
}

BOOST_AUTO_TEST_CASE(durations_and_sizes_are_short) {
  BOOST_TEST(human_bytes(1536) == "1.5 KiB");
  BOOST_TEST(human_duration(Duration{3'450'000}) == "3.4 s");
  BOOST_TEST(human_duration(seconds{312}) == "5 min 12 s");
}

BOOST_AUTO_TEST_CASE(a_plain_line_is_printed_every_ten_seconds_and_at_the_end_of_a_stage) {
  std::string text;
  ProgressPrinter printer{ProgressStyle::lines, 80, false, [&](std::string_view words) { text += words; }};
  ProgressSnapshot snapshot;
  snapshot.stages.push_back(StageProgress{.id = 1, .name = "map", .tasks = 4});
  for (int second = 1; second <= 21; ++second) {
    snapshot.elapsed = seconds{second};
    printer.show(snapshot);
  }
  BOOST_TEST(std::count(text.begin(), text.end(), '\n') == 2);
  snapshot.stages[0].ended = true;
  printer.show(snapshot);
  printer.show(snapshot);
  BOOST_TEST(std::count(text.begin(), text.end(), '\n') == 3);
}

BOOST_AUTO_TEST_CASE(waiting_is_reported_after_five_seconds) {
  std::string text;
  ProgressPrinter printer{ProgressStyle::bars, 80, false, [&](std::string_view words) { text += words; }};
  ProgressSnapshot snapshot;
  snapshot.waiting_reason = "no executor has registered";
  snapshot.waiting_for = seconds{4};
  printer.show(snapshot);
  BOOST_TEST(text.find("no executor") == std::string::npos);
  snapshot.waiting_for = seconds{6};
  printer.show(snapshot);
  BOOST_TEST(text.find("waiting for 6.0 s: no executor") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(launches_without_preferred_location_are_shown_as_any) {
  const std::array<std::int64_t, 4> expected{1, 2, 4, 8};
  BOOST_TEST(shown_levels({1, 2, 3, 4, 5}) == expected, boost::test_tools::per_element());
  BOOST_TEST(shown_levels({}) == (std::array<std::int64_t, 4>{}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_stage_line_is_never_wider_than_its_columns) {
  StageProgress stage{
      .id = 1, .name = "a very long name of a stage", .done = 5, .running = 2, .tasks = 10, .launches = {0, 3, 0, 4}};
  stage.elapsed = seconds{100};
  for (int columns = 20; columns < 200; ++columns)
    BOOST_TEST(static_cast<int>(stage_line(stage, columns, true, false).size()) <= columns);
  BOOST_TEST(locality_percentages(stage) == "0/43/0/57");
  BOOST_TEST(estimate_remaining(stage)->count() == 100'000'000);
}

BOOST_AUTO_TEST_CASE(a_narrow_terminal_gets_plain_lines_without_split_characters) {
  std::string text;
  ProgressPrinter printer{ProgressStyle::bars, 80, true, [&](std::string_view words) { text += words; }};
  ProgressSnapshot snapshot;
  snapshot.stages.push_back(StageProgress{.id = 1, .name = "übergrößenträger mit ähnlichen", .done = 1, .tasks = 4});
  snapshot.elapsed = seconds{10};
  printer.show(snapshot);
  BOOST_TEST(text.find('\x1b') != std::string::npos);
  printer.clear();
  text.clear();
  printer.set_columns(12);
  printer.show(snapshot);
  BOOST_TEST(text.find('\x1b') == std::string::npos);
  BOOST_TEST(text.find("1/4 done") != std::string::npos);
  for (int columns = 1; columns < 100; ++columns) {
    const auto line = stage_line(snapshot.stages[0], columns, true, false);
    const auto last = line.empty() ? '\0' : line.back();
    BOOST_TEST((static_cast<unsigned char>(last) & 0xc0U) != 0xc0U);
  }
}

BOOST_AUTO_TEST_CASE(a_summary_has_singular_and_plural_forms) {
  JobSummary summary;
  summary.name = "words";
  summary.succeeded = true;
  summary.tasks = 1;
  summary.stages.resize(1);
  summary.attempts_failed = 1;
  summary.task_logs = {"logs/0.0.stderr"};
  BOOST_TEST(print_summary(summary).find("1 task in 1 stage, 1 failed attempt\n") != std::string::npos);
  BOOST_TEST(print_summary(summary).find("logs/0.0.stderr") != std::string::npos);
  summary.tasks = 2;
  BOOST_TEST(print_summary(summary).find("2 tasks in 1 stage, ") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(many_logs_are_reported_as_their_folder) {
  JobSummary summary;
  summary.task_log_folder = "logs";
  for (int task = 0; task < 7; ++task) summary.task_logs.push_back("logs/" + std::to_string(task));
  BOOST_TEST(print_summary(summary).find("  logs      logs (7 files, ") != std::string::npos);
  const auto many = boost::json::parse(summary_json(summary)).as_object();
  BOOST_TEST(many.at("task_logs").as_array().empty());
  BOOST_TEST(many.at("task_log_folder").as_string() == "logs");
  summary.task_logs.pop_back();
  const auto few = boost::json::parse(summary_json(summary)).as_object();
  BOOST_TEST(few.at("task_logs").as_array().size() == 6U);
}

BOOST_AUTO_TEST_CASE(a_summary_names_the_most_frequent_failures_and_counts_the_others) {
  JobSummary summary;
  for (int i = 0; i < 8; ++i) summary.failures.push_back({"killed; logs in c-" + std::to_string(i), i == 7 ? 3 : 1});
  const auto text = print_summary(summary);
  const auto most = text.find("  failed    3 x killed; logs in c-7\n");
  BOOST_REQUIRE(most != std::string::npos);
  BOOST_TEST(text.find("  failed    ") == most);
  BOOST_TEST(text.find("  failed    2 x for 2 other reasons\n") != std::string::npos);
  BOOST_TEST(boost::json::parse(summary_json(summary)).at("failures").as_array().size() == 8U);
}

BOOST_AUTO_TEST_CASE(percentages_of_launches_add_up_to_100) {
  const std::vector<std::pair<std::array<std::int64_t, 4>, std::string>> table{
      {{4, 8, 0, 0}, "33/67/0/0"}, {{1, 1, 1, 0}, "34/33/33/0"}, {{7, 0, 0, 0}, "100/0/0/0"}, {{0, 0, 0, 0}, ""}};
  for (const auto& [launches, shown] : table) {
    StageProgress stage;
    stage.launches = launches;
    BOOST_TEST(locality_percentages(stage) == shown);
  }
}

BOOST_AUTO_TEST_CASE(a_summary_shows_counters_and_the_progress_of_a_failed_job) {
  JobSummary summary;
  summary.name = "words";
  BOOST_TEST(print_summary(summary).starts_with("words FAILED in 0 ms, before any task ran\n"));
  summary.tasks = 3;
  summary.stages.push_back(StageProgress{.id = 1, .name = "map", .tasks = 12});
  BOOST_TEST(print_summary(summary).find("3 of 12 tasks in 1 stage, 0 failed attempts\n") != std::string::npos);
  summary.counters = {{"Mine\tlines", 5}};
  summary.counters.emplace_back("org.apache.hadoop.mapreduce.TaskCounter\tSPILLED_RECORDS", 7);
  BOOST_TEST(print_summary(summary).find(
                 "  counter   Mine: lines = 5\n  counter   TaskCounter: SPILLED_RECORDS = 7\n") != std::string::npos);
  for (int i = 0; i < 60; ++i) summary.counters.emplace_back("Many\t" + std::to_string(i), 1);
  BOOST_TEST(print_summary(summary).find("  counter   11 more; ") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(jobs_of_a_topology_are_printed_in_the_order_of_their_ends) {
  TopologyRow late;
  late.application = "late";
  late.application_id = "application_1_0001";
  late.took = seconds{9};
  late.has_launched = true;
  late.launches = {1, 2, 3, 4};
  late.outcome = "succeeded";
  TopologyRow early;
  early.application = "early";
  early.submitted = seconds{1};
  early.took = seconds{2};
  early.outcome = "failed";
  early.text = "no room";
  const std::vector<TopologyRow> rows{late, early};
  const auto table = topology_table(rows);
  BOOST_TEST(std::count(table.begin(), table.end(), '\n') == 3);
  BOOST_TEST(table.find("\nearly ") < table.find("\nlate "));
  BOOST_TEST(table.find("  1/2/3/4 ") != std::string::npos);
  const auto document = boost::json::parse(topology_documents(Format::json, rows));
  BOOST_TEST(document.at("schema").as_int64() == 1);
  const auto& jobs = document.at("jobs").as_array();
  BOOST_REQUIRE(jobs.size() == 2U);
  BOOST_TEST(jobs[0].at("text").as_string() == "no room");
  BOOST_TEST(jobs[1].at("id").as_string() == "application_1_0001");
  BOOST_TEST(jobs[1].at("locality").at("any").as_int64() == 4);
  const auto lines = topology_documents(Format::jsonl, rows);
  BOOST_TEST(std::count(lines.begin(), lines.end(), '\n') == 2);
  BOOST_TEST(boost::json::parse(lines.substr(0, lines.find('\n'))).at("schema").as_int64() == 1);
}

BOOST_AUTO_TEST_CASE(the_summary_is_a_document_with_a_schema) {
  JobSummary summary;
  summary.name = "words";
  summary.succeeded = true;
  summary.outputs = {"out"};
  summary.counters = {{"Mine\tlines", 5}, {"Mine\tbig", 7}};
  const auto document = boost::json::parse(summary_json(summary));
  BOOST_TEST(document.at("schema").as_int64() == 1);
  BOOST_TEST(document.at("counters").at("Mine").at("big").as_int64() == 7);
  BOOST_TEST(print_summary(summary).find("output    out") != std::string::npos);
}

}  // namespace output_test
