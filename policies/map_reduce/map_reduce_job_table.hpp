// States, events and transitions of a job of MapReduce on YARN. After Hadoop's JobImpl (3.4.1).
//
// created -init-> inited -start-> setup -setup_completed-> running -last task_completed-> committing
//         -commit_completed-> succeeded
// created, setup, committing -init, setup or commit failed-> fail_abort -abort_completed-> failed
// running -too many failed tasks-> fail_wait -all tasks have ended, or fail_wait_timedout-> fail_abort
//         -kill-> kill_wait -all tasks have ended-> kill_abort -abort_completed-> killed
// setup, committing -kill-> kill_abort; created, inited, fail_wait, fail_abort, kill_abort -kill-> killed
// created to committing -am_reboot-> reboot (the next master goes on); any but reboot -internal_error-> error
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "policies/tables/transition_table.hpp"

namespace heddle::policies {

enum class MapReduceJobState : std::uint8_t {
  created,
  inited,
  setup,
  running,
  committing,
  fail_wait,
  fail_abort,
  kill_wait,
  kill_abort,
  succeeded,
  failed,
  killed,
  error,
  reboot,
  count
};

/// Hadoop's names, by state.
inline constexpr std::array<std::string_view, 14> job_state_names{
    "NEW",       "INITED",     "SETUP",     "RUNNING", "COMMITTING", "FAIL_WAIT", "FAIL_ABORT",
    "KILL_WAIT", "KILL_ABORT", "SUCCEEDED", "FAILED",  "KILLED",     "ERROR",     "REBOOT"};

/// The state that clients see while the master is registered or later. `is_last_master`: no other master follows.
[[nodiscard]] constexpr MapReduceJobState shown_state(MapReduceJobState state, bool is_last_master) {
  using S = MapReduceJobState;
  switch (state) {
    case S::setup:
    case S::committing: return S::running;
    case S::fail_wait:
    case S::fail_abort: return S::failed;
    case S::kill_wait:
    case S::kill_abort: return S::killed;
    case S::reboot: return is_last_master ? S::error : S::running;
    default: return state;
  }
}
[[nodiscard]] constexpr bool is_final(MapReduceJobState state) {
  return state >= MapReduceJobState::succeeded && state <= MapReduceJobState::error;
}

enum class MapReduceJobEvent : std::uint8_t {
  init,
  init_failed,
  start,
  setup_completed,
  setup_failed,
  completed,  // a job without tasks
  task_completed,
  map_task_rescheduled,
  task_attempt_completed,
  task_attempt_fetch_failure,
  updated_nodes,
  commit_completed,
  commit_failed,
  abort_completed,
  fail_wait_timedout,
  kill,
  diagnostic_update,
  counter_update,
  internal_error,
  am_reboot,  // the master has lost the ResourceManager
  count
};

/// Hadoop's names without JOB_, by event.
inline constexpr std::array<std::string_view, 20> job_event_names{"init",
                                                                  "init_failed",
                                                                  "start",
                                                                  "setup_completed",
                                                                  "setup_failed",
                                                                  "completed",
                                                                  "task_completed",
                                                                  "map_task_rescheduled",
                                                                  "task_attempt_completed",
                                                                  "task_attempt_fetch_failure",
                                                                  "updated_nodes",
                                                                  "commit_completed",
                                                                  "commit_failed",
                                                                  "abort_completed",
                                                                  "fail_wait_timedout",
                                                                  "kill",
                                                                  "diagnostic_update",
                                                                  "counter_update",
                                                                  "internal_error",
                                                                  "am_reboot"};

enum class MapReduceJobAction : std::uint8_t {
  ignore,
  init,
  start,
  schedule_tasks,
  complete_empty,
  count_task,
  count_task_while_killed,
  wait_for_tasks,
  reschedule_map,
  reschedule_map_while_ending,
  add_completion,
  count_fetch_failures,
  rerun_maps,
  succeed,
  abort_failed,
  abort_killed,
  end_aborted,
  end_killed,
  kill_before_init,
  kill_tasks,
  end_in_error,
};

/// The transitions of Hadoop 3.4.1.
struct MapReduceJobTransitions {
  using S = MapReduceJobState;
  using E = MapReduceJobEvent;
  using A = MapReduceJobAction;
  static constexpr TransitionTable<S, E, A> table{
      {S::created, E::init, A::init, {S::created, S::inited}},
      {S::created, E::init_failed, A::abort_failed, S::fail_abort},
      {S::created, E::kill, A::kill_before_init, S::killed},
      {S::created, E::internal_error, A::end_in_error, S::error},
      {S::created, E::am_reboot, A::end_in_error, S::reboot},
      {S::created, {E::diagnostic_update, E::counter_update, E::updated_nodes}, A::ignore, S::created},

      {S::inited, E::start, A::start, S::setup},
      {S::inited, E::kill, A::abort_killed, S::killed},
      {S::inited, E::internal_error, A::end_in_error, S::error},
      {S::inited, E::am_reboot, A::end_in_error, S::reboot},
      {S::inited, {E::diagnostic_update, E::counter_update, E::updated_nodes}, A::ignore, S::inited},

      {S::setup, E::setup_completed, A::schedule_tasks, S::running},
      {S::setup, E::setup_failed, A::abort_failed, S::fail_abort},
      {S::setup, E::kill, A::abort_killed, S::kill_abort},
      {S::setup, E::internal_error, A::end_in_error, S::error},
      {S::setup, E::am_reboot, A::end_in_error, S::reboot},
      {S::setup, {E::diagnostic_update, E::counter_update, E::updated_nodes}, A::ignore, S::setup},

      {S::running, E::completed, A::complete_empty, {S::running, S::committing}},
      {S::running, E::task_completed, A::count_task, {S::running, S::committing, S::fail_wait, S::fail_abort}},
      {S::running, E::map_task_rescheduled, A::reschedule_map, S::running},
      {S::running, E::task_attempt_completed, A::add_completion, S::running},
      {S::running, E::task_attempt_fetch_failure, A::count_fetch_failures, S::running},
      {S::running, E::updated_nodes, A::rerun_maps, S::running},
      {S::running, E::kill, A::kill_tasks, S::kill_wait},
      {S::running, E::internal_error, A::end_in_error, S::error},
      {S::running, E::am_reboot, A::end_in_error, S::reboot},
      {S::running, {E::diagnostic_update, E::counter_update}, A::ignore, S::running},

      {S::committing, E::commit_completed, A::succeed, S::succeeded},
      {S::committing, E::commit_failed, A::abort_failed, S::fail_abort},
      {S::committing, E::kill, A::abort_killed, S::kill_abort},
      {S::committing, E::internal_error, A::end_in_error, S::error},
      {S::committing, E::am_reboot, A::end_in_error, S::reboot},
      {S::committing,
       {E::diagnostic_update, E::counter_update, E::updated_nodes, E::task_attempt_fetch_failure,
        E::task_attempt_completed, E::map_task_rescheduled, E::task_completed},
       A::ignore,
       S::committing},

      {S::fail_wait, E::task_completed, A::wait_for_tasks, {S::fail_wait, S::fail_abort}},
      {S::fail_wait, E::fail_wait_timedout, A::abort_failed, S::fail_abort},
      {S::fail_wait, E::kill, A::end_killed, S::killed},
      {S::fail_wait, E::internal_error, A::end_in_error, S::error},
      {S::fail_wait, E::map_task_rescheduled, A::reschedule_map_while_ending, S::fail_wait},
      {S::fail_wait,
       {E::diagnostic_update, E::counter_update, E::updated_nodes, E::task_attempt_completed,
        E::task_attempt_fetch_failure, E::am_reboot},
       A::ignore,
       S::fail_wait},

      {S::fail_abort, E::abort_completed, A::end_aborted, S::failed},
      {S::fail_abort, E::kill, A::end_killed, S::killed},
      {S::fail_abort, E::internal_error, A::end_in_error, S::error},
      {S::fail_abort,
       {E::diagnostic_update, E::counter_update, E::updated_nodes, E::task_completed, E::task_attempt_completed,
        E::map_task_rescheduled, E::task_attempt_fetch_failure, E::commit_completed, E::commit_failed, E::am_reboot,
        E::fail_wait_timedout},
       A::ignore,
       S::fail_abort},

      {S::kill_wait, E::task_completed, A::count_task_while_killed, {S::kill_wait, S::kill_abort}},
      {S::kill_wait, E::task_attempt_completed, A::add_completion, S::kill_wait},
      {S::kill_wait, E::internal_error, A::end_in_error, S::error},
      {S::kill_wait, E::map_task_rescheduled, A::reschedule_map_while_ending, S::kill_wait},
      {S::kill_wait,
       {E::diagnostic_update, E::counter_update, E::kill, E::updated_nodes, E::task_attempt_fetch_failure,
        E::am_reboot},
       A::ignore,
       S::kill_wait},

      {S::kill_abort, E::abort_completed, A::end_aborted, S::killed},
      {S::kill_abort, E::kill, A::end_killed, S::killed},
      {S::kill_abort, E::internal_error, A::end_in_error, S::error},
      {S::kill_abort,
       {E::diagnostic_update, E::counter_update, E::updated_nodes, E::task_attempt_fetch_failure, E::setup_completed,
        E::setup_failed, E::commit_completed, E::commit_failed, E::am_reboot},
       A::ignore,
       S::kill_abort},

      {S::succeeded, E::internal_error, A::end_in_error, S::error},
      {S::succeeded,
       {E::diagnostic_update, E::counter_update, E::kill, E::updated_nodes, E::task_attempt_fetch_failure, E::am_reboot,
        E::task_attempt_completed, E::map_task_rescheduled, E::task_completed},
       A::ignore,
       S::succeeded},
      {S::failed, E::internal_error, A::end_in_error, S::error},
      {S::failed,
       {E::diagnostic_update, E::counter_update, E::kill, E::updated_nodes, E::task_completed,
        E::task_attempt_completed, E::map_task_rescheduled, E::task_attempt_fetch_failure, E::setup_completed,
        E::setup_failed, E::commit_completed, E::commit_failed, E::abort_completed, E::am_reboot},
       A::ignore,
       S::failed},
      {S::killed, E::internal_error, A::end_in_error, S::error},
      {S::killed,
       {E::diagnostic_update, E::counter_update, E::kill, E::start, E::updated_nodes, E::task_attempt_fetch_failure,
        E::setup_completed, E::setup_failed, E::commit_completed, E::commit_failed, E::abort_completed, E::am_reboot},
       A::ignore,
       S::killed},
      {S::error,
       {E::init, E::kill, E::task_completed, E::task_attempt_completed, E::map_task_rescheduled, E::diagnostic_update,
        E::counter_update, E::updated_nodes, E::task_attempt_fetch_failure, E::setup_completed, E::setup_failed,
        E::commit_completed, E::commit_failed, E::abort_completed, E::internal_error, E::am_reboot},
       A::ignore,
       S::error},
      {S::reboot,
       {E::init, E::kill, E::task_completed, E::task_attempt_completed, E::map_task_rescheduled, E::diagnostic_update,
        E::counter_update, E::updated_nodes, E::task_attempt_fetch_failure, E::setup_completed, E::setup_failed,
        E::commit_completed, E::commit_failed, E::abort_completed, E::internal_error, E::am_reboot},
       A::ignore,
       S::reboot},
  };
};

inline constexpr const auto& job_table = MapReduceJobTransitions::table;

}  // namespace heddle::policies
