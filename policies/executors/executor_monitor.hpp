// Tracks for each executor whether it is idle, since when, and which blocks and map outputs it holds. Order: timed-out
// executors by the decimal text of their ids ("10" before "2"), as Spark sorts its ids. Cost per task event: constant,
// or logarithmic if an idle deadline comes earlier; per question with nothing due: constant. The rare events that
// concern all executors (a job starts or ends, a dataset or shuffle is removed) read each executor. Source: Spark's
// ExecutorMonitor (spec MON-1 to MON-10).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "model/container.hpp"
#include "model/executor_loss.hpp"
#include "model/ids.hpp"
#include "model/time.hpp"
#include "policies/executors/allocation_settings.hpp"
#include "policies/tasks/types/index_bits.hpp"

namespace heddle::policies {

enum class BlockLevel : std::uint8_t { none, memory, disk, memory_and_disk };
enum class TaskEndReason : std::uint8_t { success, failed, killed };
/// How the end of an executor is counted.
enum class RemovalKind : std::uint8_t { driver_killed, graceful, unfinished, unexpected };

/// A stage of a job, and the shuffle that it writes, or none.
struct JobStage {
  StageId stage;
  ShuffleId shuffle;
};

class ExecutorMonitor {
public:
  struct TimedOut {
    ExecutorId executor;
    std::optional<ProfileId> profile;  // none: unknown
  };

  explicit ExecutorMonitor(ExecutorMonitorSettings settings);

  /// The cluster manager reports the executor as active. Events of other executors are late and ignored.
  void on_active(ExecutorId executor);
  void on_executor_added(Instant now, ExecutorId executor, ProfileId profile);
  /// How the end counts; none if the executor was not known.
  std::optional<RemovalKind> on_executor_removed(ExecutorId executor, LossKind reason);
  void on_task_started(Instant now, ExecutorId executor);
  void on_task_ended(Instant now, StageId stage, ExecutorId executor, TaskEndReason reason);
  void on_block_updated(Instant now, ExecutorId executor, std::int64_t dataset, std::int32_t partition,
                        BlockLevel level);
  void on_unpersisted(std::int64_t dataset);
  void on_shuffle_cleaned(ShuffleId shuffle);
  void on_job_started(JobId job, const std::vector<JobStage>& stages);
  void on_job_ended(JobId job);
  void on_killed(const std::vector<ExecutorId>& executors);
  void on_decommissioned(const std::vector<ExecutorId>& executors);
  void on_reset();

  /// Executors that may be removed now, in order. Valid until the next call of a non-const function.
  const std::vector<TimedOut>& timed_out(Instant now);
  /// When timed_out can first have new results; none: not before another event.
  [[nodiscard]] std::optional<Instant> next_due() const;

  [[nodiscard]] std::int32_t executors() const { return tracked_; }
  [[nodiscard]] std::int32_t executors(ProfileId profile) const;
  [[nodiscard]] std::int32_t pending_removal(ProfileId profile) const;
  [[nodiscard]] std::int32_t decommissioning(ProfileId profile) const;
  [[nodiscard]] std::vector<ExecutorId> pending_removal() const;
  [[nodiscard]] std::vector<ExecutorId> decommissioning() const;
  [[nodiscard]] bool is_active(ExecutorId executor) const;
  [[nodiscard]] bool is_known(ExecutorId executor) const { return find(executor) != nullptr; }
  /// True if no task runs there and no active job needs its map outputs.
  [[nodiscard]] bool is_idle(ExecutorId executor) const;
  /// When the executor may be removed; none if it is not idle, never times out, or is unknown.
  [[nodiscard]] std::optional<Instant> deadline(ExecutorId executor) const;
  void check_invariants() const;

private:
  using Micros = std::int64_t;
  static constexpr Micros never = INT64_MAX;
  static constexpr Micros at_once = INT64_MIN;
  static constexpr std::int32_t no_slot = -1;

  struct Tracker {
    ExecutorId id;              // none: the slot is free
    std::int32_t profile = -1;  // -1: unknown
    std::int32_t running = 0;
    Micros idle_start = -1;  // -1: busy
    Micros deadline = never;
    Micros queued_at = never;  // time of its entry in queue_; never: no entry
    bool is_timed_out = false;
    bool is_pending_removal = false;
    bool is_decommissioning = false;
    bool has_active_shuffle = false;
    bool is_parked = false;  // due at the last check, and not in queue_
    bool has_cached = false;
    bool has_shuffles = false;
    std::uint8_t digits = 0;  // number of digits of the id
  };
  /// Blocks and map outputs of an executor. Stored apart from its tracker, to keep the trackers of a large cluster in
  /// the cache.
  struct Kept {
    std::map<std::int64_t, IndexBits> cached;  // partitions by dataset
    std::set<ShuffleId> shuffles;
  };
  struct Due {
    Micros at = 0;
    std::int32_t slot = 0;
  };
  /// A removable executor, for sorting.
  struct Candidate {
    std::uint64_t key = 0;
    std::int32_t slot = 0;
  };
  struct ProfileCounts {
    std::int32_t executors = 0;
    std::int32_t pending_removal = 0;
    std::int32_t decommissioning = 0;
  };

  [[nodiscard]] const Tracker* find(ExecutorId executor) const;
  Tracker* find(ExecutorId executor);
  Tracker& ensure(ExecutorId executor, std::int32_t profile);
  ProfileCounts& counts(std::int32_t profile);
  void change_running(Instant now, Tracker& tracker, std::int32_t change);
  void update_deadline(Tracker& tracker);
  void update_active_shuffles(Tracker& tracker, const std::vector<ShuffleId>& active);
  void enqueue(Tracker& tracker);

  // -- timed-out executors (executor_timeouts.cpp) ----------------------------------
  void park_due(Micros now);
  void settle(std::int32_t slot, Micros now);
  void recompute(Micros now);
  void sort_candidates();

  [[nodiscard]] Kept& kept(const Tracker& tracker) {
    return kept_[static_cast<std::size_t>(&tracker - trackers_.data())];
  }

  ExecutorMonitorSettings settings_;
  bool tracks_shuffles_ = false;

  std::vector<Tracker> trackers_;
  std::vector<Kept> kept_;  // indexed like the trackers
  std::vector<std::int32_t> free_slots_;
  std::vector<std::int32_t> slot_of_;    // by executor id
  std::vector<std::uint8_t> is_active_;  // by executor id
  std::int32_t tracked_ = 0;
  std::map<std::int32_t, ProfileCounts> counts_;
  std::vector<Due> queue_;            // heap by time; an entry may be early, never late
  std::vector<std::int32_t> parked_;  // slots that were due at the last check
  Micros next_timeout_ = never;       // when timed_out_ becomes stale
  std::vector<TimedOut> timed_out_;
  // Buffers that are reused.
  std::vector<Due> taken_;
  std::vector<Candidate> candidates_;
  std::vector<Candidate> candidates_sorted_;
  std::map<ShuffleId, std::vector<JobId>> jobs_of_shuffle_;
  std::map<StageId, ShuffleId> shuffle_of_stage_;
  std::map<JobId, std::vector<StageId>> stages_of_job_;
};

}  // namespace heddle::policies
