// Applications and their attempts: submission, the master container, registration, the end.
#pragma once

#include <set>
#include <string>

#include "actors/resource_manager/cluster_state.hpp"

namespace heddle::actors {

/// Applications whose peers are one that is gone.
struct LostPeers {
  std::set<ApplicationId> clients;
  std::set<ApplicationId> masters;
};

// -- messages, ends of peers ----------------------------------------------------------------------
void submit_application(ClusterTurn& turn, const SubmitApplication& message, bool has_sender);
/// Applications that waited for the groups of their user are accepted or refused.
void handle_groups_found(ClusterTurn& turn, const GroupsFound& message);
void kill_application(ClusterTurn& turn, const KillApplication& message);
void register_master(ClusterTurn& turn, const RegisterApplicationMaster& message);
void finish_application(ClusterTurn& turn, const FinishApplication& message);
void reload_queues(ClusterTurn& turn, const ReloadQueues& message);
void lose_application_peers(ClusterTurn& turn, const LostPeers& lost);
/// After each message: the oldest of many that have ended are forgotten.
void forget_ended_applications(ClusterTurn& turn);

// -- for other flows ------------------------------------------------------------------------------
void start_master(ClusterTurn& turn, Application& application, const policies::ContainerAssigned& assigned);
/// The attempt is over: its containers end, and another attempt begins or the application ends.
void end_attempt(ClusterTurn& turn, Application& application, std::int32_t exit_status, const std::string& text);
/// An ended application whose last container has ended: its nodes may remove its files.
void forget_when_empty(ClusterTurn& turn, Application& application);

}  // namespace heddle::actors
