// Measures of processes: commands as tasks, and the start and stop of heddle itself.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "apps/bench/bench_session.hpp"
#include "apps/bench/measure.hpp"
#include "apps/bench/program_run.hpp"

namespace heddle::apps {
namespace {

JobGraph command_graph(std::vector<std::string> command, std::int64_t tasks) {
  JobGraph graph;
  graph.name = command.front();
  StageDescription stage;
  stage.name = graph.name;
  stage.bodies.push_back(CommandBody{std::move(command), {}, {}});
  stage.partitions = static_cast<std::int32_t>(tasks);
  stage.keep_standard_output = true;
  graph.stages.push_back(std::move(stage));
  return graph;
}

/// Median time of `heddle run … -- true` minus that of `true`, in ms; run alternately.
Result<double> start_ms(const BenchPlace& place, const std::string& master) {
  if (place.program.empty())
    return Error{Errc::not_found, "heddle is not beside heddle-bench: build the target heddle"};
  const std::vector<std::string> heddle{place.program, "run", "--master", master, "--", "true"};
  const std::vector<std::pair<std::string, std::string>> environment{{"XDG_STATE_HOME", place.folder + "/state"}};
  std::vector<double> above;
  for (std::int64_t run = 0; run < place.scaled(11, 1); ++run) {
    auto bare = run_program({"true"});
    if (!bare) return bare.error();
    auto whole = run_program(heddle, environment);
    if (!whole) return whole.error();
    above.push_back((whole->seconds - bare->seconds) * 1e3);
  }
  std::sort(above.begin(), above.end());
  return above[above.size() / 2];
}

}  // namespace

Result<BenchReadings> measure_command_tasks(const BenchPlace& place) {
  const auto tasks = place.scaled(10'000, 200);
  BenchReading reading{"command_tasks", 0, std::nullopt};
  if (!place.bare_program.empty()) {
    auto bare = run_bare(place.bare_program, {"spawn", std::to_string(tasks)});
    if (!bare) return bare.error();
    reading.peer = (*bare)["spawn"];
  }
  auto session = BenchSession::open(place, "local[2]");
  if (!session) return session.error();
  if (auto warm = session->run(command_graph({"true"}, 50)); !warm) return warm.error();
  auto seconds = session->run(command_graph({"true"}, tasks));
  if (!seconds) return seconds.error();
  reading.value = static_cast<double>(tasks) / *seconds;
  return BenchReadings{reading};
}

Result<BenchReadings> measure_start(const BenchPlace& place) {
  auto milliseconds = start_ms(place, "local[2]");
  if (!milliseconds) return milliseconds.error();
  return BenchReadings{{"start", *milliseconds, std::nullopt}};
}

Result<BenchReadings> measure_cluster_start(const BenchPlace& place) {
  auto milliseconds = start_ms(place, "local-cluster[2,1,512]");
  if (!milliseconds) return milliseconds.error();
  return BenchReadings{{"cluster_start", *milliseconds, std::nullopt}};
}

}  // namespace heddle::apps
