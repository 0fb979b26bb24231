// What a NodeManager is handed beside its settings.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "messages/handles.hpp"
#include "ports/application_files.hpp"
#include "ports/process_launcher.hpp"

namespace heddle::actors {

/// What a NodeManager is apart from its settings. The ports outlive it.
struct NodeManagerStart {
  std::string resource_manager_address;
  std::string host;     // name for locality
  std::string rack;     // "/default-rack" if none
  std::string address;  // where this NodeManager is published; empty: `publish` does it and tells
  std::function<std::string(const NodeManagerActor&)> publish;
  std::string build_id;
  std::string program;                                  // started for every container
  std::int32_t slowness_percent = 100;                  // of tasks on this node
  std::int64_t log_bytes_max = std::int64_t{16} << 20;  // of each log of a container
  ExtraResources extras = {};                           // that the node offers beside memory and cores
  ports::ProcessLauncher* launcher = nullptr;
  ports::ApplicationFiles* files = nullptr;
};

}  // namespace heddle::actors
