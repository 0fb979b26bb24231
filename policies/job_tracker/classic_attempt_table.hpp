// States, events and transitions of an attempt as its JobTracker knows it. After Hadoop 1.2's
// TaskInProgress.updateStatus, which accepts each report in each state, and either stores it or not.
//
// unreported, running -reported_…-> the reported state
// running        -reported_commit_pending-> commit_pending -reported_succeeded-> succeeded
// running, commit_pending, succeeded -reported_failed_unclean-> failed_unclean -its cleanup ended, or stopped-> failed
//                                    -reported_killed_unclean-> killed_unclean -its cleanup ended, or stopped-> killed
//                                    -reported_failed-> failed; -reported_killed-> killed
// failed, killed -another report-> the same; its TaskTracker gets a command to kill it
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "model/attempt_work.hpp"
#include "policies/tables/transition_table.hpp"

namespace heddle::policies {

enum class ClassicAttemptState : std::uint8_t {
  unreported,  // launched
  running,
  commit_pending,
  succeeded,
  failed,
  killed,
  failed_unclean,
  killed_unclean,
  count
};

/// Hadoop's names of TaskStatus.State, by state.
inline constexpr std::array<std::string_view, 8> classic_attempt_state_names{
    "UNASSIGNED", "RUNNING", "COMMIT_PENDING", "SUCCEEDED", "FAILED", "KILLED", "FAILED_UNCLEAN", "KILLED_UNCLEAN"};

[[nodiscard]] constexpr ClassicAttemptState classic_state(TaskAttemptState state) {
  return static_cast<ClassicAttemptState>(static_cast<int>(state) + 1);
}
static_assert(classic_state(TaskAttemptState::running) == ClassicAttemptState::running &&
              classic_state(TaskAttemptState::killed_unclean) == ClassicAttemptState::killed_unclean);

/// A report counts as the job takes it: the success of a task that has one already is a kill, and a job that stops has
/// no unclean attempts.
enum class ClassicAttemptEvent : std::uint8_t {
  reported_running,
  reported_commit_pending,
  reported_succeeded,
  reported_failed,
  reported_killed,
  reported_failed_unclean,
  reported_killed_unclean,
  stopped,  // the job stops, so the attempt gets no cleanup
  count
};

inline constexpr std::array<std::string_view, 8> classic_attempt_event_names{
    "reported_running", "reported_commit_pending", "reported_succeeded",      "reported_failed",
    "reported_killed",  "reported_failed_unclean", "reported_killed_unclean", "stopped"};

[[nodiscard]] constexpr ClassicAttemptEvent report_event(TaskAttemptState reported) {
  return static_cast<ClassicAttemptEvent>(reported);
}
static_assert(report_event(TaskAttemptState::running) == ClassicAttemptEvent::reported_running &&
              report_event(TaskAttemptState::killed_unclean) == ClassicAttemptEvent::reported_killed_unclean);

/// How the JobTracker knows that an attempt has ended without success.
enum class AttemptEndCause : std::uint8_t {
  reported,
  unreported,   // no heartbeat named the attempt after its launch (JT-3)
  output_lost,  // reduces could not copy the output of a finished map (JS-5)
  tracker_lost  // JT-4
};

enum class ClassicAttemptAction : std::uint8_t { ignore, store, kill_again, skip_cleanup };

/// A failure is stored as a kill in safe mode, and each end as what a user requested before.
struct ClassicAttemptTransitions {
  using S = ClassicAttemptState;
  using E = ClassicAttemptEvent;
  using A = ClassicAttemptAction;
  static constexpr TransitionTable<S, E, A> table{
      {S::unreported, E::reported_running, A::store, S::running},
      {S::unreported, E::reported_commit_pending, A::store, S::commit_pending},
      {S::unreported, E::reported_succeeded, A::store, S::succeeded},
      {S::unreported, E::reported_failed, A::store, {S::failed, S::killed}},
      {S::unreported, E::reported_killed, A::store, S::killed},
      {S::unreported, E::reported_failed_unclean, A::store, S::failed_unclean},
      {S::unreported, E::reported_killed_unclean, A::store, S::killed_unclean},

      {S::running, E::reported_running, A::store, S::running},
      {S::running, E::reported_commit_pending, A::store, S::commit_pending},
      {S::running, E::reported_succeeded, A::store, S::succeeded},
      {S::running, {E::reported_failed, E::reported_killed}, A::store, {S::failed, S::killed}},
      {S::running,
       {E::reported_failed_unclean, E::reported_killed_unclean},
       A::store,
       {S::failed_unclean, S::killed_unclean}},

      {S::commit_pending, E::reported_running, A::ignore, S::commit_pending},
      {S::commit_pending, E::reported_commit_pending, A::store, S::commit_pending},
      {S::commit_pending, E::reported_succeeded, A::store, S::succeeded},
      {S::commit_pending, {E::reported_failed, E::reported_killed}, A::store, {S::failed, S::killed}},
      {S::commit_pending,
       {E::reported_failed_unclean, E::reported_killed_unclean},
       A::store,
       {S::failed_unclean, S::killed_unclean}},

      {S::succeeded, E::reported_running, A::ignore, S::succeeded},
      {S::succeeded, E::reported_commit_pending, A::store, S::commit_pending},
      {S::succeeded, E::reported_failed, A::store, {S::failed, S::killed}},
      {S::succeeded, E::reported_killed, A::store, S::killed},
      {S::succeeded, E::reported_failed_unclean, A::store, S::failed_unclean},
      {S::succeeded, E::reported_killed_unclean, A::store, S::killed_unclean},

      {S::failed, {E::reported_running, E::reported_failed}, A::ignore, S::failed},
      {S::failed,
       {E::reported_commit_pending, E::reported_succeeded, E::reported_killed, E::reported_failed_unclean,
        E::reported_killed_unclean},
       A::kill_again,
       S::failed},
      {S::killed, {E::reported_running, E::reported_killed}, A::ignore, S::killed},
      {S::killed,
       {E::reported_commit_pending, E::reported_succeeded, E::reported_failed, E::reported_failed_unclean,
        E::reported_killed_unclean},
       A::kill_again,
       S::killed},

      {S::failed_unclean, E::reported_running, A::ignore, S::failed_unclean},
      {S::failed_unclean, E::reported_commit_pending, A::store, S::commit_pending},
      {S::failed_unclean, E::reported_succeeded, A::store, S::succeeded},
      {S::failed_unclean, {E::reported_failed, E::reported_killed}, A::store, {S::failed, S::killed}},
      {S::failed_unclean, E::reported_failed_unclean, A::store, S::failed_unclean},
      {S::failed_unclean, E::reported_killed_unclean, A::store, {S::failed_unclean, S::killed_unclean}},
      {S::failed_unclean, E::stopped, A::skip_cleanup, S::failed},

      {S::killed_unclean, E::reported_running, A::ignore, S::killed_unclean},
      {S::killed_unclean, E::reported_commit_pending, A::store, S::commit_pending},
      {S::killed_unclean, E::reported_succeeded, A::store, S::succeeded},
      {S::killed_unclean, {E::reported_failed, E::reported_killed}, A::store, {S::failed, S::killed}},
      {S::killed_unclean, E::reported_failed_unclean, A::store, {S::failed_unclean, S::killed_unclean}},
      {S::killed_unclean, E::reported_killed_unclean, A::store, S::killed_unclean},
      {S::killed_unclean, E::stopped, A::skip_cleanup, S::killed},
  };
};

inline constexpr const auto& classic_attempt_table = ClassicAttemptTransitions::table;

}  // namespace heddle::policies
