// What a task set can win by waiting for places near its data, and so how long it may wait (heddle.locality.adaptive).
// A task taken away from its data costs `far_cost` times its time near it. A task that waits would be done near its data after as many
// turns as there are tasks to a slot on the hosts that hold it. While that is longer than one task far away, taking one far away is faster
// for all; after that the set waits, but never longer than it could win: the time that a task would lose far away. Cost: constant per task
// that waits or is taken, times its places. heddle's own rule.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "policies/executor_directory.hpp"
#include "policies/task_scheduler_events.hpp"

namespace heddle::policies {

class LocalityPayoff {
public:
  LocalityPayoff(const AdaptiveLocality& declared, std::int32_t tasks) : declared_{declared}, parts_(static_cast<std::size_t>(tasks)) {}

  /// A task waits that prefers these places; counted once until it is taken.
  void on_waiting(std::int32_t index, std::span<const TaskPlace> places, const ExecutorDirectory& directory);
  void on_taken(std::int32_t index, std::span<const TaskPlace> places);
  /// Executors came or went: what waits is counted anew by on_waiting.
  void forget_waiting();
  /// An attempt that was near its data, or far from it, succeeded.
  void on_success(bool is_near, Duration time);

  /// Taking a task far away now ends sooner than those that wait would near their data.
  [[nodiscard]] bool is_far_faster() const;
  /// What one task loses far away: longer than this nothing is worth waiting for.
  [[nodiscard]] Duration wait_max() const;

private:
  struct Mean {
    std::int64_t count = 0;
    std::int64_t total_ms = 0;
    [[nodiscard]] double value() const { return static_cast<double>(total_ms) / static_cast<double>(count); }
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
  [[nodiscard]] double time_ms() const;
  [[nodiscard]] double cost() const;

  AdaptiveLocality declared_;
  std::vector<std::uint8_t> parts_;  // per task: over how many hosts it is spread; 0: it does not wait
  std::vector<Host> hosts_;
  std::int32_t waiting_nowhere_ = 0;
  std::int64_t load_ = 0;        // of all hosts
  double load_times_turns_ = 0;  // each host's load times its turns
  Mean near_;
  Mean far_;
};

}  // namespace heddle::policies
