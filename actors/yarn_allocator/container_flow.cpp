#include "actors/yarn_allocator/container_flow.hpp"

#include <fmt/format.h>

#include <utility>

#include "actors/yarn_allocator/request_flow.hpp"
#include "policies/containers/executor_loss.hpp"

namespace heddle::actors {
namespace {

/// Exit status of a container whose executor did not register; counts as a failure of the executor.
constexpr std::int32_t start_expired_status = 1;

// -- starting executors --------------------------------------------------------------

void start_container(AllocatorTurn& turn, const policies::LaunchExecutor& launch, const GrantedContainer& granted) {
  auto& state = turn.state;
  state.grants.set_occupant(launch.container, launch.executor);
  ContainerLaunch how{state.start.settings, state.start.log_directory,
                      ExecutorLaunch{launch.executor, state.cores_of_profile.at(launch.profile), launch.profile,
                                     state.start.driver_address, state.start.first_shuffle}};
  state.grants.await_start(launch.container, turn.now + state.settings.executor_start_timeout);
  turn.effects.push_back(
      SendToNodeManager{granted.node_address, StartContainer{launch.container, state.start.attempt, granted.resource,
                                                             state.registered->token, std::move(how)}});
  state.grants.find(launch.container)->is_start_answered = false;
  turn.write_event("executor_starting",
                   ports::EventFields{}.add("executor", launch.executor).add("container", launch.container));
}

void launch_executor(AllocatorTurn& turn, const policies::LaunchExecutor& launch) {
  const GrantedContainer granted = turn.state.grants.find(launch.container)->container;
  auto& nodes = turn.state.nodes;
  if (nodes.is_open(granted.node_address)) return start_container(turn, launch, granted);
  if (nodes.wait_for(granted.node_address, launch)) turn.effects.push_back(OpenNodeConnection{granted.node_address});
}

void start_failed(AllocatorTurn& turn, Grant& grant, const std::string& reason) {
  const ContainerId container = grant.container.container;
  turn.state.grants.stop_awaiting(container);
  grant.is_start_answered = true;
  grant.start_failure = reason;
  turn.write_event("executor_start_failed", ports::EventFields{}.add("container", container).add("reason", reason));
  policies::ContainerEffects effects;
  turn.state.allocator.apply(turn.now, policies::container_input::ExecutorStartFailed{container}, effects);
  apply_decisions(turn, effects);
}

/// The container ended before its NodeManager was connected, so it is not started.
void skip_start(AllocatorTurn& turn, ContainerId container) {
  turn.state.allocator.apply(turn.now, policies::container_input::ExecutorStarted{container});
}

// -- losses ---------------------------------------------------------------------------

void report_removed(AllocatorTurn& turn, const Grant& grant, ExecutorLoss loss) {
  const bool is_node_lost = turn.state.lost_nodes.contains(grant.container.node);
  if (grant.killed) loss.end.diagnostics = *grant.killed;
  if (loss.reason.by_application) turn.state.last_failure = describe(loss.end);
  loss.reason = policies::classify_loss(loss.end.exit_status, loss.reason.by_application,
                                        {grant.killed.has_value(), is_node_lost, grant.start_failure.has_value()});
  turn.write_event("executor_removed",
                   ports::EventFields{}.add("executor", *grant.occupant).add("exit_status", loss.end.exit_status));
  turn.effects.push_back(SendToDriver{RemoveExecutor{*grant.occupant, std::move(loss)}});
}

/// The end of a container whose executor failed to start.
ContainerEnd failed_start(const std::string& failure, ContainerEnd end) {
  if (end.diagnostics.empty()) end.diagnostics = failure;
  else if (!end.diagnostics.starts_with(failure)) end.diagnostics = failure + " (" + end.diagnostics + ")";
  return end;
}

// -- parts of an AllocateResponse, in this order -----------------------------------------

/// Stores the number of nodes. False if it equals the last one and the answer has nothing about containers and nodes.
bool has_news(AllocatorTurn& turn, const AllocateResponse& message) {
  const auto nodes_before = std::exchange(turn.state.cluster_nodes, message.cluster_nodes);
  return nodes_before != message.cluster_nodes || !message.allocated.empty() || !message.completed.empty() ||
         !message.updated_nodes.empty();
}

void handle_cluster(AllocatorTurn& turn, const AllocateResponse& message) {
  std::vector<std::string> decommissioning_hosts;
  for (const NodeUpdate& update : message.updated_nodes)
    if (update.condition == NodeCondition::decommissioning) decommissioning_hosts.push_back(update.host);
  policies::ContainerEffects effects;
  turn.state.allocator.apply(turn.now,
                             policies::container_input::CallAnswered{
                                 {message.response_id, {}, {}, message.cluster_nodes, decommissioning_hosts}},
                             effects);
  apply_decisions(turn, effects);
}

void handle_grants(AllocatorTurn& turn, const AllocateResponse& message) {
  auto& state = turn.state;
  std::vector<ContainerGrant> batch;
  for (const GrantedContainer& granted : message.allocated) {
    state.grants.add(granted);
    batch.push_back({granted.container, granted.host, ProfileId{granted.priority}});
  }
  policies::ContainerEffects effects;
  state.allocator.apply(turn.now, policies::container_input::ContainersGranted{batch}, effects);
  apply_decisions(turn, effects);
  // One at a time: each started executor counts when the next container is decided.
  for (;;) {
    policies::ContainerEffects next;
    if (!state.allocator.apply(turn.now, policies::container_input::LaunchDue{}, next)) break;
    apply_decisions(turn, next);
  }
}

void handle_ends(AllocatorTurn& turn, const AllocateResponse& message) {
  auto& state = turn.state;
  for (const NodeUpdate& update : message.updated_nodes)
    if (update.condition == NodeCondition::lost) state.lost_nodes.insert(update.node);
  std::vector<CompletedContainer> batch = message.completed;
  for (auto& [container, end] : batch) {
    if (Grant* grant = state.grants.find(container)) {
      mark_started(turn, *grant);  // an ended container counts as started, also if its node has not answered yet
      if (grant->exit_status) end.exit_status = *grant->exit_status;
      if (!grant->start_failure && state.grants.is_awaiting(container) &&
          policies::blame_of(end.exit_status) != policies::Blame::nobody)
        grant->start_failure = fmt::format("it ended on {} before it registered", grant->container.host);
      if (grant->start_failure) {
        end = failed_start(*grant->start_failure, std::move(end));
        state.last_failure = describe(end);
      }
    }
  }
  policies::ContainerEffects effects;
  state.allocator.apply(turn.now, policies::container_input::ContainersEnded{batch}, effects);
  apply_decisions(turn, effects);
  for (const auto& [container, end] : message.completed) {
    const Grant* grant = state.grants.find(container);
    if (grant != nullptr && grant->killed && grant->occupant)
      report_removed(turn, *grant, {{LossKind::killed, false}, end});
    state.grants.remove(container);
  }
  for (const NodeUpdate& update : message.updated_nodes)  // after the ends of its containers, which were lost with it
    if (is_usable(update.condition)) state.lost_nodes.erase(update.node);
  if (!message.completed.empty()) state.loop.request_again();  // request replacements now, not after the next interval
  for (const NodeUpdate& update : message.updated_nodes)
    if (update.condition == NodeCondition::lost)
      turn.effects.push_back(SendToDriver{RemoveNode{update.node, update.host}});
}

}  // namespace

// -- messages -------------------------------------------------------------------------------

void handle_allocate_response(AllocatorTurn& turn, const AllocateResponse& message) {
  auto& state = turn.state;
  if (state.loop.phase() != policies::AllocateLoop::Phase::unanswered)
    return turn.write_event("stale_allocate_response", ports::EventFields{}.add("response_id", message.response_id));
  // The client gets the end of the application from the ResourceManager, or a next attempt follows. Neither is an
  // AllocationFailed for the Driver.
  if (message.registration == AttemptRegistration::unknown_attempt)
    return end_application(turn, false, "the ResourceManager no longer knows this application attempt");
  if (message.registration == AttemptRegistration::not_registered) return register_again(turn);
  if (!state.loop.on_answer(message.response_id))
    return turn.write_event("stale_allocate_response", ports::EventFields{}.add("response_id", message.response_id));
  if (has_news(turn, message)) {
    handle_cluster(turn, message);
    handle_grants(turn, message);
    handle_ends(turn, message);
    if (end_if_hopeless(turn)) return;
  }
  arm_reporter_tick(turn);
  if (state.loop.requests_again()) ask_soon(turn);
}

void handle_container_started(AllocatorTurn& turn, const ContainerStarted& message) {
  Grant* grant = turn.state.grants.find(message.container);
  if (grant == nullptr || grant->is_start_answered)
    return turn.write_event("stale_container_started", ports::EventFields{}.add("container", message.container));
  mark_started(turn, *grant);
}

void handle_container_not_started(AllocatorTurn& turn, const ContainerNotStarted& message) {
  Grant* grant = turn.state.grants.find(message.container);
  if (grant == nullptr || grant->is_start_answered)
    return turn.write_event("stale_container_not_started", ports::EventFields{}.add("container", message.container));
  start_failed(turn, *grant, message.text);
  ask_soon(turn);
}

void node_connected(AllocatorTurn& turn, const std::string& address) {
  auto& grants = turn.state.grants;
  for (const policies::LaunchExecutor& launch : turn.state.nodes.open(address)) {
    if (const Grant* grant = grants.find(launch.container))
      start_container(turn, launch, GrantedContainer{grant->container});
    else skip_start(turn, launch.container);
  }
}

void node_unreachable(AllocatorTurn& turn, const std::string& address) {
  for (const policies::LaunchExecutor& launch : turn.state.nodes.drop(address)) {
    Grant* grant = turn.state.grants.find(launch.container);
    if (grant == nullptr) {
      skip_start(turn, launch.container);
      continue;
    }
    start_failed(turn, *grant, "the NodeManager at " + address + " cannot be reached");
  }
  ask_soon(turn);
}

void node_disconnected(AllocatorTurn& turn, const std::string& address) {
  auto& state = turn.state;
  state.nodes.drop(address);
  for (const auto& [container, grant] : state.grants.rows())
    if (grant.container.node_address == address && grant.exit_status) state.stops.push_back(container);
  if (!state.stops.empty()) ask_soon(turn);
}

// -- for the other flow ------------------------------------------------------------------------

void apply_decisions(AllocatorTurn& turn, const policies::ContainerEffects& effects) {
  auto& state = turn.state;
  for (const policies::ContainerEffect& effect : effects) {
    if (const auto* start = std::get_if<policies::LaunchExecutor>(&effect)) {
      launch_executor(turn, *start);
    } else if (std::holds_alternative<policies::ReleaseContainer>(effect)) {
      state.loop.request_again();  // the next request has the release; other applications wait for its resources
    } else if (const auto* removed = std::get_if<policies::ReportExecutorRemoved>(&effect)) {
      if (const Grant* grant = state.grants.find_occupant(removed->executor))
        report_removed(turn, *grant, removed->loss);
    } else if (const auto* leaving = std::get_if<policies::ReportHostDecommissioning>(&effect)) {
      turn.effects.push_back(SendToDriver{DecommissionHost{leaving->host}});
    }
  }
}

void mark_started(AllocatorTurn& turn, Grant& grant) {
  if (std::exchange(grant.is_start_answered, true)) return;
  turn.state.allocator.apply(turn.now, policies::container_input::ExecutorStarted{grant.container.container});
}

void stop_slow_starts(AllocatorTurn& turn) {
  auto& state = turn.state;
  while (const auto due = state.grants.take_slow_start(turn.now)) {
    const ContainerId container = *due;
    Grant& grant = *state.grants.find(container);
    turn.write_event("executor_start_expired",
                     ports::EventFields{}.add("executor", *grant.occupant).add("container", container));
    mark_started(turn, grant);  // the process may run, so only a container end completes the start
    grant.exit_status = start_expired_status;
    grant.start_failure = fmt::format("its executor did not register within {} ms",
                                      to_milliseconds(state.settings.executor_start_timeout));
    const std::string& address = grant.container.node_address;
    if (state.nodes.is_open(address))
      turn.effects.push_back(
          SendToNodeManager{address, StopContainer{container, start_expired_status, *grant.start_failure}});
    else state.stops.push_back(container);
  }
}

}  // namespace heddle::actors
