// Repeats the checks of a pass over the tree, from the root to the single ask.
#include "policies/cluster/capacity/capacity_explain.hpp"

#include <cmath>

#include "policies/cluster/capacity/capacity_limits.hpp"
#include "policies/cluster/capacity/capacity_offers.hpp"
#include "policies/cluster/ledger_questions.hpp"

namespace heddle::policies {
namespace {

std::int64_t offers_to_wait(const CapacityBooks& books, const PriorityAsks& asks) {
  PriorityAsks later = asks;
  for (later.opportunities = asks.opportunities + 1;
       later.opportunities <= asks.opportunities + books.ledger.nodes().count() + 1; ++later.opportunities)
    if (may_go_anywhere(books, later, false)) break;
  return later.opportunities - asks.opportunities;
}

ResourceExplanation explain_waiting(const CapacityBooks& books, const CapacityAdmission& admission, RowIndex row) {
  const CapacityApplication& waiting = books.application(row);
  const CapacityQueue& leaf = books.queues.at(waiting.queue);
  const ResourceCalculator& calculator = books.queues.calculator();
  if (waiting.is_held)
    return {"running_applications_limit", "The user or a queue has reached its limit of running applications.",
            admission.parallel_limit_of(books, row), std::nullopt, 0};
  if (!calculator.is_positive(books.queues.cluster(), books.queues.cluster()))
    return {"no_nodes", "No node has registered yet.", "", std::nullopt, 1};
  if (!calculator.fits(waiting.master_size + leaf.masters.used, leaf.masters.max))
    return {"master_limit_of_queue", "The application masters of the queue have reached their resource limit.",
            leaf.name, std::nullopt, 0};
  return {"master_limit_of_user", "The application masters of the user have reached their resource limit.",
          leaf.users.at(waiting.user).name, std::nullopt, 0};
}

/// The queue on the way down that has no room; the limits of the leaf are left in `limits`.
RowIndex full_queue(const CapacityBooks& books, RowIndex leaf, const MemoryAndCores& unreservable,
                    CapacityLimits& limits) {
  std::vector<RowIndex> path;
  for (RowIndex each = leaf; each != no_row; each = books.queues.at(each).parent) path.push_back(each);
  limits = CapacityLimits{books.queues.cluster()};
  for (std::size_t i = path.size(); i-- > 0;) {
    const CapacityQueue& queue = books.queues.at(path[i]);
    const MemoryAndCores& droppable = queue.is_leaf ? unreservable : queue.reserved;
    if (!books.queues.may_assign(queue, limits, droppable, books.file.looks_beyond_reservations)) return path[i];
    if (i > 0) limits = books.queues.limits_of_child(queue, books.queues.at(path[i - 1]), limits, true);
  }
  return no_row;
}

}  // namespace

ResourceExplanation explain(const CapacityBooks& books, const CapacityAdmission& admission, ApplicationId id) {
  const RowIndex row = books.ledger.find_application(id);
  if (row == no_row) return {"unknown_application", "The application is unknown.", "", std::nullopt, 0};
  const CapacityApplication& asking = books.application(row);
  const CapacityQueue& leaf = books.queues.at(asking.queue);
  const LedgerApplication& known = books.ledger.application(row);
  if (asking.is_waiting) return explain_waiting(books, admission, row);
  if (known.asks.pending_priorities() == 0)
    return {"nothing_asked", "The application has no pending requests.", "", std::nullopt, 0};
  CapacityLimits limits{books.queues.cluster()};
  if (const RowIndex full = full_queue(books, asking.queue, known.reserved, limits); full != no_row)
    return {"queue_at_maximum", "The queue has reached its maximum, or the limit of a queue above it.",
            books.queues.at(full).name, std::nullopt, 0};
  const MemoryAndCores limit = leaf.users.limit_now(asking.user, books.queues.calculator(), limit_input(books, leaf));
  if (!is_within_user_limit(books, row, limit, limits))
    return {"user_at_limit", "The user has reached the user limit of the queue.", leaf.users.at(asking.user).name,
            std::nullopt, 0};
  for (const PriorityAsks& asks : known.asks.priorities()) {
    if (!asks.is_pending) continue;
    const AskEntry& any = *asks.find(any_place);
    const MemoryAndCores droppable = books.file.looks_beyond_reservations ? known.reserved : MemoryAndCores{};
    if (!books.queues.calculator().fits(any.capability, limits.headroom + droppable))
      return {"queue_headroom", "The requested container exceeds the rest of the queue limit.", leaf.name, std::nullopt,
              0};
    if (auto missing = missing_others(books.ledger, any.others)) return *missing;
    if (!any.relax_locality)
      return {"only_named_places",
              "The request allows only named hosts and racks, and none of them has enough free resources.", "",
              std::nullopt, 1};
    if (!may_go_anywhere(books, asks, false))
      return {"locality_delay", "The application waits for a node nearer to its data.", "", std::nullopt,
              offers_to_wait(books, asks)};
  }
  if (leaf.lists.asking.front() != row)
    return {"earlier_application", "Applications that the queue serves first took the free resources.",
            to_string(books.ledger.application(leaf.lists.asking.front()).id), std::nullopt, 1};
  return {"no_room",
          "No node with a heartbeat had enough free resources, or queues further below their share took them.", "",
          std::nullopt, 1};
}

}  // namespace heddle::policies
