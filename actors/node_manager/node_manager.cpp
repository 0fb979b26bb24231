// The NodeManager's message handlers. The flows registration_flow.cpp and process_flow.cpp decide what follows;
// node_manager_effects.cpp sends.
#include "actors/node_manager/node_manager.hpp"

#include <utility>

#include "actors/node_manager/memory_flow.hpp"
#include "actors/node_manager/process_flow.hpp"
#include "actors/node_manager/registration_flow.hpp"
#include "runtime/spawn_role.hpp"

namespace heddle::actors {

NodeManager::NodeManager(NodeManagerActor::pointer self, config::NodeManagerSettings settings,
                         runtime::ActorTools tools, NodeManagerStart start)
    : self_{self}, tools_{std::move(tools)}, state_{std::move(settings), std::move(start), tools_.events} {
  if (state_.start.publish) state_.start.address = state_.start.publish(NodeManagerActor{self_});
}

NodeManagerActor::behavior_type NodeManager::make_behavior() {
  self_->set_down_handler([this](const caf::down_msg& message) { on_peer_down(message.source); });
  handle(find_resource_manager);
  return {
      [this](const NodeRegistered& message) { handle(begin_epoch, message); },
      [this](const NodeRefused& message) { handle(leave_refused, message); },
      [this](const RegisterNodeAgain& message) { handle(register_again, message); },
      [this](const ForgetApplication& message) { handle(forget_application, message); },
      [this](const StartContainer& message) { handle(start_container, message); },
      [this](const StopContainer& message) {
        handle([](HostTurn& turn, const StopContainer& stop) { stop_container(turn, stop); }, message);
      },
      [this](const ProcessEnded& message) { handle(handle_process_ended, message); },
      [this](const MemoryMeasured& message) { handle(handle_memory_measured, message); },
      [this](const BeginDecommission&) { handle(begin_decommission); },
      [this](const NodeManagerTick& message) { on_node_manager_tick(message); },
  };
}

template <class Flow, class... Arguments>
void NodeManager::handle(Flow flow, const Arguments&... arguments) {
  HostTurn turn{state_, effects_, tools_.clock->now()};
  flow(turn, arguments...);
  apply_effects(turn);
  if (tools_.checks_invariants) state_.containers.check_invariants();
}

void NodeManager::apply_effects(HostTurn& turn) {
  for (std::size_t next = 0; next < effects_.size(); ++next) {
    auto effect = std::move(effects_[next]);
    std::visit([&](auto& each) { apply(turn, each); }, effect);
  }
  effects_.clear();
}

void NodeManager::on_node_manager_tick(const NodeManagerTick& message) {
  if (tick_.accept(message.epoch)) handle(run_heartbeat);
}

void NodeManager::on_resource_manager_found(bool is_found) {
  handle(is_found ? resource_manager_connected : resource_manager_unreachable);
}

void NodeManager::on_peer_down(const caf::actor_addr& peer) {
  if (!resource_manager_ || resource_manager_.address() != peer) return;
  resource_manager_ = nullptr;
  handle(lose_resource_manager);
}

NodeManagerActor spawn_node_manager(caf::actor_system& system, const config::NodeManagerSettings& settings,
                                    const runtime::ActorTools& tools, const NodeManagerStart& start) {
  return runtime::spawn_role<NodeManager>(system, settings, tools, start);
}

}  // namespace heddle::actors
