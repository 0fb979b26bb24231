// Start parameters of a NodeManager, besides its settings.
#pragma once

#include <caf/actor_system.hpp>
#include <cstdint>
#include <functional>
#include <string>

#include "config/table/sections.hpp"
#include "messages/handles.hpp"
#include "ports/application_files.hpp"
#include "ports/process_launcher.hpp"
#include "ports/transport_key.hpp"
#include "runtime/actor_tools.hpp"

namespace heddle::actors {

/// All ports must outlive the NodeManager.
struct NodeManagerStart {
  std::string resource_manager_address;
  std::string host;     // host name for locality
  std::string rack;     // "/default-rack" if none
  std::string address;  // address of this NodeManager; empty: `publish` opens a port and returns it
  std::function<std::string(const NodeManagerActor&)> publish;
  std::string build_id;
  Resource capacity;                  // of the node
  std::string program;                // program that each container runs
  ports::TransportKey transport_key;  // of the cluster, for the containers
  std::int32_t slowness_percent =
      100;  // speed of tasks on this node: 100 is normal, 200 takes twice as long (for tests)
  std::int64_t log_bytes_max = std::int64_t{16} << 20;  // bytes per log file of a container
  ports::ProcessLauncher* launcher = nullptr;
  ports::ApplicationFiles* files = nullptr;
};

/// The actor ends if no ResourceManager can be reached for heddle.node_manager.resource_manager_wait, or if it refuses
/// the node.
[[nodiscard]] NodeManagerActor spawn_node_manager(caf::actor_system& system,
                                                  const config::NodeManagerSettings& settings,
                                                  const runtime::ActorTools& tools, const NodeManagerStart& start);

}  // namespace heddle::actors
