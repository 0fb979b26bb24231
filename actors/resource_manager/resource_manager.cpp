// Nodes, timers and the life of the actor. Applications: resource_manager_applications.cpp; ends of containers:
// resource_manager_ends.cpp; answers to allocators and what the scheduler decided: resource_manager_containers.cpp.
#include "actors/resource_manager/resource_manager.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "model/container.hpp"
#include "runtime/spawn_role.hpp"

namespace heddle::actors {

ResourceManager::ResourceManager(ResourceManagerActor::pointer self, config::ResourceManagerSettings settings,
                                 runtime::ActorTools tools, ResourceManagerStart start)
    : self_{self},
      settings_{std::move(settings)},
      tools_{std::move(tools)},
      start_{std::move(start)},
      scheduler_{start_.scheduler, tools_.events, tools_.clock},
      nodes_{start_.cluster_start, {settings_.node_timeout, settings_.allocation_timeout}},
      applications_{start_.cluster_start, settings_.master_timeout} {}

ResourceManagerActor::behavior_type ResourceManager::make_behavior() {
  self_->set_down_handler([this](const caf::down_msg& message) {
    const Instant now = tools_.clock->now();
    on_peer_down(now, message.source);
    after_message(now);
  });
  after_message(tools_.clock->now());
  if (const auto sleep = scheduler_->continuous_sleep()) offers_tick_.arm<ContinuousOffersTick>(self_, *sleep);
  using Role = ResourceManager;
  return {
      [this](const SubmitApplication& message) { handle(&Role::on_submit_application, message); },
      [this](const KillApplication& message) { handle(&Role::on_kill_application, message); },
      [this](const RegisterApplicationMaster& message) { handle(&Role::on_register_application_master, message); },
      [this](const FinishApplication& message) { handle(&Role::on_finish_application, message); },
      [this](const AllocateRequest& message) { handle(&Role::on_allocate_request, message); },
      [this](const RegisterNode& message) { handle(&Role::on_register_node, message); },
      [this](const NodeHeartbeat& message) { handle(&Role::on_node_heartbeat, message); },
      [this](const ContainerExited& message) { handle(&Role::on_container_exited, message); },
      [this](const ReloadQueues& message) { handle(&Role::on_reload_queues, message); },
      [this](const ResourceManagerTick& message) { handle(&Role::on_resource_manager_tick, message); },
      [this](const TellEnds& message) { handle(&Role::on_tell_ends, message); },
      [this](const ContinuousOffersTick& message) { handle(&Role::on_continuous_offers_tick, message); },
  };
}

template <class Message>
void ResourceManager::handle(void (ResourceManager::*handler)(Instant, const Message&), const Message& message) {
  const Instant now = tools_.clock->now();
  (this->*handler)(now, message);
  after_message(now);
}

void ResourceManager::after_message(Instant now) {
  if (std::exchange(has_ended_applications_, false))
    applications_.forget_ended(static_cast<std::size_t>(settings_.completed_applications_max));
  if (tools_.checks_invariants) {
    nodes_.check_invariants();
    applications_.check_invariants();
    scheduler_->check_invariants();
  }
  arm_tick(now);
}

void ResourceManager::note(Instant now, std::string_view name, const ports::EventFields& fields) {
  if (tools_.events == nullptr) return;
  scheduler_.flush_records();
  tools_.events->write(now, name, fields);
}

// -- from node managers ----------------------------------------------------------

void ResourceManager::on_register_node(Instant now, const RegisterNode& message) {
  tell_ends(now);
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
  apply_effects(now, effects, EndCause::decided, "");
  offer_after_change(now);
}

void ResourceManager::begin_decommission(Instant now, NodeId node) {
  if (!nodes_.decommission(node)) return;
  note(now, "node_decommissioning", ports::EventFields{}.add("node", node).add("host", nodes_.find(node)->host));
  for (auto& [id, application] : applications_.rows())
    if (application.is_live()) announce(application);
}

void ResourceManager::on_node_heartbeat(Instant now, const NodeHeartbeat& message) {
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
  if (scheduler_->needs_offer(message.node)) offer_node(now, message.node, policies::OfferCause::heartbeat);
}

void ResourceManager::lose_node(Instant now, NodeId id, const std::string& text) {
  const Node node = *nodes_.find(id);
  note(now, "node_lost", ports::EventFields{}.add("node", id));
  policies::ResourceEffects effects;
  scheduler_.apply(now, policies::resource_input::NodeRemoved{id}, effects);
  apply_effects(now, effects, EndCause::node_lost, "node " + node.host + " was lost: " + text);
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
  std::optional<Instant> due;
  for (const auto& each : {nodes_.next_due(), applications_.next_due(), scheduler_->next_due()})
    if (each && (!due || *each < *due)) due = each;
  if (!due || (tick_due_ && *tick_due_ <= *due)) return;
  tick_due_ = due;
  tick_.arm<ResourceManagerTick>(self_, std::max<Duration>(*due - now, Duration{0}));
}

void ResourceManager::on_resource_manager_tick(Instant now, const ResourceManagerTick& message) {
  if (!tick_.accept(message.generation)) return;
  tick_due_.reset();
  tell_ends(now);
  for (const NodeId id : nodes_.take_silent(now)) lose_node(now, id, "it has been silent for too long");
  while (Application* application = applications_.take_due(now)) expire_application(now, *application);
  expire_unused(now);
  run_scheduler(now);
}

void ResourceManager::on_continuous_offers_tick(Instant now, const ContinuousOffersTick& message) {
  if (!offers_tick_.accept(message.generation)) return;
  tell_ends(now);
  for (const NodeId node : scheduler_->continuous_round()) offer_node(now, node, policies::OfferCause::heartbeat);
  offers_tick_.arm<ContinuousOffersTick>(self_, *scheduler_->continuous_sleep());
}

void ResourceManager::run_scheduler(Instant now) {
  const auto due = scheduler_->next_due();
  if (!due || *due > now) return;
  policies::ResourceEffects effects;
  scheduler_.apply(now, policies::resource_input::TimePassed{}, effects);
  apply_effects(now, effects, EndCause::decided, "taken back");
  offer_after_change(now);
}

void ResourceManager::expire_application(Instant now, Application& application) {
  if (application.leave_by && *application.leave_by <= now) {
    application.leave_by.reset();
    stop_container(application.master_container, 0, "its application has ended");
  }
  if (application.has_master() && now - application.last_heard >= settings_.master_timeout) {
    application.last_heard = now;  // its end is reported by its node, or by the node's own silence
    note(now, "master_expired", ports::EventFields{}.add("application", application.id));
    stop_container(application.master_container, 0, "the master has been silent for too long");
  }
  explain_wait(now, application);
  applications_.schedule(application);
}

void ResourceManager::expire_unused(Instant now) {
  constexpr const char* text = "it was not used in time";
  std::vector<ContainerEnd> unused;
  for (const ContainerId container : nodes_.take_unused(now))
    unused.push_back({container, container_exit_status::aborted, text});
  for (const ContainerEnd& each : unused) stop_container(each.container, each.exit_status, text);
  end_containers(now, unused);
  if (!unused.empty()) offer_after_change(now);
}

void ResourceManager::on_peer_down(Instant now, const caf::actor_addr& peer) {
  tell_ends(now);
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
