// All messages that the NodeManager sends, its monitor, its timer, and the start and stop of processes.
#include <utility>

#include "actors/node_manager/node_manager.hpp"
#include "actors/node_manager/process_flow.hpp"
#include "runtime/net/connect_peer.hpp"

namespace heddle::actors {

void NodeManager::apply(HostTurn&, const FindResourceManager&) {
  runtime::connect_peer<ResourceManagerActor>(self_, tools_.connector, state_.start.resource_manager_address,
                                              state_.settings.resource_manager_wait,
                                              [this](const ResourceManagerActor& found) {
                                                if (found) resource_manager_ = found;
                                                on_resource_manager_found(static_cast<bool>(found));
                                              });
}

void NodeManager::apply(HostTurn&, SendToResourceManager& effect) {
  if (!resource_manager_) return;
  std::visit([this](auto& each) { self_->send(resource_manager_, std::move(each)); }, effect.message);
}

void NodeManager::apply(HostTurn&, AnswerStart& effect) {
  const auto asker = caf::actor_cast<ContainerStarterActor>(self_->current_sender());
  if (!asker || (resource_manager_ && resource_manager_.address() == asker.address())) return;
  std::visit([&](auto& each) { self_->send(asker, std::move(each)); }, effect.message);
}

void NodeManager::apply(HostTurn& turn, const LaunchProcess& effect) {
  // The callback runs on a thread of the launcher, maybe after this actor has ended; hence the weak pointer.
  const auto self = caf::actor_cast<caf::weak_actor_ptr>(self_);
  const auto on_end = [self](std::int64_t number, ProcessEnd end) {
    if (const auto alive = caf::actor_cast<caf::strong_actor_ptr>(self))
      caf::anon_send(caf::actor_cast<NodeManagerActor>(alive), ProcessEnded{number, end});
  };
  handle_launched(turn, effect, state_.start.launcher->start(effect.context, on_end));
}

void NodeManager::apply(HostTurn&, const StopProcess& effect) {
  state_.start.launcher->stop(effect.process, to_milliseconds(state_.settings.kill_wait));
}

void NodeManager::apply(HostTurn&, const MeasureMemory& effect) {
  const auto self = caf::actor_cast<caf::weak_actor_ptr>(self_);
  state_.start.launcher->measure(effect.processes, [self](const std::vector<ports::ProcessMemory>& measured) {
    const auto alive = caf::actor_cast<caf::strong_actor_ptr>(self);
    if (!alive) return;
    MemoryMeasured message;
    for (const auto& each : measured) message.processes.push_back({each.process, each.resident_bytes});
    caf::anon_send(caf::actor_cast<NodeManagerActor>(alive), std::move(message));
  });
}

void NodeManager::apply(HostTurn&, const ArmHeartbeat&) {
  tick_.arm_shared<NodeManagerTick>(self_, state_.settings.heartbeat_interval);
}

void NodeManager::apply(HostTurn&, const CancelHeartbeat&) { tick_.cancel(); }

void NodeManager::apply(HostTurn&, const LeaveHost&) { self_->quit(); }

}  // namespace heddle::actors
