// The published workloads of adaptive locality waits (docs/adaptive-locality.md): random clusters, locations and task
// times from a seed, in shapes that stress one thing each, and their run in virtual time with the real TaskScheduler.
// There is no other randomness: a seed determines a run.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <queue>
#include <string_view>
#include <utility>
#include <vector>

#include "model/random_stream.hpp"
#include "policies/tasks/task_scheduler.hpp"
#include "policies/tasks/types/task_descriptions.hpp"
#include "policies/tasks/types/task_effects.hpp"
#include "policies/tasks/types/task_scheduler_settings.hpp"
#include "policies/tasks/types/task_set_key.hpp"

namespace heddle::policies::locality_workloads {

enum class Shape : std::uint8_t {
  few_tasks,
  many_tasks,
  straggler,
  skewed,
  one_host,
  four_sets,
  small_cluster,
  large_cluster,
  busy_hosts
};
constexpr std::array shapes{Shape::few_tasks,     Shape::many_tasks,    Shape::straggler,
                            Shape::skewed,        Shape::one_host,      Shape::four_sets,
                            Shape::small_cluster, Shape::large_cluster, Shape::busy_hosts};
constexpr std::array<std::string_view, shapes.size()> shape_names{
    "few tasks per slot", "many tasks per slot", "one straggler", "skewed places",      "one host holds most",
    "four sets",          "2 to 8 slots",        "100 slots",     "hosts busy at first"};
constexpr std::array far_costs{1.0, 1.5, 2.0, 3.0, 5.0};

/// One task set.
struct Tasks {
  std::vector<std::vector<std::int32_t>> places;  // by task
  std::vector<std::int32_t> near_ms;              // by task
  // The locations as the scheduler gets them.
  TaskSetLocations told_places = {};
  std::shared_ptr<const std::vector<std::int32_t>> told_shares = nullptr;
};

inline void tell(Tasks& tasks) {
  PreferredLocationLists lists;
  for (const auto& hosts : tasks.places) {
    std::vector<PreferredLocation> places;
    for (const std::int32_t host : hosts) places.push_back(PreferredLocation{HostId{host}});
    lists.add(places);
  }
  tasks.told_places = {std::make_shared<const PreferredLocationLists>(std::move(lists)), false};
  tasks.told_shares = std::make_shared<const std::vector<std::int32_t>>(tasks.near_ms);
}

/// An application: consecutive task sets.
struct Workload {
  std::int32_t slots_per_host = 1;
  std::vector<std::int64_t> free_from_ms;  // by host: end of other work in its slots
  std::vector<Tasks> sets;
  double far_cost = 1;
  std::int64_t mean_ms = 0;
};

inline std::uint64_t between(RandomStream& random, std::uint64_t least, std::uint64_t most) {
  return least + random.below(most - least + 1);
}

inline std::uint64_t tasks_of(RandomStream& random, Shape shape, std::uint64_t slots) {
  switch (shape) {
    case Shape::few_tasks: return between(random, slots / 2, 2 * slots);
    case Shape::many_tasks: return between(random, 4 * slots, 10 * slots);
    case Shape::straggler: return between(random, slots, 4 * slots);
    case Shape::small_cluster: return between(random, slots / 2, 4 * slots);
    case Shape::large_cluster: return between(random, slots / 2, 6 * slots);
    case Shape::skewed:
    case Shape::one_host:
    case Shape::four_sets:
    case Shape::busy_hosts: break;
  }
  return between(random, slots / 2, 8 * slots);
}

struct Drawing {
  Shape shape = Shape::few_tasks;
  std::uint64_t hosts = 1;
  std::uint64_t replicas = 1;
  std::int64_t time_ms = 1;
  std::int64_t spread_percent = 0;  // uniform deviation of task times from time_ms
};

inline std::vector<std::int32_t> draw_places(RandomStream& random, const Drawing& drawing, std::int32_t hot_host) {
  std::vector<std::int32_t> places;
  for (std::uint64_t i = 0; i < drawing.replicas; ++i) {
    std::int32_t host = 0;
    if (drawing.shape == Shape::skewed && random.chance(2, 3))
      host = static_cast<std::int32_t>(random.below(std::max<std::uint64_t>(1, drawing.hosts / 4)));
    else if (drawing.shape == Shape::one_host && random.chance(3, 5)) host = hot_host;
    else host = static_cast<std::int32_t>(random.below(drawing.hosts));
    if (std::find(places.begin(), places.end(), host) == places.end()) places.push_back(host);
  }
  return places;
}

inline Tasks draw_set(RandomStream& random, const Drawing& drawing, std::uint64_t tasks) {
  Tasks made;
  const auto hot_host = static_cast<std::int32_t>(random.below(drawing.hosts));
  for (std::uint64_t task = 0; task < tasks; ++task) {
    made.places.push_back(draw_places(random, drawing, hot_host));
    std::int64_t ms = drawing.time_ms;
    if (drawing.spread_percent > 0)
      ms += ms * drawing.spread_percent / 100 * (static_cast<std::int64_t>(random.below(2001)) - 1000) / 1000;
    made.near_ms.push_back(static_cast<std::int32_t>(ms));
  }
  if (drawing.shape == Shape::straggler) made.near_ms[random.below(tasks)] *= 5;
  tell(made);
  return made;
}

/// 4 to 24 hosts with 1 to 4 slots, one to three replicas, tasks of 0.5 to 2 s on average; the shape sets the
/// differences.
inline Workload workload_of(Shape shape, std::uint64_t seed, double far_cost, std::int64_t spread_percent) {
  RandomStream random{seed * 1'000'003 + static_cast<std::uint64_t>(shape) * 7'919};
  Drawing drawing;
  drawing.shape = shape;
  drawing.spread_percent = spread_percent;
  drawing.hosts = between(random, 4, 24);
  std::uint64_t slots = between(random, 1, 4);
  if (shape == Shape::small_cluster) {
    drawing.hosts = between(random, 2, 8);
    slots = drawing.hosts <= 4 && random.chance(1, 2) ? 2 : 1;
  }
  if (shape == Shape::large_cluster) {
    slots = between(random, 1, 4);
    drawing.hosts = 100 / slots;
  }
  drawing.replicas = between(random, 1, 3);
  drawing.time_ms = static_cast<std::int64_t>(between(random, 500, 2000));
  Workload work;
  work.far_cost = far_cost;
  work.slots_per_host = static_cast<std::int32_t>(slots);
  work.free_from_ms.assign(drawing.hosts, 0);
  std::int64_t total_ms = 0;
  std::int64_t total = 0;
  while (work.sets.size() < (shape == Shape::four_sets ? 4U : 1U)) {
    const std::uint64_t tasks = std::max<std::uint64_t>(1, tasks_of(random, shape, drawing.hosts * slots));
    work.sets.push_back(draw_set(random, drawing, tasks));
    for (const std::int32_t ms : work.sets.back().near_ms) total_ms += ms;
    total += static_cast<std::int64_t>(tasks);
  }
  work.mean_ms = total_ms / total;
  if (shape == Shape::busy_hosts)
    for (auto& from : work.free_from_ms)
      if (random.chance(1, 3))
        from = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(2 * drawing.time_ms)));
  return work;
}

/// One run of a workload, until the last task of its last set ends. All slots are offered when one becomes free, and
/// every 100 ms.
class Run {
public:
  Run(const Workload& work, const TaskSchedulerSettings& settings, bool tells_times)
      : work_{work}, scheduler_{settings}, tells_times_{tells_times}, busy_until_{work.free_from_ms} {
    for (std::size_t host = 0; host < work.free_from_ms.size(); ++host) {
      scheduler_.apply(Instant{}, task_input::HostIntroduced{HostId{static_cast<std::int32_t>(host)},
                                                             "h" + std::to_string(host), ""});
      free_.push_back(work.free_from_ms[host] > 0 ? 0 : work.slots_per_host);
    }
  }
  double makespan_ms() {
    offer();
    for (; set_ < work_.sets.size(); ++set_) run_set();
    return static_cast<double>(now_ms_);
  }
  /// True if a far task was launched. If not, a longer wait changes nothing.
  [[nodiscard]] bool took_far() const { return took_far_; }

private:
  static constexpr std::int64_t look_every_ms = 100;
  using End = std::pair<std::int64_t, std::pair<std::int64_t, std::int32_t>>;

  void submit(const Tasks& tasks) {
    TaskSetDescription set;
    set.key = {StageId{static_cast<std::int32_t>(set_)}, 0};
    set.tasks = static_cast<std::int32_t>(tasks.places.size());
    set.places = tasks.told_places;
    if (tells_times_) set.expected_shares = tasks.told_shares;
    scheduler_.apply(now(), task_input::TaskSetSubmitted{set}, effects_);
  }
  void run_set() {
    const std::size_t tasks = work_.sets[set_].places.size();
    submit(work_.sets[set_]);
    launched_ = 0;
    offer();
    for (std::size_t done = 0; done < tasks;) {
      std::int64_t next = launched_ < tasks && has_free_ ? (now_ms_ / look_every_ms + 1) * look_every_ms : INT64_MAX;
      if (!ends_.empty()) next = std::min(next, ends_.top().first);
      for (const std::int64_t until : busy_until_)
        if (until > 0) next = std::min(next, until);
      now_ms_ = next;
      for (; !ends_.empty() && ends_.top().first <= now_ms_; ends_.pop()) {
        const auto [launch, host] = ends_.top().second;
        task_input::apply_attempt_status(scheduler_, now(), LaunchId{launch}, AttemptStatus{}, effects_);
        ++free_[static_cast<std::size_t>(host)];
        ++done;
      }
      for (std::size_t host = 0; host < free_.size(); ++host) {
        if (busy_until_[host] == 0 || busy_until_[host] > now_ms_) continue;
        busy_until_[host] = 0;
        free_[host] += work_.slots_per_host;
      }
      if (launched_ < tasks) offer();
    }
  }
  [[nodiscard]] Instant now() const { return Instant{std::chrono::milliseconds{now_ms_}}; }
  void offer() {
    offers_.clear();
    for (std::size_t host = 0; host < free_.size(); ++host)
      if (free_[host] > 0 || !are_known_)
        offers_.push_back(
            {ExecutorId{static_cast<std::int64_t>(host)}, HostId{static_cast<std::int32_t>(host)}, free_[host]});
    are_known_ = true;
    effects_.clear();
    scheduler_.apply(now(), task_input::OffersMade{offers_, true}, effects_);
    has_free_ = launch();
  }
  /// Starts the launches of the round; true if slots are still free.
  bool launch() {
    for (const TaskLaunch& launch : effects_.launches) {
      const double near = work_.sets[set_].near_ms[static_cast<std::size_t>(launch.index)];
      const bool is_near = launch.level <= LocalityLevel::node;
      const auto host = static_cast<std::int32_t>(launch.executor.value);
      --free_[static_cast<std::size_t>(host)];
      ++launched_;
      took_far_ = took_far_ || !is_near;
      ends_.push(
          {now_ms_ + static_cast<std::int64_t>(is_near ? near : near * work_.far_cost), {launch.id.value, host}});
    }
    return std::any_of(free_.begin(), free_.end(), [](std::int32_t free) { return free > 0; });
  }

  const Workload& work_;
  TaskScheduler scheduler_;
  TaskSchedulerEffects effects_;
  bool tells_times_;
  bool are_known_ = false;  // true after the executors were offered once
  bool has_free_ = false;
  bool took_far_ = false;
  std::vector<SlotOffer> offers_;
  std::vector<std::int32_t> free_;
  std::vector<std::int64_t> busy_until_;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
  std::size_t set_ = 0;
  std::size_t launched_ = 0;
  std::int64_t now_ms_ = 0;
};

}  // namespace heddle::policies::locality_workloads
