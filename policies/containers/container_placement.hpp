// Distributes new containers over hosts in proportion to the waiting tasks that prefer them. Order: containers without
// a preference first, then those that name most hosts. Hosts: by need, then by number. Cost: hosts x log(hosts); the
// result shares one host list, so its size does not depend on the number of containers. After Spark's
// LocalityPreferredContainerPlacementStrategy: the same arithmetic in double, in the same order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/resource_name.hpp"

namespace heddle::policies {

/// A host that waiting tasks prefer.
struct HostHint {
  ResourceNameId host = 0;
  std::int32_t tasks = 0;       // that prefer it
  std::int32_t containers = 0;  // of this profile that run there
};

/// Pending requests with the same hosts.
struct PendingGroup {
  std::int32_t count = 0;
  std::span<const ResourceNameId> hosts;  // they need not be hints
};

struct PlacementInput {
  std::int32_t containers = 0;          // containers to place
  std::int32_t locality_tasks = 0;      // tasks with a preferred host
  std::int32_t tasks_per_executor = 1;  // at least 1
  std::vector<HostHint> hints;          // each host once
  std::vector<PendingGroup> pending;    // requests that name a host of `hints`
  bool is_exact = false;  // heddle.fix.exact_placement: integer arithmetic; doubles may round up exact results
};

/// `count` containers, each on any of the first `hosts` entries of Placement::hosts.
struct PlacementGroup {
  std::int32_t count = 0;
  std::int32_t hosts = 0;
  bool operator==(const PlacementGroup&) const = default;
};

/// Result in order: `free` containers on any host, then `groups` with fewer and fewer hosts of one list.
struct Placement {
  std::int32_t free = 0;
  std::vector<ResourceNameId> hosts;
  std::vector<PlacementGroup> groups;
};

[[nodiscard]] Placement place_containers(const PlacementInput& input);

}  // namespace heddle::policies
