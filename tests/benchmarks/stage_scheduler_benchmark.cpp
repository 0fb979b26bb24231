// Speed of StageScheduler with a map stage of 1 M tasks (three hosts each) and a result stage of 1 M; one line per
// measure.
//   submission  on_submit_job: one task set of the map stage with shared preferred locations, created before
//   submission_at_ten_times  cost per task of a submission, relative to that with a tenth of the tasks; least of 10
//   map_events, result_events  successes per second, with outputs on 10,000 executors of 1,000 hosts
//   map_events_recorded, result_events_recorded  the same with the Driver's recording, and its additional cost
//   loss        loss of an executor with its 100 outputs; mean of 1,000
// The argument multiplies the number of tasks. The seed is fixed.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <type_traits>
#include <utility>

#include "model/random_stream.hpp"
#include "policies/stages/stage_scheduler.hpp"
#include "tests/benchmarks/measured_deciders.hpp"

namespace {

using namespace heddle;
using namespace heddle::policies;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

std::shared_ptr<const PreferredLocationLists> random_places(std::int32_t tasks, RandomStream& random) {
  auto lists = std::make_shared<PreferredLocationLists>();
  lists->reserve(static_cast<std::size_t>(tasks), static_cast<std::size_t>(tasks) * 3);
  for (std::int32_t task = 0; task < tasks; ++task) {
    const auto first = static_cast<std::int32_t>(random.below(1'000));
    const PreferredLocation places[] = {PreferredLocation{HostId{first}},
                                        PreferredLocation{HostId{(first + 7) % 1'000}},
                                        PreferredLocation{HostId{(first + 31) % 1'000}}};
    lists->add(places);
  }
  return lists;
}

using PlainStages = benchmarks::PlainDecider<StageScheduler>;
using RecordedStages = benchmarks::RecordedDecider<StageScheduler>;

MapStatusLocation place_of(std::int32_t task) { return {ExecutorId{task % 10'000}, HostId{task % 1'000}}; }

/// Reports the success of `count` tasks of a stage.
template <class Stages>
benchmarks::Cost succeed(Stages& stages, std::int64_t stage, std::int32_t count, StageEffects& effects) {
  const double bytes_before = stages.bytes();
  const auto start = Clock::now();
  for (std::int32_t task = 0; task < count; ++task) {
    effects.clear();
    if (task % 100 == 0) stages.wait_for_room();
    stages.apply(Instant{}, stage_input::TaskSucceeded{StageId{stage}, 0, task, place_of(task)}, effects);
  }
  const double seconds = seconds_since(start);
  return {seconds, static_cast<double>(count), stages.bytes() - bytes_before};
}

void measure_losses(StageScheduler losing, StageEffects& effects) {
  const auto start = Clock::now();
  for (std::int64_t executor = 0; executor < 1'000; ++executor) {
    effects.clear();
    losing.apply(Instant{}, stage_input::ExecutorGone{ExecutorId{executor}, std::nullopt}, effects);
  }
  std::printf("loss %.2f us\n", seconds_since(start) / 1'000 * 1e6);
}

/// Seconds of the submission of a job with a map stage and a result stage.
template <class Stages>
double submit(Stages& stages, std::int32_t tasks, std::shared_ptr<const PreferredLocationLists> places,
              StageEffects& effects) {
  DatasetDescription source;
  source.partitions = tasks;
  source.preferred = std::move(places);
  const DatasetId input = stages.apply(Instant{}, stage_input::DatasetAdded{std::move(source)});
  DatasetDescription sink;
  sink.partitions = tasks;
  sink.dependencies = {{Dependency::Kind::shuffle, input}};
  const DatasetId output = stages.apply(Instant{}, stage_input::DatasetAdded{std::move(sink)});
  const auto start = Clock::now();
  stages.apply(Instant{}, stage_input::JobSubmitted{JobId{0}, output, {IndexRange{0, tasks}}}, effects);
  return seconds_since(start);
}

/// The least of several submissions, each to a new scheduler.
double least_submission(std::int32_t tasks) {
  constexpr int turns = 10;
  RandomStream random{7};
  const auto places = random_places(tasks, random);
  double least = 1e9;
  for (int turn = 0; turn < turns; ++turn) {
    PlainStages stages{StageSchedulerSettings{}};
    StageEffects effects;
    least = std::min(least, submit(stages, tasks, places, effects));
  }
  return least;
}

/// Cost of the successes of all map tasks but one, and of all result tasks.
template <class Stages>
std::pair<benchmarks::Cost, benchmarks::Cost> run(std::int32_t tasks) {
  RandomStream random{7};
  Stages stages{StageSchedulerSettings{}};
  StageEffects effects;
  const double submission = submit(stages, tasks, random_places(tasks, random), effects);
  const auto maps = succeed(stages, 0, tasks - 1, effects);
  if constexpr (std::is_same_v<Stages, PlainStages>) {
    std::printf("submission %.2f ms\n", submission * 1e3);
    measure_losses(stages, effects);
  }
  stages.apply(Instant{}, stage_input::TaskSucceeded{StageId{0}, 0, tasks - 1, place_of(tasks - 1)}, effects);
  return {maps, succeed(stages, 1, tasks, effects)};
}

}  // namespace

int main(int argc, char** argv) {
  const std::int32_t factor = argc > 1 ? std::atoi(argv[1]) : 1;
  for (int round = 0; round < 3; ++round) {
    const auto [maps, results] = run<PlainStages>(1'000'000 * factor);
    std::printf("map_events %.0f events/s\n", maps.count / maps.seconds);
    std::printf("result_events %.0f events/s\n", results.count / results.seconds);
    std::printf("submission_at_ten_times %.2f x\n",
                least_submission(1'000'000 * factor) / least_submission(100'000 * factor) / 10);
    const auto [recorded_maps, recorded_results] = run<RecordedStages>(1'000'000 * factor);
    benchmarks::print_recording("map_events", "events/s", maps, recorded_maps);
    benchmarks::print_recording("result_events", "events/s", results, recorded_results);
  }
  return 0;
}
