// Sums of bytes, records and counters over the tasks of a job. Each task counts once: the slower attempt of a
// speculated task is ignored, and a map task that runs again after the loss of its output replaces its earlier attempt.
// Memory: one bit per task, plus the outcome of each map task, until the job ends.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/ids.hpp"
#include "model/stage_work.hpp"

namespace heddle::policies {

class AcceptedTasks {
public:
  struct Stage {
    std::int32_t index = 0;  // of the user's stage
    ShuffleId shuffle;       // written by its tasks; none: a result stage
    auto operator<=>(const Stage&) const = default;
  };
  AcceptedTasks() = default;
  AcceptedTasks(AcceptedTasks&&) = default;  // moves the rows of counters_ with their addresses
  AcceptedTasks& operator=(AcceptedTasks&&) = default;
  /// Counts a successful attempt. `outcome` is null if it has no bytes, records or counters. A second attempt of a
  /// result task is ignored, because only map tasks run again after they succeeded.
  void accept(const Stage& stage, std::int32_t partition, const TaskOutcome* outcome, JobTotals& totals);
  /// Sums of the counters by name. Those of Hadoop that are 0 may be left out.
  [[nodiscard]] const std::map<std::string, std::int64_t>& counters() const { return counters_; }
  /// Number of counters that are not Hadoop's own.
  [[nodiscard]] std::int32_t user_counters() const { return user_counters_; }

private:
  using Counter = std::map<std::string, std::int64_t>::value_type;
  struct Share {
    std::int64_t bytes_read = 0;
    std::int64_t records_read = 0;
    std::int64_t bytes_shuffled = 0;
    std::int64_t bytes_written = 0;
    std::int64_t bytes_spilled = 0;
    std::vector<std::pair<Counter*, std::int64_t>> counters;
  };
  struct Tasks {
    std::vector<bool> is_accepted;           // by partition
    std::map<std::int32_t, Share> share_of;  // map tasks only, by partition
  };
  [[nodiscard]] Share share_of(const TaskOutcome& outcome);
  [[nodiscard]] Counter* counter(std::string_view name);
  static void add(const Share& share, std::int64_t sign, JobTotals& totals);

  std::map<Stage, Tasks> stages_;
  std::map<std::string, std::int64_t> counters_;  // rows are never removed: Share::counters points to them
  std::array<Counter*, task_counter_names.size()> task_counters_{};  // rows of counters_; null: not counted yet
  std::int32_t user_counters_ = 0;
};

}  // namespace heddle::policies
