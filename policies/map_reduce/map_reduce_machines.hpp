// The state machines of one MapReduce job: job, tasks and attempts. An effect of one machine for another is an input of
// that one; the others are for the master. Order: effects in the order in which the machines made them, and those that
// follow from them after those that were there before. Cost: that of the machines, and one map lookup per input.
//
// Three guards keep races of Hadoop's master out, which would end in an internal error: a fetch failure of an attempt
// that is already being killed, the end of a task while a killed job waits for nothing but its abort or after that, and
// a copy of a task that has lost its success.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "policies/map_reduce/map_reduce_job.hpp"
#include "policies/map_reduce/map_reduce_master_settings.hpp"
#include "policies/map_reduce/map_reduce_task.hpp"
#include "policies/map_reduce/map_reduce_task_attempt.hpp"

namespace heddle::policies {

/// A machine is in another state. `subject`: "job", a task such as "map 3", or an attempt such as "map 3 attempt 0".
struct MapReduceStateChange {
  std::string subject;
  std::string_view state;  // Hadoop's name
};

class MapReduceMachines {
public:
  explicit MapReduceMachines(MapReduceMachineSettings settings);

  void apply(Instant now, const map_reduce_job_input::Input& input);
  void apply(Instant now, MapReduceTaskId task, const map_reduce_task_input::Input& input);
  /// Precondition: the attempt has started (see find()).
  void apply(Instant now, MapReduceAttempt attempt, const map_reduce_attempt_input::Input& input);
  /// Tasks that an earlier master recorded: they end again instead of being scheduled. Before setup_completed.
  void recover(std::map<MapReduceTaskId, map_reduce_task_input::Recovered> tasks) { recovered_ = std::move(tasks); }
  /// Starts a copy of a slow attempt, if the task still runs.
  void speculate(Instant now, MapReduceTaskId task);

  [[nodiscard]] const MapReduceJob& job() const { return job_; }
  [[nodiscard]] const MapReduceTask& task(MapReduceTaskId task) const { return tasks_.at(task); }
  [[nodiscard]] const std::map<MapReduceTaskId, MapReduceTask>& tasks() const { return tasks_; }
  [[nodiscard]] const std::map<MapReduceAttempt, MapReduceTaskAttempt>& attempts() const { return attempts_; }
  /// Null if no such attempt has started.
  [[nodiscard]] const MapReduceTaskAttempt* find(MapReduceAttempt attempt) const;
  /// Removes and returns the effects for the parties outside of the machines.
  [[nodiscard]] MapReduceStateEffects take_outside() { return std::exchange(outside_, {}); }
  /// Removes and returns the changes of states, in order.
  [[nodiscard]] std::vector<MapReduceStateChange> take_changes() { return std::exchange(changes_, {}); }
  /// Texts of events for which a machine had no transition. The first one ends the job in state error.
  [[nodiscard]] const std::vector<std::string>& errors() const { return errors_; }
  void check_invariants() const { job_.check_invariants(); }

private:
  void put_job(const map_reduce_job_input::Input& input);
  void put_task(MapReduceTaskId id, const map_reduce_task_input::Input& input);
  void put_attempt(MapReduceAttempt id, const map_reduce_attempt_input::Input& input);
  /// As put_job, unless the job was killed and waits for nothing but its abort, or is over: Hadoop's table has no
  /// transitions for the ends of tasks there.
  void notify_job(const map_reduce_job_input::Input& input);
  void apply_effects();
  template <class State, class Event>
  void observe(MapReduceCell::Machine machine, State state, std::optional<Event> event) const {
    if (!settings_.on_event || !event) return;
    settings_.on_event({machine, static_cast<std::uint8_t>(state), static_cast<std::uint8_t>(*event)});
  }

  /// An effect for a party outside.
  template <class Effect>
  void route(const Effect& effect) {
    outside_.push_back(effect);
  }
  void route(const NotifyTask& effect);
  void route(const CommandTask& effect);
  void route(const StartMapReduceAttempt& effect);
  void route(const KillMapReduceAttempt& effect);
  void route(const FailFinishedMap& effect);
  void route(const AddCompletionEvent& effect);
  void route(const NotifyTaskEnded& effect);
  void route(const NotifyMapRescheduled& effect);
  void route(const NotifyFetchFailures& effect);
  void route(const CompleteEmptyJob& effect);
  void route(const RaiseInternalError& effect);

  MapReduceMachineSettings settings_;
  MapReduceJob job_;
  std::map<MapReduceTaskId, MapReduceTask> tasks_;
  std::map<MapReduceAttempt, MapReduceTaskAttempt> attempts_;
  std::map<MapReduceTaskId, map_reduce_task_input::Recovered> recovered_;  // not yet scheduled
  Instant now_{};                                                          // of the input that is being applied
  MapReduceStateEffects effects_;
  MapReduceStateEffects outside_;
  std::vector<MapReduceStateChange> changes_;
  std::vector<std::string> errors_;
};

/// "map 3", and "map 3 attempt 0".
[[nodiscard]] std::string to_string(MapReduceTaskId task);
[[nodiscard]] std::string to_string(MapReduceAttempt attempt);

}  // namespace heddle::policies
