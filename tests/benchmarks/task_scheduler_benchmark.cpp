// Speed of TaskScheduler, including the handling of completions; one line per measure.
//   offers_100, offers_1  one task set of N tasks with three preferred hosts each, E one-core executors on E/10 hosts
//                         in 20 racks, all busy at first; per round of 1 ms, 100 (or 1) random executors finish their
//                         task and are offered again, shuffled; until 9 of 10 tasks were launched; then with a tenth
//                         of the tasks, executors and hosts
//   offers_adaptive       offers_100 with heddle.locality.adaptive; tasks of 0.1 s that take twice as long far from
//                         their data
//   fair_100              100 FAIR pools of 10 task sets of 1,000 tasks without preference, 100 freed per round, until
//                         all have run; then with a tenth of the pools, executors and hosts
//   fair_100_with_hosts   the same with three preferred hosts per task and equal pools: 150 rounds of warm-up, then
//                         1,500 rounds
//   submission            on_task_set of that set of N tasks; lists of preferred locations created before
//   submission_at_ten_times  its cost per task, relative to that with a tenth of all; least of 5
//   ..._recorded          offers_100, offers_1 and fair_100 with and without the Driver's recording, and its cost
//   plain_10m             10 M tasks without preference on 1,000 executors, all freed in each round; then peak memory
// Arguments: the measures to run (none: all). The seed is fixed.
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/random_stream.hpp"
#include "policies/tasks/task_scheduler.hpp"
#include "tests/benchmarks/measured_deciders.hpp"

namespace {

using namespace heddle;
using namespace heddle::policies;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

using PlainScheduler = benchmarks::PlainDecider<TaskScheduler>;
using RecordedScheduler = benchmarks::RecordedDecider<TaskScheduler>;

/// Simulates a cluster whose executors run one task each or are free; reports ends and offers to the scheduler.
template <class Scheduler = PlainScheduler>
class Cluster {
public:
  Cluster(const TaskSchedulerSettings& settings, std::int32_t executors, std::int32_t hosts)
      : scheduler{settings}, running_(static_cast<std::size_t>(executors)), hosts_{hosts} {
    for (std::int32_t host = 0; host < hosts; ++host)
      scheduler.apply(Instant{}, task_input::HostIntroduced{HostId{host}, "host" + std::to_string(host),
                                                            "rack" + std::to_string(host % 20)});
  }

  void offer_all() {
    std::vector<SlotOffer> offers;
    for (std::size_t i = 0; i < running_.size(); ++i) offers.push_back(offer(i));
    round(offers, true);
  }

  /// `count` random executors finish their task and are offered.
  void free_some(std::int32_t count, RandomStream& random) {
    offers_.clear();
    while (static_cast<std::int32_t>(offers_.size()) < count)
      free_one(static_cast<std::size_t>(random.below(running_.size())));
    round(offers_, false);
  }
  void free_all() {
    offers_.clear();
    for (std::size_t i = 0; i < running_.size(); ++i) free_one(i);
    round(offers_, true);
  }

  Scheduler scheduler;
  TaskSchedulerEffects effects;
  Instant now{std::chrono::milliseconds{1}};
  std::int64_t launches = 0;
  std::int64_t rounds = 0;

private:
  SlotOffer offer(std::size_t executor) const {
    return {ExecutorId{static_cast<std::int64_t>(executor)}, HostId{static_cast<std::int32_t>(executor) % hosts_}, 1};
  }
  void free_one(std::size_t executor) {
    if (!running_[executor].is_none())
      task_input::apply_attempt_status(scheduler, now, running_[executor], {}, effects);
    running_[executor] = LaunchId{};
    offers_.push_back(offer(executor));
  }
  void round(const std::vector<SlotOffer>& offers, bool is_full) {
    scheduler.wait_for_room();
    now += std::chrono::milliseconds{1};
    scheduler.apply(now, task_input::OffersMade{offers, is_full, &shuffle_}, effects);
    for (const TaskLaunch& launch : effects.launches)
      running_[static_cast<std::size_t>(launch.executor.value)] = launch.id;
    launches += static_cast<std::int64_t>(effects.launches.size());
    ++rounds;
    effects.clear();
  }

  std::vector<LaunchId> running_;
  std::vector<SlotOffer> offers_;
  std::int32_t hosts_;
  RandomStream shuffle_{2};  // of offers, as in the Driver
};

TaskSetDescription set_with_places(std::int32_t tasks, std::int32_t hosts, RandomStream& random) {
  PreferredLocationLists lists;
  lists.reserve(static_cast<std::size_t>(tasks), static_cast<std::size_t>(tasks) * 3);
  for (std::int32_t task = 0; task < tasks; ++task) {
    PreferredLocation places[3];
    for (PreferredLocation& place : places)
      place = PreferredLocation{HostId{static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(hosts)))}};
    lists.add(places);
  }
  TaskSetDescription set;
  set.key = {StageId{0}, 0};
  set.tasks = tasks;
  set.places = {std::make_shared<const PreferredLocationLists>(std::move(lists)), true};
  return set;
}

template <class Scheduler = PlainScheduler>
benchmarks::Cost measure_offers(const char* name, std::int32_t tasks, std::int32_t executors, std::int32_t freed,
                                const TaskSchedulerSettings& settings = {}) {
  RandomStream random{1};
  const std::int32_t hosts = executors / 10;
  const TaskSetDescription set = set_with_places(tasks, hosts, random);
  Cluster<Scheduler> cluster{settings, executors, hosts};
  cluster.offer_all();
  const auto submitted = std::chrono::steady_clock::now();
  cluster.scheduler.apply(cluster.now, task_input::TaskSetSubmitted{set}, cluster.effects);
  const double submission = seconds_since(submitted);
  cluster.offer_all();
  const std::int64_t before = cluster.launches;
  const double bytes_before = cluster.scheduler.bytes();
  const auto start = std::chrono::steady_clock::now();
  while (cluster.launches < std::int64_t{tasks} * 9 / 10) cluster.free_some(freed, random);
  const double taken = seconds_since(start);
  const auto progress = cluster.scheduler.progress(set.key);
  std::printf("%-12s %8d tasks %6d executors: %9.0f launches/s, %lld rounds, %.1f %% node local; submission %.4f s\n",
              name, tasks, executors, static_cast<double>(cluster.launches - before) / taken,
              static_cast<long long>(cluster.rounds),
              100.0 * static_cast<double>(progress->launched[1]) / static_cast<double>(cluster.launches), submission);
  return {taken, static_cast<double>(cluster.launches - before), cluster.scheduler.bytes() - bytes_before};
}

/// Seconds of the submission of one set, the least of several, each to a new scheduler.
double least_submission(std::int32_t tasks, std::int32_t executors) {
  RandomStream random{1};
  const TaskSetDescription set = set_with_places(tasks, executors / 10, random);
  double least = 1e9;
  for (int turn = 0; turn < 5; ++turn) {
    Cluster<> cluster{{}, executors, executors / 10};
    cluster.offer_all();
    const auto start = std::chrono::steady_clock::now();
    cluster.scheduler.apply(cluster.now, task_input::TaskSetSubmitted{set}, cluster.effects);
    least = std::min(least, seconds_since(start));
  }
  return least;
}

void measure_recording(const char* name, std::int32_t freed) {
  const auto plain = measure_offers(name, 1'000'000, 10'000, freed);
  benchmarks::print_recording(name, "launches/s", plain,
                              measure_offers<RecordedScheduler>(name, 1'000'000, 10'000, freed));
}

template <class Scheduler = PlainScheduler>
benchmarks::Cost measure_fair(std::int32_t pools, std::int32_t sets_per_pool, std::int32_t executors) {
  RandomStream random{1};
  TaskSchedulerSettings settings;
  settings.mode = SchedulingMode::fair;
  settings.pools.emplace();
  for (std::int32_t pool = 0; pool < pools; ++pool)
    settings.pools->push_back({"pool" + std::to_string(pool), SchedulingMode::fair, 1 + pool % 4, pool % 3});
  Cluster<Scheduler> cluster{settings, executors, executors / 10};
  cluster.offer_all();
  for (std::int32_t number = 0; number < pools * sets_per_pool; ++number) {
    TaskSetDescription set;
    set.key = {StageId{number}, 0};
    set.pool = "pool" + std::to_string(number % pools);
    set.tasks = 1'000;
    cluster.scheduler.apply(cluster.now, task_input::TaskSetSubmitted{set}, cluster.effects);
  }
  const std::int64_t all = std::int64_t{pools} * sets_per_pool * 1'000;
  cluster.offer_all();
  const std::int64_t before = cluster.launches;
  const double bytes_before = cluster.scheduler.bytes();
  const auto start = std::chrono::steady_clock::now();
  while (cluster.launches < all) cluster.free_some(100, random);
  const double taken = seconds_since(start);
  const auto launches = static_cast<double>(cluster.launches - before);
  std::printf("%-12s %4d pools of %d sets: %9.0f launches/s\n", "fair_100", pools, sets_per_pool, launches / taken);
  return {taken, launches, cluster.scheduler.bytes() - bytes_before};
}

/// Workload for the comparison with Spark: equal pools without minimum share, three preferred hosts per task.
void measure_fair_with_hosts() {
  constexpr std::int32_t pools = 100, sets_per_pool = 10, executors = 10'000, hosts = 1'000;
  RandomStream random{1};
  TaskSchedulerSettings settings;
  settings.mode = SchedulingMode::fair;
  settings.pools.emplace();
  for (std::int32_t pool = 0; pool < pools; ++pool)
    settings.pools->push_back({"pool" + std::to_string(pool), SchedulingMode::fair, 1, 0});
  Cluster<> cluster{settings, executors, hosts};
  cluster.offer_all();
  for (std::int32_t number = 0; number < pools * sets_per_pool; ++number) {
    TaskSetDescription set = set_with_places(1'000, hosts, random);
    set.key = {StageId{number}, 0};
    set.pool = "pool" + std::to_string(number % pools);
    cluster.scheduler.apply(cluster.now, task_input::TaskSetSubmitted{set}, cluster.effects);
  }
  cluster.offer_all();
  for (int round = 0; round < 150; ++round) cluster.free_some(100, random);
  const std::int64_t before = cluster.launches;
  const auto start = std::chrono::steady_clock::now();
  for (int round = 0; round < 1'500; ++round) cluster.free_some(100, random);
  std::printf("%-12s %4d pools of %d sets: %9.0f launches/s\n", "fair_100_with_hosts", pools, sets_per_pool,
              static_cast<double>(cluster.launches - before) / seconds_since(start));
}

void measure_plain(std::int32_t tasks) {
  Cluster<> cluster{{}, 1'000, 100};
  cluster.offer_all();
  TaskSetDescription set;
  set.key = {StageId{0}, 0};
  set.tasks = tasks;
  const auto start = std::chrono::steady_clock::now();
  cluster.scheduler.apply(cluster.now, task_input::TaskSetSubmitted{set}, cluster.effects);
  while (cluster.launches < tasks) cluster.free_all();
  const double taken = seconds_since(start);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf("%-12s %8d tasks: %9.0f launches/s, peak memory %.1f MB\n", "plain_10m", tasks,
              static_cast<double>(tasks) / taken, static_cast<double>(usage.ru_maxrss) / 1024.0);
}

}  // namespace

int main(int count, char** arguments) {
  const std::vector<std::string_view> names(arguments + 1, arguments + count);
  const auto wanted = [&](std::string_view name) {
    return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
  };
  if (wanted("plain_10m")) measure_plain(10'000'000);  // first: peak memory is of the whole process
  if (wanted("offers_100")) {
    measure_offers("offers_100", 1'000'000, 10'000, 100);
    measure_offers("offers_100", 100'000, 1'000, 100);
    std::printf("submission_at_ten_times %.2f x\n",
                least_submission(1'000'000, 10'000) / least_submission(100'000, 1'000) / 10);
  }
  if (wanted("offers_1")) {
    measure_offers("offers_1", 1'000'000, 10'000, 1);
    measure_offers("offers_1", 100'000, 1'000, 1);
  }
  if (wanted("offers_100_recorded")) measure_recording("offers_100", 100);
  if (wanted("offers_1_recorded")) measure_recording("offers_1", 1);
  if (wanted("fair_100_recorded")) {
    const auto plain = measure_fair(100, 10, 10'000);
    benchmarks::print_recording("fair_100", "launches/s", plain, measure_fair<RecordedScheduler>(100, 10, 10'000));
  }
  if (wanted("offers_adaptive")) {
    TaskSchedulerSettings settings;
    settings.adaptive = AdaptiveLocality{std::chrono::milliseconds{100}, 2};
    measure_offers("offers_adaptive", 1'000'000, 10'000, 100, settings);
    measure_offers("offers_adaptive", 100'000, 1'000, 100, settings);
  }
  if (wanted("fair_100")) {
    measure_fair(100, 10, 10'000);
    measure_fair(10, 10, 1'000);
  }
  if (wanted("fair_100_with_hosts")) measure_fair_with_hosts();
}
