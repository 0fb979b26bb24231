// One stage attempt: what is pending where, which locality level may be taken now, how often each task was tried.
// Order: TSM-4 within an offer; levels nearest first. Cost: an offer is constant, plus stale entries that are met once
// each. Source: Spark 3.5.3 TaskSetManager (spec TSM-1 to TSM-19).
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
#include "policies/tasks/types/task_scheduler_events.hpp"

namespace heddle::policies {

/// What stands against the launch of a set's tasks in the words that go ahead of them.
enum class TaskBinaryError : std::uint8_t { none, large, too_large, missing };

/// The first bytes of a name, as a number: where they differ, names are in the order of these.
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
  std::int32_t results = 0;  // that have come, also copies'
};

struct TaskSetFlags {
  bool is_zombie = false;
  bool is_finished = false;
  bool no_rejects_since_reset = true;
  bool is_barrier = false;
  TaskBinaryError description_fault = TaskBinaryError::none;  // `large` until it is told
};

/// The set among those of its pool.
struct TaskSetStanding {
  std::uint64_t name_key = 0;  // of what follows "TaskSet_"
  std::uint32_t pool = 0;
  bool may_wait = false;  // as the pools count it: false only while the set is not schedulable
};

struct TaskSetOrigin {
  JobId job;
  std::string name;
  std::uint64_t order = 0;  // of submission
  std::uint32_t life = 0;   // of the set's slot
};

/// Where outputs of a map set are, beside where their attempts ran.
struct TaskSetOutputs {
  std::map<std::int32_t, HostId> moved_to;                             // that were moved since they were made
  std::map<std::int32_t, std::vector<EndedMapAttempt>> ended_on_lost;  // by executor that was lost, ids ascending
  /// Whether the output of the task has left the host.
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
  /// Not a zombie and something is, or seems to be, pending.
  [[nodiscard]] bool is_schedulable() const { return !flags.is_zombie && has_pending(); }
  /// A task or a wanted copy really waits; stale entries do not count.
  [[nodiscard]] bool has_waiting() const;
  [[nodiscard]] bool has_pending() const { return !pending.all.empty() || copies.has_pending(); }

  // -- pending lists -----------------------------------------------------------
  /// A task is pending (again). Nothing for a zombie.
  void add_pending(std::int32_t index, const ExecutorDirectory& directory);
  /// The next task for this place at this level or a nearer one.
  [[nodiscard]] std::optional<Dequeued> dequeue(const OfferPlace& place, LocalityLevel allowed,
                                                const AttemptTable& attempts);
  /// Fetches what a dequeue for this place will look at first: the lists of thousands of hosts and the states of a
  /// million tasks are in no cache. First the entry of its host's list, then the state of the task that it names.
  void fetch_entry(const OfferPlace& place);
  void fetch_state(const OfferPlace& place);
  [[nodiscard]] bool has_host_lists() const { return !pending.by_host.empty(); }
  /// The next task from one of its lists only, without copies.
  [[nodiscard]] std::optional<std::int32_t> dequeue_from(PendingSource source, const OfferPlace& place,
                                                         const AttemptTable& attempts);
  /// The last task of `all` that still waits, or -1.
  [[nodiscard]] std::int32_t last_waiting() const;

  /// Lets go of everything that only a live set needs.
  void release();

  // -- locality ----------------------------------------------------------------
  /// The farthest level that the waits allow now; moves the timer on.
  [[nodiscard]] LocalityLevel allowed_level(Instant now, LocalityLevel wanted, const ExecutorDirectory& directory);
  /// Executors came or went.
  void recompute_levels(const ExecutorDirectory& directory) { waits.recompute_levels(pending, directory); }
  /// A task was taken, from this list: with adaptive waits, one near its data starts the wait anew.
  void note_taken(Instant now, const Dequeued& task);
  /// An attempt that is no copy has succeeded after so long; with adaptive waits the application learns from it.
  void note_success(LocalityLevel level, std::int32_t index, Duration time, LocalityHistory& history);

  // Those that the end of every attempt looks at stand together, before the lists: of thousands of sets they have to
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
  IndexBits placed;  // of a barrier set: what the round that looks at it has found a place for
  TaskSetOrigin origin;
  std::optional<TaskNeed> need;  // beside the cores
  std::optional<TaskSetExclusion> exclusion;
  TaskSetProgress progress;

private:
  [[nodiscard]] std::optional<std::int32_t> take(PendingList& list, const PendingTasks& lists, const OfferPlace& place,
                                                 const AttemptTable& attempts, bool speculative);
  [[nodiscard]] bool is_excluded_at(std::int32_t index, const OfferPlace& place) const;
  /// With adaptive waits: a task of the host that would be done last.
  [[nodiscard]] std::optional<std::int32_t> take_far(const OfferPlace& place, const AttemptTable& attempts);
};

}  // namespace heddle::policies
