// The NodeManager without its actor. Flows (registration_flow.hpp, process_flow.hpp) change it; they see no actor and
// no clock, and send by effects only.
#pragma once

#include <string_view>

#include "actors/node_manager/container_table.hpp"
#include "actors/node_manager/host_effects.hpp"
#include "actors/node_manager/host_start.hpp"
#include "config/table/sections.hpp"
#include "ports/event_sink.hpp"

namespace heddle::actors {

struct HostState {
  config::NodeManagerSettings settings;
  NodeManagerStart start;
  ports::EventSink* events = nullptr;
  NodeId node = {};
  Epoch epoch = {};
  bool is_connected = false;        // to a ResourceManager; false while it is looked for
  bool is_registering = false;      // an answer is due
  bool is_decommissioning = false;  // each heartbeat says so
  ContainerTable containers = {};
  Instant next_memory_check = {};
  bool is_measuring = false;         // MemoryMeasured is due
  bool is_measurement_late = false;  // a memory check was due before it came
};

/// One message that is being handled.
struct HostTurn {
  HostState& state;
  HostEffects& effects;
  Instant now;  // the only reading of the clock

  void write_event(std::string_view name, const ports::EventFields& fields = {}) const {
    if (state.events != nullptr) state.events->write(now, name, fields);
  }
};

}  // namespace heddle::actors
