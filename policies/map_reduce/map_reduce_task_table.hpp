// States, events and transitions of a task of MapReduce on YARN. After Hadoop's TaskImpl (3.4.1).
//
// created -schedule-> scheduled -attempt_launched-> running -attempt_succeeded-> succeeded
// created -kill-> killed; -recover-> running, succeeded, failed, killed
// scheduled, running -attempt_failed, too often-> failed
//                    -kill-> kill_wait -all attempts have ended-> killed
// succeeded          -the successful attempt failed or was killed-> scheduled; failed too often-> failed
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "policies/tables/transition_table.hpp"

namespace heddle::policies {

enum class MapReduceTaskState : std::uint8_t {
  created,
  scheduled,
  running,
  kill_wait,
  succeeded,
  failed,
  killed,
  count
};

/// Hadoop's names, by state. Clients see KILLED instead of KILL_WAIT.
inline constexpr std::array<std::string_view, 7> task_state_names{"NEW",       "SCHEDULED", "RUNNING", "KILL_WAIT",
                                                                  "SUCCEEDED", "FAILED",    "KILLED"};

[[nodiscard]] constexpr bool is_final(MapReduceTaskState state) {
  return state >= MapReduceTaskState::succeeded && state < MapReduceTaskState::count;
}
[[nodiscard]] constexpr MapReduceTaskState shown_state(MapReduceTaskState state) {
  return state == MapReduceTaskState::kill_wait ? MapReduceTaskState::killed : state;
}

enum class MapReduceTaskEvent : std::uint8_t {
  schedule,
  recover,
  kill,
  add_spec_attempt,
  attempt_launched,
  attempt_commit_pending,
  attempt_succeeded,
  attempt_failed,
  attempt_killed,
  count
};

/// Hadoop's names without T_, by event.
inline constexpr std::array<std::string_view, 9> task_event_names{
    "schedule",          "recover",          "kill",
    "add_spec_attempt",  "attempt_launched", "attempt_commit_pending",
    "attempt_succeeded", "attempt_failed",   "attempt_killed"};

enum class MapReduceTaskAction : std::uint8_t {
  ignore,
  start,
  recover,
  kill_before_start,
  kill_attempts,
  speculate,
  choose_for_commit,
  succeed,
  fail_attempt,
  replace_killed,
  end_attempt_while_killed,
  fail_after_success,
  kill_after_success,
  note_late_success,
};

/// The transitions of Hadoop 3.4.1.
struct MapReduceTaskTransitions {
  using S = MapReduceTaskState;
  using E = MapReduceTaskEvent;
  using A = MapReduceTaskAction;
  static constexpr TransitionTable<S, E, A> table{
      {S::created, E::schedule, A::start, S::scheduled},
      {S::created, E::recover, A::recover, {S::running, S::succeeded, S::failed, S::killed}},
      {S::created, E::kill, A::kill_before_start, S::killed},

      {S::scheduled, E::attempt_launched, A::ignore, S::running},
      {S::scheduled, E::attempt_failed, A::fail_attempt, {S::scheduled, S::failed}},
      {S::scheduled, E::attempt_killed, A::replace_killed, S::scheduled},
      {S::scheduled, E::kill, A::kill_attempts, S::kill_wait},

      {S::running, E::attempt_launched, A::ignore, S::running},
      {S::running, E::attempt_commit_pending, A::choose_for_commit, S::running},
      {S::running, E::add_spec_attempt, A::speculate, S::running},
      {S::running, E::attempt_succeeded, A::succeed, S::succeeded},
      {S::running, E::attempt_failed, A::fail_attempt, {S::running, S::failed}},
      {S::running, E::attempt_killed, A::replace_killed, S::running},
      {S::running, E::kill, A::kill_attempts, S::kill_wait},

      {S::kill_wait,
       {E::attempt_succeeded, E::attempt_failed, E::attempt_killed},
       A::end_attempt_while_killed,
       {S::kill_wait, S::killed}},
      {S::kill_wait,
       {E::kill, E::attempt_launched, E::attempt_commit_pending, E::add_spec_attempt},
       A::ignore,
       S::kill_wait},

      {S::succeeded, E::attempt_failed, A::fail_after_success, {S::scheduled, S::succeeded, S::failed}},
      {S::succeeded, E::attempt_killed, A::kill_after_success, {S::scheduled, S::succeeded}},
      {S::succeeded, E::attempt_succeeded, A::note_late_success, S::succeeded},
      {S::succeeded,
       {E::kill, E::attempt_launched, E::attempt_commit_pending, E::add_spec_attempt},
       A::ignore,
       S::succeeded},

      {S::failed,
       {E::kill, E::add_spec_attempt, E::attempt_launched, E::attempt_commit_pending, E::attempt_succeeded,
        E::attempt_failed, E::attempt_killed},
       A::ignore,
       S::failed},
      {S::killed, {E::schedule, E::kill, E::add_spec_attempt, E::attempt_killed}, A::ignore, S::killed},
  };
};

inline constexpr const auto& task_table = MapReduceTaskTransitions::table;

}  // namespace heddle::policies
