#include "actors/node_manager/memory_flow.hpp"

#include <fmt/format.h>

#include <utility>

#include "actors/node_manager/process_flow.hpp"
#include "model/container_end.hpp"
#include "policies/containers/memory_limit.hpp"
#include "runtime/timers.hpp"

namespace heddle::actors {
namespace {

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

/// At an instant of the heartbeat timer: a heartbeat that is handled a little earlier in its period than the one before
/// must not delay the check to the next one.
void plan_memory_check(HostTurn& turn) {
  auto& state = turn.state;
  state.next_memory_check = runtime::shared_instant(turn.now, state.settings.memory_check_interval);
}

void check_memory_if_due(HostTurn& turn) {
  const auto& state = turn.state;
  if (turn.now < state.next_memory_check) return;
  plan_memory_check(turn);
  if (state.settings.check_physical_memory) check_memory(turn);
}

void handle_memory_measured(HostTurn& turn, const MemoryMeasured& message) {
  turn.state.is_measuring = turn.state.is_measurement_late = false;
  for (const auto& [process, used] : message.processes) {
    Container* container = turn.state.containers.find_process(process);
    if (container == nullptr || container->is_stopping) continue;
    const std::int64_t limit = container->resource.memory_mib << 20;
    if (policies::exceeds_memory_limit(used, limit, container->was_over_limit)) {
      turn.write_event("memory_exceeded", ports::EventFields{}.add("container", container->id).add("bytes", used));
      stop_container(turn, *container, container_exit_status::physical_memory_exceeded,
                     fmt::format("it held {} MiB of {} MiB granted", used >> 20, container->resource.memory_mib));
    }
    container->was_over_limit = used > limit;
  }
}

}  // namespace heddle::actors
