// Limits of the users of a capacity leaf, and the headroom that an application gets. Cost: one formula, computed again
// only after usage or activity changed. After Hadoop 3.4's UsersManager and CapacityHeadroomProvider (CS-5).
#pragma once

#include "policies/cluster/capacity/capacity_books.hpp"

namespace heddle::policies {

[[nodiscard]] UserLimitInput limit_input(const CapacityBooks& books, const CapacityQueue& leaf);
/// What the application's user may hold in its queue.
[[nodiscard]] Resource user_limit(CapacityBooks& books, RowIndex application);
/// False if the user holds more than `limit`. Sets what the user has to give up to stay within it.
[[nodiscard]] bool is_within_user_limit(const CapacityBooks& books, RowIndex application, const Resource& limit,
                                        CapacityLimits& limits);
[[nodiscard]] Resource headroom_of(CapacityBooks& books, RowIndex application);

}  // namespace heddle::policies
