// What the settings say of kinds of resource beside memory and cores: the rows of which the name holds one, gathered.
#pragma once

#include <string>
#include <vector>

#include "config/table/settings.hpp"
#include "model/extra_resource.hpp"

namespace heddle::config {

struct ContainerResources {
  ExtraResources executor;  // what is named for its container; its devices are beside that
  ExtraResources master;    // in client mode
  ExtraResources driver;    // of the master container in cluster mode
  ExtraResources node;      // of nodes whose topology does not say it
  bool operator==(const ContainerResources&) const = default;
};

/// By name; amounts of 0 too.
[[nodiscard]] ContainerResources container_resources(const Settings& settings);
/// The kinds that are counted; those that nobody has named are unknown.
[[nodiscard]] std::vector<std::string> counted_kinds(const Settings& settings);

/// One sentence per amount that is to be said in another place: memory, cores, and what executors' devices stand for.
/// After Spark.
[[nodiscard]] std::vector<std::string> misplaced_resources(const Settings& settings);

}  // namespace heddle::config
