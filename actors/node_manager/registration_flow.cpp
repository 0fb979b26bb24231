#include "actors/node_manager/registration_flow.hpp"

#include <fmt/format.h>

#include <utility>

#include "actors/node_manager/process_flow.hpp"
#include "model/container_end.hpp"

namespace heddle::actors {
namespace {

void send_registration(HostTurn& turn) {
  auto& state = turn.state;
  state.is_registering = true;
  turn.effects.push_back(
      SendToResourceManager{RegisterNode{state.start.host, state.start.rack, state.start.address,
                                         Resource{state.settings.memory_mib, state.settings.cores},
                                         state.start.build_id, state.is_decommissioning, state.start.extras}});
}

/// Skips this check while a measurement runs: a read of /proc can hang as long as a process does.
void check_memory(HostTurn& turn) {
  auto& state = turn.state;
  if (state.is_measuring) {
    if (!std::exchange(state.is_measurement_late, true)) turn.write_event("memory_measurement_late");
    return;
  }
  MeasureMemory effect;
  for (const auto& [id, container] : state.containers.rows())
    if (!container.is_stopping) effect.processes.push_back(container.process);
  if (effect.processes.empty()) return;
  state.is_measuring = true;
  turn.effects.push_back(std::move(effect));
}

}  // namespace

// -- the ResourceManager -----------------------------------------------------------------------------

void find_resource_manager(HostTurn& turn) { turn.effects.push_back(FindResourceManager{}); }

void resource_manager_connected(HostTurn& turn) {
  turn.state.is_connected = true;
  send_registration(turn);
}

void resource_manager_unreachable(HostTurn& turn) {
  turn.write_event("resource_manager_unreachable");
  stop_all_containers(turn, "the ResourceManager cannot be reached");
  turn.effects.push_back(LeaveHost{});
}

void lose_resource_manager(HostTurn& turn) {
  turn.write_event("resource_manager_lost");
  turn.state.is_connected = false;
  turn.effects.push_back(CancelHeartbeat{});
  find_resource_manager(turn);
}

void register_again(HostTurn& turn, const RegisterNodeAgain& message) {
  const auto& state = turn.state;
  if (message.epoch != state.epoch || state.is_registering || !state.is_connected)
    return turn.write_event("stale_register_node_again");
  turn.write_event("node_given_up");
  turn.effects.push_back(CancelHeartbeat{});
  send_registration(turn);
}

void leave_refused(HostTurn& turn, const NodeRefused& message) {
  turn.state.is_registering = false;
  turn.write_event("node_refused", ports::EventFields{}.add("reason", message.reason));
  stop_all_containers(turn, "the ResourceManager refuses this node: " + message.reason);
  turn.effects.push_back(LeaveHost{});
}

void begin_epoch(HostTurn& turn, const NodeRegistered& message) {
  auto& state = turn.state;
  state.is_registering = false;
  stop_all_containers(turn, "the node registered again");
  state.containers.forget_refused();
  state.node = message.node;
  state.epoch = message.epoch;
  state.next_memory_check = turn.now + state.settings.memory_check_interval;
  turn.write_event("node_registered", ports::EventFields{}.add("node", state.node));
  send_heartbeat(turn);
  turn.effects.push_back(ArmHeartbeat{});
}

void begin_decommission(HostTurn& turn) {
  if (std::exchange(turn.state.is_decommissioning, true)) return;
  turn.write_event("decommission_begun");
  if (!turn.state.epoch.is_none()) send_heartbeat(turn);
}

// -- heartbeats --------------------------------------------------------------------------------------

void run_heartbeat(HostTurn& turn) {
  auto& state = turn.state;
  if (turn.now >= state.next_memory_check) {
    state.next_memory_check = turn.now + state.settings.memory_check_interval;
    if (state.settings.check_physical_memory) check_memory(turn);
  }
  state.containers.check_invariants();
  send_heartbeat(turn);
  turn.effects.push_back(ArmHeartbeat{});
}

void handle_memory_measured(HostTurn& turn, const MemoryMeasured& message) {
  turn.state.is_measuring = turn.state.is_measurement_late = false;
  for (const auto& [process, used] : message.processes) {
    Container* container = turn.state.containers.find_process(process);
    if (container == nullptr || container->is_stopping) continue;
    const std::int64_t limit = container->resource.memory_mib << 20;
    // A fork doubles the measured memory for a moment. So a container is stopped if it is above its limit in two
    // successive measurements, or above twice its limit in one.
    const bool is_over = used > limit;
    const bool is_far_over = used > 2 * limit;
    if (is_far_over || (is_over && container->was_over_limit)) {
      turn.write_event("memory_exceeded", ports::EventFields{}.add("container", container->id).add("bytes", used));
      stop_container(turn, *container, container_exit_status::physical_memory_exceeded,
                     fmt::format("it held {} MiB of {} MiB granted", used >> 20, container->resource.memory_mib));
    }
    container->was_over_limit = is_over;
  }
}

void send_heartbeat(HostTurn& turn) {
  const auto& state = turn.state;
  turn.effects.push_back(
      SendToResourceManager{NodeHeartbeat{state.node, state.epoch, state.containers.ids(), state.is_decommissioning}});
}

}  // namespace heddle::actors
