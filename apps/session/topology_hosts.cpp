#include "apps/session/topology_hosts.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <filesystem>

#include "config/table/container_resources.hpp"

namespace heddle::apps {

std::vector<config::TopologyHost> cluster_hosts(const SessionOptions& options) {
  auto hosts = options.topology.hosts;
  if (hosts.empty()) {
    for (std::int32_t index = 0; index < options.master.nodes; ++index)
      hosts.push_back({fmt::format("node-{}", index + 1),
                       std::string{config::default_rack},
                       {options.master.memory_mib, options.master.cores},
                       1.0});
  }
  const auto extras = config::container_resources(options.settings).node;
  for (auto& host : hosts) {
    host.resource.memory_mib += options.settings.application().master_memory_mib;
    if (!host.extras) host.extras = extras;
  }
  return hosts;
}

TopologyReplicas::TopologyReplicas(const config::TopologyFile& topology, std::int64_t block_bytes)
    : replicas_{topology.replicas}, block_bytes_{block_bytes} {
  for (auto& replica : replicas_) replica.input = std::filesystem::absolute(replica.input).lexically_normal().string();
}

std::vector<std::string> TopologyReplicas::hosts(const std::string& path, std::int64_t offset, std::int64_t) const {
  const auto absolute = std::filesystem::absolute(path).lexically_normal().string();
  for (const auto& replica : replicas_) {
    const bool matches =
        ::fnmatch(replica.input.c_str(), absolute.c_str(), 0) == 0 || absolute.starts_with(replica.input + "/");
    if (!matches || replica.hosts.empty()) continue;
    return replica.hosts[static_cast<std::size_t>(offset / block_bytes_) % replica.hosts.size()];
  }
  return {};
}

}  // namespace heddle::apps
