// Why an application has no container: the tests of a pass over the tree, asked one by one, from the tree's root to the
// single ask.
#include <algorithm>
#include <cmath>

#include "policies/cluster/capacity/capacity_scheduler.hpp"

namespace heddle::policies {

std::int64_t CapacityScheduler::offers_to_wait(const PriorityAsks& asks) const {
  PriorityAsks later = asks;
  for (later.opportunities = asks.opportunities + 1;
       later.opportunities <= asks.opportunities + ledger_.node_count() + 1; ++later.opportunities)
    if (may_go_anywhere(later, false)) break;
  return later.opportunities - asks.opportunities;
}

ResourceExplanation CapacityScheduler::explain_waiting(Slot slot) const {
  const CapacityApplication& waiting = application(slot);
  const CapacityQueue& leaf = queues_.at(waiting.queue);
  const ResourceCalculator& calculator = queues_.calculator();
  if (waiting.is_held)
    return {"running_applications_limit",
            "A limit of applications of the user or of a queue above that run at once is reached.",
            parallel_limit_of(slot), std::nullopt, 0};
  if (!calculator.is_positive(queues_.cluster(), queues_.cluster()))
    return {"no_nodes", "No node has registered yet.", "", std::nullopt, 1};
  if (!calculator.fits(waiting.master_size + leaf.masters_used, leaf.masters_max))
    return {"master_limit_of_queue", "The masters in the queue use what masters may use.", leaf.name, std::nullopt, 0};
  return {"master_limit_of_user", "The masters of the user's other applications use what the user's masters may use.",
          leaf.users.at(waiting.user).name, std::nullopt, 0};
}

/// The queue on the way down that has no room; the limits of the leaf are left in `limits`.
Slot CapacityScheduler::full_queue(Slot leaf, const Resource& unreservable, CapacityLimits& limits) const {
  std::vector<Slot> path;
  for (Slot each = leaf; each != no_slot; each = queues_.at(each).parent) path.push_back(each);
  limits = CapacityLimits{queues_.cluster()};
  for (std::size_t i = path.size(); i-- > 0;) {
    const CapacityQueue& queue = queues_.at(path[i]);
    const Resource& droppable = queue.is_leaf ? unreservable : queue.reserved;
    if (!queues_.may_assign(queue, limits, droppable, file_.looks_beyond_reservations)) return path[i];
    if (i > 0) limits = queues_.limits_of_child(queue, queues_.at(path[i - 1]), limits, true);
  }
  return no_slot;
}

ResourceExplanation CapacityScheduler::explain(ApplicationId id) const {
  const Slot slot = ledger_.find_application(id);
  if (slot == no_slot) return {"unknown_application", "No such application runs here.", "", std::nullopt, 0};
  const CapacityApplication& asking = application(slot);
  const CapacityQueue& leaf = queues_.at(asking.queue);
  const LedgerApplication& books = ledger_.application(slot);
  if (asking.is_waiting) return explain_waiting(slot);
  if (books.asks.pending_priorities() == 0)
    return {"nothing_asked", "The application asks for nothing.", "", std::nullopt, 0};
  CapacityLimits limits{queues_.cluster()};
  if (const Slot full = full_queue(asking.queue, books.reserved, limits); full != no_slot)
    return {"queue_at_maximum", "The queue holds its maximum, or what the queues above it leave.",
            queues_.at(full).name, std::nullopt, 0};
  const Resource limit = leaf.users.limit_now(asking.user, queues_.calculator(), limit_input(leaf));
  if (!is_within_user_limit(slot, limit, limits))
    return {"user_at_limit", "The user holds more than one user may hold in this queue.",
            leaf.users.at(asking.user).name, std::nullopt, 0};
  for (const PriorityAsks& asks : books.asks.priorities()) {
    if (!asks.is_pending) continue;
    const AskEntry& any = *asks.find(any_place);
    const Resource droppable = file_.looks_beyond_reservations ? books.reserved : Resource{};
    if (!queues_.calculator().fits(any.capability, limits.headroom + droppable))
      return {"queue_headroom", "What the queue may still take is smaller than the asked container.", leaf.name,
              std::nullopt, 0};
    if (auto missing = ledger_.missing_extras(any.extras)) return *missing;
    if (!any.relax_locality)
      return {"only_named_places", "Only the named hosts and racks will do, and none of them had room.", "",
              std::nullopt, 1};
    if (!may_go_anywhere(asks, false))
      return {"locality_delay", "The application waits for a node nearer to its data.", "", std::nullopt,
              offers_to_wait(asks)};
  }
  if (leaf.asking.front() != slot)
    return {"earlier_application", "Applications of the queue that are served first took what there was.",
            to_string(ledger_.application(leaf.asking.front()).id), std::nullopt, 1};
  return {"no_room", "No node that sent a heartbeat had room, or queues further below their share took it.", "",
          std::nullopt, 1};
}

}  // namespace heddle::policies
