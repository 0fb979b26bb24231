// What allocators ask and are answered, offers of nodes, and what becomes of the scheduler's effects.
#pragma once

#include <string>

#include "actors/resource_manager/cluster_state.hpp"

namespace heddle::actors {

/// Who ended a container: its node reports it, its node is gone, or it was decided here and the node has to be told.
enum class EndCause : std::uint8_t { reported, node_lost, decided };

void handle_allocate_request(ClusterTurn& turn, const AllocateRequest& message);

// -- for other flows ------------------------------------------------------------------------------
/// `text`: why containers end that the scheduler ended.
void apply_decisions(ClusterTurn& turn, const policies::ResourceEffects& effects, EndCause cause,
                     const std::string& text);
/// `end`: of the container that the effect ends, without the exit status.
void apply_decisions(ClusterTurn& turn, const policies::ResourceEffect& effect, EndCause cause,
                     const ContainerEnd& end);
/// True if a container was granted.
bool offer_node(ClusterTurn& turn, NodeId node, policies::OfferCause cause);
/// Something has changed: nodes with room are offered, unless heartbeats alone offer them.
void offer_after_change(ClusterTurn& turn);
/// Something happened there that may have made room.
void mark_candidate(ClusterTurn& turn, NodeId node);
/// Tells the allocator, once, that its next answer has news.
void announce(ClusterTurn& turn, Application& application);
void stop_container(ClusterTurn& turn, ContainerId container, std::int32_t exit_status, const std::string& reason);

}  // namespace heddle::actors
