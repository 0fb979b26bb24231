// Nodes: registration, heartbeats, loss; timers.
#include "actors/resource_manager/node_flow.hpp"

#include <fmt/format.h>

#include <set>
#include <vector>

#include "actors/resource_manager/allocate_flow.hpp"
#include "actors/resource_manager/application_flow.hpp"
#include "actors/resource_manager/end_flow.hpp"
#include "actors/resource_manager/wait_flow.hpp"
#include "model/container_end.hpp"

namespace heddle::actors {
namespace {

void run_scheduler(ClusterTurn& turn) {
  auto& state = turn.state;
  const auto due = state.scheduler->next_due();
  if (!due || *due > turn.now) return;
  policies::ResourceEffects effects;
  state.scheduler.apply(turn.now, policies::resource_input::TimePassed{}, effects);
  apply_decisions(turn, effects, EndCause::decided, "the scheduler released it");
  offer_after_change(turn);
}

void expire_application(ClusterTurn& turn, Application& application) {
  auto& state = turn.state;
  if (application.leave_by && *application.leave_by <= turn.now) {
    application.leave_by.reset();
    stop_container(turn, application.master_container, 0, "its application has ended");
  }
  if (application.has_master() && turn.now - application.last_heard >= state.settings.master_timeout) {
    application.last_heard =
        turn.now;  // the end comes from the node, or from the node's own timeout; this only avoids a second stop
    turn.write_event("master_expired", ports::EventFields{}.add("application", application.id));
    stop_container(turn, application.master_container, 0,
                   "no message from the application master within heddle.resource_manager.master_timeout");
  }
  explain_wait(turn, application);
  state.applications.schedule(application);
}

void expire_unused(ClusterTurn& turn) {
  auto& state = turn.state;
  constexpr const char* text = "it did not start within heddle.resource_manager.allocation_timeout";
  std::vector<CompletedContainer> unused;
  for (const ContainerId container : state.nodes.take_unused(turn.now))
    unused.push_back({container, {container_exit_status::aborted, text}});
  for (const CompletedContainer& each : unused) stop_container(turn, each.container, each.end.exit_status, text);
  for (const CompletedContainer& each : unused) end_container(turn, each);
  if (!unused.empty()) offer_after_change(turn);
}

void begin_decommission(ClusterTurn& turn, NodeId node) {
  auto& state = turn.state;
  if (!state.nodes.decommission(node)) return;
  const std::string& host = state.nodes.find(node)->host;
  turn.write_event("node_decommissioning", ports::EventFields{}.add("node", node).add("host", host));
  for (auto& [id, application] : state.applications.rows()) {
    if (!application.is_live()) continue;
    application.updated_nodes.insert_or_assign(node, NodeUpdate{node, host, NodeCondition::decommissioning});
    announce(turn, application);
  }
}

/// Applies the differences between the containers that the node lists and those that are known to run there.
void compare_containers(ClusterTurn& turn, const Node& node, const std::vector<ContainerId>& listed) {
  auto& state = turn.state;
  const std::set<ContainerId> running(listed.begin(), listed.end());
  for (const ContainerId container : running) {
    const PlacedContainer* placed = state.nodes.find_container(container);
    if (placed == nullptr || placed->node != node.id) {
      turn.effects.push_back(SendToNode{node.id, StopContainer{container, 0, "the ResourceManager does not know it"}});
    } else if (!placed->is_running) {
      state.nodes.mark_running(container);
      state.scheduler.apply(turn.now, policies::resource_input::ContainerLaunched{container});
    }
  }
  // The node reports ends before it sends a heartbeat. A container that ran and is not listed has no end to wait for.
  std::vector<CompletedContainer> vanished;
  for (const ContainerId container : node.running)
    if (!running.contains(container))
      vanished.push_back({container, {container_exit_status::aborted, "its node no longer reports it"}});
  for (const CompletedContainer& each : vanished) end_container(turn, each);
}

}  // namespace

// -- from NodeManagers -----------------------------------------------------------

void register_node(ClusterTurn& turn, const RegisterNode& message) {
  auto& state = turn.state;
  if (!state.start.build_id.empty() && message.build_id != state.start.build_id) {
    const std::string reason = fmt::format("its build of heddle is {}, that of the ResourceManager is {}",
                                           message.build_id, state.start.build_id);
    turn.write_event("node_refused", ports::EventFields{}.add("host", message.host).add("reason", reason));
    turn.effects.push_back(ReplyToNode{NodeRefused{reason}});
    return;
  }
  // The same NodeManager lost its connection. It kills its old containers, so the former node counts as lost.
  if (const Node* former = state.nodes.find_address(message.address))
    lose_node(turn, former->id, "the node registered again");
  const Node& node = state.nodes.add(message, turn.now);
  policies::ResourceEffects effects;
  state.scheduler.apply(
      turn.now, policies::resource_input::NodeAdded{{node.id, node.host, node.rack, node.capacity, 0}}, effects);
  turn.write_event("node_registered", ports::EventFields{}
                                          .add("node", node.id)
                                          .add("memory_mib", node.capacity.memory_mib)
                                          .add("cores", node.capacity.cores));
  turn.effects.push_back(AddNode{node.id});
  turn.effects.push_back(SendToNode{node.id, NodeRegistered{node.id, node.epoch}});
  mark_candidate(turn, node.id);
  if (message.is_decommissioning) begin_decommission(turn, node.id);
  apply_decisions(turn, effects, EndCause::decided, "");
  offer_after_change(turn);
}

void handle_node_heartbeat(ClusterTurn& turn, const NodeHeartbeat& message) {
  auto& state = turn.state;
  Node* node = state.nodes.find(message.node, message.epoch);
  if (node == nullptr) {
    // The node counts as lost, but its NodeManager does not know that. The answer asks it to register again.
    turn.write_event("stale_node_heartbeat", ports::EventFields{}.add("node", message.node));
    turn.effects.push_back(ReplyToNode{RegisterNodeAgain{message.epoch}});
    return;
  }
  node->last_seen = turn.now;
  if (message.is_decommissioning) begin_decommission(turn, message.node);
  if (message.running != node->running) compare_containers(turn, *node, message.running);
  if (state.scheduler->needs_offer(message.node)) offer_node(turn, message.node, policies::OfferCause::heartbeat);
}

void lose_node(ClusterTurn& turn, NodeId id, const std::string& text) {
  auto& state = turn.state;
  const Node node = *state.nodes.find(id);
  turn.write_event("node_lost", ports::EventFields{}.add("node", id));
  policies::ResourceEffects effects;
  state.scheduler.apply(turn.now, policies::resource_input::NodeRemoved{id}, effects);
  apply_decisions(turn, effects, EndCause::node_lost, "node " + node.host + " was lost: " + text);
  state.nodes.remove(id);
  turn.effects.push_back(DropNode{id});
  std::vector<ApplicationId> without_master;
  for (auto& [number, application] : state.applications.rows()) {
    application.updated_nodes.erase(id);
    if (application.nodes.erase(id) == 0) continue;
    if (application.is_live() && node.containers.contains(application.master_container))
      without_master.push_back(number);
    for (const ContainerId container : node.containers) application.containers.erase(container);
    application.updated_nodes.insert_or_assign(id, NodeUpdate{id, node.host, NodeCondition::lost});
    if (application.is_live()) announce(turn, application);
    else forget_when_empty(turn, application);
  }
  for (const ApplicationId& each : without_master)
    end_attempt(turn, *state.applications.find(each), container_exit_status::aborted,
                "the node of the master container was lost: " + text);
}

// -- timers --------------------------------------------------------------------------

void run_cluster_tick(ClusterTurn& turn) {
  auto& state = turn.state;
  for (const NodeId id : state.nodes.take_silent(turn.now))
    lose_node(turn, id, "no heartbeat within heddle.resource_manager.node_timeout");
  while (Application* application = state.applications.take_due(turn.now)) expire_application(turn, *application);
  expire_unused(turn);
  run_scheduler(turn);
}

void run_continuous_offers(ClusterTurn& turn) {
  auto& state = turn.state;
  for (const NodeId node : state.scheduler->continuous_round()) offer_node(turn, node, policies::OfferCause::heartbeat);
}

}  // namespace heddle::actors
