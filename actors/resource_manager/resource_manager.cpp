// The ResourceManager's message handlers. The flows decide what follows: node_flow.cpp, application_flow.cpp,
// allocate_flow.cpp, end_flow.cpp, wait_flow.cpp. resource_manager_effects.cpp sends.
#include "actors/resource_manager/resource_manager.hpp"

#include <algorithm>
#include <utility>

#include "actors/resource_manager/allocate_flow.hpp"
#include "actors/resource_manager/application_flow.hpp"
#include "actors/resource_manager/end_flow.hpp"
#include "actors/resource_manager/node_flow.hpp"
#include "runtime/spawn_role.hpp"

namespace heddle::actors {

ResourceManager::ResourceManager(ResourceManagerActor::pointer self, config::ResourceManagerSettings settings,
                                 runtime::ActorTools tools, ResourceManagerStart start)
    : self_{self}, tools_{std::move(tools)}, state_{std::move(settings), tools_, std::move(start)} {}

ResourceManagerActor::behavior_type ResourceManager::make_behavior() {
  self_->set_down_handler([this](const caf::down_msg& message) { on_peer_down(message.source); });
  arm_tick(tools_.clock->now());
  arm_offers_tick();
  return {
      [this](const SubmitApplication& message) { handle(submit_application, message, has_sender()); },
      [this](const KillApplication& message) { handle(kill_application, message); },
      [this](const RegisterApplicationMaster& message) { handle(register_master, message); },
      [this](const FinishApplication& message) { handle(finish_application, message); },
      [this](const AllocateRequest& message) { handle(handle_allocate_request, message); },
      [this](const RegisterNode& message) { handle(register_node, message); },
      [this](const NodeHeartbeat& message) { handle(handle_node_heartbeat, message); },
      [this](const ContainerExited& message) { handle(handle_container_exited, message); },
      [this](const ReloadQueues& message) { handle(reload_queues, message); },
      [this](const GroupsFound& message) { handle(handle_groups_found, message); },
      [this](const ResourceManagerTick& message) { on_resource_manager_tick(message); },
      [this](const ContinuousOffersTick& message) { on_continuous_offers_tick(message); },
  };
}

template <class Flow, class... Arguments>
void ResourceManager::handle(Flow flow, const Arguments&... arguments) {
  ClusterTurn turn{state_, effects_, tools_.clock->now()};
  flow(turn, arguments...);
  after_message(turn);
}

void ResourceManager::after_message(ClusterTurn& turn) {
  forget_ended_applications(turn);
  if (tools_.checks_invariants) state_.check_invariants();
  apply_effects();
  arm_tick(turn.now);
}

void ResourceManager::on_resource_manager_tick(const ResourceManagerTick& message) {
  if (tick_.accept(message.epoch)) handle(run_cluster_tick);
}

void ResourceManager::on_continuous_offers_tick(const ContinuousOffersTick& message) {
  if (!offers_tick_.accept(message.epoch)) return;
  arm_offers_tick();
  handle(run_continuous_offers);
}

void ResourceManager::on_peer_down(const caf::actor_addr& peer) {
  ClusterTurn turn{state_, effects_, tools_.clock->now()};
  const auto is_it = [&](const auto& row) { return row.second.address() == peer; };
  if (const auto node = std::find_if(nodes_.begin(), nodes_.end(), is_it); node != nodes_.end()) {
    lose_node(turn, node->first, "its connection broke");
  } else {
    LostPeers lost;
    for (const auto& row : clients_)
      if (is_it(row)) lost.clients.insert(row.first);
    for (const auto& row : masters_)
      if (is_it(row)) lost.masters.insert(row.first);
    lose_application_peers(turn, lost);
  }
  after_message(turn);
}

ResourceManagerActor spawn_resource_manager(caf::actor_system& system, const config::ResourceManagerSettings& settings,
                                            const runtime::ActorTools& tools, const ResourceManagerStart& start) {
  return runtime::spawn_role<ResourceManager>(system, settings, tools, start);
}

}  // namespace heddle::actors
