// Registration, beats and memory checks. What happens to containers: node_manager_containers.cpp.
//
//   looking for a ResourceManager --connected--> registering --RegisteredNode--> beating
//        ^------------------------- connection broke ---------------------------------+
#include "actors/node_manager/node_manager.hpp"

#include <fmt/format.h>

#include "model/container.hpp"
#include "runtime/spawn_role.hpp"

namespace heddle::actors {

using namespace std::chrono_literals;

NodeManager::NodeManager(NodeManagerActor::pointer self, config::NodeManagerSettings settings,
                         runtime::ActorTools tools, NodeManagerStart start)
    : self_{self}, settings_{std::move(settings)}, tools_{std::move(tools)}, start_{std::move(start)} {
  if (start_.publish) start_.address = start_.publish(NodeManagerActor{self_});
}

NodeManagerActor::behavior_type NodeManager::make_behavior() {
  self_->set_down_handler([this](const caf::down_msg& message) { on_peer_down(message.source); });
  connect();
  return {
      [this](const RegisteredNode& message) { on_registered_node(message); },
      [this](const ForgetApplication& message) { on_forget_application(message); },
      [this](const StartContainer& message) { on_start_container(message); },
      [this](const StopContainer& message) { on_stop_container(message); },
      [this](const ProcessEnded& message) { on_process_ended(message); },
      [this](const BeginDecommission&) { on_begin_decommission(); },
      [this](const NodeManagerTick& message) { on_node_manager_tick(message); },
  };
}

void NodeManager::note(std::string_view name, const ports::EventFields& fields) {
  if (tools_.events != nullptr) tools_.events->write(tools_.clock->now(), name, fields);
}

// -- registration ----------------------------------------------------------------

void NodeManager::connect() {
  const Duration patience = settings_.resource_manager_wait;
  self_
      ->request(tools_.connector, patience + Duration{10s},
                ConnectPeer{start_.resource_manager_address, to_milliseconds(patience)})
      .then([this](const caf::strong_actor_ptr& found) { register_node(caf::actor_cast<ResourceManagerActor>(found)); },
            [this](const caf::error&) {
              note("resource_manager_unreachable");
              stop_all("no ResourceManager can be reached");
              self_->quit();
            });
}

void NodeManager::register_node(const ResourceManagerActor& resource_manager) {
  resource_manager_ = resource_manager;
  self_->monitor(resource_manager_);
  say_hello();
}

void NodeManager::say_hello() {
  is_registering_ = true;
  self_->send(resource_manager_,
              RegisterNode{start_.host, start_.rack, start_.address, Resource{settings_.memory_mib, settings_.cores},
                           start_.build_id, is_decommissioning_, start_.extras});
}

void NodeManager::on_registered_node(const RegisteredNode& message) {
  if (message.node.is_none() && !message.epoch.is_none()) {
    if (message.epoch != epoch_ || is_registering_ || !resource_manager_) return note("stale_registered_node");
    note("node_given_up");
    tick_.cancel();
    return say_hello();
  }
  is_registering_ = false;
  if (message.node.is_none()) {
    note("node_refused");
    stop_all("the ResourceManager refuses this node");
    self_->quit();
    return;
  }
  stop_all("the node was registered anew");
  containers_.forget_refused();
  node_ = message.node;
  epoch_ = message.epoch;
  next_memory_check_ = tools_.clock->now() + settings_.memory_check_interval;
  note("node_registered", ports::EventFields{}.add("node", node_));
  beat();
  arm_tick();
}

void NodeManager::on_peer_down(const caf::actor_addr& peer) {
  if (!resource_manager_ || resource_manager_.address() != peer) return;
  note("resource_manager_lost");
  resource_manager_ = nullptr;
  tick_.cancel();
  connect();
}

void NodeManager::on_begin_decommission() {
  if (std::exchange(is_decommissioning_, true)) return;
  note("decommission_begun");
  if (!epoch_.is_none()) beat();
}

// -- timers ------------------------------------------------------------------------

void NodeManager::arm_tick() { tick_.arm<NodeManagerTick>(self_, settings_.heartbeat_interval); }

void NodeManager::on_node_manager_tick(const NodeManagerTick& message) {
  if (!tick_.accept(message.generation)) return;
  const Instant now = tools_.clock->now();
  if (now >= next_memory_check_) {
    next_memory_check_ = now + settings_.memory_check_interval;
    if (settings_.check_physical_memory) check_memory();
  }
  containers_.check_invariants();
  beat();
  arm_tick();
}

void NodeManager::beat() {
  if (resource_manager_)
    self_->send(resource_manager_, NodeHeartbeat{node_, epoch_, containers_.ids(), is_decommissioning_});
}

void NodeManager::check_memory() {
  for (auto& [id, container] : containers_.rows()) {
    if (container.is_stopping) continue;
    const std::int64_t limit = container.resource.memory_mib << 20;
    const std::int64_t used = start_.launcher->resident_bytes(container.process);
    // A fork doubles the sum for a moment; only what lasts, or is far beyond, ends a container.
    const bool is_over = used > limit;
    const bool is_far_over = used > 2 * limit;
    if (is_far_over || (is_over && container.was_over_limit)) {
      note("memory_exceeded", ports::EventFields{}.add("container", id).add("bytes", used));
      stop(container, container_exit_status::physical_memory_exceeded,
           fmt::format("it held {} MiB of {} MiB granted", used >> 20, container.resource.memory_mib));
    }
    container.was_over_limit = is_over;
  }
}

NodeManagerActor spawn_node_manager(caf::actor_system& system, const config::NodeManagerSettings& settings,
                                    const runtime::ActorTools& tools, const NodeManagerStart& start) {
  return runtime::spawn_role<NodeManager>(system, settings, tools, start);
}

}  // namespace heddle::actors
