// State of the TaskTracker without its actor. Flows (heartbeat_flow.hpp, attempt_slots_flow.hpp) change it. They have
// no actor and no clock, and send through effects only.
#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "actors/task_tracker/attempt_slots.hpp"
#include "actors/task_tracker/slot_effects.hpp"
#include "actors/task_tracker/task_tracker_settings.hpp"
#include "messages/task_tracker.hpp"
#include "ports/event_sink.hpp"

namespace heddle::actors {

/// Transitions: see heartbeat_flow.hpp.
enum class TrackerPhase : std::uint8_t { starting, known, reinitialising, leaving };

struct MemoryWatch {
  std::optional<Instant> due;  // of the next measurement
  bool is_measuring = false;
};

struct SlotState {
  SlotState(TaskTrackerSettings all_settings, TaskTrackerPorts all_ports, ports::EventSink* sink)
      : settings{std::move(all_settings)}, ports{std::move(all_ports)}, events{sink} {}

  TaskTrackerSettings settings;
  TaskTrackerPorts ports;
  ports::EventSink* events;
  AttemptSlots slots;
  TrackerPhase phase = TrackerPhase::starting;
  bool is_connected = false;                  // to a JobTracker
  std::int64_t response_id = -1;              // of the last response
  NodeId node = {};                           // of this TaskTracker, in the locations of map outputs
  std::optional<TrackerHeartbeat> pending;    // sent and not answered
  std::vector<TaskAttemptId> failed_fetches;  // for the next heartbeat; see TrackerHeartbeat
  bool requests_heartbeat = false;            // a heartbeat follows the answer to the pending one at once
  Duration interval = std::chrono::milliseconds{300};
  std::optional<Instant> heartbeat_due;  // of the next heartbeat, or of the pending one again
  MemoryWatch memory = {};

  [[nodiscard]] std::optional<Instant> next_due() {
    auto due = slots.dues.next_due();
    for (const auto& other : {heartbeat_due, memory.due})
      if (other && (!due || *other < *due)) due = other;
    return due;
  }
};

/// Context of one message: state, effects to push, time.
struct SlotTurn {
  SlotState& state;
  SlotEffects& effects;
  Instant now;  // the only reading of the clock for this message

  void write_event(std::string_view name, const ports::EventFields& fields = {}) const {
    if (state.events != nullptr) state.events->write(now, name, fields);
  }
};

}  // namespace heddle::actors
