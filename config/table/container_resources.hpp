// Settings of resource types besides memory and cores, from all keys with NAME.
#pragma once

#include <string>
#include <vector>

#include "config/table/settings.hpp"
#include "model/resources.hpp"

namespace heddle::config {

struct ContainerResources {
  std::vector<ResourceAmount> executor;  // of its container, without those of its devices
  std::vector<ResourceAmount> master;    // of the master container in client mode
  std::vector<ResourceAmount> driver;    // of the master container in cluster mode
  std::vector<ResourceAmount> node;      // of nodes whose other types are not in the topology
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
