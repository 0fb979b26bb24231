// Settings of extra resources (kinds other than memory and cores), from all keys with NAME.
#pragma once

#include <string>
#include <vector>

#include "config/table/settings.hpp"
#include "model/extra_resource.hpp"

namespace heddle::config {

struct ContainerResources {
  ExtraResources executor;  // of its container, without those of its devices
  ExtraResources master;    // of the master container in client mode
  ExtraResources driver;    // of the master container in cluster mode
  ExtraResources node;      // of nodes without extra resources in the topology
  bool operator==(const ContainerResources&) const = default;
};

/// Ordered by name; amounts of 0 are included.
[[nodiscard]] ContainerResources container_resources(const Settings& settings);
/// Value of heddle.resource_manager.resource_kinds.
[[nodiscard]] std::vector<std::string> counted_kinds(const Settings& settings);

/// One sentence per amount under a wrong key: memory, cores, and kinds that follow from the devices of executors. The
/// texts are those of Spark.
[[nodiscard]] std::vector<std::string> misplaced_resources(const Settings& settings);

}  // namespace heddle::config
