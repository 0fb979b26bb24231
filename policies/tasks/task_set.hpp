// One stage attempt: pending tasks by location, allowed locality level, attempts and failures of each task. Order:
// TSM-4 within an offer; nearest level first. Cost: an offer is constant, plus one visit per stale entry. Source: Spark
// 3.5.3 TaskSetManager (spec TSM-1 to TSM-19).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policies/tasks/locality_waits.hpp"
#include "policies/tasks/pending_tasks.hpp"
#include "policies/tasks/task_copies.hpp"
#include "policies/tasks/task_exclusion.hpp"
#include "policies/tasks/task_partitions.hpp"
#include "policies/tasks/task_states.hpp"
#include "policies/tasks/types/attempt_table.hpp"
#include "policies/tasks/types/executor_directory.hpp"
#include "policies/tasks/types/index_bits.hpp"
#include "policies/tasks/types/task_descriptions.hpp"
#include "policies/tasks/types/task_questions.hpp"
#include "policies/tasks/types/task_scheduler_settings.hpp"
#include "policies/tasks/types/task_set_key.hpp"

namespace heddle::policies {

/// Why the task binary of the set cannot be sent to executors, or causes a warning (`large`).
enum class TaskBinaryError : std::uint8_t { none, large, too_large, missing };

/// The first bytes of a name as a number. Names with different keys have the order of their keys.
[[nodiscard]] constexpr std::uint64_t name_key_of(std::string_view name) {
  std::uint64_t key = 0;
  for (std::size_t i = 0; i < sizeof key; ++i)
    key = key << 8 | (i < name.size() ? static_cast<unsigned char>(name[i]) : 0U);
  return key;
}

struct TaskSetCounts {
  std::int64_t result_bytes = 0;
  std::int32_t running = 0;
  std::int32_t successful = 0;
  std::int32_t queued = 0;
  std::int32_t results = 0;  // received results, including those of copies
};

struct TaskSetFlags {
  bool is_zombie = false;
  bool is_finished = false;
  bool no_rejects_since_reset = true;
  bool is_barrier = false;
  TaskBinaryError task_binary_error = TaskBinaryError::none;  // `large` until it is reported
};

/// State of the set within its pool.
struct TaskSetStanding {
  std::uint64_t name_key = 0;  // of the name after "TaskSet_"
  std::uint32_t pool = 0;
  bool may_wait = false;  // as counted by the pool; false only if the set is not schedulable
};

struct TaskSetOrigin {
  JobId job;
  std::string name;
  std::uint64_t order = 0;  // order of submission
  std::uint32_t life = 0;   // life of the set's slot
};

/// Locations of the outputs of a map set, besides the hosts of their attempts.
struct TaskSetOutputs {
  std::map<std::int32_t, HostId> moved_to;  // host of outputs that were migrated, by task index
  std::map<std::int32_t, std::vector<EndedMapAttempt>> ended_on_lost;  // by lost executor; ids ascending
  /// True if the output of the task was migrated from the host.
  [[nodiscard]] bool has_left(std::int32_t index, HostId host) const {
    const auto row = moved_to.find(index);
    return row != moved_to.end() && row->second != host;
  }
};

class TaskSet {
public:
  struct Dequeued {
    std::int32_t index = 0;
    PendingSource source = PendingSource::all;
    bool speculative = false;
  };

  TaskSet(Instant now, const TaskSetDescription& description, const TaskSchedulerSettings& settings,
          const ExecutorDirectory& directory, const LocalityHistory& history);

  [[nodiscard]] std::span<const PreferredLocation> places_of(std::int32_t index) const {
    return places.of(static_cast<std::size_t>(index), partitions.partition_of(index));
  }
  /// True if the set is no zombie and has pending entries; stale entries count.
  [[nodiscard]] bool is_schedulable() const { return !flags.is_zombie && has_pending(); }
  /// True if a task or copy waits; stale entries do not count.
  [[nodiscard]] bool has_waiting() const;
  [[nodiscard]] bool has_pending() const { return !pending.all.empty() || copies.has_pending(); }

  // -- pending lists -----------------------------------------------------------
  /// Adds a task that is pending (again). Without effect for a zombie.
  void add_pending(std::int32_t index, const ExecutorDirectory& directory);
  /// The next task for this offer at this level or a nearer one.
  [[nodiscard]] std::optional<Dequeued> dequeue(const OfferPlace& place, LocalityLevel allowed,
                                                const AttemptTable& attempts);
  /// Prefetches what a dequeue for this offer reads first: the lists of thousands of hosts and the states of a million
  /// tasks are not in the cache. fetch_entry: the top entry of the host's list; fetch_state: the state of its task.
  void fetch_entry(const OfferPlace& place);
  void fetch_state(const OfferPlace& place);
  [[nodiscard]] bool has_host_lists() const { return !pending.by_host.empty(); }
  /// The next task from one of its lists, without copies.
  [[nodiscard]] std::optional<std::int32_t> dequeue_from(PendingSource source, const OfferPlace& place,
                                                         const AttemptTable& attempts);
  /// The last waiting task of `all`, or -1.
  [[nodiscard]] std::int32_t last_waiting() const;

  /// Frees the memory that only a live set needs.
  void release();

  // -- locality ----------------------------------------------------------------
  /// The farthest level that the waits allow now. Advances the timer.
  [[nodiscard]] LocalityLevel allowed_level(Instant now, LocalityLevel wanted, const ExecutorDirectory& directory);
  /// Recomputes the levels after executors were added or removed.
  void recompute_levels(const ExecutorDirectory& directory) { waits.recompute_levels(pending, directory); }
  /// A task was dequeued from this list. With adaptive waits, a local task restarts the wait.
  void record_dequeue(Instant now, const Dequeued& task);
  /// An attempt that is no copy succeeded after `time`. With adaptive waits, adds the time to the application's
  /// history.
  void record_success(LocalityLevel level, std::int32_t index, Duration time, LocalityHistory& history);

  // The fields that the end of every attempt reads are adjacent and before the lists: with thousands of sets they must
  // stay in the cache.
  alignas(64) TaskSetKey key;
  TaskSetCounts counts;
  AttemptList attempts_of_set;
  std::int32_t tasks = 0;
  std::int32_t cores = 1;  // of each task
  TaskSetKind kind = TaskSetKind::result;
  TaskSetFlags flags;
  TaskSetStanding standing;
  TaskPartitions partitions;
  TaskStates states;
  PendingTasks pending;
  TaskSetLocations places;
  TaskCopies copies;
  LocalityWaits waits;
  TaskSetOutputs outputs;
  IndexBits placed;  // barrier set: tasks that have a slot in the current round
  TaskSetOrigin origin;
  std::optional<TaskNeed> need;  // besides cores
  std::optional<TaskSetExclusion> exclusion;
  TaskSetProgress progress;

private:
  [[nodiscard]] std::optional<std::int32_t> take(PendingList& list, const PendingTasks& lists, const OfferPlace& place,
                                                 const AttemptTable& attempts, bool speculative);
  [[nodiscard]] bool is_excluded_at(std::int32_t index, const OfferPlace& place) const;
  /// With adaptive waits: the task of the host with the latest expected end.
  [[nodiscard]] std::optional<std::int32_t> dequeue_far(const OfferPlace& place, const AttemptTable& attempts);
};

}  // namespace heddle::policies
