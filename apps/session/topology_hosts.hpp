// Hosts and block replicas of a local cluster: from the topology file, or n equal nodes in the default rack.
#pragma once

#include <string>
#include <vector>

#include "apps/session/session.hpp"
#include "ports/block_hosts.hpp"

namespace heddle::apps {

/// Hosts of a session's NodeManagers, each with additional memory for one master container.
[[nodiscard]] std::vector<config::TopologyHost> cluster_hosts(const SessionOptions& options);

/// Hosts of NodeManagers for several applications. Each node has additional memory, so that it can run all master
/// containers and the largest executor that fits into its own resources. `applications`: their settings.
[[nodiscard]] std::vector<config::TopologyHost> shared_cluster_hosts(const SessionOptions& cluster,
                                                                     const std::vector<config::Settings>& applications);

/// Locations of input blocks from the topology file.
class TopologyReplicas final : public ports::BlockHosts {
public:
  TopologyReplicas(const config::TopologyFile& topology, std::int64_t block_bytes);
  [[nodiscard]] bool is_empty() const { return replicas_.empty(); }
  [[nodiscard]] std::vector<std::string> hosts(const std::string& path, std::int64_t offset,
                                               std::int64_t length) const override;

private:
  std::vector<config::TopologyReplica> replicas_;  // with absolute paths
  std::int64_t block_bytes_;
};

}  // namespace heddle::apps
