// The job of a MapReduce master on YARN: when it sets up, runs, commits, aborts and ends, and which maps run again.
// Order: effects in the order in which Hadoop sends its events; tasks by kind and number. Cost: constant per event of
// a task or attempt; linear in the tasks for a kill, a failure and the progress. After Hadoop's JobImpl; the table of
// transitions and its drawing are in map_reduce_job_table.hpp.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/time.hpp"
#include "policies/map_reduce/map_reduce_job_counts.hpp"
#include "policies/map_reduce/map_reduce_job_inputs.hpp"
#include "policies/map_reduce/map_reduce_master_settings.hpp"
#include "policies/map_reduce/map_reduce_state_effects.hpp"

namespace heddle::policies {

/// Tasks of one kind by their last end.
struct EndedTasks {
  std::int32_t succeeded = 0;
  std::int32_t failed = 0;
  std::int32_t killed = 0;
  [[nodiscard]] std::int32_t all() const { return succeeded + failed + killed; }
};

class MapReduceJob {
public:
  using Inputs = map_reduce_job_input::Input;

  explicit MapReduceJob(MapReduceJobSettings settings);

  /// False if the state has no transition for the event: then the state stays, and the effect is RaiseInternalError.
  /// The master then passes internal_error, which ends the job.
  bool apply(Instant now, const map_reduce_job_input::Input& input, MapReduceStateEffects& effects);

  [[nodiscard]] MapReduceJobState state() const { return state_; }
  /// The state that clients see: none that is final before the master has left the ResourceManager.
  [[nodiscard]] MapReduceJobState shown() const;
  [[nodiscard]] float progress() const;
  [[nodiscard]] const EndedTasks& ended_maps() const { return maps_; }
  [[nodiscard]] const EndedTasks& ended_reduces() const { return reduces_; }
  [[nodiscard]] const AttemptEndings& completion_events() const { return completions_; }
  /// The instant of fail_wait_timedout.
  [[nodiscard]] std::optional<Instant> next_due() const;
  [[nodiscard]] std::optional<Instant> finish_time() const { return finish_; }
  void check_invariants() const;

private:
  using State = MapReduceJobState;
  using Event = MapReduceJobEvent;
  using History = MapReduceHistoryEvent;

  State act(Instant now, MapReduceJobAction action, EnumSet<State> to, const map_reduce_job_input::Input& input,
            MapReduceStateEffects& effects);
  static void start(MapReduceStateEffects& effects);
  void schedule_tasks(MapReduceStateEffects& effects);
  State count_task(Instant now, const map_reduce_job_input::TaskCompleted& input, MapReduceStateEffects& effects);
  State count_task_while_killed(Instant now, const map_reduce_job_input::TaskCompleted& input,
                                MapReduceStateEffects& effects);
  void reschedule_map_while_ending(MapReduceTaskId task, MapReduceStateEffects& effects);
  State fail(Instant now, MapReduceStateEffects& effects);
  State commit_if_complete(MapReduceStateEffects& effects);
  void kill_maps_without_reduces(MapReduceStateEffects& effects);
  void rerun_maps(const std::vector<NodeUpdate>& nodes, MapReduceStateEffects& effects) const;
  void add_completion(const map_reduce_job_input::AttemptCompleted& input);
  void count_fetch_failures(const map_reduce_job_input::FetchFailed& input, MapReduceStateEffects& effects);
  void end_aborted(Instant now, State final_state, MapReduceStateEffects& effects);
  void end(Instant now, MapReduceHistoryEvent history, State state, MapReduceStateEffects& effects);

  void observe(const map_reduce_job_input::TaskObserved& input);
  void observe(const map_reduce_job_input::CopyObserved& input);
  void add_ended(const map_reduce_job_input::TaskCompleted& input);
  /// `only_unfinished`: without tasks that have ended.
  void command_tasks(bool is_reduce, MapReduceTaskEvent event, bool only_unfinished,
                     MapReduceStateEffects& effects) const;
  [[nodiscard]] bool all_tasks_have_ended() const;
  [[nodiscard]] bool has_too_many_failures() const;
  [[nodiscard]] std::int32_t tasks() const { return settings_.maps + settings_.reduces; }

  MapReduceJobSettings settings_;
  State state_ = State::created;
  State shown_before_ = State::created;  // the last shown state that was not final
  bool is_initialized_ = false;
  bool is_unregistered_ = false;
  bool has_killed_maps_ = false;  // since all reduces have ended
  EndedTasks maps_;
  EndedTasks reduces_;
  std::int32_t completed_ = 0;  // tasks
  MapReduceJobProgress progress_;
  std::vector<MapReduceTaskState> map_states_;
  std::vector<MapReduceTaskState> reduce_states_;
  std::map<std::int32_t, std::set<std::int32_t>> copying_;  // attempts of reduces that copy map outputs
  AttemptEndings completions_;
  std::map<std::string, std::vector<MapReduceAttempt>> succeeded_on_;  // host, and each success there
  FetchFailures fetch_failures_;
  std::optional<Instant> finish_;
  std::optional<Instant> fail_wait_until_;
};

}  // namespace heddle::policies
