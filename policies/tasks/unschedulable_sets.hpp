// Unschedulable task sets, and when each is aborted. As in Spark, a row outlives its set, and timers are not cancelled:
// the first timer of a slot that fires at the expiry of its row counts. Cost: linear in the rows, which are few.
// Source: Spark 3.5.3 TaskSchedulerImpl (spec TS-8).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "model/time.hpp"

namespace heddle::policies {

class UnschedulableSets {
public:
  using Slot = std::uint32_t;  // slot of a task set in the scheduler's table
  struct Row {
    Instant expiry;
    std::int32_t index = 0;  // task index that no executor can run
    bool has_fired = false;
    std::uint64_t order = 0;  // of setting the timers
  };
  struct Due {
    Slot slot = 0;
    std::int32_t index = 0;
  };

  void add(Slot slot, Instant expiry, std::int32_t index);
  void clear() { rows_.clear(); }
  /// The slot is reused for another set.
  void remove_timer(Slot slot) { timers_.erase(slot); }
  [[nodiscard]] bool empty() const { return rows_.empty(); }
  [[nodiscard]] bool contains(Slot slot) const { return rows_.contains(slot); }
  [[nodiscard]] const std::map<Slot, Row>& rows() const { return rows_; }
  [[nodiscard]] std::optional<Instant> next_due() const;
  /// Removes and returns the rows that are due, each once, ordered by expiry and then by timer.
  [[nodiscard]] std::vector<Due> take_due(Instant now);

private:
  struct Timer {
    Instant expiry;
    std::uint64_t order = 0;  // 0: no timer set yet
  };

  std::map<Slot, Row> rows_;
  std::map<Slot, Timer> timers_;
  std::uint64_t timers_set_ = 0;
};

}  // namespace heddle::policies
