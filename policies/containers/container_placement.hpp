// To which hosts the next containers should go, in proportion to the waiting tasks that prefer them.
// Order: wishes without a preference first, then those that name most hosts. Hosts: by need, then by number.
// Cost: hosts x log(hosts); the result shares one host list, so it does not grow with the containers.
// After Spark's LocalityPreferredContainerPlacementStrategy: the same arithmetic in double, in the same order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/resource_name.hpp"

namespace heddle::policies {

/// What is known about a host that waiting tasks prefer.
struct HostHint {
  ResourceNameId host = 0;
  std::int32_t tasks = 0;       // that prefer it
  std::int32_t containers = 0;  // of this profile that run there
};

/// Pending requests that name the same hosts.
struct PendingWish {
  std::int32_t count = 0;
  std::span<const ResourceNameId> hosts;  // they need not be hints
};

struct PlacementInput {
  std::int32_t containers = 0;          // to describe
  std::int32_t locality_tasks = 0;      // tasks that have a preference
  std::int32_t tasks_per_executor = 1;  // at least 1
  std::vector<HostHint> hints;          // each host once
  std::vector<PendingWish> pending;     // requests that name a hint
  bool is_exact = false;  // heddle.fix.exact_placement: in whole numbers, where doubles round up what is whole already
};

/// `count` containers, each wanted on any of the first `hosts` of Placement::hosts.
struct PlacementWish {
  std::int32_t count = 0;
  std::int32_t hosts = 0;
  bool operator==(const PlacementWish&) const = default;
};

/// Wishes in order: `free` containers anywhere, then `wishes` with ever fewer hosts of the one list.
struct Placement {
  std::int32_t free = 0;
  std::vector<ResourceNameId> hosts;
  std::vector<PlacementWish> wishes;
};

[[nodiscard]] Placement place_containers(const PlacementInput& input);

}  // namespace heddle::policies
