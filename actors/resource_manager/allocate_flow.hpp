// AllocateRequest and its answer, offers of nodes, and the effects of the scheduler.
#pragma once

#include <string>

#include "actors/resource_manager/cluster_state.hpp"

namespace heddle::actors {

/// Who ended a container. `decided`: the ResourceManager; the node gets a command to stop it.
enum class EndCause : std::uint8_t { reported, node_lost, decided };

void handle_allocate_request(ClusterTurn& turn, const AllocateRequest& message);

// -- for other flows ------------------------------------------------------------------------------
/// `text`: why containers end that the scheduler ended.
void apply_decisions(ClusterTurn& turn, const policies::ResourceEffects& effects, EndCause cause,
                     const std::string& text);
/// `end`: of the container that the effect ends, without the exit status.
void apply_decisions(ClusterTurn& turn, const policies::ResourceEffect& effect, EndCause cause,
                     const ContainerEnd& end);
/// Offers the free resources of one node to the scheduler. Returns true if a container was granted.
bool offer_node(ClusterTurn& turn, NodeId node, policies::OfferCause cause);
/// Offers all nodes that may have free resources; does nothing unless the setting offer_on_change is on.
void offer_after_change(ClusterTurn& turn);
/// The node may have free resources: offer_after_change offers it.
void mark_candidate(ClusterTurn& turn, NodeId node);
/// Sends AllocationAvailable, at most once per answer: the next AllocateResponse has grants or ends.
void announce(ClusterTurn& turn, Application& application);
void stop_container(ClusterTurn& turn, ContainerId container, std::int32_t exit_status, const std::string& reason);

}  // namespace heddle::actors
