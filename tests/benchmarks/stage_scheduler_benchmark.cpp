// Speed of StageScheduler with a map stage of 1 M tasks (three hosts each) and a result stage of 1 M; one line per
// measure.
//   submission  on_submit_job: the map stage's one task set, its places shared; the lists exist before
//   map_events, result_events  successes per second, outputs on 10,000 executors of 1,000 hosts
//   loss        an executor with its 100 outputs is lost, the mean of 1,000
// The argument multiplies the number of tasks. The seed is fixed.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "model/random_stream.hpp"
#include "policies/stages/stage_scheduler.hpp"

namespace {

using namespace heddle;
using namespace heddle::policies;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

std::shared_ptr<const PlaceLists> random_places(std::int32_t tasks, RandomStream& random) {
  auto lists = std::make_shared<PlaceLists>();
  lists->reserve(static_cast<std::size_t>(tasks), static_cast<std::size_t>(tasks) * 3);
  for (std::int32_t task = 0; task < tasks; ++task) {
    const auto first = static_cast<std::int32_t>(random.below(1'000));
    const TaskPlace places[] = {TaskPlace{HostId{first}}, TaskPlace{HostId{(first + 7) % 1'000}},
                                TaskPlace{HostId{(first + 31) % 1'000}}};
    lists->add(places);
  }
  return lists;
}

void run(std::int32_t tasks) {
  RandomStream random{7};
  StageScheduler stages{StageSchedulerSettings{}};
  DatasetDescription source;
  source.partitions = tasks;
  source.preferred = random_places(tasks, random);
  const DatasetId input = stages.apply(Instant{}, stage_input::DatasetAdded{std::move(source)});
  DatasetDescription sink;
  sink.partitions = tasks;
  sink.dependencies = {{Dependency::Kind::shuffle, input}};
  const DatasetId output = stages.apply(Instant{}, stage_input::DatasetAdded{std::move(sink)});
  StageEffects effects;
  auto start = Clock::now();
  stages.apply(Instant{}, stage_input::JobSubmitted{JobId{0}, output, {IndexRange{0, tasks}}}, effects);
  std::printf("submission %.2f ms\n", seconds_since(start) * 1e3);
  const auto executor_of = [](std::int32_t task) {
    return OutputPlace{ExecutorId{task % 10'000}, HostId{task % 1'000}};
  };
  start = Clock::now();
  for (std::int32_t task = 0; task + 1 < tasks; ++task) {
    effects.clear();
    stages.apply(Instant{}, stage_input::TaskSucceeded{StageId{0}, 0, task, executor_of(task)}, effects);
  }
  std::printf("map_events %.0f events/s\n", (tasks - 1) / seconds_since(start));
  start = Clock::now();
  StageScheduler losing = stages;
  std::printf("copy %.2f ms\n", seconds_since(start) * 1e3);
  start = Clock::now();
  for (std::int64_t executor = 0; executor < 1'000; ++executor) {
    effects.clear();
    losing.apply(Instant{}, stage_input::ExecutorGone{ExecutorId{executor}, std::nullopt}, effects);
  }
  std::printf("loss %.2f us\n", seconds_since(start) / 1'000 * 1e6);
  stages.apply(Instant{}, stage_input::TaskSucceeded{StageId{0}, 0, tasks - 1, executor_of(tasks - 1)}, effects);
  start = Clock::now();
  for (std::int32_t task = 0; task < tasks; ++task) {
    effects.clear();
    stages.apply(Instant{}, stage_input::TaskSucceeded{StageId{1}, 0, task, executor_of(task)}, effects);
  }
  std::printf("result_events %.0f events/s\n", tasks / seconds_since(start));
}

}  // namespace

int main(int argc, char** argv) {
  const std::int32_t factor = argc > 1 ? std::atoi(argv[1]) : 1;
  for (int round = 0; round < 3; ++round) run(1'000'000 * factor);
  return 0;
}
