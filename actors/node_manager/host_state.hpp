// State of the NodeManager without its actor. Flows (registration_flow.hpp, process_flow.hpp) change it. They have no
// actor and no clock, and send through effects only.
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
  bool is_connected = false;        // to a ResourceManager
  bool is_registering = false;      // RegisterNode is sent and not answered
  bool is_decommissioning = false;  // heartbeats report it
  ContainerTable containers = {};
  Instant next_memory_check = {};
  bool is_measuring = false;         // a measurement is running
  bool is_measurement_late = false;  // the next memory check was due before the measurement ended
};

/// Context of one message: state, effects to push, time.
struct HostTurn {
  HostState& state;
  HostEffects& effects;
  Instant now;  // the only reading of the clock for this message

  void write_event(std::string_view name, const ports::EventFields& fields = {}) const {
    if (state.events != nullptr) state.events->write(now, name, fields);
  }
};

}  // namespace heddle::actors
