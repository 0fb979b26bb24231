#include "apps/session/topology_hosts.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>

#include "apps/roles/role_settings.hpp"
#include "config/table/container_resources.hpp"
#include "ports/file_path.hpp"
#include "work/files/file_systems.hpp"

namespace heddle::apps {

std::vector<config::TopologyHost> cluster_hosts(const SessionOptions& options) {
  auto hosts = options.topology.hosts;
  if (hosts.empty()) {
    for (std::int32_t index = 0; index < options.master.nodes; ++index)
      hosts.push_back({fmt::format("node-{}", index + 1),
                       std::string{config::default_rack},
                       {options.master.memory_mib, options.master.cores},
                       1.0,
                       true,
                       true});
  }
  const ResourceAmounts others{config::container_resources(options.settings).node};
  for (auto& host : hosts) {
    host.resource.memory_mib += options.settings.application().master_memory_mib;
    if (!host.has_own_others) host.resource.others = others;
  }
  return hosts;
}

std::vector<config::TopologyHost> shared_cluster_hosts(const SessionOptions& cluster,
                                                       const std::vector<config::Settings>& applications) {
  const auto smallest = std::max<std::int64_t>(cluster.settings.resource_manager().allocation_min_mib, 1);
  const auto granted = [smallest](std::int64_t memory_mib) {
    return (memory_mib + smallest - 1) / smallest * smallest;
  };
  const auto reserved = cluster.settings.application().master_memory_mib;
  std::int64_t masters = 0;
  for (const auto& each : applications) masters += granted(each.application().master_memory_mib);
  auto hosts = cluster_hosts(cluster);
  for (auto& host : hosts) {
    const auto offered = host.resource.memory_mib - reserved;
    std::int64_t executor = 0;
    for (const auto& each : applications)
      if (const auto needed = granted(executor_container(each.application()).memory_mib); needed <= offered)
        executor = std::max(executor, needed);
    host.resource.memory_mib = std::max(host.resource.memory_mib, executor + masters);
  }
  return hosts;
}

TopologyReplicas::TopologyReplicas(const config::TopologyFile& topology, std::int64_t block_bytes)
    : replicas_{topology.replicas}, block_bytes_{block_bytes} {
  for (auto& replica : replicas_)
    if (const auto path = ports::resolve_path(replica.input, work::local_path_defaults(), ports::PathKind::pattern))
      replica.input = to_string(*path);
}

std::vector<std::string> TopologyReplicas::hosts(const std::string& path, std::int64_t offset, std::int64_t) const {
  for (const auto& replica : replicas_) {
    const bool matches =
        ::fnmatch(replica.input.c_str(), path.c_str(), 0) == 0 || path.starts_with(replica.input + "/");
    if (!matches || replica.hosts.empty()) continue;
    return replica.hosts[static_cast<std::size_t>(offset / block_bytes_) % replica.hosts.size()];
  }
  return {};
}

}  // namespace heddle::apps
