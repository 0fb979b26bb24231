// Shares the nodes of a cluster between applications, and restarts an application whose master container is lost. A
// thin actor over plain parts: a handler reads the clock once, calls a flow and applies its effects in order. The
// resource scheduler of policies/cluster decides.
// Receives from: Client, NodeManager, ApplicationMaster, allocator. Sends to: the same.
#pragma once

#include <caf/typed_event_based_actor.hpp>
#include <map>

#include "actors/resource_manager/cluster_start.hpp"
#include "actors/resource_manager/cluster_state.hpp"
#include "messages/handles.hpp"
#include "runtime/actor_tools.hpp"
#include "runtime/timers.hpp"

namespace heddle::actors {

class ResourceManager {
public:
  using Handle = ResourceManagerActor;
  ResourceManager(ResourceManagerActor::pointer self, config::ResourceManagerSettings settings,
                  runtime::ActorTools tools, ResourceManagerStart start);
  ResourceManagerActor::behavior_type make_behavior();

private:
  // -- messages, timers, lost peers (resource_manager.cpp) --------------------------------------
  void on_resource_manager_tick(const ResourceManagerTick& message);
  void on_continuous_offers_tick(const ContinuousOffersTick& message);
  void on_peer_down(const caf::actor_addr& peer);
  /// Reads the clock, calls flow(turn, arguments…), applies the effects and arms the timer for the next deadline.
  template <class Flow, class... Arguments>
  void handle(Flow flow, const Arguments&... arguments);
  void after_message(ClusterTurn& turn);

  // -- messages, monitors, timers (resource_manager_effects.cpp) ---------------------------------
  void apply_effects();
  void apply(const AddNode& effect);
  void apply(const DropNode& effect);
  void apply(SendToNode& effect);
  void apply(ReplyToNode& effect);
  void apply(const AddClient& effect);
  void apply(const AddMaster& effect);
  void apply(const AddAllocator& effect);
  void apply(const DropApplication& effect);
  void apply(SendToApplicant& effect);
  void apply(SendToMaster& effect);
  void apply(ReplyToMaster& effect);
  void apply(SendToAllocator& effect);
  void apply(ReplyToAllocator& effect);
  void apply(const LookUpGroups& effect);
  void arm_tick(Instant now);
  void arm_offers_tick();
  [[nodiscard]] bool has_sender() const;

  // -- state ---------------------------------------------------------------------------------------
  ResourceManagerActor::pointer self_;
  runtime::ActorTools tools_;
  ClusterState state_;
  ClusterEffects effects_;
  std::map<NodeId, NodeManagerActor> nodes_;
  std::map<ApplicationId, ClientActor> clients_;
  std::map<ApplicationId, ApplicationMasterActor> masters_;  // of the last attempt that registered
  std::map<ApplicationId, AllocatorActor> allocators_;       // of the last attempt that sent an AllocateRequest
  runtime::DeadlineTimer tick_;
  runtime::Timer offers_tick_;  // for the next continuous scheduling round (YARN continuous scheduling)
};

}  // namespace heddle::actors
