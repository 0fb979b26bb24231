// What a task set can win by waiting for places near its data, and so how long it may wait (heddle.locality.adaptive).
// A task taken away from its data costs `far_cost` times its time near it. A task that waits would be done near its data after as many
// turns as there are tasks to a slot on the hosts that hold it. While that is longer than one task far away, taking one far away is faster
// for all; after that the set waits, but never longer than it could win: the time that a task would lose far away. Cost: constant per task
// that waits or is taken, times its places. heddle's own rule.
// What is not declared is estimated from all attempts, those that still run too: one that runs already longer than others took says that
// it is slow. Task times count as Weibull times of shape 3; a set begins with what earlier sets of the application have shown.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "policies/executor_directory.hpp"
#include "policies/task_scheduler_events.hpp"

namespace heddle::policies {

/// Attempts of one kind, near their data or far from it, that have succeeded: how many, their times and the third powers of them.
struct EndedAttempts {
  double count = 0;
  double total_ms = 0;
  double total_cubes = 0;
  void add(Duration time);
};

/// What the sets of an application have shown so far.
struct LocalityHistory {
  EndedAttempts near;
  EndedAttempts far;
};

class LocalityPayoff {
public:
  LocalityPayoff(const AdaptiveLocality& declared, const LocalityHistory& history, std::int32_t tasks)
      : declared_{declared}, history_{history}, parts_(static_cast<std::size_t>(tasks)) {}

  /// A task waits that prefers these places; counted once until it is taken.
  void on_waiting(std::int32_t index, std::span<const TaskPlace> places, const ExecutorDirectory& directory);
  void on_taken(std::int32_t index, std::span<const TaskPlace> places);
  /// Executors came or went: what waits is counted anew by on_waiting.
  void forget_waiting();
  /// An attempt near its data, or far from it, began at this time; it ended; or it had also succeeded.
  void on_begin(bool is_near, Instant at);
  void on_end(bool is_near, Instant began);
  void on_success(bool is_near, Duration time);
  /// Answers are for this time from now on.
  void set_now(Instant now) { now_ = now; }

  /// Taking a task far away now ends sooner than those that wait would near their data.
  [[nodiscard]] bool is_far_faster() const;
  /// What one task loses far away: longer than this nothing is worth waiting for.
  [[nodiscard]] Duration wait_max() const;

private:
  /// Attempts that run: their number and the sums of the first three powers of the times at which they began.
  struct RunningAttempts {
    double count = 0;
    double first = 0;
    double second = 0;
    double third = 0;
  };
  struct Attempts {
    RunningAttempts running;
    EndedAttempts ended;
  };
  /// A task is a part of the load of each host with slots that it prefers: `whole_task` divided by their number.
  struct Host {
    std::int64_t load = 0;
    std::int32_t slots = 0;
    bool is_known = false;
  };
  static constexpr std::int64_t whole_task = 840;
  static constexpr std::uint8_t nowhere = 255;  // counted, but no host that it prefers has slots

  Host& host_of(const TaskPlace& place);
  void change_load(Host& host, std::int64_t by);
  void change_running(bool is_near, Instant began, double by);
  /// The third powers of all times, up to now where attempts still run.
  [[nodiscard]] double cubes(const Attempts& attempts) const;
  [[nodiscard]] double time_ms() const;
  [[nodiscard]] double cost() const;

  AdaptiveLocality declared_;
  LocalityHistory history_;
  std::vector<std::uint8_t> parts_;  // per task: over how many hosts it is spread; 0: it does not wait
  std::vector<Host> hosts_;
  std::int32_t waiting_nowhere_ = 0;
  std::int64_t load_ = 0;        // of all hosts
  double load_times_turns_ = 0;  // each host's load times its turns
  Attempts near_;
  Attempts far_;
  std::optional<Instant> base_;  // times count from the first attempt
  Instant now_;
};

}  // namespace heddle::policies
