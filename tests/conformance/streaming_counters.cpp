// Counters of whole jobs recorded with Hadoop Streaming 3.4.2, local and on YARN: each case runs the heddle program in
// its own folder, with the framework of --framework.
#include <set>
#include <string_view>

#include "tests/conformance/kind.hpp"
#include "tests/conformance/streaming_case.hpp"

namespace heddle::conformance {
namespace streaming_counters_kind {
namespace {

namespace json = boost::json;

constexpr std::string_view job_group = "org.apache.hadoop.mapreduce.JobCounter";

bool is_yarn(const json::object& input) { return input.at("framework").as_string() == "yarn"; }

std::string with_scratch(std::string word, const CaseFolder& folder) {
  constexpr std::string_view mark = "@SCRATCH@";
  for (auto at = word.find(mark); at != std::string::npos; at = word.find(mark))
    word.replace(at, mark.size(), folder.scratch().string());
  return word;
}

std::vector<std::string> words_of(const json::object& input, const CaseFolder& folder) {
  std::vector<std::string> own;
  bool says_attempts = false;
  for (const auto& word : input.at("args").as_array()) {
    own.push_back(with_scratch(std::string{word.as_string()}, folder));
    says_attempts = says_attempts || own.back().find(".maxattempts=") != std::string::npos;
  }
  constexpr int attempts_of_yarn = 4;
  auto words = streaming_words(says_attempts ? 0 : is_yarn(input) ? attempts_of_yarn : attempts_of_local_runner());
  if (const auto* block = input.if_contains("block_bytes"))
    words.insert(words.end(), {"-D", "fs.local.block.size=" + std::to_string(block->to_number<std::int64_t>())});
  words.insert(words.end(), own.begin(), own.end());
  return words;
}

/// Names that are not compared. YARN counts failed attempts, and gives a map that is tried again no place; Hadoop 1
/// counts failed tasks, and the place where such a map runs.
std::set<std::string, std::less<>> free_names(const json::object& expected) {
  std::set<std::string, std::less<>> names;
  if (const auto* recorded = expected.if_contains("recorded"))
    for (const auto& [name, value] : recorded->as_object()) names.emplace(name);
  if (const auto* varying = expected.if_contains("varying"))
    for (const auto& name : varying->as_array()) names.emplace(name.as_string());
  if (streaming_target().framework == "classic")
    names.insert({"NUM_FAILED_MAPS", "NUM_FAILED_REDUCES", "DATA_LOCAL_MAPS", "RACK_LOCAL_MAPS", "OTHER_LOCAL_MAPS"});
  return names;
}

std::int64_t value_in(const json::object& groups, std::string_view group, std::string_view name) {
  const auto* counters = groups.if_contains(group);
  const auto* value = counters == nullptr ? nullptr : counters->as_object().if_contains(name);
  return value == nullptr ? 0 : value->to_number<std::int64_t>();
}

/// Times, also those of memory and cores, are not recorded.
bool is_time(std::string_view group, std::string_view name) {
  return group == job_group && name.find("MILLIS_") != std::string_view::npos;
}

/// Compares each counter of `of`. One that is missing on a side is 0 there.
void check_each(const json::object& of, const json::object& expected, const json::object& got,
                const std::set<std::string, std::less<>>& ignored, bool with_job_group, Report& report) {
  for (const auto& [group, counters] : of) {
    if (group == job_group && !with_job_group) continue;
    for (const auto& [name, value] : counters.as_object()) {
      if (ignored.contains(name) || is_time(group, name)) continue;
      report.check(-1, "counters." + std::string{group} + "." + std::string{name}, value_in(expected, group, name),
                   value_in(got, group, name));
    }
  }
}

void run(const json::object& test_case, Report& report) {
  const auto& input = test_case.at("input").as_object();
  const auto& expected = test_case.at("expected").as_object();
  const auto& counters = expected.at("counters").as_object();
  const CaseFolder folder;
  lay_out(input, folder.job());
  report.check(-1, "exit", expected.at("exit"), run_program(words_of(input, folder), folder));
  const auto got = counters_of(folder);
  auto unlisted = got;
  for (const auto& [group, names] : counters)
    if (auto* known = unlisted.if_contains(group))
      for (const auto& [name, value] : names.as_object()) known->as_object().erase(name);
  const auto ignored = free_names(expected);
  const bool with_job_group = is_yarn(input);  // other cases do not have the group
  check_each(counters, counters, got, ignored, with_job_group, report);
  check_each(unlisted, counters, got, ignored, with_job_group, report);
}

const Kind kind{"streaming_counters", run};

}  // namespace
}  // namespace streaming_counters_kind
}  // namespace heddle::conformance
