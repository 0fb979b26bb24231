// Hosts and replicas of a local cluster: as the topology file says, or n equal nodes in the default rack.
#pragma once

#include <string>
#include <vector>

#include "apps/session/session.hpp"
#include "ports/file_store.hpp"

namespace heddle::apps {

/// The NodeManagers of a session, each with room for one master container beside what it offers, and with the other
/// kinds of resource that it has said.
[[nodiscard]] std::vector<config::TopologyHost> cluster_hosts(const SessionOptions& options);

/// The NodeManagers that several applications share. All masters may land on one node: beside them it still holds the
/// largest executor of any application that fits into what the node offers. `applications` are their settings.
[[nodiscard]] std::vector<config::TopologyHost> shared_cluster_hosts(const SessionOptions& cluster,
                                                                     const std::vector<config::Settings>& applications);

/// Where blocks of inputs are, by the topology file.
class TopologyReplicas final : public ports::BlockHosts {
public:
  TopologyReplicas(const config::TopologyFile& topology, std::int64_t block_bytes);
  [[nodiscard]] bool is_empty() const { return replicas_.empty(); }
  [[nodiscard]] std::vector<std::string> hosts(const std::string& path, std::int64_t offset,
                                               std::int64_t length) const override;

private:
  std::vector<config::TopologyReplica> replicas_;  // inputs as absolute patterns
  std::int64_t block_bytes_;
};

}  // namespace heddle::apps
