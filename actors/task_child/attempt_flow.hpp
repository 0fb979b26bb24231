// Life of the attempts of a task child; child_state.hpp draws the phases.
#pragma once

#include <string>

#include "actors/task_child/child_state.hpp"

namespace heddle::actors {

// -- the parent -------------------------------------------------------------------------------------
void find_parent(ChildTurn& turn);
void parent_connected(ChildTurn& turn);
void parent_unreachable(ChildTurn& turn);
void lose_parent(ChildTurn& turn);
void leave(ChildTurn& turn, const LeaveChild& message);

// -- an attempt ---------------------------------------------------------------------------------------
void run_attempt(ChildTurn& turn, const RunAttempt& message);
/// Answers with the end of the attempt, or asks for the permission to commit first.
void handle_attempt_ended(ChildTurn& turn, const AttemptEnded& message);
void commit_attempt(ChildTurn& turn, const CommitAttempt& message);
/// Gives the reduce the locations of outputs of maps that have ended, and asks for the next ones.
void use_map_completions(ChildTurn& turn, const MapCompletions& message);
void report_failed_copy(ChildTurn& turn, const CopyFailed& message);
/// Work on outputs is not killed: it ends soon, and half of a commit helps nobody.
void kill_attempt(ChildTurn& turn, const KillAttempt& message);
void report_progress_if_due(ChildTurn& turn);

}  // namespace heddle::actors
