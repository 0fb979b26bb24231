// What a task set can win by waiting for places near its data (heddle.locality.adaptive), and so which slots wait.
// A task far from its data costs `far_cost` times its time near it. A look plays the set to its end
// (locality_forecast.hpp): without waiting, and with plans in which a slot takes a task far away only if that ends by a
// deadline, from the host that is done last. The plan that ends first is followed if it wins enough, so that a set
// whose times are known ends no later than without waiting. Order: deadlines from the earliest end that hosts and slots
// allow upwards, then none far at all; ties keep the plan in force. Cost: a task that starts to wait, is taken or ends
// costs a constant; a look some steps per task that waits and slot, made when a slot finds nothing near and a share of
// both has changed since the last. In large sets the deadline is the earliest end, unplayed. What is not declared is
// estimated from all attempts, those that still run too; a set begins with what earlier sets of its application have
// shown, or as if tasks far away cost nothing more. heddle's own rule.
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
#include "policies/tasks/types/task_scheduler_events.hpp"

namespace heddle::policies {

/// Attempts of one kind, near their data or far from it, that have succeeded: how many, and their times. A task that is
/// expected to take twice the mean counts as two.
struct EndedAttempts {
  double count = 0;
  double total_ms = 0;
  void add(Duration time, double expected);
};

/// What the sets of an application have shown so far.
struct LocalityHistory {
  EndedAttempts near;
  EndedAttempts far;
};

class LocalityPayoff {
public:
  using PlacesOf = std::function<std::span<const PreferredLocation>(std::int32_t)>;

  LocalityPayoff(const AdaptiveLocality& declared, const LocalityHistory& history, std::int32_t tasks,
                 std::shared_ptr<const std::vector<std::int32_t>> shares);

  /// A task waits; it does no more. Executors came or went.
  void on_waiting(std::int32_t index);
  void on_taken(std::int32_t index);
  void on_executors_changed() { last_look_.is_in_force = false; }
  /// An attempt near its data, or far from it, began on this host at this time; it ended; or it had also succeeded.
  void on_begin(bool is_near, HostId host, std::int32_t index, Instant at);
  void on_end(bool is_near, HostId host, std::int32_t index, Instant began);
  void on_success(bool is_near, std::int32_t index, Duration time);

  /// Looks again where something has changed: whether a slot may take a task far away now.
  [[nodiscard]] bool may_go_far(Instant now, const ExecutorDirectory& directory, const PlacesOf& places_of);
  /// The answer of the last look.
  [[nodiscard]] bool might_go_far() const { return is_far_; }
  /// The host whose tasks are to be taken far away; none: any.
  [[nodiscard]] HostId far_source() const;
  /// Of a task near its data, in units of the mean.
  [[nodiscard]] double time_of(std::int32_t index) const;

private:
  /// Attempts that run: their number and, in sum, the times at which they began.
  struct RunningAttempts {
    double count = 0;
    double expected = 0;  // what they take, in units of the mean time
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

  /// The look that made the plan in force.
  struct LastLook {
    Instant at;
    double unit_ms = 0;        // of the plan's times
    std::size_t changes = 0;   // since then
    std::size_t size = 0;      // of the plan
    bool is_in_force = false;  // false: look again
  };

  /// A slot that holds work of which nothing is known.
  struct Unseen {
    std::size_t slot = 0;
    std::size_t host = 0;
  };

  std::vector<Running>& running_on(HostId id);
  void change_running(bool is_near, std::int32_t index, Instant began, double by);
  /// Their mean time, as far as it can be told now.
  [[nodiscard]] double mean_ms(const Attempts& attempts) const;
  [[nodiscard]] double time_ms() const;
  [[nodiscard]] double cost() const;

  /// In units of a task's time; 0 while that is not known.
  [[nodiscard]] double units_since(Instant past) const;
  [[nodiscard]] bool is_due() const;
  void look(const ExecutorDirectory& directory, const PlacesOf& places_of);
  void find_free_slots(const ExecutorDirectory& directory);
  void find_waiting(const PlacesOf& places_of);
  /// Gives the waiting tasks the homes that they have, or new ones; false: not each has one with slots.
  bool take_homes_in_force();
  void spread_waiting();
  [[nodiscard]] std::int32_t least_loaded(std::span<const std::int32_t> hosts, double time) const;
  [[nodiscard]] bool can_be_played() const;
  void choose_plan();
  /// The best plan with the new homes; none: none ends before the one in force.
  [[nodiscard]] std::optional<LocalityPlan> find_better(std::optional<double> end_in_force);
  /// Slots that hold work of which nothing is known are free after so long.
  void expect_unseen(double rest);
  /// Ends of a set if they are free at once, and if they are late.
  using ExtremeEnds = std::array<double, 2>;
  [[nodiscard]] ExtremeEnds ends_at_extremes(LocalityPlan plan, const ExtremeEnds& limits);
  /// Whether neither end is later than its bound.
  [[nodiscard]] bool is_safe(LocalityPlan plan, const ExtremeEnds& bounds);

  AdaptiveLocality declared_;
  LocalityHistory history_;
  std::vector<std::int32_t> waiting_;  // in any order; some wait no more
  std::size_t waiting_count_ = 0;
  std::vector<std::vector<Running>> running_;  // per host
  std::vector<std::int32_t> home_;             // per task: the host that is expected to do it, if it waits
  std::shared_ptr<const std::vector<std::int32_t>> shares_;
  double share_mean_ = 0;
  LocalityForecast forecast_;
  std::vector<Unseen> unseen_;
  LocalityPlan plan_;          // times from the last look
  bool has_stranded_ = false;  // tasks wait whose hosts have no slots
  LastLook last_look_;
  bool is_far_ = true;
  Attempts near_;
  Attempts far_;
  std::optional<Instant> base_;  // times count from the first attempt
  Instant now_;
};

}  // namespace heddle::policies
