// Speculative copies of one task set: tasks that need a copy, hosts where a copy must not run, durations and read rates
// of attempts. Cost: logarithmic in the copies; for an ended attempt, logarithmic in the ended attempts. Source: Spark
// 3.5.3 TaskSetManager (spec TSM-13 to TSM-16).
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "policies/tasks/duration_median.hpp"
#include "policies/tasks/pending_tasks.hpp"
#include "policies/tasks/task_states.hpp"
#include "policies/tasks/types/attempt_table.hpp"
#include "policies/tasks/types/task_descriptions.hpp"
#include "policies/tasks/types/task_set_key.hpp"

namespace heddle::policies {

/// Read rates of the attempts of one set, for attempts that report them.
class ReadRates {
public:
  /// Records what an attempt has read so far, or in total if `is_final`.
  void record(LaunchId attempt, const AttemptProgress& seen, bool is_final);
  void remove(LaunchId attempt) { rates_.erase(attempt); }
  /// Number of running attempts with a known rate.
  [[nodiscard]] std::size_t size() const { return rates_.size(); }
  [[nodiscard]] bool contains(LaunchId attempt) const { return rates_.contains(attempt); }
  /// True if the attempt reads slower than `share` of the average of finished attempts.
  [[nodiscard]] bool is_inefficient(LaunchId attempt, double share) const;

private:
  std::map<LaunchId, double> rates_;  // records per second, of running attempts
  double records_done_ = 0;           // of finished attempts
  double seconds_done_ = 0;
};

class TaskCopies {
public:
  // -- copies to launch --------------------------------------------------------
  [[nodiscard]] bool has_requests() const { return !requested_.empty(); }
  [[nodiscard]] bool is_requested(std::int32_t index) const { return requested_.contains(index); }
  void request(std::int32_t index, std::span<const PreferredLocation> places, const ExecutorDirectory& directory);
  /// The copy was launched.
  void mark_launched(std::int32_t index) { requested_.erase(index); }
  /// True if a list has an entry; stale entries count.
  [[nodiscard]] bool has_pending() const { return !pending_.all.empty(); }
  /// True if a copy is to be launched; stale entries do not count.
  [[nodiscard]] bool has_waiting(const TaskStates& states) const;
  [[nodiscard]] PendingTasks& pending() { return pending_; }

  // -- ended attempts: copies avoid their hosts. Recorded only if speculation is on ---
  void record_failure_on(std::int32_t index, HostId host) { hosts_tried_[index].push_back(host); }
  void record_success_on(std::int32_t index, HostId host, TaskSetKind kind, std::size_t tasks);
  /// The task's output is lost, so that the task is no longer successful.
  void record_lost_output(std::int32_t index);
  /// True if an attempt of the task runs or ended on the host.
  [[nodiscard]] bool was_tried_on(std::int32_t index, HostId host, AttemptSlot first_live,
                                  const AttemptTable& attempts) const;
  void on_duration(Duration duration) { durations_.add(to_milliseconds(duration)); }
  [[nodiscard]] const DurationMedian& durations() const { return durations_; }
  [[nodiscard]] ReadRates& rates() { return rates_; }
  [[nodiscard]] const ReadRates& rates() const { return rates_; }

private:
  PendingTasks pending_;
  std::set<std::int32_t> requested_;                         // indices whose copy is not launched yet
  std::set<std::int32_t> ever_requested_;                    // indices that are or were in the lists of copies
  std::map<std::int32_t, std::vector<HostId>> hosts_tried_;  // hosts of ended attempts, by index
  // hosts of successes by index; map sets only, since only a lost map output is computed again
  std::vector<HostId> succeeded_on_;
  DurationMedian durations_;
  ReadRates rates_;
};

}  // namespace heddle::policies
