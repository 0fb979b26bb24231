// Limits of the users of a capacity leaf, and the headroom that an application gets. Cost: one formula, computed again
// only after usage or activity changed. After Hadoop 3.4's UsersManager and CapacityHeadroomProvider (CS-5).
#pragma once

#include "policies/cluster/capacity/capacity_books.hpp"

namespace heddle::policies {

[[nodiscard]] UserLimitInput limit_input(const CapacityBooks& books, const CapacityQueue& leaf);
/// What the application's user may hold in its queue.
[[nodiscard]] MemoryAndCores user_limit(CapacityBooks& books, RowIndex application);
/// False if the user holds more than `limit`. Sets what the user has to give up to stay within it.
[[nodiscard]] bool is_within_user_limit(const CapacityBooks& books, RowIndex application, const MemoryAndCores& limit,
                                        CapacityLimits& limits);
/// What the application may still get if its user may hold `limit`.
[[nodiscard]] MemoryAndCores headroom_of(const CapacityBooks& books, RowIndex application, const MemoryAndCores& limit);

}  // namespace heddle::policies
