// One task of a MapReduce job on YARN with its attempts: which attempt is created, runs, commits, succeeds or is
// killed. Order: effects in the order in which Hadoop sends its events; attempts in the order of their creation. Cost:
// linear in the attempts of the task. After Hadoop's TaskImpl; the table of transitions and its drawing are in
// map_reduce_task_table.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/time.hpp"
#include "policies/map_reduce/map_reduce_master_settings.hpp"
#include "policies/map_reduce/map_reduce_state_effects.hpp"
#include "policies/map_reduce/map_reduce_task_attempt.hpp"
#include "policies/map_reduce/map_reduce_task_inputs.hpp"

namespace heddle::policies {

class MapReduceTask {
public:
  using Inputs = map_reduce_task_input::Input;

  explicit MapReduceTask(MapReduceTaskId task, MapReduceTaskSettings settings = {})
      : task_{task}, settings_{settings}, next_attempt_{settings.first_attempt} {}

  /// False if the state has no transition for the event: then the state stays, and the effect is RaiseInternalError.
  bool apply(Instant now, const map_reduce_task_input::Input& input, MapReduceStateEffects& effects);

  [[nodiscard]] MapReduceTaskId task() const { return task_; }
  [[nodiscard]] MapReduceTaskState state() const { return state_; }
  [[nodiscard]] std::int32_t attempts() const { return static_cast<std::int32_t>(attempts_.size()); }
  [[nodiscard]] std::optional<std::int32_t> successful_attempt() const { return successful_; }
  /// The attempt that may commit. TK-3: the master also needs a recent answer of the ResourceManager.
  [[nodiscard]] std::optional<std::int32_t> committing_attempt() const { return committing_; }
  /// The attempt whose progress and counters are the task's: the succeeded one, or the one with the most progress.
  [[nodiscard]] std::optional<std::int32_t> representative() const;
  [[nodiscard]] float progress() const;
  /// The attempts of earlier masters, once after the input Recovered.
  [[nodiscard]] std::vector<MapReduceTaskAttempt> take_recovered() { return std::exchange(recovered_, {}); }
  void check_invariants() const;

private:
  using State = MapReduceTaskState;
  using Event = MapReduceTaskEvent;
  using History = MapReduceHistoryEvent;

  struct Attempt {
    std::int32_t number = 0;
    MapReduceAttemptState state = MapReduceAttemptState::unassigned;
    float progress = 0;
    std::optional<std::string> host;  // none: no container
    bool has_ended = false;           // the task knows its end
    bool has_failed = false;
    bool in_progress = true;  // counts as a reason not to start another one
  };

  State act(Instant now, MapReduceTaskAction action, EnumSet<State> to, const map_reduce_task_input::Input& input,
            MapReduceStateEffects& effects);
  State recover(Instant now, const map_reduce_task_input::Recovered& input, MapReduceStateEffects& effects);
  void recover_attempt(Instant now, const RecordedAttempt& recorded, const map_reduce_task_input::Recovered& input,
                       MapReduceStateEffects& effects);
  void choose_for_commit(std::int32_t attempt, MapReduceStateEffects& effects);
  void succeed(Attempt& attempt, MapReduceStateEffects& effects);
  State fail_attempt(Attempt& attempt, bool fast_fail, State otherwise, MapReduceStateEffects& effects);
  State fail_after_success(Attempt& attempt, bool fast_fail, MapReduceStateEffects& effects);
  void replace_killed(Attempt& attempt, bool reschedule, MapReduceStateEffects& effects);
  State kill_after_success(Attempt& attempt, bool reschedule, MapReduceStateEffects& effects);
  State end_attempt_while_killed(Attempt& attempt, AttemptEnding ending, MapReduceStateEffects& effects);

  void start(bool reschedule, bool speculative, MapReduceStateEffects& effects);
  void kill_unfinished(AttemptKillReason reason, std::optional<std::int32_t> except, MapReduceStateEffects& effects);
  void add_completion(const Attempt& attempt, AttemptEnding ending, MapReduceStateEffects& effects) const;
  void end(State state, MapReduceStateEffects& effects) const;
  void write_history(MapReduceHistoryEvent event, MapReduceStateEffects& effects) const;
  void refuse(MapReduceTaskEvent event, MapReduceStateEffects& effects) const;
  /// For a reduce an internal error: its attempt keeps its success.
  void give_up_success(MapReduceTaskEvent event, MapReduceStateEffects& effects);
  [[nodiscard]] bool needs_another_attempt() const;
  [[nodiscard]] std::int32_t failed_attempts() const;
  [[nodiscard]] Attempt* find(std::int32_t number);
  [[nodiscard]] MapReduceAttempt name(std::int32_t number) const { return {task_.is_reduce, task_.index, number}; }

  MapReduceTaskId task_;
  MapReduceTaskSettings settings_;
  State state_ = State::created;
  std::vector<Attempt> attempts_;  // in the order of creation
  std::int32_t next_attempt_;
  std::optional<std::int32_t> successful_;
  std::optional<std::int32_t> committing_;
  bool is_in_history_ = false;
  std::vector<MapReduceTaskAttempt> recovered_;
};

}  // namespace heddle::policies
