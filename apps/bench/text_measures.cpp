// Measures of records: text through commands, word counts, sort. Each output is compared with that of the bare program.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "apps/bench/attempt_log.hpp"
#include "apps/bench/bench_functions.hpp"
#include "apps/bench/bench_session.hpp"
#include "apps/bench/measure.hpp"
#include "apps/bench/measure_files.hpp"
#include "apps/bench/program_run.hpp"
#include "apps/bench/text_digest.hpp"
#include "apps/cli/command_line.hpp"

namespace heddle::apps {
namespace {

constexpr std::int32_t slots = 2;

/// Duration in seconds from the start of a session with two task slots to the committed output, without the cleanup of
/// the session.
Result<double> run_whole(const BenchPlace& place, const JobGraph& graph, const std::vector<std::string>& assignments) {
  const Stopwatch watch;
  auto session = BenchSession::open(place, fmt::format("local[{}]", slots), assignments);
  if (!session) return session.error();
  if (auto ran = session->run(graph); !ran) return ran;
  return watch.seconds();
}

/// The graph of a `heddle mapreduce` command line.
Result<JobGraph> streaming_graph(std::vector<std::string> words) {
  words.insert(words.begin(), "mapreduce");
  auto parsed = parse_command_line(words, slots);
  if (!parsed) return parsed.error();
  return std::move(std::get<MapReduceOptions>(*parsed).graph);
}

JobGraph text_graph(const std::string& input, const std::string& output, TaskBody map, TaskBody reduce,
                    std::int32_t reducers) {
  JobGraph graph;
  graph.name = "bench";
  StageDescription first;
  first.name = "map";
  TextInput text;
  text.paths = {input};
  first.inputs.push_back(std::move(text));
  first.bodies.push_back(std::move(map));
  StageDescription second;
  second.name = "reduce";
  second.parents = {0};
  second.partitions = reducers;
  second.shuffle.emplace();
  second.bodies.push_back(std::move(reduce));
  second.output.emplace();
  second.output->path = output;
  graph.stages.push_back(std::move(first));
  graph.stages.push_back(std::move(second));
  return graph;
}

}  // namespace

Result<BenchReadings> measure_mapper_cat(const BenchPlace& place) {
  auto input = text_input(place, "words", text_bytes(place, gibibyte));
  if (!input) return input.error();
  const OutputFolder outputs{place};
  const auto megabytes = static_cast<double>(std::filesystem::file_size(*input)) / 1e6;
  const std::vector<std::pair<const char*, std::vector<std::string>>> settings{
      {"mapper_cat", {"heddle.output.sync=false"}}, {"mapper_cat_default", {}}};
  BenchReadings readings;
  for (const auto& [name, assignments] : settings) {
    auto graph =
        streaming_graph({"-input", *input, "-output", outputs.path(name), "-mapper", "cat", "-numReduceTasks", "0"});
    if (!graph) return graph.error();
    auto seconds = run_whole(place, *graph, assignments);
    if (!seconds) return seconds.error();
    if (auto same = expect_same(digest_output(outputs.path(name)), digest_files({*input})); !same) return same.error();
    readings.push_back({name, megabytes / *seconds / slots});
    std::filesystem::remove_all(outputs.path(name));
  }
  return readings;
}

Result<BenchReadings> measure_word_count(const BenchPlace& place) {
  auto input = text_input(place, "words", text_bytes(place, gibibyte));
  if (!input) return input.error();
  const OutputFolder outputs{place};
  auto bare = run_bare(place.bare_program, {"words", *input, outputs.path("bare")});
  if (!bare) return bare.error();
  auto graph = text_graph(*input, outputs.path("words"), FunctionBody{count_words_function},
                          FunctionBody{sum_counts_function}, slots);
  graph.stages[1].shuffle->order = ShuffleDescription::Order::none;
  auto seconds = run_whole(place, graph, {});
  if (!seconds) return seconds.error();
  if (auto same = expect_same(digest_output(outputs.path("words")), digest_files({outputs.path("bare")})); !same)
    return same.error();
  return BenchReadings{{"word_count", *seconds, (*bare)["words_seconds"]}};
}

Result<BenchReadings> measure_command_word_count(const BenchPlace& place) {
  auto input = text_input(place, "words", text_bytes(place, 200e6));
  if (!input) return input.error();
  const OutputFolder outputs{place};
  const auto pipeline =
      fmt::format("tr -s ' ' '\\n' < '{}' | LC_ALL=C sort --parallel=2 -S 2G -T '{}' | uniq -c > '{}'", *input,
                  place.folder, outputs.path("bare"));
  auto bare = run_program({"sh", "-c", pipeline});
  if (!bare) return bare.error();
  auto graph = streaming_graph({"-input", *input, "-output", outputs.path("words"), "-mapper", "tr -s ' ' '\\n'",
                                "-reducer", "uniq -c", "-numReduceTasks", "2"});
  if (!graph) return graph.error();
  auto seconds = run_whole(place, *graph, {});
  if (!seconds) return seconds.error();
  if (auto same = expect_same(digest_output(outputs.path("words")), digest_files({outputs.path("bare")})); !same)
    return same.error();
  return BenchReadings{{"command_word_count", *seconds, bare->seconds}};
}

Result<BenchReadings> measure_shuffle_fetch(const BenchPlace& place) {
  JobGraph graph;
  graph.name = "bench";
  graph.stages.resize(2);
  auto& make = graph.stages[0];
  make.name = "make";
  make.partitions = static_cast<std::int32_t>(place.scaled(gibibyte / random_bytes_per_task, 2));
  make.bodies = {FunctionBody{random_bytes_function}};
  auto& read = graph.stages[1];
  read.name = "read";
  read.parents = {0};
  read.partitions = random_bytes_keys;
  read.shuffle.emplace();
  read.shuffle->order = ShuffleDescription::Order::none;
  read.bodies = {FunctionBody{read_bytes_function}};
  const auto bytes = make.partitions * random_bytes_per_task;
  const std::pair<std::string, std::int64_t> expected{"bench\tbytes", bytes};
  const std::vector<std::pair<const char*, std::vector<std::string>>> settings{
      {"shuffle_fetch", {"heddle.shuffle.read_local=false"}}, {"shuffle_fetch_default", {}}};
  BenchReadings readings;
  for (const auto& [name, assignments] : settings) {
    auto session = BenchSession::open(place, "local-cluster[1,1,1024]", assignments);
    if (!session) return session.error();
    if (auto ran = session->run(graph); !ran) return ran.error();
    const auto counters = session->last().totals.counters;
    if (std::find(counters.begin(), counters.end(), expected) == counters.end())
      return Error{Errc::internal, "the number of bytes read differs from the number written"};
    auto seconds = last_stage_seconds(session->close());
    if (!seconds) return seconds.error();
    readings.push_back({name, static_cast<double>(bytes) / 1e9 / *seconds});
  }
  return readings;
}

Result<BenchReadings> measure_sort(const BenchPlace& place) {
  auto input = text_input(place, "records", text_bytes(place, 1e9));
  if (!input) return input.error();
  const OutputFolder outputs{place};
  const auto command = fmt::format("LC_ALL=C sort --parallel=2 -S 384M -T '{}' -k1.1,1.10 -o '{}' '{}'", place.folder,
                                   outputs.path("bare"), *input);
  auto bare = run_program({"sh", "-c", command});
  if (!bare) return bare.error();
  const std::vector<std::pair<const char*, std::vector<std::string>>> settings{
      {"sort", {"heddle.shuffle.sort_memory=192m", "heddle.output.sync=false"}}, {"sort_default", {}}};
  BenchReadings readings;
  for (const auto& [name, assignments] : settings) {
    auto graph = text_graph(*input, outputs.path(name), IdentityBody{}, IdentityBody{}, 1);
    graph.stages[1].shuffle->key.fields = 0;
    auto seconds = run_whole(place, graph, assignments);
    if (!seconds) return seconds.error();
    const auto sorted = digest_output(outputs.path(name));
    if (sorted && !sorted->is_sorted) return Error{Errc::internal, "the output is not sorted"};
    if (auto same = expect_same(sorted, digest_files({outputs.path("bare")})); !same) return same.error();
    readings.push_back({name, *seconds, bare->seconds});
    std::filesystem::remove_all(outputs.path(name));
  }
  return readings;
}

}  // namespace heddle::apps
