// The limit of a user is cached with the leaf's users. The headroom uses the limits of the leaf's last visit.
#include "policies/cluster/capacity/capacity_limits.hpp"

#include <algorithm>

namespace heddle::policies {

UserLimitInput limit_input(const CapacityBooks& books, const CapacityQueue& leaf) {
  return {books.queues.cluster(),
          leaf.guaranteed,
          leaf.maximum,
          books.settings.minimum_allocation,
          leaf.settings.user_limit_percent,
          leaf.settings.user_limit_factor};
}

MemoryAndCores user_limit(CapacityBooks& books, RowIndex row) {
  CapacityQueue& leaf = books.queues.at(books.application(row).queue);
  return leaf.users.limit_of(books.application(row).user, books.queues.calculator(), limit_input(books, leaf));
}

bool is_within_user_limit(const CapacityBooks& books, RowIndex row, const MemoryAndCores& limit,
                          CapacityLimits& limits) {
  const ResourceCalculator& calculator = books.queues.calculator();
  const MemoryAndCores& used = books.queues.at(books.application(row).queue).users.at(books.application(row).user).used;
  limits.to_unreserve = MemoryAndCores{};
  if (calculator.compare(books.queues.cluster(), used, limit) <= 0) return true;
  if (!books.file.looks_beyond_reservations) return false;
  if (calculator.compare(books.queues.cluster(), used - books.ledger.application(row).reserved, limit) > 0)
    return false;
  limits.to_unreserve = used - limit;
  return true;
}

MemoryAndCores headroom_of(const CapacityBooks& books, RowIndex row, const MemoryAndCores& limit) {
  const CapacityApplication& asking = books.application(row);
  const CapacityQueue& leaf = books.queues.at(asking.queue);
  const ResourceCalculator& calculator = books.queues.calculator();
  const MemoryAndCores of_user = larger_of_each(limit - leaf.users.at(asking.user).used, MemoryAndCores{});
  const MemoryAndCores of_queue = larger_of_each(leaf.visit.limit_of_applications - leaf.used, MemoryAndCores{});
  const MemoryAndCores room =
      calculator.rounded_down(smaller_of_each(of_user, of_queue), books.settings.minimum_allocation);
  const MemoryAndCores unused = leaf.visit.cluster_of_applications - books.queues.at(CapacityQueues::root).used;
  MemoryAndCores headroom = calculator.smaller(books.queues.cluster(), unused, room);
  headroom.memory_mib = std::max<std::int64_t>(headroom.memory_mib, 0);
  return headroom;
}

}  // namespace heddle::policies
