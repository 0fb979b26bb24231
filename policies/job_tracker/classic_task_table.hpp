// States, events and transitions of a task as its JobTracker knows it. Hadoop 1.2's TaskInProgress has no state but
// counts its attempts; these are the values of its TIPStatus. A killed task is failed there and here.
//
// pending -launched-> running -attempt_succeeded-> complete
// running -attempt_ended-> running while other attempts run; pending; failed, too often
// complete -attempt_ended, the winner's output is lost-> pending, running, failed
// pending, running -given_up-> failed -attempt_succeeded, late-> complete
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "policies/tables/transition_table.hpp"

namespace heddle::policies {

enum class ClassicTaskState : std::uint8_t { pending, running, complete, failed, count };

/// Hadoop's names of TIPStatus, by state.
inline constexpr std::array<std::string_view, 4> classic_task_state_names{"PENDING", "RUNNING", "COMPLETE", "FAILED"};

enum class ClassicTaskEvent : std::uint8_t {
  launched,  // an attempt, or the cleanup of one
  attempt_succeeded,
  attempt_ended,  // failed or was killed, with its cleanup or before it
  given_up,       // its job stops, or its twin for the other kind of slot has ended
  count
};

inline constexpr std::array<std::string_view, 4> classic_task_event_names{"launched", "attempt_succeeded",
                                                                          "attempt_ended", "given_up"};

enum class ClassicTaskAction : std::uint8_t { ignore, update };

struct ClassicTaskTransitions {
  using S = ClassicTaskState;
  using E = ClassicTaskEvent;
  using A = ClassicTaskAction;
  static constexpr TransitionTable<S, E, A> table{
      {S::pending, E::launched, A::update, S::running},
      {S::pending, E::given_up, A::update, S::failed},

      {S::running, E::launched, A::update, S::running},
      {S::running, E::attempt_succeeded, A::update, S::complete},
      {S::running, E::attempt_ended, A::update, {S::pending, S::running, S::failed}},
      {S::running, E::given_up, A::update, S::failed},

      {S::complete, E::launched, A::update, S::complete},
      {S::complete, E::attempt_ended, A::update, {S::pending, S::running, S::complete, S::failed}},
      {S::complete, E::given_up, A::ignore, S::complete},

      {S::failed, E::launched, A::update, S::failed},
      {S::failed, E::attempt_succeeded, A::update, S::complete},
      {S::failed, E::attempt_ended, A::update, S::failed},
      {S::failed, E::given_up, A::ignore, S::failed},
  };
};

inline constexpr const auto& classic_task_table = ClassicTaskTransitions::table;

}  // namespace heddle::policies
