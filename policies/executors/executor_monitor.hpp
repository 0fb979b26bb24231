// Knows of each executor whether it is idle, since when, and what it holds that others may still need.
// Order: timed-out executors by the decimal text of their ids ("10" before "2"), as Spark sorts its ids.
// Cost per task event: constant, or logarithmic when an idle time-out comes nearer; per question with nothing due:
// constant. The rare events that concern everybody (a job starts or ends, a dataset or shuffle is dropped) look at each
// executor. Source: Spark's ExecutorMonitor (spec MON-1 to MON-10).
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
#include "policies/tasks/types/index_bits.hpp"

namespace heddle::policies {

struct ExecutorMonitorSettings {
  Duration idle_timeout = std::chrono::seconds{60};
  std::optional<Duration> cached_timeout;   // none: never
  std::optional<Duration> shuffle_timeout;  // none: never
  bool shuffle_tracking = true;             // an executor with map outputs that an active job needs is not idle
  bool shuffle_service = false;             // switches shuffle tracking off
  bool service_serves_blocks = false;       // blocks on disk need no executor
  static void visit_fields(auto& visit, auto& self) {
    visit("idle_timeout", self.idle_timeout);
    visit("cached_timeout", self.cached_timeout);
    visit("shuffle_timeout", self.shuffle_timeout);
    visit("shuffle_tracking", self.shuffle_tracking);
    visit("shuffle_service", self.shuffle_service);
    visit("service_serves_blocks", self.service_serves_blocks);
  }
};

enum class BlockLevel : std::uint8_t { none, memory, disk, memory_and_disk };
enum class TaskEndReason : std::uint8_t { success, failed, killed };
/// How the end of an executor is counted.
enum class RemovalKind : std::uint8_t { driver_killed, graceful, unfinished, unexpected };

/// A stage of a job, and the shuffle that it writes, if any.
struct JobStage {
  StageId stage;
  ShuffleId shuffle;
};

class ExecutorMonitor {
public:
  struct TimedOut {
    ExecutorId executor;
    std::optional<ProfileId> profile;  // none: not known yet
  };

  explicit ExecutorMonitor(ExecutorMonitorSettings settings);

  /// The back end counts the executor as active; events of an executor that is not are late.
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

  /// Executors that may go now, in order. Valid until the next call that is not const.
  const std::vector<TimedOut>& timed_out(Instant now);
  /// When timed_out could first answer something new; none: not before another event.
  [[nodiscard]] std::optional<Instant> next_due() const;

  [[nodiscard]] std::int32_t executors() const { return tracked_; }
  [[nodiscard]] std::int32_t executors(ProfileId profile) const;
  [[nodiscard]] std::int32_t pending_removal(ProfileId profile) const;
  [[nodiscard]] std::int32_t decommissioning(ProfileId profile) const;
  [[nodiscard]] std::vector<ExecutorId> pending_removal() const;
  [[nodiscard]] std::vector<ExecutorId> decommissioning() const;
  [[nodiscard]] bool is_active(ExecutorId executor) const;
  [[nodiscard]] bool is_known(ExecutorId executor) const { return find(executor) != nullptr; }
  /// No task runs there and no active job needs a map output of it.
  [[nodiscard]] bool is_idle(ExecutorId executor) const;
  /// When the executor's time is up; none: not while nothing changes, or not known.
  [[nodiscard]] std::optional<Instant> deadline(ExecutorId executor) const;
  void check_invariants() const;

private:
  using Micros = std::int64_t;
  static constexpr Micros never = INT64_MAX;
  static constexpr Micros at_once = INT64_MIN;
  static constexpr std::int32_t no_slot = -1;

  struct Tracker {
    ExecutorId id;              // none: the slot is free
    std::int32_t profile = -1;  // -1: not known yet
    std::int32_t running = 0;
    Micros idle_start = -1;  // -1: busy
    Micros deadline = never;
    Micros queued_at = never;  // of its entry in the queue; never: it has none
    bool is_timed_out = false;
    bool is_pending_removal = false;
    bool is_decommissioning = false;
    bool has_active_shuffle = false;
    bool is_parked = false;  // due when last looked at, and in no queue
    bool has_cached = false;
    bool has_shuffles = false;
    std::uint8_t digits = 0;  // of the id
  };
  /// What an executor holds for others; beside its tracker, so that the trackers of a large cluster stay in the cache.
  struct Kept {
    std::map<std::int64_t, IndexBits> cached;  // partitions by dataset
    std::set<ShuffleId> shuffles;
  };
  struct Due {
    Micros at = 0;
    std::int32_t slot = 0;
  };
  /// One that may go, while they are put in order.
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

  // -- who may go (executor_timeouts.cpp) ----------------------------------------
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
  std::vector<Kept> kept_;  // same slots
  std::vector<std::int32_t> free_slots_;
  std::vector<std::int32_t> slot_of_;    // by executor id
  std::vector<std::uint8_t> is_active_;  // by executor id
  std::int32_t tracked_ = 0;
  std::map<std::int32_t, ProfileCounts> counts_;
  std::vector<Due> queue_;            // heap by time; an entry may be early, never late
  std::vector<std::int32_t> parked_;  // slots that were due when last looked at
  Micros next_timeout_ = never;       // when the list below is stale
  std::vector<TimedOut> timed_out_;
  // Room that is kept between looks.
  std::vector<Due> taken_;
  std::vector<Candidate> candidates_;
  std::vector<Candidate> candidates_sorted_;
  std::map<ShuffleId, std::vector<JobId>> jobs_of_shuffle_;
  std::map<StageId, ShuffleId> shuffle_of_stage_;
  std::map<JobId, std::vector<StageId>> stages_of_job_;
};

}  // namespace heddle::policies
