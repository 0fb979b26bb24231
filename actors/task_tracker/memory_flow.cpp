#include "actors/task_tracker/memory_flow.hpp"

#include <fmt/format.h>

#include <utility>

#include "actors/task_tracker/attempt_slots_flow.hpp"
#include "policies/containers/memory_limit.hpp"

namespace heddle::actors {
namespace {

std::int64_t limit_of(const NodeLimits& limits, const HostedChild& child) {
  return child.attempt.is_reduce ? limits.reduce_memory : limits.map_memory;
}

}  // namespace

void watch_memory(SlotTurn& turn) {
  const auto& limits = turn.state.settings.limits;
  if ((limits.map_memory > 0 || limits.reduce_memory > 0) && !turn.state.memory.due)
    turn.state.memory.due = turn.now + limits.memory_check_interval;
}

/// A read of /proc can hang as long as a process does; meanwhile no other measurement starts.
void measure_memory_if_due(SlotTurn& turn) {
  auto& [due, is_measuring] = turn.state.memory;
  if (!due || turn.now < *due) return;
  due.reset();
  MeasureChildren effect;
  for (const auto& [number, child] : turn.state.slots.children())
    if (child.process != 0 && !child.is_stopping && limit_of(turn.state.settings.limits, child) > 0)
      effect.processes.push_back(child.process);
  if (effect.processes.empty()) return;
  watch_memory(turn);
  if (!std::exchange(is_measuring, true)) turn.effects.push_back(std::move(effect));
}

void handle_memory_measured(SlotTurn& turn, const MemoryMeasured& message) {
  turn.state.memory.is_measuring = false;
  for (const auto& [process, used] : message.processes) {
    auto* child = turn.state.slots.find_process(process);
    if (child == nullptr || child->is_stopping) continue;
    const auto limit = limit_of(turn.state.settings.limits, *child);
    const bool was_over = std::exchange(child->was_over_limit, used > limit);
    if (limit <= 0 || !policies::exceeds_memory_limit(used, limit, was_over)) continue;
    turn.write_event("child_memory_exceeded", ports::EventFields{}.add("child", child->number).add("bytes", used));
    end_child(turn, *child, fmt::format("its child held {} MiB of {} MiB", used >> 20, limit >> 20));
  }
}

}  // namespace heddle::actors
