// Containers of a MapReduceMaster and the task children in them.
#pragma once

#include <string>

#include "actors/map_reduce_master/master_state.hpp"

namespace heddle::actors {

// -- messages, timer, NodeManagers ---------------------------------------------------------------------
void handle_container_started(MasterTurn& turn, const ContainerStarted& message);
void handle_container_not_started(MasterTurn& turn, const ContainerNotStarted& message);
void node_connected(MasterTurn& turn, const std::string& address);
void node_unreachable(MasterTurn& turn, const std::string& address);
void node_disconnected(MasterTurn& turn, const std::string& address);
void give_task(MasterTurn& turn, const GetTask& message);
void handle_progress(MasterTurn& turn, const AttemptProgress& message);
void handle_commit_pending(MasterTurn& turn, const CommitPending& message);
void handle_done(MasterTurn& turn, const AttemptDone& message);
void handle_failed(MasterTurn& turn, const AttemptFailed& message);
void handle_get_map_completions(MasterTurn& turn, const GetMapCompletions& message);
void handle_fetch_failed(MasterTurn& turn, const FetchFailed& message);
void run_child_deadlines(MasterTurn& turn);

// -- for the other flows ---------------------------------------------------------------------------------
void launch_child(MasterTurn& turn, policies::MapReduceAttempt attempt, ContainerId container);
void stop_child(MasterTurn& turn, policies::MapReduceAttempt attempt, ContainerId container);
/// The ResourceManager has answered: attempts that waited for that may commit.
void permit_waiting_commits(MasterTurn& turn);
/// Answers the reduces that wait for completion events, if there are new ones.
void answer_readers(MasterTurn& turn);
/// The container has ended; the allocator has notified its attempt.
void forget_container(MasterTurn& turn, ContainerId container);

}  // namespace heddle::actors
