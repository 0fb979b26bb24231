// States, events and transitions of a job as its JobTracker knows it. After Hadoop 1.2's JobInProgress, whose run state
// stays PREP or RUNNING until the job cleanup has ended, with a mark that the job fails or is killed.
//
// prep -setup_succeeded-> running -cleanup_succeeded-> succeeded
// prep, running -fail-> failing -cleanup_succeeded or cleanup_failed-> failed
//               -kill-> killing -cleanup_succeeded-> killed; -cleanup_failed-> failed; -fail-> failing
// any of these -refuse-> failed, at once
// Without setup and cleanup a job starts in running, and tasks_ended ends it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "policies/tables/transition_table.hpp"

namespace heddle::policies {

enum class ClassicJobState : std::uint8_t { prep, running, failing, killing, succeeded, failed, killed, count };

/// Hadoop's names of JobStatus, by state; FAILING and KILLING are its marks jobFailed and jobKilled.
inline constexpr std::array<std::string_view, 7> classic_job_state_names{"PREP",      "RUNNING", "FAILING", "KILLING",
                                                                         "SUCCEEDED", "FAILED",  "KILLED"};

enum class ClassicJobEvent : std::uint8_t {
  setup_succeeded,
  fail,
  kill,
  refuse,  // nothing needs a cleanup
  cleanup_succeeded,
  cleanup_failed,
  tasks_ended,  // of a job without setup and cleanup
  count
};

inline constexpr std::array<std::string_view, 7> classic_job_event_names{
    "setup_succeeded", "fail", "kill", "refuse", "cleanup_succeeded", "cleanup_failed", "tasks_ended"};

enum class ClassicJobAction : std::uint8_t { ignore, update };

struct ClassicJobTransitions {
  using S = ClassicJobState;
  using E = ClassicJobEvent;
  using A = ClassicJobAction;
  static constexpr TransitionTable<S, E, A> table{
      {S::prep, E::setup_succeeded, A::update, S::running},
      {S::prep, E::fail, A::update, S::failing},
      {S::prep, E::kill, A::update, S::killing},
      {S::prep, E::refuse, A::update, S::failed},

      {S::running, E::fail, A::update, S::failing},
      {S::running, E::kill, A::update, S::killing},
      {S::running, E::refuse, A::update, S::failed},
      {S::running, {E::cleanup_succeeded, E::tasks_ended}, A::update, S::succeeded},
      {S::running, E::cleanup_failed, A::update, S::failed},

      {S::failing, {E::setup_succeeded, E::kill}, A::update, S::failing},
      {S::failing, E::fail, A::ignore, S::failing},
      {S::failing, {E::refuse, E::cleanup_succeeded, E::cleanup_failed, E::tasks_ended}, A::update, S::failed},

      {S::killing, E::setup_succeeded, A::update, S::killing},
      {S::killing, E::fail, A::update, S::failing},
      {S::killing, E::kill, A::ignore, S::killing},
      {S::killing, {E::cleanup_succeeded, E::tasks_ended}, A::update, S::killed},
      {S::killing, {E::refuse, E::cleanup_failed}, A::update, S::failed},

      {S::succeeded, {E::fail, E::kill, E::refuse}, A::ignore, S::succeeded},
      // Refused while its cleanup ran.
      {S::failed, {E::fail, E::kill, E::refuse, E::cleanup_succeeded, E::cleanup_failed}, A::ignore, S::failed},
      {S::killed, {E::fail, E::kill, E::refuse}, A::ignore, S::killed},
  };
};

inline constexpr const auto& classic_job_table = ClassicJobTransitions::table;

}  // namespace heddle::policies
