// Which processes a local cluster has: ResourceManager and NodeManagers, or JobTracker and TaskTrackers.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "config/files/topology_file.hpp"
#include "config/table/settings.hpp"
#include "model/launch_spec.hpp"

namespace heddle::apps {

using RoleLaunch = decltype(LaunchSpec::role);

/// Where the master of a local cluster starts, and what it replaces.
struct MasterStart {
  std::string ready_pipe;      // empty: nobody waits for its address
  std::string directory = {};  // its working files
  std::string address = {};    // of the lost master that it replaces; empty: it is the first
  std::int32_t restarts = 0;   // masters that were lost before
};

struct ClusterProcesses {
  std::string master_title;  // in error texts
  std::string node_title;
  std::string master_log;  // names of log files; of a node with ".HOST"
  std::string node_log;
  std::function<RoleLaunch(const MasterStart& start)> master;
  /// `directory`: working files of the node.
  std::function<RoleLaunch(const config::TopologyHost& host, const std::string& directory, const std::string& master)>
      node;
  bool restarts_master = false;  // a lost master is started again at its address
};

/// Slots of the TaskTracker of a host: those of the topology, else of the settings, else its cores.
struct TrackerSlots {
  std::int32_t maps = 0;
  std::int32_t reduces = 0;
};
[[nodiscard]] TrackerSlots slots_of(const config::TopologyHost& host, const config::Settings& settings);

[[nodiscard]] ClusterProcesses yarn_processes(std::int64_t cluster_start, std::size_t hosts);
/// `owner`: content of the owner file of the outputs.
[[nodiscard]] ClusterProcesses classic_processes(std::int64_t cluster_start, const config::Settings& settings,
                                                 const std::string& owner);

}  // namespace heddle::apps
