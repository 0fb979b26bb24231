// Distributes new containers over hosts in proportion to the waiting tasks that prefer them. Order: containers without
// a preference first, then those that name most hosts. Hosts: by need, then by number. Cost: hosts x log(hosts); the
// result shares one host list, so its size does not depend on the number of containers. After Spark's
// LocalityPreferredContainerPlacementStrategy: the same arithmetic in double, in the same order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace heddle::policies {

/// A host or a rack, interned by the caller: small numbers from 0.
using PlaceIndex = std::int32_t;

/// A host that waiting tasks prefer.
struct HostHint {
  PlaceIndex host = 0;
  std::int32_t tasks = 0;       // that prefer it
  std::int32_t containers = 0;  // of this profile that run there
};

/// Pending requests with the same hosts.
struct PendingWish {
  std::int32_t count = 0;
  std::span<const PlaceIndex> hosts;  // they need not be hints
};

struct PlacementInput {
  std::int32_t containers = 0;          // containers to place
  std::int32_t locality_tasks = 0;      // tasks with a preferred host
  std::int32_t tasks_per_executor = 1;  // at least 1
  std::vector<HostHint> hints;          // each host once
  std::vector<PendingWish> pending;     // requests that name a host of `hints`
  bool is_exact = false;  // heddle.fix.exact_placement: integer arithmetic; doubles may round up exact results
};

/// `count` containers, each on any of the first `hosts` entries of Placement::hosts.
struct PlacementWish {
  std::int32_t count = 0;
  std::int32_t hosts = 0;
  bool operator==(const PlacementWish&) const = default;
};

/// Result in order: `free` containers on any host, then `wishes` with fewer and fewer hosts of one list.
struct Placement {
  std::int32_t free = 0;
  std::vector<PlaceIndex> hosts;
  std::vector<PlacementWish> wishes;
};

[[nodiscard]] Placement place_containers(const PlacementInput& input);

}  // namespace heddle::policies
