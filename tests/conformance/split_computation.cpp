// Recorded answers of Hadoop's TextInputFormat.getSplits, both interfaces.
#include <algorithm>
#include <stdexcept>

#include "policies/stages/input_splits.hpp"
#include "tests/conformance/kind.hpp"

namespace heddle::conformance {
namespace split_computation_kind {
namespace {

namespace json = boost::json;

std::vector<policies::SplitFile> files_of(const json::object& input) {
  std::vector<policies::SplitFile> files;
  for (const auto& item : input.at("files").as_array()) {
    const auto& from = item.as_object();
    policies::SplitFile file;
    file.path = from.at("name").as_string();
    file.length = from.at("length").to_number<std::int64_t>();
    file.block_bytes = from.at("block_size").to_number<std::int64_t>();
    if (file.length < 0 || file.block_bytes <= 0) throw std::runtime_error{"a file or block of no size"};
    file.block_hosts = json::value_to<std::vector<std::vector<std::string>>>(from.at("block_hosts"));
    file.is_splittable = is_splittable_name(file.path);
    if (!is_hidden_name(file.path)) files.push_back(file);
  }
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  return files;
}

policies::SplitSettings settings_of(const json::object& input) {
  policies::SplitSettings settings;
  settings.old_interface = input.at("interface").as_string() == "old";
  const auto read = [&](const char* key, auto& to) {
    if (const auto* value = input.if_contains(key); value && !value->is_null())
      to = value->to_number<std::remove_reference_t<decltype(to)>>();
  };
  read("min_size", settings.split_bytes_min);
  read("max_size", settings.split_bytes_max);
  read("wanted_splits", settings.wanted_splits);
  return settings;
}

/// No job has so many splits. A case with more would run for hours.
void refuse_endless(const std::vector<policies::SplitFile>& files, const policies::SplitSettings& settings) {
  constexpr std::int64_t most = 1'000'000;
  std::int64_t total = 0;
  for (const auto& file : files) {
    if (file.length / file.block_bytes > most || __builtin_add_overflow(total, file.length, &total))
      throw std::runtime_error{"'" + file.path +
                               "' has more than a million blocks, or all files more bytes than can be counted"};
  }
  const std::int64_t goal =
      settings.old_interface ? total / std::max(1, settings.wanted_splits) : settings.split_bytes_max;
  for (const auto& file : files) {
    const std::int64_t split_bytes =
        std::max({std::int64_t{1}, std::int64_t{settings.split_bytes_min}, std::min(goal, file.block_bytes)});
    if (file.length / split_bytes > most)
      throw std::runtime_error{"'" + file.path + "' has more than a million splits"};
  }
}

void run(const json::object& test_case, Report& report) {
  const std::vector<policies::HostRack> racks{{"h1", "/r1"}, {"h2", "/r1"}, {"h3", "/r2"},
                                              {"h4", "/r2"}, {"h5", "/r3"}, {"h6", "/r3"}};
  const auto& input = test_case.at("input").as_object();
  const auto files = files_of(input);
  const auto settings = settings_of(input);
  refuse_endless(files, settings);
  const auto splits = policies::compute_splits(files, settings, racks);
  const auto& expected = test_case.at("expected").as_object().at("splits").as_array();
  report.check(-1, "count", expected.size(), splits.size());
  for (std::size_t i = 0; i < std::min(splits.size(), expected.size()); ++i) {
    const auto& wanted = expected[i].as_object();
    const auto step = static_cast<int>(i);
    report.check(step, "file", wanted.at("file"), json::value(splits[i].path));
    report.check(step, "offset", wanted.at("offset"), splits[i].offset);
    report.check(step, "length", wanted.at("length"), splits[i].length);
    if (!wanted.at("hosts").is_null())
      report.check(step, "hosts", wanted.at("hosts"), json::value_from(splits[i].hosts));
  }
}

const Kind kind{"split_computation", run};

}  // namespace
}  // namespace split_computation_kind
}  // namespace heddle::conformance
