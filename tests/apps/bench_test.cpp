// Goal: heddle-bench parses the options of its help, and prints correct figures.
// Method: command lines; invented readings of published figures, compared with medians and verdicts calculated by hand.
#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>
#include <set>

#include "apps/bench/bench_options.hpp"
#include "apps/bench/bench_report.hpp"
#include "apps/bench/bench_table.hpp"
#include "apps/cli/command_line.hpp"

namespace bench_test {

using namespace heddle;
using namespace heddle::apps;

namespace {

BenchOptions bench(const std::vector<std::string>& words) {
  auto parsed = parse_bench(words);
  BOOST_REQUIRE_MESSAGE(parsed.has_value(), (parsed ? std::string{} : parsed.error().text));
  return std::get<BenchOptions>(*parsed);
}

std::string refusal(const std::vector<std::string>& words) {
  const auto parsed = parse_bench(words);
  return parsed ? std::string{} : parsed.error().text;
}

BenchResult result_of(const char* name, double value, std::optional<double> peer = std::nullopt) {
  const std::vector<BenchReading> readings{{name, value, peer}};
  const auto results = medians(readings);
  BOOST_REQUIRE_EQUAL(results.size(), 1U);
  return results.front();
}

}  // namespace

BOOST_AUTO_TEST_CASE(bench_parses_measures_and_turns) {
  const auto all = bench({});
  BOOST_TEST(all.measures.empty());
  BOOST_TEST(all.turns == 5);
  BOOST_TEST((all.format == BenchFormat::automatic));
  const auto some =
      bench({"start", "--turns", "3", "no_op_tasks", "--check", "--format", "markdown", "--folder", "in"});
  BOOST_TEST(some.measures == (std::vector<std::string>{"start", "no_op_tasks"}), boost::test_tools::per_element());
  BOOST_TEST(some.turns == 3);
  BOOST_TEST(some.is_checked);
  BOOST_TEST(some.folder == "in");
  BOOST_TEST((some.format == BenchFormat::markdown));
  BOOST_TEST(bench({"--quick"}).turns == 1);
  BOOST_TEST(bench({"--quick", "--turns", "2"}).turns == 2);
}

BOOST_AUTO_TEST_CASE(unknown_options_and_measures_are_errors_with_their_name) {
  BOOST_TEST(refusal({"no_op_task"}).find("\"no_op_tasks\"") != std::string::npos);
  BOOST_TEST(refusal({"--turns", "0"}).find("--turns") != std::string::npos);
  BOOST_TEST(refusal({"--format", "yaml"}).find("markdown") != std::string::npos);
  BOOST_TEST(refusal({"--quikc"}).find("--quick") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_list_contains_every_measure) {
  const auto list = std::get<Answer>(*parse_bench(std::vector<std::string>{"--list"})).text;
  for (const auto& measure : bench_measures()) {
    BOOST_TEST(list.find(measure.name) != std::string::npos);
    BOOST_TEST(list.find(measure.sentence) != std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(heddle_has_no_verb_bench) {
  const auto parsed = parse_command_line(std::vector<std::string>{"bench", "start"}, 2);
  BOOST_REQUIRE(!parsed.has_value());
  BOOST_TEST((parsed.error().code == Errc::usage));
  BOOST_TEST(parsed.error().text.find("unknown verb \"bench\"") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(every_figure_has_a_unique_name_and_ordered_bounds) {
  std::set<std::string_view> names;
  for (const auto& figure : bench_figures()) {
    BOOST_TEST(names.insert(figure.name).second);
    const bool is_least = figure.bound == BenchBound::at_least || figure.bound == BenchBound::ratio_at_least;
    if (figure.bound != BenchBound::none)
      BOOST_TEST((is_least ? figure.aim >= figure.must : figure.aim <= figure.must));
  }
}

BOOST_AUTO_TEST_CASE(medians_are_of_one_figure_and_its_peer) {
  const std::vector<BenchReading> readings{{"command_tasks", 10, 20}, {"start", 5},
                                           {"command_tasks", 30, 24}, {"nobody", 1},
                                           {"command_tasks", 20, 22}, {"start", 7}};
  const auto results = medians(readings);
  BOOST_REQUIRE_EQUAL(results.size(), 2U);
  BOOST_TEST(results[0].value == 20);
  BOOST_TEST(*results[0].peer == 22);
  BOOST_TEST(results[0].least == 10);
  BOOST_TEST(results[0].most == 30);
  BOOST_TEST(results[0].turns == 3);
  BOOST_TEST(results[1].value == 6);
  BOOST_TEST(!results[1].peer.has_value());
}

BOOST_AUTO_TEST_CASE(verdicts_depend_on_value_or_ratio) {
  const struct {
    const char* name;
    double value;
    std::optional<double> peer;
    BenchVerdict verdict;
  } rows[] = {
      {"no_op_tasks", 249e3, std::nullopt, BenchVerdict::below},
      {"no_op_tasks", 250e3, std::nullopt, BenchVerdict::must},
      {"no_op_tasks", 1e6, std::nullopt, BenchVerdict::aim},
      {"start", 31, std::nullopt, BenchVerdict::below},
      {"start", 10, std::nullopt, BenchVerdict::aim},
      {"command_tasks", 79, 100, BenchVerdict::below},
      {"command_tasks", 80, 100, BenchVerdict::must},
      {"command_tasks", 80, std::nullopt, BenchVerdict::not_judged},
      {"task_cost_1k", 1, std::nullopt, BenchVerdict::not_judged},
  };
  for (const auto& row : rows) BOOST_TEST((judge(result_of(row.name, row.value, row.peer)) == row.verdict), row.name);
}

BOOST_AUTO_TEST_CASE(a_figure_is_printed_in_every_format) {
  const auto result = result_of("command_tasks", 2500, 2000);
  BOOST_TEST(bench_row(BenchFormat::automatic, result) == "command_tasks 2500 tasks/s\n");
  BOOST_TEST(bench_row(BenchFormat::table, result).find("1.25x") != std::string::npos);
  BOOST_TEST(bench_row(BenchFormat::markdown, result).find("| `command_tasks` | 2,500 | tasks/s |") == 0U);
  BOOST_TEST(bench_row(BenchFormat::markdown, result_of("command_word_count", 1, 2)).find("tr \\| sort") !=
             std::string::npos);
  const auto line = boost::json::parse(bench_row(BenchFormat::jsonl, result)).as_object();
  BOOST_TEST(line.at("schema").as_int64() == 1);
  BOOST_TEST(line.at("verdict").as_string() == "aim");
  const std::vector<BenchResult> results{result};
  const auto document = boost::json::parse(bench_document(BenchFormat::json, results, true)).as_object();
  BOOST_TEST(document.at("figures").as_array().size() == 1U);
  BOOST_TEST(document.at("quick").as_bool());
  BOOST_TEST(bench_document(BenchFormat::table, results, false).empty());
}

}  // namespace bench_test
