// One attempt of a map or reduce on YARN: its container, its child and its end. Order: effects in the order in which
// Hadoop sends its events. Cost: constant per input. After Hadoop's TaskAttemptImpl; the table of transitions and its
// drawing are in map_reduce_attempt_table.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/ids.hpp"
#include "model/resources.hpp"
#include "model/time.hpp"
#include "policies/map_reduce/map_reduce_attempt_inputs.hpp"
#include "policies/map_reduce/map_reduce_state_effects.hpp"

namespace heddle::policies {

struct TaskAttemptSettings {
  bool is_map_only = false;             // the job has no reduces: nobody fetches the output of a succeeded map
  std::vector<std::string> hosts;       // of the split of a map
  std::vector<std::string> racks;       // of these hosts
  std::int64_t slot_memory_mib = 1024;  // memory of one slot in the counters SLOTS_MILLIS_…
  /// Hadoop reports a failure twice if the failed child does not exit: the second time when it was stopped. A task that
  /// was killed meanwhile refuses that, and the job ends in an error.
  bool reports_failure_once = false;
};

class MapReduceTaskAttempt {
public:
  using Inputs = map_reduce_attempt_input::Input;

  MapReduceTaskAttempt(MapReduceAttempt attempt, TaskAttemptSettings settings)
      : attempt_{attempt}, settings_{std::move(settings)} {}

  /// False if the state has no transition for the event: then the state stays, and the effect is RaiseInternalError.
  bool apply(Instant now, const map_reduce_attempt_input::Input& input, MapReduceStateEffects& effects);

  [[nodiscard]] MapReduceAttempt attempt() const { return attempt_; }
  [[nodiscard]] MapReduceAttemptState state() const { return state_; }
  [[nodiscard]] MapReduceAttemptStatus status() const { return status_of(state_); }
  [[nodiscard]] float progress() const { return progress_; }
  /// Host of the container. Stays after the end of the attempt.
  [[nodiscard]] const std::optional<std::string>& host() const { return host_; }
  [[nodiscard]] ContainerId container() const { return container_; }
  [[nodiscard]] std::optional<Instant> launch_time() const { return launch_; }
  [[nodiscard]] std::optional<Instant> finish_time() const { return finish_; }

private:
  using State = MapReduceAttemptState;
  using Event = MapReduceAttemptEvent;
  using Input = map_reduce_attempt_input::Input;
  using TaskEvent = MapReduceTaskEvent;
  using Counter = MapReduceJobCounter;
  using History = MapReduceHistoryEvent;

  /// Does the action and returns the next state, one of `to`.
  State act(Instant now, Event event, MapReduceAttemptAction action, EnumSet<State> to, const Input& input,
            MapReduceStateEffects& effects);
  void request_container(bool earlier_failed, MapReduceStateEffects& effects) const;
  void assign(const map_reduce_attempt_input::Assigned& input, MapReduceStateEffects& effects);
  void launch(Instant now, MapReduceStateEffects& effects);
  void update(const map_reduce_attempt_input::Updated& input, MapReduceStateEffects& effects);
  void succeed(Instant now, MapReduceStateEffects& effects);
  void stop_container(Event event, const Input& input, MapReduceStateEffects& effects);
  void withdraw(Instant now, bool is_requested, State end, MapReduceStateEffects& effects);
  void fail(Instant now, MapReduceStateEffects& effects);
  void end_as_killed(Instant now, MapReduceStateEffects& effects);
  void end_preempted(Instant now, MapReduceStateEffects& effects);
  void lose_output(MapReduceStateEffects& effects) const;
  State kill_succeeded(const Input& input, MapReduceStateEffects& effects) const;
  State kill_finished_child(const Input& input, MapReduceStateEffects& effects);
  State recover(Instant now, const map_reduce_attempt_input::Recovered& input, MapReduceStateEffects& effects);

  void finish_child(MapReduceStateEffects& effects);
  void clean_up(bool dump_threads, MapReduceStateEffects& effects) const;
  void watch(ChildWatch change, MapReduceStateEffects& effects) const;
  void write_history(MapReduceHistoryEvent event, MapReduceStateEffects& effects) const;
  void write_start(MapReduceStateEffects& effects) const;
  void write_late_start(Instant now, MapReduceStateEffects& effects);
  void notify_task(MapReduceTaskEvent event, bool reschedule, MapReduceStateEffects& effects) const;
  /// `counted`: none for a success. `with_times`: adds the run time.
  void count(std::optional<MapReduceJobCounter> counted, bool with_times, MapReduceStateEffects& effects) const;
  void set_finish_time(Instant now);
  /// Nobody needs the output of the attempt on its node.
  [[nodiscard]] bool keeps_its_success() const { return attempt_.is_reduce || settings_.is_map_only; }

  MapReduceAttempt attempt_;
  TaskAttemptSettings settings_;
  State state_ = State::created;
  ContainerId container_;
  std::optional<std::string> host_;
  std::optional<Resource> resource_;  // none for an attempt of an earlier master
  std::optional<Instant> launch_;
  std::optional<Instant> finish_;
  float progress_ = 0;
  bool reschedules_next_ = false;
  bool has_reported_failure_ = false;
};

}  // namespace heddle::policies
