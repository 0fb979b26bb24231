// States, events and transitions of a task attempt of MapReduce on YARN. After Hadoop's TaskAttemptImpl (3.4.1).
//
// created -schedule-> unassigned -assigned-> assigned -container_launched-> running -commit_pending-> commit_pending
//
// running, commit_pending -done-> success_finishing_container -container_completed-> succeeded
//                                    -timed_out-> success_container_cleanup -container_cleaned-> succeeded
// assigned and later      -failmsg-> fail_finishing_container -container_completed-> failed
//                         -timed_out, failmsg_by_client-> fail_container_cleanup
//                                    -container_cleaned-> fail_task_cleanup -cleanup_done-> failed
//                         -container_completed-> failed
//                         -kill-> kill_container_cleanup -container_cleaned-> kill_task_cleanup -cleanup_done-> killed
// a finished map          -too_many_fetch_failure-> failed; -kill-> killed, if reduces need its output
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "policies/tables/transition_table.hpp"

namespace heddle::policies {

enum class MapReduceAttemptState : std::uint8_t {
  created,
  unassigned,
  assigned,
  running,
  commit_pending,
  success_finishing_container,  // the child has finished and has to exit
  success_container_cleanup,
  fail_finishing_container,
  fail_container_cleanup,
  fail_task_cleanup,
  kill_container_cleanup,
  kill_task_cleanup,
  succeeded,
  failed,
  killed,
  count
};

/// Hadoop's names, by state.
inline constexpr std::array<std::string_view, 15> attempt_state_names{"NEW",
                                                                      "UNASSIGNED",
                                                                      "ASSIGNED",
                                                                      "RUNNING",
                                                                      "COMMIT_PENDING",
                                                                      "SUCCESS_FINISHING_CONTAINER",
                                                                      "SUCCESS_CONTAINER_CLEANUP",
                                                                      "FAIL_FINISHING_CONTAINER",
                                                                      "FAIL_CONTAINER_CLEANUP",
                                                                      "FAIL_TASK_CLEANUP",
                                                                      "KILL_CONTAINER_CLEANUP",
                                                                      "KILL_TASK_CLEANUP",
                                                                      "SUCCEEDED",
                                                                      "FAILED",
                                                                      "KILLED"};

[[nodiscard]] constexpr bool is_final(MapReduceAttemptState state) {
  return state >= MapReduceAttemptState::succeeded && state < MapReduceAttemptState::count;
}

/// The state that clients and the speculator see.
enum class MapReduceAttemptStatus : std::uint8_t {
  created,
  starting,
  running,
  commit_pending,
  succeeded,
  failed,
  killed
};

[[nodiscard]] constexpr MapReduceAttemptStatus status_of(MapReduceAttemptState state) {
  using State = MapReduceAttemptState;
  using Status = MapReduceAttemptStatus;
  switch (state) {
    case State::unassigned:
    case State::assigned: return Status::starting;
    case State::running: return Status::running;
    case State::commit_pending: return Status::commit_pending;
    case State::success_finishing_container:
    case State::success_container_cleanup:
    case State::succeeded: return Status::succeeded;
    case State::fail_finishing_container:
    case State::fail_container_cleanup:
    case State::fail_task_cleanup:
    case State::failed: return Status::failed;
    case State::kill_container_cleanup:
    case State::kill_task_cleanup:
    case State::killed: return Status::killed;
    case State::created:
    case State::count: break;
  }
  return Status::created;
}

enum class MapReduceAttemptEvent : std::uint8_t {
  schedule,
  reschedule,  // an earlier attempt failed, or its node is unusable: request the container before other maps
  assigned,
  container_launched,
  container_launch_failed,
  container_completed,  // the container has ended
  container_cleaned,    // the launcher has stopped the container
  update,
  commit_pending,
  done,
  failmsg,            // the child reports its failure
  failmsg_by_client,  // a user fails the attempt
  kill,
  preempted,
  timed_out,
  too_many_fetch_failure,
  cleanup_done,
  recover,
  diagnostics_update,
  count
};

/// Hadoop's names without TA_, by event.
inline constexpr std::array<std::string_view, 19> attempt_event_names{"schedule",
                                                                      "reschedule",
                                                                      "assigned",
                                                                      "container_launched",
                                                                      "container_launch_failed",
                                                                      "container_completed",
                                                                      "container_cleaned",
                                                                      "update",
                                                                      "commit_pending",
                                                                      "done",
                                                                      "failmsg",
                                                                      "failmsg_by_client",
                                                                      "kill",
                                                                      "preempted",
                                                                      "timed_out",
                                                                      "too_many_fetch_failure",
                                                                      "cleanup_done",
                                                                      "recover",
                                                                      "diagnostics_update"};

enum class MapReduceAttemptAction : std::uint8_t {
  ignore,
  request_container,
  assign,
  launch,
  update,
  ask_to_commit,
  succeed,
  fail_and_wait_for_exit,
  end_with_container,
  stop_container,
  leave_finished_child,
  stop_finished_child,
  kill_finished_child,
  forget_exited_child,
  abort_output,
  fail,
  end_as_killed,
  withdraw,
  end_preempted,
  lose_output,
  kill_succeeded,
  recover,
};

/// The transitions of Hadoop 3.4.1. A child may report more than once and late; a container may be launched while it is
/// stopped.
struct MapReduceAttemptTransitions {
  using S = MapReduceAttemptState;
  using E = MapReduceAttemptEvent;
  using A = MapReduceAttemptAction;
  static constexpr TransitionTable<S, E, A> table{
      {S::created, {E::schedule, E::reschedule}, A::request_container, S::unassigned},
      {S::created, E::kill, A::end_as_killed, S::killed},
      {S::created, E::failmsg_by_client, A::fail, S::failed},
      {S::created, E::recover, A::recover, {S::succeeded, S::failed, S::killed}},
      {S::created, E::diagnostics_update, A::ignore, S::created},

      {S::unassigned, E::assigned, A::assign, S::assigned},
      {S::unassigned, E::kill, A::withdraw, S::killed},
      {S::unassigned, E::failmsg_by_client, A::withdraw, S::failed},
      {S::unassigned, E::diagnostics_update, A::ignore, S::unassigned},

      {S::assigned, E::container_launched, A::launch, S::running},
      {S::assigned, E::container_launch_failed, A::withdraw, S::failed},
      {S::assigned, E::container_completed, A::end_with_container, S::failed},
      {S::assigned, E::kill, A::stop_container, S::kill_container_cleanup},
      {S::assigned, E::failmsg, A::fail_and_wait_for_exit, S::fail_finishing_container},
      {S::assigned, E::failmsg_by_client, A::stop_container, S::fail_container_cleanup},
      {S::assigned, E::diagnostics_update, A::ignore, S::assigned},

      {S::running, E::update, A::update, S::running},
      {S::running, E::commit_pending, A::ask_to_commit, S::commit_pending},
      {S::running, E::done, A::succeed, S::success_finishing_container},
      {S::running, E::failmsg, A::fail_and_wait_for_exit, S::fail_finishing_container},
      {S::running, {E::failmsg_by_client, E::timed_out}, A::stop_container, S::fail_container_cleanup},
      {S::running, E::container_completed, A::end_with_container, S::failed},
      {S::running, E::container_cleaned, A::end_as_killed, S::killed},
      {S::running, E::kill, A::stop_container, S::kill_container_cleanup},
      {S::running, E::preempted, A::end_preempted, S::killed},
      {S::running, E::diagnostics_update, A::ignore, S::running},

      {S::commit_pending, E::update, A::update, S::commit_pending},
      {S::commit_pending, E::commit_pending, A::ignore, S::commit_pending},
      {S::commit_pending, E::done, A::succeed, S::success_finishing_container},
      {S::commit_pending, E::failmsg, A::fail_and_wait_for_exit, S::fail_finishing_container},
      {S::commit_pending, {E::failmsg_by_client, E::timed_out}, A::stop_container, S::fail_container_cleanup},
      {S::commit_pending, E::container_completed, A::end_with_container, S::failed},
      {S::commit_pending, E::container_cleaned, A::end_as_killed, S::killed},
      {S::commit_pending, E::kill, A::stop_container, S::kill_container_cleanup},
      {S::commit_pending, E::diagnostics_update, A::ignore, S::commit_pending},

      {S::success_finishing_container, E::container_completed, A::forget_exited_child, S::succeeded},
      {S::success_finishing_container, E::container_cleaned, A::leave_finished_child, S::succeeded},
      {S::success_finishing_container, E::timed_out, A::stop_finished_child, S::success_container_cleanup},
      {S::success_finishing_container,
       E::kill,
       A::kill_finished_child,
       {S::success_container_cleanup, S::kill_container_cleanup}},
      {S::success_finishing_container, E::too_many_fetch_failure, A::lose_output, S::failed},
      {S::success_finishing_container, E::diagnostics_update, A::ignore, S::success_finishing_container},
      {S::success_finishing_container,
       {E::update, E::done, E::commit_pending, E::failmsg, E::failmsg_by_client},
       A::ignore,
       S::success_finishing_container},

      {S::success_container_cleanup, E::container_cleaned, A::ignore, S::succeeded},
      {S::success_container_cleanup, E::too_many_fetch_failure, A::lose_output, S::failed},
      {S::success_container_cleanup, E::kill, A::kill_succeeded, {S::succeeded, S::killed}},
      {S::success_container_cleanup, E::diagnostics_update, A::ignore, S::success_container_cleanup},
      {S::success_container_cleanup,
       {E::failmsg, E::failmsg_by_client, E::timed_out, E::container_completed},
       A::ignore,
       S::success_container_cleanup},

      {S::fail_finishing_container, E::container_completed, A::forget_exited_child, S::failed},
      {S::fail_finishing_container, E::container_cleaned, A::leave_finished_child, S::failed},
      {S::fail_finishing_container, E::timed_out, A::stop_finished_child, S::fail_container_cleanup},
      {S::fail_finishing_container, E::diagnostics_update, A::ignore, S::fail_finishing_container},
      {S::fail_finishing_container,
       {E::kill, E::update, E::done, E::commit_pending, E::failmsg, E::failmsg_by_client},
       A::ignore,
       S::fail_finishing_container},

      {S::fail_container_cleanup, E::container_cleaned, A::abort_output, S::fail_task_cleanup},
      {S::fail_container_cleanup, E::diagnostics_update, A::ignore, S::fail_container_cleanup},
      {S::fail_container_cleanup,
       {E::kill, E::container_completed, E::update, E::commit_pending, E::container_launched,
        E::container_launch_failed, E::done, E::failmsg, E::failmsg_by_client, E::timed_out},
       A::ignore,
       S::fail_container_cleanup},

      {S::kill_container_cleanup, E::container_cleaned, A::abort_output, S::kill_task_cleanup},
      {S::kill_container_cleanup, E::diagnostics_update, A::ignore, S::kill_container_cleanup},
      {S::kill_container_cleanup,
       {E::kill, E::container_completed, E::update, E::commit_pending, E::container_launched,
        E::container_launch_failed, E::done, E::failmsg, E::failmsg_by_client, E::timed_out},
       A::ignore,
       S::kill_container_cleanup},

      {S::fail_task_cleanup, E::cleanup_done, A::fail, S::failed},
      {S::fail_task_cleanup, E::diagnostics_update, A::ignore, S::fail_task_cleanup},
      {S::fail_task_cleanup,
       {E::kill, E::container_completed, E::update, E::commit_pending, E::done, E::failmsg, E::failmsg_by_client,
        E::container_cleaned, E::container_launched, E::container_launch_failed},
       A::ignore,
       S::fail_task_cleanup},

      {S::kill_task_cleanup, E::cleanup_done, A::end_as_killed, S::killed},
      {S::kill_task_cleanup, E::diagnostics_update, A::ignore, S::kill_task_cleanup},
      {S::kill_task_cleanup,
       {E::kill, E::container_completed, E::update, E::commit_pending, E::done, E::failmsg, E::failmsg_by_client,
        E::container_cleaned, E::container_launched, E::container_launch_failed, E::preempted},
       A::ignore,
       S::kill_task_cleanup},

      {S::succeeded, E::too_many_fetch_failure, A::lose_output, S::failed},
      {S::succeeded, E::kill, A::kill_succeeded, {S::succeeded, S::killed}},
      {S::succeeded, E::diagnostics_update, A::ignore, S::succeeded},
      {S::succeeded,
       {E::failmsg, E::failmsg_by_client, E::timed_out, E::container_cleaned, E::container_completed},
       A::ignore,
       S::succeeded},

      {S::failed, E::diagnostics_update, A::ignore, S::failed},
      {S::failed,
       {E::kill, E::assigned, E::container_completed, E::update, E::container_launched, E::container_launch_failed,
        E::container_cleaned, E::commit_pending, E::done, E::failmsg, E::failmsg_by_client, E::timed_out,
        E::too_many_fetch_failure},
       A::ignore,
       S::failed},
      {S::killed, E::diagnostics_update, A::ignore, S::killed},
      {S::killed,
       {E::kill, E::assigned, E::container_completed, E::update, E::container_launched, E::container_launch_failed,
        E::container_cleaned, E::commit_pending, E::done, E::failmsg, E::failmsg_by_client, E::timed_out,
        E::too_many_fetch_failure},
       A::ignore,
       S::killed},
  };
};

inline constexpr const auto& attempt_table = MapReduceAttemptTransitions::table;

}  // namespace heddle::policies
