// Applications and their attempts: submission, master container, registration, end.
#pragma once

#include <set>
#include <string>

#include "actors/resource_manager/cluster_state.hpp"

namespace heddle::actors {

/// Applications of which a client or a master was lost.
struct LostPeers {
  std::set<ApplicationId> clients;
  std::set<ApplicationId> masters;
};

// -- messages, ends of peers ----------------------------------------------------------------------
void submit_application(ClusterTurn& turn, const SubmitApplication& message, bool has_sender);
/// The groups of a user are known: accepts or refuses the user's waiting applications.
void handle_groups_found(ClusterTurn& turn, const GroupsFound& message);
void kill_application(ClusterTurn& turn, const KillApplication& message);
void register_master(ClusterTurn& turn, const RegisterApplicationMaster& message);
void finish_application(ClusterTurn& turn, const FinishApplication& message);
void reload_queues(ClusterTurn& turn, const ReloadQueues& message);
void lose_application_peers(ClusterTurn& turn, const LostPeers& lost);
/// Called after each message: removes the oldest ended applications above completed_applications_max.
void forget_ended_applications(ClusterTurn& turn);

// -- for other flows ------------------------------------------------------------------------------
void start_master(ClusterTurn& turn, Application& application, const policies::ContainerAssigned& assigned);
/// Ends the containers of the attempt. Then starts the next attempt, or ends the application if none is left.
void end_attempt(ClusterTurn& turn, Application& application, std::int32_t exit_status, const std::string& text);
/// If the application has ended and its last container too, its nodes may remove its files (ForgetApplication).
void forget_when_empty(ClusterTurn& turn, Application& application);

}  // namespace heddle::actors
