// Measures of the MapReduce frameworks: whole runs of `heddle mapreduce`, the history and the event log included, in
// turn with the same command and framework driver.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "apps/bench/measure.hpp"
#include "apps/bench/measure_files.hpp"
#include "apps/bench/program_run.hpp"
#include "apps/bench/text_digest.hpp"

namespace heddle::apps {
namespace {

using Words = std::vector<std::string>;

constexpr const char* cluster = "local-cluster[2,1,1024]";
constexpr std::array<const char*, 2> frameworks{"classic", "yarn"};

/// Seconds of `heddle mapreduce` from the start of its process to its end.
Result<double> map_reduce_seconds(const BenchPlace& place, const std::string& framework, const Words& more,
                                  const std::string& state = {}) {
  if (place.program.empty())
    return Error{Errc::not_found, "heddle is not beside heddle-bench: build the target heddle"};
  Words words{place.program, "mapreduce", "--quiet", "--framework", framework, "--master", cluster};
  words.insert(words.end(), more.begin(), more.end());
  auto run = run_program(words, {{"XDG_STATE_HOME", state.empty() ? place.folder + "/state" : state}});
  if (!run) return run.error();
  return run->seconds;
}

Result<std::string> input_of_lines(const BenchPlace& place, std::int64_t lines) {
  auto path = fmt::format("{}/lines.{}", place.inputs, lines);
  std::error_code failed;
  std::filesystem::create_directories(place.inputs, failed);
  std::ofstream file{path};
  for (std::int64_t line = 0; line < lines; ++line) file << line << '\n';
  if (!file.flush()) return Error{Errc::io, "cannot make " + path};
  return path;
}

/// Runs the job by the Driver and then by each framework; all outputs must be equal. Returns seconds. Each output is
/// removed before the next run, so that no run waits until the kernel has written the one before to the disk.
Result<BenchReadings> beside_driver(const BenchPlace& place, const std::string& name, const Words& job) {
  const OutputFolder outputs{place};
  const auto seconds_of = [&](const std::string& framework) {
    auto words = job;
    words.insert(words.end(), {"-output", outputs.path(framework)});
    return map_reduce_seconds(place, framework, words);
  };
  const auto digest_and_remove = [&](const std::string& framework) {
    auto digest = digest_output(outputs.path(framework));
    std::filesystem::remove_all(outputs.path(framework));
    return digest;
  };
  const auto driver = seconds_of("driver");
  if (!driver) return driver.error();
  const auto expected = digest_and_remove("driver");
  BenchReadings readings;
  for (const std::string framework : frameworks) {
    const auto seconds = seconds_of(framework);
    if (!seconds) return seconds.error();
    if (const auto same = expect_same(digest_and_remove(framework), expected); !same) return same.error();
    readings.push_back({fmt::format("{}_{}", framework, name), *seconds, *driver});
  }
  return readings;
}

/// Progress of the reduce when the last map had ended, from the event log of the JobTracker; negative: not recorded.
double progress_at_end_of_maps(const std::string& state) {
  double progress = -1;
  for (const auto& entry : std::filesystem::recursive_directory_iterator{state}) {
    if (entry.path().filename() != "events.jsonl") continue;
    std::ifstream events{entry.path()};
    for (std::string line; std::getline(events, line);) {
      if (line.find("\"classic_maps_ended\"") == std::string::npos) continue;
      progress = boost::json::parse(line).at("reduces_progress").to_number<double>();
    }
  }
  return progress;
}

}  // namespace

Result<BenchReadings> measure_map_reduce_line(const BenchPlace& place) {
  const auto input = input_of_lines(place, 1);
  if (!input) return input.error();
  return beside_driver(place, "line", {"-input", *input, "-mapper", "cat", "-numReduceTasks", "0"});
}

Result<BenchReadings> measure_map_reduce_cat(const BenchPlace& place) {
  const auto input = text_input(place, "words", text_bytes(place, gibibyte));
  if (!input) return input.error();
  const auto megabytes = static_cast<double>(std::filesystem::file_size(*input)) / 1e6;
  BenchReadings all;
  for (const auto& [name, settings] :
       {std::pair<std::string, Words>{"cat", {"--set", "heddle.output.sync=false"}}, {"cat_default", {}}}) {
    auto words = settings;
    words.insert(words.end(), {"-input", *input, "-mapper", "cat", "-numReduceTasks", "0"});
    const auto readings = beside_driver(place, name, words);
    if (!readings) return readings;
    for (const auto& reading : *readings)
      all.push_back({reading.name, megabytes / reading.value / 2, megabytes / *reading.peer / 2});
  }
  return all;
}

Result<BenchReadings> measure_map_reduce_word_count(const BenchPlace& place) {
  const auto input = text_input(place, "words", text_bytes(place, 200e6));
  if (!input) return input.error();
  return beside_driver(place, "word_count",
                       {"-input", *input, "-mapper", "tr -s ' ' '\\n'", "-reducer", "uniq -c", "-numReduceTasks", "2"});
}

Result<BenchReadings> measure_one_line_maps(const BenchPlace& place) {
  const auto maps = place.scaled(1'000, 20);
  const auto input = input_of_lines(place, maps);
  if (!input) return input.error();
  const std::vector<std::pair<std::string, Words>> variants{
      {"classic", {}}, {"reused", {"-D", "mapred.job.reuse.jvm.num.tasks=-1"}}, {"yarn", {}}};
  BenchReadings readings;
  // The outputs stay until the end of all turns: ext4 searches long for an inode that was not freed in the last
  // seconds.
  const auto outputs = fmt::format("{}/lines-{}", place.folder, ::getpid());
  std::filesystem::create_directories(outputs);
  for (const auto& [name, generic] : variants) {
    const auto output = outputs + '/' + name;
    auto words = generic;
    words.insert(words.end(), {"-inputformat", "org.apache.hadoop.mapred.lib.NLineInputFormat", "-input", *input,
                               "-output", output, "-mapper", "cat", "-numReduceTasks", "0"});
    const auto seconds = map_reduce_seconds(place, name == "yarn" ? "yarn" : "classic", words);
    if (!seconds) return seconds.error();
    if (const auto digest = digest_output(output); !digest || digest->lines != maps)
      return Error{Errc::internal, "the output does not have one line for each map"};
    readings.push_back({name + "_one_line_maps", static_cast<double>(maps) / *seconds, std::nullopt});
  }
  return readings;
}

Result<BenchReadings> measure_copies_beside_maps(const BenchPlace& place) {
  const auto maps = place.scaled(40, 4);
  const auto input = input_of_lines(place, maps);
  if (!input) return input.error();
  const OutputFolder outputs{place};
  // 12 MiB of random bytes are 16 MiB of text.
  const auto seconds = map_reduce_seconds(
      place, "classic",
      {"--set", "heddle.map_reduce.progress_interval=100ms", "-inputformat",
       "org.apache.hadoop.mapred.lib.NLineInputFormat", "-input", *input, "-output", outputs.path("out"), "-mapper",
       "sh -c 'cat > /dev/null; head -c 12582912 /dev/urandom | base64 -w 99; sleep 0.8'", "-reducer", "wc -l",
       "-numReduceTasks", "1"},
      outputs.path("state"));
  if (!seconds) return seconds.error();
  const double progress = progress_at_end_of_maps(outputs.path("state"));
  if (progress < 0) return Error{Errc::internal, "the event log does not say when the maps ended"};
  return BenchReadings{{"copies_beside_maps", std::min(100.0, 300 * progress), std::nullopt}};
}

}  // namespace heddle::apps
