// What the accepted attempts of a job's tasks add up to. Each task counts once: a loser of speculation is not accepted,
// and a map task that runs again because its output was lost takes the place of its earlier attempt.
// Cost: one bit per task, and for map tasks what their outcome added, until the job ends.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "messages/client.hpp"
#include "model/stage_work.hpp"

namespace heddle::actors {

class AcceptedTasks {
public:
  struct Stage {
    std::int32_t index = 0;  // of the user's stage
    ShuffleId shuffle;       // that its tasks write; none: a result
    auto operator<=>(const Stage&) const = default;
  };
  /// `outcome` is null for an attempt that has nothing to add. A second attempt of a result task adds nothing: only
  /// map tasks are run again for what they leave.
  void accept(const Stage& stage, std::int32_t partition, const TaskOutcome* outcome, JobTotals& totals);
  /// Sums of the counters by name.
  [[nodiscard]] const std::map<std::string, std::int64_t>& counters() const { return counters_; }

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
    std::map<std::int32_t, Share> share_of;  // of map tasks that added something
  };
  [[nodiscard]] Share share_of(const TaskOutcome& outcome);
  static void add(const Share& share, std::int64_t sign, JobTotals& totals);

  std::map<Stage, Tasks> stages_;
  std::map<std::string, std::int64_t> counters_;  // rows stay, so that shares can point to them
};

}  // namespace heddle::actors
