// Whole jobs recorded with Hadoop Streaming 3.4.2: each case runs the heddle program in its own folder, with the
// framework of --framework.
#include <zlib.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "tests/conformance/base64.hpp"
#include "tests/conformance/kind.hpp"
#include "tests/conformance/streaming_case.hpp"

namespace heddle::conformance {
namespace streaming_job_kind {
namespace {

namespace json = boost::json;
namespace fs = std::filesystem;

std::string unpacked(const fs::path& path) {
  std::string text;
  auto* const file = ::gzopen(path.c_str(), "rb");
  if (file == nullptr) return text;
  char buffer[1 << 14];
  for (int count = ::gzread(file, buffer, sizeof buffer); count > 0; count = ::gzread(file, buffer, sizeof buffer))
    text.append(buffer, static_cast<std::size_t>(count));
  ::gzclose(file);
  return text;
}

std::vector<std::string> sorted_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

std::map<std::string, std::string> parts_of(const fs::path& output) {
  std::map<std::string, std::string> parts;
  if (!fs::is_directory(output)) return parts;
  for (const auto& entry : fs::directory_iterator{output}) {
    const auto name = entry.path().filename().string();
    if (name.rfind("part-", 0) == 0)
      parts[name] = entry.path().extension() == ".gz" ? unpacked(entry.path()) : read_file(entry.path());
  }
  return parts;
}

void check_parts(const json::object& expected, bool by_lines, const fs::path& output, Report& report) {
  const auto got = parts_of(output);
  json::array wanted_names;
  json::array got_names;
  std::map<std::string, std::string> wanted;
  for (const auto& [name, content] : expected) wanted[std::string{name}] = from_base64(content.as_string());
  for (const auto& [name, content] : wanted) wanted_names.emplace_back(name);
  for (const auto& [name, content] : got) got_names.emplace_back(name);
  report.check(-1, "parts", wanted_names, got_names);
  for (const auto& [name, content] : wanted) {
    const auto found = got.find(name);
    if (found == got.end()) continue;
    const bool is_same = by_lines ? sorted_lines(content) == sorted_lines(found->second) : content == found->second;
    if (!is_same) report.differ(-1, name, json::value(to_base64(content)), json::value(to_base64(found->second)));
  }
}

/// Checks the recorded counters; the answer may have others too.
void check_counters(const json::object& expected, const json::object& groups, Report& report) {
  for (const auto& [group, counters] : expected) {
    const auto* got = groups.if_contains(group);
    for (const auto& [name, value] : counters.as_object()) {
      const auto* one = got != nullptr ? got->as_object().if_contains(name) : nullptr;
      report.check(-1, std::string{"counters."} + std::string{group} + "." + std::string{name}, value,
                   one != nullptr ? *one : json::value{});
    }
  }
}

void run(const json::object& test_case, Report& report) {
  const auto& input = test_case.at("input").as_object();
  const auto& expected = test_case.at("expected").as_object();
  const CaseFolder folder;
  lay_out(input, folder.job());
  auto words = streaming_words(attempts_of_local_runner());
  for (const auto& word : input.at("args").as_array()) words.emplace_back(word.as_string());
  const int exit = run_program(std::move(words), folder);
  const auto output = folder.job() / "out";
  report.check(-1, "exit", expected.at("exit"), exit);
  if (const auto* success = expected.if_contains("success_file"))
    report.check(-1, "success_file", *success, fs::exists(output / "_SUCCESS"));
  if (const auto* parts = expected.if_contains("parts"); parts != nullptr && parts->is_object())
    check_parts(parts->as_object(), input.at("compare").as_string() == "lines", output, report);
  if (const auto* counters = expected.if_contains("counters"); counters != nullptr && counters->is_object())
    check_counters(counters->as_object(), counters_of(folder), report);
}

const Kind kind{"streaming_job", run};

}  // namespace
}  // namespace streaming_job_kind
}  // namespace heddle::conformance
