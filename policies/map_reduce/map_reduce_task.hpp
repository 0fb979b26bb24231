// One task of a MapReduce job on YARN with its attempts: which attempt is created, runs, commits, succeeds or is
// killed. Order: effects in the order in which Hadoop sends its events; attempts by number. Cost: linear in the
// attempts of the task. After Hadoop's TaskImpl: only a succeeded map can be scheduled again; an attempt without a
// container does not count as a failure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <variant>
#include <vector>

#include "policies/map_reduce/map_reduce_allocator.hpp"

namespace heddle::policies {

enum class MapReduceTaskState : std::uint8_t { created, scheduled, running, kill_wait, succeeded, failed, killed };
enum class MapReduceAttemptState : std::uint8_t {
  unassigned,
  assigned,
  running,
  commit_pending,
  succeeded,
  failed,
  killed
};

/// How an attempt ended, for reduces and clients. `task_failed`: the task failed with it.
enum class AttemptEnding : std::uint8_t { succeeded, failed, killed, obsolete, task_failed };

// -- effects ------------------------------------------------------------------

struct StartMapReduceAttempt {
  MapReduceAttempt attempt;
  bool reschedule = false;   // requests its container before other maps, on any host
  bool speculative = false;  // a copy of a running attempt
  bool operator==(const StartMapReduceAttempt&) const = default;
};
enum class AttemptEndReason : std::uint8_t { redundant, task_failed, task_killed, commits_elsewhere };
struct EndMapReduceAttempt {
  MapReduceAttempt attempt;
  AttemptEndReason reason = AttemptEndReason::redundant;
  bool operator==(const EndMapReduceAttempt&) const = default;
};
/// A completion event for the job's list.
struct AddCompletionEvent {
  MapReduceAttempt attempt;
  AttemptEnding ending = AttemptEnding::succeeded;
  bool operator==(const AddCompletionEvent&) const = default;
};
/// The task ended; `state` is succeeded, failed or killed.
struct NotifyTaskEnded {
  MapReduceTaskState state = MapReduceTaskState::succeeded;
  bool operator==(const NotifyTaskEnded&) const = default;
};
/// A succeeded map has to run again.
struct NotifyMapRescheduled {
  bool operator==(const NotifyMapRescheduled&) const = default;
};
using MapReduceTaskEffect =
    std::variant<StartMapReduceAttempt, EndMapReduceAttempt, AddCompletionEvent, NotifyTaskEnded, NotifyMapRescheduled>;
using MapReduceTaskEffects = std::vector<MapReduceTaskEffect>;

/// State of a task that an earlier application attempt recorded.
struct MapReduceTaskRecord {
  std::optional<MapReduceTaskState> end;  // succeeded, failed or killed; none: not ended, or scheduled again
  std::int32_t successful_attempt = -1;
};

class MapReduceTask {
public:
  MapReduceTask(bool is_reduce, std::int32_t index, std::int32_t attempts_max = 4)
      : is_reduce_{is_reduce}, index_{index}, attempts_max_{attempts_max} {}

  void on_schedule(MapReduceTaskEffects& effects);
  /// Replaces on_schedule in a later application attempt; `master_attempt` counts from 1.
  void on_recover(const MapReduceTaskRecord& record, std::int32_t master_attempt, MapReduceTaskEffects& effects);
  void on_kill(MapReduceTaskEffects& effects);
  void on_speculate(MapReduceTaskEffects& effects);
  void on_assigned(std::int32_t attempt);
  void on_launched(std::int32_t attempt);
  void on_progress(std::int32_t attempt, float progress);
  void on_commit_pending(std::int32_t attempt, MapReduceTaskEffects& effects);
  void on_succeeded(std::int32_t attempt, MapReduceTaskEffects& effects);
  /// `gives_up`: the attempt reports that other attempts would fail too.
  void on_failed(std::int32_t attempt, bool gives_up, MapReduceTaskEffects& effects);
  void on_killed(std::int32_t attempt, bool reschedule, MapReduceTaskEffects& effects);

  [[nodiscard]] MapReduceTaskState state() const { return state_; }
  [[nodiscard]] bool has_ended() const { return state_ >= MapReduceTaskState::succeeded; }
  [[nodiscard]] std::int32_t attempts() const { return static_cast<std::int32_t>(attempts_.size()); }
  [[nodiscard]] std::optional<std::int32_t> successful_attempt() const { return successful_; }
  [[nodiscard]] bool may_commit(std::int32_t attempt) const { return committing_ == attempt; }
  /// The attempt whose progress and counters are the task's: the succeeded one, or the one with the most progress.
  [[nodiscard]] std::optional<std::int32_t> representative() const;
  [[nodiscard]] float progress() const;
  void check_invariants() const;

private:
  struct Attempt {
    MapReduceAttemptState state = MapReduceAttemptState::unassigned;
    float progress = 0;
  };
  [[nodiscard]] MapReduceAttempt name(std::int32_t attempt) const { return {is_reduce_, index_, attempt}; }
  [[nodiscard]] static bool is_over(const Attempt& attempt) {
    return attempt.state >= MapReduceAttemptState::succeeded;
  }
  [[nodiscard]] bool accepts_events_of(std::int32_t attempt) const;
  [[nodiscard]] bool has_other_with_container() const;
  void start(bool reschedule, bool speculative, MapReduceTaskEffects& effects);
  void end_others(AttemptEndReason reason, MapReduceTaskEffects& effects);
  void end(MapReduceTaskState state, MapReduceTaskEffects& effects);
  void settle(std::int32_t attempt, MapReduceAttemptState state);
  void run_again(MapReduceTaskEffects& effects);
  void end_while_killed(std::int32_t attempt, AttemptEnding ending, MapReduceTaskEffects& effects);

  bool is_reduce_;
  std::int32_t index_;
  std::int32_t attempts_max_;
  MapReduceTaskState state_ = MapReduceTaskState::created;
  std::map<std::int32_t, Attempt> attempts_;
  std::int32_t next_attempt_ = 0;
  std::set<std::int32_t> failed_;
  std::optional<std::int32_t> successful_;
  std::optional<std::int32_t> committing_;
};

}  // namespace heddle::policies
