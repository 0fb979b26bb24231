// Task sets that can run nowhere, and when each is given up. A row outlives its set, as in the original; a timer is not
// taken back: the first one that runs out at a time counts. Cost: linear in the rows, of which there are few.
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
  using Slot = std::uint32_t;  // of a task set
  struct Row {
    Instant expiry;
    std::int32_t index = 0;  // of the task that can run nowhere
    bool has_fired = false;
    std::uint64_t order = 0;  // in which the timers were set
  };
  struct Due {
    Slot slot = 0;
    std::int32_t index = 0;
  };

  void add(Slot slot, Instant expiry, std::int32_t index);
  void clear() { rows_.clear(); }
  /// The slot of the set is given to another.
  void forget_timer(Slot slot) { timers_.erase(slot); }
  [[nodiscard]] bool empty() const { return rows_.empty(); }
  [[nodiscard]] bool contains(Slot slot) const { return rows_.contains(slot); }
  [[nodiscard]] const std::map<Slot, Row>& rows() const { return rows_; }
  [[nodiscard]] std::optional<Instant> next_due() const;
  /// The rows whose time has come, each once, in the order of their expiries and timers.
  [[nodiscard]] std::vector<Due> take_due(Instant now);

private:
  struct Timer {
    Instant expiry;
    std::uint64_t order = 0;  // 0: none was set yet
  };

  std::map<Slot, Row> rows_;
  std::map<Slot, Timer> timers_;
  std::uint64_t timers_set_ = 0;
};

}  // namespace heddle::policies
