// One stage attempt: what is pending where, which locality level may be taken now, how often each task was tried.
// Order: TSM-4 within an offer; levels nearest first. Cost: an offer is constant, plus stale entries that are met once
// each. Source: Spark 3.5.3 TaskSetManager (spec TSM-1 to TSM-19).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policies/tasks/adaptive_locality/locality_payoff.hpp"
#include "policies/tasks/duration_median.hpp"
#include "policies/tasks/pending_tasks.hpp"
#include "policies/tasks/task_exclusion.hpp"
#include "policies/tasks/types/attempt_table.hpp"
#include "policies/tasks/types/executor_directory.hpp"
#include "policies/tasks/types/index_bits.hpp"
#include "policies/tasks/types/task_scheduler_events.hpp"

namespace heddle::policies {

/// What stands against the launch of a set's tasks in the words that go ahead of them.
enum class DescriptionFault : std::uint8_t { none, large, too_large, missing };

/// Which pending list a task was taken from.
enum class PendingSource : std::uint8_t { executor, host, without_preference, rack, all };

/// Level under which a launch from a list is reported: tasks without preference count as process local.
[[nodiscard]] constexpr LocalityLevel level_of(PendingSource source) {
  constexpr std::array levels{LocalityLevel::process, LocalityLevel::node, LocalityLevel::process, LocalityLevel::rack,
                              LocalityLevel::any};
  return levels[static_cast<std::size_t>(source)];
}

/// The first bytes of a name, as a number: where they differ, names are in the order of these.
[[nodiscard]] constexpr std::uint64_t name_key_of(std::string_view name) {
  std::uint64_t key = 0;
  for (std::size_t i = 0; i < sizeof key; ++i)
    key = key << 8 | (i < name.size() ? static_cast<unsigned char>(name[i]) : 0U);
  return key;
}

struct LocalityLevels {
  std::array<LocalityLevel, 5> level{LocalityLevel::any};
  std::size_t count = 0;
  void add(LocalityLevel next) { level[count++] = next; }
  [[nodiscard]] bool contains(LocalityLevel wanted) const;
  /// The first place whose level is at least as far as `wanted`.
  [[nodiscard]] std::size_t place_of(LocalityLevel wanted) const;
};

/// The place where an offer comes from.
struct OfferPlace {
  std::int32_t executor = 0;
  HostId host;
  std::int32_t rack = -1;
};

class TaskSet {
public:
  struct TaskState {
    AttemptSlot first_live = no_attempt;  // newest live attempt of the task
    std::uint8_t few_attempts = 0;        // made so far
    std::uint8_t few_failures = 0;        // that count, since the last success
    std::int8_t copies = 0;               // Spark's count: not taken back by a success; may fall below 0
    bool is_successful = false;
  };
  static_assert(sizeof(TaskState) == 8, "there may be ten million of them");
  struct Dequeued {
    std::int32_t index = 0;
    PendingSource source = PendingSource::all;
    bool speculative = false;
  };

  TaskSet(Instant now, const TaskSetDescription& description, const TaskSchedulerSettings& settings,
          const ExecutorDirectory& directory, const LocalityHistory& history);

  // -- numbers -----------------------------------------------------------------
  [[nodiscard]] std::int32_t partition_of(std::int32_t index) const;
  /// The index of a partition, or -1.
  [[nodiscard]] std::int32_t index_of(std::int32_t partition) const;
  [[nodiscard]] TaskState& task(std::int32_t index) { return states_[static_cast<std::size_t>(index)]; }
  [[nodiscard]] const TaskState& task(std::int32_t index) const { return states_[static_cast<std::size_t>(index)]; }
  [[nodiscard]] std::span<const TaskPlace> places_of(std::int32_t index) const {
    return places_.of(static_cast<std::size_t>(index), partition_of(index));
  }
  [[nodiscard]] std::int32_t attempts_of(std::int32_t index) const {
    return counted(task(index).few_attempts, many_attempts_, index);
  }
  /// The number of the task's next attempt, which is made now.
  std::int32_t number_attempt(std::int32_t index) { return count(task(index).few_attempts, many_attempts_, index); }
  [[nodiscard]] std::int32_t failures_of(std::int32_t index) const {
    return counted(task(index).few_failures, many_failures_, index);
  }
  void count_failure(std::int32_t index) { count(task(index).few_failures, many_failures_, index); }
  void forget_failures(std::int32_t index);
  [[nodiscard]] bool is_waiting(std::int32_t index) const {
    return task(index).copies == 0 && !task(index).is_successful;
  }
  /// Counted anew, for check_invariants.
  [[nodiscard]] std::int32_t count_successful() const;
  /// Not a zombie and something is, or seems to be, pending.
  [[nodiscard]] bool is_schedulable() const { return !is_zombie && has_pending(); }
  /// A task or a wanted copy really waits; stale entries do not count.
  [[nodiscard]] bool has_waiting() const;
  [[nodiscard]] bool has_pending() const { return !pending_.all.empty() || !speculative_.all.empty(); }

  // -- pending lists -----------------------------------------------------------
  /// A task is pending (again), or a copy of it is wanted. Nothing for a zombie.
  void add_pending(std::int32_t index, bool speculative, const ExecutorDirectory& directory);
  /// The next task for this place at this level or a nearer one.
  [[nodiscard]] std::optional<Dequeued> dequeue(const OfferPlace& place, LocalityLevel allowed,
                                                const AttemptTable& attempts);
  /// Fetches what a dequeue for this place will look at first: the lists of thousands of hosts and the states of a
  /// million tasks are in no cache. First the entry of its host's list, then the state of the task that it names.
  void fetch_entry(const OfferPlace& place);
  void fetch_state(const OfferPlace& place);
  [[nodiscard]] bool has_host_lists() const { return !pending_.by_host.empty(); }
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
  /// The same without moving anything: stale entries may make it nearer than allowed_level. When the next level opens,
  /// too.
  struct LevelOutlook {
    LocalityLevel level = LocalityLevel::any;
    std::optional<Instant> opens_next;
  };
  [[nodiscard]] LevelOutlook level_outlook(Instant now) const;
  void recompute_levels(const ExecutorDirectory& directory);
  /// A task was taken, from this list: with adaptive waits, one near its data starts the wait anew.
  void note_taken(Instant now, const Dequeued& task);
  void note_launched(LocalityLevel level, HostId host, std::int32_t index, Instant now) {
    if (payoff_) payoff_->on_begin(level <= LocalityLevel::node, host, index, now);
  }
  void note_ended(LocalityLevel level, HostId host, std::int32_t index, Instant launched) {
    if (payoff_) payoff_->on_end(level <= LocalityLevel::node, host, index, launched);
  }
  void note_success(LocalityLevel level, std::int32_t index, Duration time, LocalityHistory& history) {
    if (!payoff_) return;
    payoff_->on_success(level <= LocalityLevel::node, index, time);
    (level <= LocalityLevel::node ? history.near : history.far).add(time, payoff_->time_of(index));
  }
  void note_done_elsewhere(std::int32_t index) {
    if (payoff_) payoff_->on_taken(index);
  }
  [[nodiscard]] bool is_adaptive() const { return payoff_.has_value(); }
  void reset_timer(Instant now, LocalityLevel level);
  [[nodiscard]] const LocalityLevels& levels() const { return levels_; }
  struct LevelTimer {
    std::size_t level = 0;
    Instant since;
  };
  [[nodiscard]] LevelTimer timer() const { return {current_level_, waiting_since_}; }
  void restore(LevelTimer timer) {
    current_level_ = timer.level;
    waiting_since_ = timer.since;
  }

  // -- speculation -------------------------------------------------------------
  /// One look at the running attempts. True if something was found.
  bool check_speculation(Instant now, const TaskSchedulerSettings& settings, const AttemptTable& attempts,
                         const ExecutorDirectory& directory, TaskSchedulerEffects& effects);
  void on_duration(Duration duration) { durations_.add(to_milliseconds(duration)); }
  /// What an attempt has read so far, or in all.
  void note_progress(LaunchId attempt, const AttemptProgress& progress, bool is_final);
  void forget_progress(LaunchId attempt) { rates_.erase(attempt); }
  /// Attempts of which a rate is kept.
  [[nodiscard]] std::size_t measured_attempts() const { return rates_.size(); }
  [[nodiscard]] bool is_measured(LaunchId attempt) const { return rates_.contains(attempt); }
  /// Remember where an attempt ended: copies go elsewhere. Only needed when speculation is on.
  void note_failed_on(std::int32_t index, HostId host) { hosts_tried_[index].push_back(host); }
  void note_succeeded_on(std::int32_t index, HostId host);
  void note_output_moved(std::int32_t index, HostId host) { moved_to_.insert_or_assign(index, host); }
  /// Whether the output of the task has left the host.
  [[nodiscard]] bool has_left(std::int32_t index, HostId host) const {
    const auto row = moved_to_.find(index);
    return row != moved_to_.end() && row->second != host;
  }
  void forget_moved(std::int32_t index) { moved_to_.erase(index); }
  /// The task is not successful any more.
  void note_output_lost(std::int32_t index);

  // -- facts that the scheduler keeps here -------------------------------------
  // Those that the end of every attempt looks at stand together, before the lists: of thousands of sets they have to
  // stay in the cache.
  alignas(64) TaskSetKey key;
  std::int64_t result_bytes = 0;
  AttemptList attempts_of_set;
  std::uint32_t pool = 0;
  std::int32_t running = 0;
  std::int32_t successful = 0;
  std::int32_t tasks = 0;
  std::int32_t cores = 1;  // of each task
  TaskSetKind kind = TaskSetKind::result;
  bool is_zombie = false;
  bool is_finished = false;
  bool no_rejects_since_reset = true;
  bool may_wait = false;  // as the pools count it: false only while the set is not schedulable
  bool is_barrier = false;
  DescriptionFault description_fault = DescriptionFault::none;  // `large` until it is told
  std::int32_t results = 0;                                     // that have come, also copies'
  std::uint64_t name_key = 0;                                   // of what follows "TaskSet_"
  std::int32_t queued = 0;
  IndexBits placed;  // of a barrier set: what the round that looks at it has found a place for

private:
  struct Partitions {
    IndexRange range;
    std::int32_t first_index = 0;
  };
  void set_partitions(const TaskSetDescription& description);
  /// Tasks of the set that fit one executor; 1 where its cores are not known.
  [[nodiscard]] std::int32_t slots_of_executor(const TaskSchedulerSettings& settings) const;
  void fill(const ExecutorDirectory& directory);
  void fill_executors_and_none(const ExecutorDirectory& directory);
  void fill_hosts(const ExecutorDirectory& directory);
  void fill_racks(const ExecutorDirectory& directory);
  static constexpr std::uint8_t many = 255;
  [[nodiscard]] static std::int32_t counted(std::uint8_t few, const std::map<std::int32_t, std::int32_t>& counts,
                                            std::int32_t index) {
    return few < many ? few : counts.at(index);
  }
  /// Counts one more; answers how many there were.
  static std::int32_t count(std::uint8_t& few, std::map<std::int32_t, std::int32_t>& counts, std::int32_t index);
  void fill_cached(std::int32_t index, HostId host, PendingTasks& lists, const ExecutorDirectory& directory);
  template <class Visit>
  void for_each_downwards(Visit visit) const;
  template <class Visit>
  void for_each_upwards(Visit visit) const;
  [[nodiscard]] std::optional<std::int32_t> take(PendingList& list, const PendingTasks& lists, const OfferPlace& place,
                                                 const AttemptTable& attempts, bool speculative);
  [[nodiscard]] PendingList* list_of(PendingSource source, const OfferPlace& place, PendingTasks& lists);
  [[nodiscard]] bool is_excluded_at(std::int32_t index, const OfferPlace& place) const;
  [[nodiscard]] bool was_tried_on(std::int32_t index, HostId host, const AttemptTable& attempts) const;
  [[nodiscard]] LocalityLevels valid_levels(const ExecutorDirectory& directory) const;
  [[nodiscard]] bool has_more_at(LocalityLevel level);
  [[nodiscard]] Duration wait_at(LocalityLevel level) const;
  [[nodiscard]] LocalityLevel adaptive_level(Instant now, const ExecutorDirectory& directory);
  /// The farthest level now, given the nearest at which something waits; `opens` when that changes.
  [[nodiscard]] LevelOutlook adaptive_outlook(Instant now, LocalityLevel nearest) const;
  void fill_payoff();
  /// With adaptive waits: a task of the host that would be done last.
  [[nodiscard]] std::optional<std::int32_t> take_far(const OfferPlace& place, const AttemptTable& attempts);
  [[nodiscard]] bool is_inefficient(LaunchId attempt, double share) const;
  bool speculate_beyond(double threshold_ms, bool is_custom, Instant now, const TaskSchedulerSettings& settings,
                        const AttemptTable& attempts, const ExecutorDirectory& directory,
                        TaskSchedulerEffects& effects);

  std::vector<Partitions> by_index_;  // empty: partition i is index i
  std::vector<TaskState> states_;
  PendingTasks pending_;
  TaskSetPlaces places_;
  std::vector<Partitions> by_partition_;
  std::map<std::int32_t, std::int32_t> many_attempts_;  // of the rare tasks that have at least `many`
  std::map<std::int32_t, std::int32_t> many_failures_;
  PendingTasks speculative_;
  std::set<std::int32_t> speculatable_;       // indices of which a copy is wanted and not yet launched
  std::set<std::int32_t> ever_speculatable_;  // indices that stand in a list of wanted copies, or stood there
  std::map<std::int32_t, std::vector<HostId>> hosts_tried_;  // of ended attempts that a copy could meet
  std::vector<HostId> succeeded_on_;         // map sets: only an output that is lost can be computed again
  std::map<std::int32_t, HostId> moved_to_;  // map outputs that were moved since they were made
  LocalityLevels levels_;
  std::array<Duration, 3> waits_;  // process, node, rack
  std::size_t current_level_ = 0;
  Instant waiting_since_;
  DurationMedian durations_;
  std::map<LaunchId, double> rates_;  // records per second of attempts that run, where they say so
  double records_done_ = 0;           // of finished attempts
  double seconds_done_ = 0;
  std::optional<LocalityPayoff> payoff_;  // with adaptive waits

public:
  JobId job;
  std::string name;
  std::uint64_t order = 0;  // of submission
  std::uint32_t life = 0;
  std::map<std::int32_t, std::vector<EndedMapAttempt>> ended_on_lost;  // by executor that was lost, ids ascending
  std::optional<TaskNeed> need;                                        // beside the cores
  std::optional<TaskSetExclusion> exclusion;
  TaskSetProgress progress;
};

}  // namespace heddle::policies
