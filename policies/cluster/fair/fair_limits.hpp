// Limits of an application besides its share: resources of its queue's masters, and its headroom. Cost: linear in the
// application's pending priorities, or in its excluded nodes. After Hadoop 3.4's FSLeafQueue and FSAppAttempt.
#pragma once

#include <optional>

#include "policies/cluster/fair/fair_books.hpp"

namespace heddle::policies {

/// Resources that all masters of this leaf together may use; none if the limit is off.
[[nodiscard]] std::optional<MemoryAndCores> master_limit(const FairBooks& books, RowIndex leaf);
/// The same for another kind of resource. Other kinds have no fair share: the bounds are the available amount and the
/// maximum of the queue.
[[nodiscard]] std::optional<std::int64_t> master_limit(const FairBooks& books, RowIndex leaf, std::int32_t kind);
/// False only if the application waits for its master, which would exceed the limit of masters.
[[nodiscard]] bool may_master_start(const FairBooks& books, RowIndex application);
/// Whether the queue has a maximum of 0 of a resource that is asked for.
[[nodiscard]] bool asks_what_queue_lacks(const FairQueue& queue, const MemoryAndCores& ask);
/// Looks up the nodes that the application excludes. Call it when its exclusions have changed.
void list_excluded_nodes(FairBooks& books, RowIndex application);
/// What the application may still get.
[[nodiscard]] MemoryAndCores headroom_of(const FairBooks& books, RowIndex application);

}  // namespace heddle::policies
