// Attempts of a TaskTracker and their children: launch, messages of children, kills, ends of processes.
#pragma once

#include <cstdint>
#include <string>

#include "actors/task_tracker/slot_state.hpp"

namespace heddle::actors {

// -- messages, processes, timers ----------------------------------------------------------------------
/// Result of StartChild: the id of the process, or the reason why it did not start.
void handle_child_started(SlotTurn& turn, std::int64_t child, const Result<std::int64_t>& process);
void handle_get_task(SlotTurn& turn, const GetTask& message);
void handle_attempt_progress(SlotTurn& turn, const AttemptProgress& message);
void handle_commit_pending(SlotTurn& turn, const CommitPending& message);
void handle_attempt_done(SlotTurn& turn, const AttemptDone& message);
void handle_attempt_failed(SlotTurn& turn, const AttemptFailed& message);
void handle_get_map_completions(SlotTurn& turn, const GetMapCompletions& message);
void handle_fetch_failed(SlotTurn& turn, const FetchFailed& message);
/// The sender is not the child that it names.
void refuse_stranger(SlotTurn& turn, std::int64_t child);
void handle_child_exit(SlotTurn& turn, const ProcessEnded& message);

// -- for the other flow -------------------------------------------------------------------------------
void add_job(SlotTurn& turn, const TrackerJob& job);
/// The attempt waits for a slot.
void launch_attempt(SlotTurn& turn, const AttemptLaunch& launch);
/// Starts the waiting attempts for which slots are free.
void start_waiting(SlotTurn& turn);
void kill_attempt(SlotTurn& turn, const TaskAttemptId& attempt, const std::string& reason);
/// The disk is nearly full: kills the reduce with the least progress, or else such a map.
void kill_for_space(SlotTurn& turn);
/// Keeps completion events, and passes them to the children that wait for them.
void add_completions(SlotTurn& turn, const JobCompletions& news);
void permit_commit(SlotTurn& turn, const TaskAttemptId& attempt);
/// The job has ended: kills its children and forgets its attempts.
void drop_job(SlotTurn& turn, JobId job);
void drop_all_jobs(SlotTurn& turn);
/// Fails the attempt of the child, and kills the child.
void end_child(SlotTurn& turn, HostedChild& child, const std::string& why);
/// A child did not connect, report progress or exit in time.
void handle_overdue_child(SlotTurn& turn, std::int64_t child);

}  // namespace heddle::actors
