// The speculative copies of one task set: which tasks want one, where a copy must not run, how long attempts took and
// how fast they read. Cost: logarithmic in the copies; an ended attempt is logarithmic in those that ended.
// Source: Spark 3.5.3 TaskSetManager (spec TSM-13 to TSM-16).
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

namespace heddle::policies {

/// How fast the attempts of one set read, where they say so.
class ReadRates {
public:
  /// What an attempt has read so far, or in all.
  void note(LaunchId attempt, const AttemptProgress& seen, bool is_final);
  void forget(LaunchId attempt) { rates_.erase(attempt); }
  /// Attempts of which a rate is kept.
  [[nodiscard]] std::size_t size() const { return rates_.size(); }
  [[nodiscard]] bool contains(LaunchId attempt) const { return rates_.contains(attempt); }
  /// Slower than `share` of the average of finished attempts.
  [[nodiscard]] bool is_inefficient(LaunchId attempt, double share) const;

private:
  std::map<LaunchId, double> rates_;  // records per second of attempts that run
  double records_done_ = 0;           // of finished attempts
  double seconds_done_ = 0;
};

class TaskCopies {
public:
  // -- wanted copies -----------------------------------------------------------
  [[nodiscard]] bool is_any_wanted() const { return !wanted_.empty(); }
  [[nodiscard]] bool is_wanted(std::int32_t index) const { return wanted_.contains(index); }
  void want(std::int32_t index, std::span<const PreferredLocation> places, const ExecutorDirectory& directory);
  /// The copy is launched.
  void take(std::int32_t index) { wanted_.erase(index); }
  /// Stale entries count.
  [[nodiscard]] bool has_pending() const { return !pending_.all.empty(); }
  /// A wanted copy really waits.
  [[nodiscard]] bool has_waiting(const TaskStates& states) const;
  [[nodiscard]] PendingTasks& pending() { return pending_; }

  // -- ended attempts: copies go elsewhere. Only kept with speculation on ---------
  void note_failed_on(std::int32_t index, HostId host) { hosts_tried_[index].push_back(host); }
  void note_succeeded_on(std::int32_t index, HostId host, TaskSetKind kind, std::size_t tasks);
  /// The task is not successful any more.
  void note_output_lost(std::int32_t index);
  /// An attempt runs, or ended, on the host.
  [[nodiscard]] bool was_tried_on(std::int32_t index, HostId host, AttemptSlot first_live,
                                  const AttemptTable& attempts) const;
  void on_duration(Duration duration) { durations_.add(to_milliseconds(duration)); }
  [[nodiscard]] const DurationMedian& durations() const { return durations_; }
  [[nodiscard]] ReadRates& rates() { return rates_; }
  [[nodiscard]] const ReadRates& rates() const { return rates_; }

private:
  PendingTasks pending_;
  std::set<std::int32_t> wanted_;       // indices of which a copy is wanted and not yet launched
  std::set<std::int32_t> ever_wanted_;  // indices that stand in the lists of wanted copies, or stood there
  std::map<std::int32_t, std::vector<HostId>> hosts_tried_;  // of ended attempts that a copy could meet
  std::vector<HostId> succeeded_on_;  // map sets: only an output that is lost can be computed again
  DurationMedian durations_;
  ReadRates rates_;
};

}  // namespace heddle::policies
