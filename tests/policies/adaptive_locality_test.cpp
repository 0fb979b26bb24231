// Goal: heddle.locality.adaptive wins what waiting can win and loses next to nothing where it cannot.
// Method: the published workloads of docs/decisions: random clusters, places and task times from a seed, run in virtual time through the
// TaskScheduler with no wait, with fixed waits, and with the adaptive one. What is compared is the makespan of one task set, or of an
// application of several.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <functional>
#include <map>
#include <memory>
#include <queue>

#include "model/random_stream.hpp"
#include "policies/task_scheduler.hpp"

namespace heddle::policies {
namespace {

constexpr std::int64_t look_every_ms = 50;

/// One task set.
struct Tasks {
  std::vector<std::vector<std::int32_t>> places;  // per task
  std::vector<std::int64_t> near_ms;              // per task
};

/// An application: task sets that follow each other.
struct Workload {
  std::int32_t slots_per_host = 1;
  std::vector<std::int64_t> free_from_ms;  // per host: other work holds its slots until then
  std::vector<Tasks> sets;
  double far_cost = 1;
  std::int64_t mean_ms = 0;  // of the first set's tasks
};

std::uint64_t number_of_tasks(RandomStream& random, std::uint64_t slots) {
  return std::max<std::uint64_t>(1, slots / 2 + random.below(slots * 15 / 2));
}

Tasks tasks_of(RandomStream& random, std::uint64_t tasks, std::uint64_t hosts, std::uint64_t replicas, bool is_skewed) {
  Tasks made;
  for (std::uint64_t task = 0; task < tasks; ++task) {
    std::vector<std::int32_t> places;
    for (std::uint64_t i = 0; i < replicas; ++i) {
      const bool is_hot = is_skewed && random.chance(2, 3);
      const auto host = static_cast<std::int32_t>(random.below(is_hot ? std::max<std::uint64_t>(1, hosts / 4) : hosts));
      if (std::find(places.begin(), places.end(), host) == places.end()) places.push_back(host);
    }
    made.places.push_back(std::move(places));
    made.near_ms.push_back(500 + static_cast<std::int64_t>(random.below(1001)));
  }
  return made;
}

/// 4 to 24 hosts of 1 to 4 slots; a half to eight tasks per slot of 0.5 to 1.5 s; one to three replicas, on a third of the clusters mostly
/// on a quarter of the hosts; on another third, some hosts are busy for up to 2 s.
Workload workload_of(std::uint64_t seed, double far_cost, std::size_t sets) {
  RandomStream random{seed};
  Workload work;
  work.far_cost = far_cost;
  const auto hosts = static_cast<std::int32_t>(4 + random.below(21));
  work.slots_per_host = static_cast<std::int32_t>(1 + random.below(4));
  work.free_from_ms.assign(static_cast<std::size_t>(hosts), 0);
  const auto slots = static_cast<std::uint64_t>(hosts * work.slots_per_host);
  std::uint64_t tasks = number_of_tasks(random, slots);
  const std::uint64_t replicas = 1 + random.below(3);
  const std::uint64_t shape = random.below(3);
  if (shape == 2)
    for (auto& from : work.free_from_ms)
      if (random.chance(1, 3)) from = static_cast<std::int64_t>(random.below(2000));
  while (work.sets.size() < sets) {
    work.sets.push_back(tasks_of(random, tasks, static_cast<std::uint64_t>(hosts), replicas, shape == 1));
    tasks = number_of_tasks(random, slots);
  }
  const auto& times = work.sets.front().near_ms;
  for (const std::int64_t time : times) work.mean_ms += time;
  work.mean_ms /= static_cast<std::int64_t>(times.size());
  return work;
}

TaskSchedulerSettings fixed_wait(std::int64_t milliseconds) {
  TaskSchedulerSettings settings;
  settings.wait_process = settings.wait_node = settings.wait_rack = std::chrono::milliseconds{milliseconds};
  return settings;
}

TaskSchedulerSettings adaptive_wait(AdaptiveLocality declared) {
  TaskSchedulerSettings settings = fixed_wait(30'000);
  settings.adaptive = declared;
  return settings;
}

/// One run of a workload, until the last task of its last set has ended.
class Run {
public:
  Run(const Workload& work, const TaskSchedulerSettings& settings) : work_{work}, scheduler_{settings} {
    for (std::size_t host = 0; host < work.free_from_ms.size(); ++host) {
      scheduler_.introduce_host(HostId{static_cast<std::int32_t>(host)}, "h" + std::to_string(host), "");
      free_.push_back(work.free_from_ms[host] > 0 ? 0 : work.slots_per_host);
    }
  }
  std::int64_t makespan_ms() {
    offer();
    for (; set_ < work_.sets.size(); ++set_) run_set();
    return now_ms_;
  }

private:
  void run_set() {
    const Tasks& tasks = work_.sets[set_];
    TaskSetDescription set;
    set.key = {StageId{static_cast<std::int32_t>(set_)}, 0};
    set.tasks = static_cast<std::int32_t>(tasks.places.size());
    PlaceLists lists;
    for (const auto& hosts : tasks.places) {
      std::vector<TaskPlace> places;
      for (const std::int32_t host : hosts) places.push_back(TaskPlace{HostId{host}});
      lists.add(places);
    }
    set.places = {std::make_shared<const PlaceLists>(std::move(lists)), false};
    scheduler_.on_task_set(now(), set, effects_);
    std::size_t done = 0;
    offer();
    while (done < tasks.places.size()) {
      now_ms_ += look_every_ms;
      if (!ends_.empty()) now_ms_ = std::min(now_ms_, ends_.top().first);
      bool has_changed = now_ms_ % look_every_ms == 0;
      for (; !ends_.empty() && ends_.top().first <= now_ms_; ends_.pop()) {
        const auto [launch, host] = ends_.top().second;
        scheduler_.on_status(now(), LaunchId{launch}, AttemptStatus{}, effects_);
        ++free_[static_cast<std::size_t>(host)];
        ++done;
        has_changed = true;
      }
      for (std::size_t host = 0; host < free_.size(); ++host) {
        if (is_busy_.empty()) is_busy_ = work_.free_from_ms;
        if (is_busy_[host] == 0 || is_busy_[host] > now_ms_) continue;
        is_busy_[host] = 0;
        free_[host] += work_.slots_per_host;
      }
      if (has_changed) offer();
    }
  }
  [[nodiscard]] Instant now() const { return Instant{std::chrono::milliseconds{now_ms_}}; }
  void offer() {
    std::vector<SlotOffer> offers;
    for (std::size_t host = 0; host < free_.size(); ++host)
      offers.push_back({ExecutorId{static_cast<std::int64_t>(host)}, HostId{static_cast<std::int32_t>(host)}, free_[host]});
    effects_.clear();
    scheduler_.on_offers(now(), offers, true, effects_);
    for (const TaskLaunch& launch : effects_.launches) {
      const double near = static_cast<double>(work_.sets[set_].near_ms[static_cast<std::size_t>(launch.index)]);
      const bool is_near = launch.level <= LocalityLevel::node;
      const auto host = static_cast<std::int32_t>(launch.executor.value);
      --free_[static_cast<std::size_t>(host)];
      ends_.push({now_ms_ + static_cast<std::int64_t>(is_near ? near : near * work_.far_cost), {launch.id.value, host}});
    }
  }

  using End = std::pair<std::int64_t, std::pair<std::int64_t, std::int32_t>>;
  const Workload& work_;
  TaskScheduler scheduler_;
  TaskSchedulerEffects effects_;
  std::vector<std::int32_t> free_;
  std::vector<std::int64_t> is_busy_;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
  std::size_t set_ = 0;
  std::int64_t now_ms_ = 0;
};

double makespan(const Workload& work, const TaskSchedulerSettings& settings) {
  return static_cast<double>(Run{work, settings}.makespan_ms());
}

constexpr std::uint64_t sets_per_cost = 120;

/// How the adaptive wait compares with none (means and worst of the ratio), and with the best fixed one (part of its gain).
struct Comparison {
  double mean_ratio = 0;
  double worst_ratio = 0;
  std::uint64_t worst_seed = 0;
  double gain_part = 0;
};

Comparison compare(double far_cost, bool is_declared, std::size_t sets) {
  const std::vector<std::int64_t> waits = {100, 250, 500, 1000, 1500, 2000, 3000, 5000, 10'000};
  std::map<std::int64_t, double> gain_of_wait;
  Comparison result;
  double adaptive_gain = 0;
  const std::uint64_t workloads = sets == 1 ? sets_per_cost : sets_per_cost / 3;
  for (std::uint64_t seed = 1; seed <= workloads; ++seed) {
    const Workload work = workload_of(seed, far_cost, sets);
    const double none = makespan(work, fixed_wait(0));
    AdaptiveLocality declared;
    if (is_declared) declared = {std::chrono::milliseconds{work.mean_ms}, far_cost};
    const double adaptive = makespan(work, adaptive_wait(declared));
    for (const std::int64_t wait : waits) gain_of_wait[wait] += none - makespan(work, fixed_wait(wait));
    adaptive_gain += none - adaptive;
    const double ratio = adaptive / none;
    result.mean_ratio += ratio / static_cast<double>(workloads);
    if (ratio > result.worst_ratio) {
      result.worst_ratio = ratio;
      result.worst_seed = seed;
    }
  }
  double best = 0;
  for (const auto& [wait, gain] : gain_of_wait) best = std::max(best, gain);
  result.gain_part = best > 0 ? adaptive_gain / best : 1.0;
  return result;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(adaptive_locality)

BOOST_AUTO_TEST_CASE(waiting_costs_nothing_and_wins_where_far_tasks_are_slow) {
  for (const double far_cost : {1.0, 1.1, 1.5, 2.0, 3.0, 5.0}) {
    const Comparison declared = compare(far_cost, true, 1);
    BOOST_TEST_MESSAGE("far cost " << far_cost << ": mean " << declared.mean_ratio << ", worst " << declared.worst_ratio << " (seed "
                                   << declared.worst_seed << "), part of the best gain " << declared.gain_part);
    BOOST_TEST(declared.mean_ratio <= 1.01, far_cost);
    BOOST_TEST(declared.worst_ratio <= 1.05, far_cost << ", seed " << declared.worst_seed);
    if (far_cost >= 2) BOOST_TEST(declared.gain_part >= 0.8, far_cost << " " << declared.gain_part);
  }
}

// An application learns from its first sets what a place far away costs: applications of this many sets.
constexpr std::size_t sets_of_application = 4;

BOOST_AUTO_TEST_CASE(what_is_measured_in_an_application_is_nearly_as_good_as_what_is_declared) {
  for (const double far_cost : {1.0, 1.1, 1.5, 2.0, 3.0, 5.0}) {
    const Comparison measured = compare(far_cost, false, sets_of_application);
    BOOST_TEST_MESSAGE("measured, far cost " << far_cost << ": mean " << measured.mean_ratio << ", worst " << measured.worst_ratio
                                             << ", part of the best gain " << measured.gain_part);
    BOOST_TEST(measured.mean_ratio <= 1.01, far_cost);
    BOOST_TEST(measured.worst_ratio <= 1.05, far_cost << ", seed " << measured.worst_seed);
    if (far_cost >= 2) BOOST_TEST(measured.gain_part >= 0.8, far_cost << " " << measured.gain_part);
  }
}

BOOST_AUTO_TEST_CASE(without_declared_times_waiting_costs_nothing_either) {
  for (const double far_cost : {1.0, 1.5, 3.0}) {
    const Comparison measured = compare(far_cost, false, 1);
    BOOST_TEST_MESSAGE("one set, far cost " << far_cost << ": mean " << measured.mean_ratio << ", worst " << measured.worst_ratio
                                            << ", part of the best gain " << measured.gain_part);
    BOOST_TEST(measured.mean_ratio <= 1.01, far_cost);
    BOOST_TEST(measured.worst_ratio <= 1.05, far_cost << ", seed " << measured.worst_seed);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace heddle::policies
