// Decides whether the slots of a task set wait for near tasks (heddle.locality.adaptive): simulates the set with and
// without waiting, and uses the plan with the shortest makespan. docs/adaptive-locality.md has an example, the rules
// and the measured gain. Near: on a host with the input; far: elsewhere. A far task takes `far_cost` times its near
// time. Order: plans by deadline, from the earliest possible end upwards, then the plan without far tasks; ties keep
// the current plan. Cost: constant per task that waits, is taken or ends; a simulation is linear in the waiting tasks
// and slots, and runs if a slot finds no near task and a share of both has changed. Large sets use the earliest
// possible end as deadline without simulation. Values that are not declared are measured, also from running attempts; a
// set starts with the measurements of earlier sets of its application, or with far_cost 1. heddle's own rule.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "policies/tasks/adaptive_locality/locality_forecast.hpp"
#include "policies/tasks/types/executor_directory.hpp"
#include "policies/tasks/types/task_scheduler_settings.hpp"

namespace heddle::policies {

/// Succeeded attempts of one kind, near or far: number and total time. A task with twice the mean expected time counts
/// as two.
struct EndedAttempts {
  double count = 0;
  double total_ms = 0;
  void add(Duration time, double expected);
};

/// Measurements of all sets of an application so far.
struct LocalityHistory {
  EndedAttempts near;
  EndedAttempts far;
};

class LocalityPayoff {
public:
  using PlacesOf = std::function<std::span<const PreferredLocation>(std::int32_t)>;

  LocalityPayoff(const AdaptiveLocality& declared, const LocalityHistory& history, std::int32_t tasks,
                 std::shared_ptr<const std::vector<std::int32_t>> shares);

  /// Events: a task waits; it no longer waits; executors were added or removed.
  void on_waiting(std::int32_t index);
  void on_taken(std::int32_t index);
  void on_executors_changed() { last_look_.is_current = false; }
  /// Events: an attempt began on this host; it ended; it also succeeded.
  void on_begin(bool is_near, HostId host, std::int32_t index, Instant at);
  void on_end(bool is_near, HostId host, std::int32_t index, Instant began);
  void on_success(bool is_near, std::int32_t index, Duration time);

  /// True if a slot may take a far task now. Chooses a plan again if enough has changed.
  [[nodiscard]] bool may_go_far(Instant now, const ExecutorDirectory& directory, const PlacesOf& places_of);
  /// The answer of the last may_go_far.
  [[nodiscard]] bool might_go_far() const { return is_far_; }
  /// The host whose tasks are to run far; none: any host.
  [[nodiscard]] HostId far_source() const;
  /// Expected time of a near task, in units of the mean.
  [[nodiscard]] double time_of(std::int32_t index) const;

private:
  /// Running attempts: number, and sum of their start times.
  struct RunningAttempts {
    double count = 0;
    double expected = 0;  // sum of expected times, in units of the mean
    double began_ms = 0;
  };
  struct Attempts {
    RunningAttempts running;
    EndedAttempts ended;
  };
  struct Running {
    Instant began;
    std::int32_t index = 0;
    bool is_near = true;
  };

  /// The choice that made the current plan.
  struct LastLook {
    Instant at;
    double unit_ms = 0;       // unit of the plan's times
    std::size_t changes = 0;  // changes since the choice
    std::size_t size = 0;     // waiting tasks and slots at the choice
    bool is_current = false;  // false: choose again
  };

  /// A slot with work that the scheduler does not see.
  struct Unseen {
    std::size_t slot = 0;
    std::size_t host = 0;
  };

  std::vector<Running>& running_on(HostId id);
  void change_running(bool is_near, std::int32_t index, Instant began, double by);
  /// Mean run time, as far as it is known now.
  [[nodiscard]] double mean_ms(const Attempts& attempts) const;
  [[nodiscard]] double time_ms() const;
  [[nodiscard]] double cost() const;

  /// In units of the mean task time; 0 while it is unknown.
  [[nodiscard]] double units_since(Instant past) const;
  [[nodiscard]] bool is_due() const;
  void look(const ExecutorDirectory& directory, const PlacesOf& places_of);
  void find_free_slots(const ExecutorDirectory& directory);
  void find_waiting(const PlacesOf& places_of);
  /// Keeps the homes of waiting tasks or assigns new ones. False if a task has no host with slots.
  bool keep_current_homes();
  void spread_waiting();
  [[nodiscard]] std::int32_t least_loaded(std::span<const std::int32_t> hosts, double time) const;
  [[nodiscard]] bool can_be_simulated() const;
  void choose_plan();
  /// The best plan with the new homes; none if none is shorter than the current one.
  [[nodiscard]] std::optional<LocalityPlan> find_better(std::optional<double> current_end);
  /// Assumes that slots with unseen work become free after `rest`.
  void expect_unseen(double rest);
  /// Ends of a set if these slots are free at once, and if they are free late.
  using ExtremeEnds = std::array<double, 2>;
  [[nodiscard]] ExtremeEnds ends_at_extremes(LocalityPlan plan, const ExtremeEnds& limits);
  /// True if neither end is later than its bound.
  [[nodiscard]] bool is_safe(LocalityPlan plan, const ExtremeEnds& bounds);

  AdaptiveLocality declared_;
  LocalityHistory history_;
  std::vector<std::int32_t> waiting_;  // unordered; contains tasks that no longer wait
  std::size_t waiting_count_ = 0;
  std::vector<std::vector<Running>> running_;  // by host
  std::vector<std::int32_t> home_;             // by task: host that is expected to run it, if it waits
  std::shared_ptr<const std::vector<std::int32_t>> shares_;
  double share_mean_ = 0;
  LocalityForecast forecast_;
  std::vector<Unseen> unseen_;
  LocalityPlan plan_;          // times are relative to the last choice
  bool has_stranded_ = false;  // true if a task waits whose hosts have no slots
  LastLook last_look_;
  bool is_far_ = true;
  Attempts near_;
  Attempts far_;
  std::optional<Instant> base_;  // origin of times: the first attempt
  Instant now_;
};

}  // namespace heddle::policies
