#include "apps/session/cluster_processes.hpp"

namespace heddle::apps {
namespace {

std::int32_t slowness_percent(const config::TopologyHost& host) {
  return static_cast<std::int32_t>(100.0 / host.speed);
}

}  // namespace

/// An unnamed number is the cores of the host, if local-cluster[n,c,m] or the topology names them, else Hadoop's 2.
TrackerSlots slots_of(const config::TopologyHost& host, const config::Settings& settings) {
  const auto section = settings.task_tracker();
  const auto otherwise = [&](const char* key, std::int64_t named) {
    return static_cast<std::int32_t>(!settings.is_set(key) && host.has_own_cores ? host.resource.cores : named);
  };
  return {host.map_slots.value_or(otherwise("heddle.task_tracker.map_slots", section.map_slots)),
          host.reduce_slots.value_or(otherwise("heddle.task_tracker.reduce_slots", section.reduce_slots))};
}

ClusterProcesses yarn_processes(std::int64_t cluster_start, std::size_t hosts) {
  ClusterProcesses made{"ResourceManager", "NodeManager", "resource_manager", "node_manager", {}, {}};
  made.master = [cluster_start, hosts](const MasterStart& start) {
    return ResourceManagerLaunch{cluster_start, static_cast<std::int32_t>(hosts), start.ready_pipe};
  };
  made.node = [](const config::TopologyHost& host, const std::string& directory, const std::string& master) {
    return NodeManagerLaunch{master, host.name, host.rack, host.resource, slowness_percent(host), directory};
  };
  return made;
}

ClusterProcesses classic_processes(std::int64_t cluster_start, const config::Settings& settings,
                                   const std::string& owner) {
  ClusterProcesses made{"JobTracker", "TaskTracker", "job_tracker", "task_tracker", {}, {}};
  made.master = [cluster_start, owner](const MasterStart& start) {
    return JobTrackerLaunch{cluster_start, start.ready_pipe, start.directory, owner, start.address, start.restarts};
  };
  made.restarts_master = true;
  made.node = [settings, owner](const config::TopologyHost& host, const std::string& directory,
                                const std::string& master) {
    const auto slots = slots_of(host, settings);
    return TaskTrackerLaunch{master,    host.name, host.rack, slots.maps, slots.reduces, slowness_percent(host),
                             directory, owner};
  };
  return made;
}

}  // namespace heddle::apps
