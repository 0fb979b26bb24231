// Nodes, timers and the life of the actor. Applications: resource_manager_applications.cpp; ends of containers:
// resource_manager_ends.cpp; answers to allocators and what the scheduler decided: resource_manager_containers.cpp.
#include "actors/resource_manager/resource_manager.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "model/container.hpp"
#include "runtime/spawn_role.hpp"

namespace heddle::actors {

using namespace std::chrono_literals;

ResourceManager::ResourceManager(ResourceManagerActor::pointer self, config::ResourceManagerSettings settings,
                                 runtime::ActorTools tools, ResourceManagerStart start)
    : self_{self},
      settings_{std::move(settings)},
      tools_{std::move(tools)},
      start_{std::move(start)},
      scheduler_{start_.scheduler, tools_.events, tools_.clock},
      nodes_{start_.cluster_start},
      applications_{start_.cluster_start} {}

ResourceManagerActor::behavior_type ResourceManager::make_behavior() {
  self_->set_down_handler([this](const caf::down_msg& message) {
    tell_ends(tools_.clock->now());
    on_peer_down(message.source);
  });
  arm_tick(tools_.clock->now());
  if (const auto sleep = scheduler_->continuous_sleep()) offers_tick_.arm<ContinuousOffersTick>(self_, *sleep);
  return {
      [this](const SubmitApplication& message) { tell_ends(tools_.clock->now()), on_submit_application(message); },
      [this](const KillApplication& message) { tell_ends(tools_.clock->now()), on_kill_application(message); },
      [this](const RegisterApplicationMaster& message) { on_register_application_master(message); },
      [this](const FinishApplication& message) { tell_ends(tools_.clock->now()), on_finish_application(message); },
      [this](const AllocateRequest& message) { on_allocate_request(message); },
      [this](const RegisterNode& message) { tell_ends(tools_.clock->now()), on_register_node(message); },
      [this](const NodeHeartbeat& message) { on_node_heartbeat(message); },
      [this](const ContainerExited& message) { on_container_exited(message); },
      [this](const ReloadQueues& message) { tell_ends(tools_.clock->now()), on_reload_queues(message); },
      [this](const ResourceManagerTick& message) { tell_ends(tools_.clock->now()), on_resource_manager_tick(message); },
      [this](const TellEnds&) { on_tell_ends(); },
      [this](const ContinuousOffersTick& message) {
        tell_ends(tools_.clock->now()), on_continuous_offers_tick(message);
      },
  };
}

void ResourceManager::note(Instant now, std::string_view name, const ports::EventFields& fields) {
  if (tools_.events == nullptr) return;
  scheduler_.flush_records();
  tools_.events->write(now, name, fields);
}

// -- from node managers ----------------------------------------------------------

void ResourceManager::on_register_node(const RegisterNode& message) {
  const Instant now = tools_.clock->now();
  const auto handle = caf::actor_cast<NodeManagerActor>(self_->current_sender());
  if (!start_.build_id.empty() && message.build_id != start_.build_id) {
    note(now, "node_refused");
    self_->send(handle, RegisteredNode{});
    return;
  }
  // The same NodeManager again: it lost us, and all that it ran before is of an older life.
  if (const Node* former = nodes_.find_address(message.address))
    lose_node(now, former->id, "the node registered again");
  const Node& node = nodes_.add(message, handle, now);
  policies::ResourceEffects effects;
  scheduler_.apply(now,
                   policies::resource_input::NodeAdded{{node.id, node.host, node.rack, node.capacity, 0, node.extras}},
                   effects);
  note(now, "node_registered",
       ports::EventFields{}
           .add("node", node.id)
           .add("memory_mib", node.capacity.memory_mib)
           .add("cores", node.capacity.cores));
  self_->monitor(handle);
  self_->send(handle, RegisteredNode{node.id, node.epoch});
  note_room(node.id);
  if (message.is_decommissioning) begin_decommission(now, node.id);
  carry_out(now, effects, EndCause::decided, "");
  offer_after_change(now);
}

void ResourceManager::begin_decommission(Instant now, NodeId node) {
  if (!nodes_.decommission(node)) return;
  note(now, "node_decommissioning", ports::EventFields{}.add("node", node).add("host", nodes_.find(node)->host));
  for (auto& [id, application] : applications_.rows())
    if (application.is_live()) announce(application);
}

void ResourceManager::on_node_heartbeat(const NodeHeartbeat& message) {
  const Instant now = tools_.clock->now();
  Node* node = nodes_.find(message.node, message.epoch);
  if (node == nullptr) {
    // It was given up in its silence, and cannot know that: it may begin a new life.
    note(now, "stale_node_heartbeat", ports::EventFields{}.add("node", message.node));
    return self_->send(caf::actor_cast<NodeManagerActor>(self_->current_sender()),
                       RegisteredNode{NodeId{}, message.epoch});
  }
  if (has_untold_end(message.node)) tell_ends(now);
  node->last_seen = now;
  if (message.is_decommissioning) begin_decommission(now, message.node);
  const std::set<ContainerId> running(message.running.begin(), message.running.end());
  for (const ContainerId container : running) {
    PlacedContainer* placed = nodes_.find_container(container);
    if (placed == nullptr || placed->node != message.node) {
      self_->send(node->handle, StopContainer{container, 0, "the ResourceManager does not know it"});
    } else if (!placed->is_running) {
      placed->is_running = true;
      scheduler_.apply(now, policies::resource_input::ContainerLaunched{container});
    }
  }
  // Its end would have been said before this heartbeat: whatever ran and is not named any more was lost without a word.
  std::vector<ContainerEnd> vanished;
  for (const ContainerId container : node->containers)
    if (nodes_.find_container(container)->is_running && !running.contains(container))
      vanished.push_back({container, container_exit_status::aborted, "its node does not know it any more"});
  end_containers(now, vanished);
  offer_node(now, message.node, policies::OfferCause::heartbeat);
}

void ResourceManager::lose_node(Instant now, NodeId id, const std::string& text) {
  const Node node = *nodes_.find(id);
  note(now, "node_lost", ports::EventFields{}.add("node", id));
  policies::ResourceEffects effects;
  scheduler_.apply(now, policies::resource_input::NodeRemoved{id}, effects);
  carry_out(now, effects, EndCause::node_lost, "node " + node.host + " was lost: " + text);
  nodes_.remove(id);
  std::vector<ApplicationId> without_master;
  for (auto& [number, application] : applications_.rows()) {
    if (application.nodes.erase(id) == 0) continue;
    if (application.is_live() && node.containers.contains(application.master_container))
      without_master.push_back(number);
    for (const ContainerId container : node.containers) application.containers.erase(container);
    application.lost_nodes.push_back({id, node.host});
    if (application.is_live()) announce(application);
    else forget_when_empty(application);
  }
  for (const ApplicationId& each : without_master)
    end_attempt(now, *applications_.find(each), container_exit_status::aborted,
                "the node of the master container was lost: " + text);
}

// -- timers and ends of peers ------------------------------------------------------

void ResourceManager::arm_tick(Instant now) {
  const Duration shortest = std::min({settings_.node_timeout, settings_.master_timeout, settings_.allocation_timeout});
  Duration wait = std::clamp<Duration>(shortest / 4, 10ms, 500ms);
  if (const auto due = scheduler_->next_due()) wait = std::min(wait, std::max<Duration>(*due - now, Duration{0}));
  tick_.arm<ResourceManagerTick>(self_, wait);
}

void ResourceManager::on_resource_manager_tick(const ResourceManagerTick& message) {
  if (!tick_.accept(message.generation)) return;
  const Instant now = tools_.clock->now();
  expire_silent(now);
  expire_unused(now);
  run_scheduler(now);
  explain_waits(now);
  applications_.forget_ended(static_cast<std::size_t>(settings_.completed_applications_max));
  nodes_.check_invariants();
  applications_.check_invariants();
  arm_tick(now);
}

void ResourceManager::on_continuous_offers_tick(const ContinuousOffersTick& message) {
  if (!offers_tick_.accept(message.generation)) return;
  const Instant now = tools_.clock->now();
  for (const NodeId node : scheduler_->continuous_round()) offer_node(now, node, policies::OfferCause::heartbeat);
  offers_tick_.arm<ContinuousOffersTick>(self_, *scheduler_->continuous_sleep());
}

void ResourceManager::run_scheduler(Instant now) {
  const auto due = scheduler_->next_due();
  if (!due || *due > now) return;
  policies::ResourceEffects effects;
  scheduler_.apply(now, policies::resource_input::TimePassed{}, effects);
  carry_out(now, effects, EndCause::decided, "taken back");
  offer_after_change(now);
}

void ResourceManager::expire_silent(Instant now) {
  std::vector<NodeId> silent;
  for (const auto& [id, node] : nodes_.rows())
    if (now - node.last_seen > settings_.node_timeout) silent.push_back(id);
  for (const NodeId id : silent) lose_node(now, id, "it has been silent for too long");
  for (auto& [id, application] : applications_.rows()) {
    if (application.leave_by && *application.leave_by <= now) {
      application.leave_by.reset();
      stop_container(application.master_container, 0, "its application has ended");
    }
    const bool has_master =
        application.phase == ApplicationPhase::launched || application.phase == ApplicationPhase::running;
    if (!has_master || now - application.last_heard <= settings_.master_timeout) continue;
    application.last_heard = now;  // its end is reported by its node, or by the node's own silence
    note(now, "master_expired", ports::EventFields{}.add("application", id));
    stop_container(application.master_container, 0, "the master has been silent for too long");
  }
}

void ResourceManager::expire_unused(Instant now) {
  constexpr const char* text = "it was not used in time";
  std::vector<ContainerEnd> unused;
  for (const auto& [container, placed] : nodes_.containers())
    if (!placed.is_running && !placed.is_master && now - placed.granted_at > settings_.allocation_timeout)
      unused.push_back({container, container_exit_status::aborted, text});
  for (const ContainerEnd& each : unused) stop_container(each.container, each.exit_status, text);
  end_containers(now, unused);
  if (!unused.empty()) offer_after_change(now);
}

void ResourceManager::on_peer_down(const caf::actor_addr& peer) {
  const Instant now = tools_.clock->now();
  if (const Node* node = nodes_.find_handle(peer)) return lose_node(now, node->id, "its connection broke");
  for (auto& [id, application] : applications_.rows()) {
    if (application.client && application.client.address() == peer) application.client = nullptr;
    if (!application.master || application.master.address() != peer) continue;
    application.master = nullptr;
    note(now, "master_lost", ports::EventFields{}.add("attempt", application.attempt_id()));
    // The process may outlive its connection; its node reports the end either way.
    if (application.is_live()) stop_container(application.master_container, 0, "the connection to the master broke");
  }
}

ResourceManagerActor spawn_resource_manager(caf::actor_system& system, const config::ResourceManagerSettings& settings,
                                            const runtime::ActorTools& tools, const ResourceManagerStart& start) {
  return runtime::spawn_role<ResourceManager>(system, settings, tools, start);
}

}  // namespace heddle::actors
