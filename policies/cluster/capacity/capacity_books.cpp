// Each change of a container or an ask updates first the ledger, then queues, user and order.
#include "policies/cluster/capacity/capacity_books.hpp"

#include <algorithm>

#include "model/assert.hpp"
#include "policies/cluster/capacity/capacity_order.hpp"

namespace heddle::policies {

CapacityBooks::CapacityBooks(CapacitySchedulerSettings given, const config::CapacitySchedulerFile& queue_file)
    : settings{given}, file{queue_file}, ledger{given.container_epoch}, queues{queue_file, given.minimum_allocation} {
  file.queues.clear();
}

CapacityApplication& CapacityBooks::add_application(RowIndex row) {
  if (applications.size() <= static_cast<std::size_t>(row)) applications.resize(static_cast<std::size_t>(row) + 1);
  return application(row) = CapacityApplication{};
}

MemoryAndCores CapacityBooks::normalized_for(const CapacityQueue& queue, const MemoryAndCores& ask) const {
  MemoryAndCores most = ledger.nodes().maximum_allocation(settings.maximum_allocation);
  if (queue.settings.maximum_container) most = smaller_of_each(most, *queue.settings.maximum_container);
  return queues.calculator().normalized(ask, settings.minimum_allocation, settings.minimum_allocation, most);
}

// -- containers --------------------------------------------------------------------

void CapacityBooks::change_usage(RowIndex row, const MemoryAndCores& by) {
  const CapacityApplication& changed = application(row);
  mark_moved(*this, row);
  queues.change_usage(changed.queue, by);
  queues.at(changed.queue).users.change_usage(changed.user, by, queues.calculator(), queues.cluster());
}

void CapacityBooks::end(RowIndex container, std::int32_t status, bool is_reported_by_node, ResourceEffects& effects) {
  const RowIndex owner = ledger.container(container).application;
  const MemoryAndCores size = ledger.container(container).resource;
  const std::int32_t priority = ledger.container(container).priority;
  // The ask of a container returns only if its application has not fetched the container.
  const bool keeps_asks =
      ledger.container(container).is_fetched && ledger.application(owner).asks.pending() == application(owner).pending;
  const PriorityAsks* before = keeps_asks ? nullptr : ledger.application(owner).asks.find(priority);
  const bool was_pending = before != nullptr && before->is_pending;
  if (!ledger.end(container, status, is_reported_by_node, effects)) return;
  change_usage(owner, MemoryAndCores{} - size);
  if (keeps_asks) return;
  const PriorityAsks* after = ledger.application(owner).asks.find(priority);
  if (after != nullptr &&
      (after->is_pending != was_pending || ledger.application(owner).asks.pending() != application(owner).pending))
    count_asks(owner, after->is_pending && !was_pending);
}

void CapacityBooks::drop_reservation(RowIndex container, ResourceEffects& effects) {
  const LedgerContainer kept = ledger.container(container);
  effects.emplace_back(ReservationDropped{kept.id, ledger.application(kept.application).attempt.value_or(AttemptId{}),
                                          ledger.node(kept.node).id});
  if (PriorityAsks* asks = ledger.application(kept.application).asks.find(kept.priority)) asks->re_reservations = 0;
  ledger.unreserve(container, false);
  queues.change_reserved(application(kept.application).queue, MemoryAndCores{} - kept.resource);
  change_usage(kept.application, MemoryAndCores{} - kept.resource);
}

// -- asks --------------------------------------------------------------------------

void CapacityBooks::count_pending(RowIndex row) {
  CapacityApplication& asking = application(row);
  CapacityQueue& leaf = queues.at(asking.queue);
  const MemoryAndCores pending = ledger.application(row).asks.pending();
  if (pending != asking.pending) queues.change_pending(asking.queue, pending - asking.pending);
  asking.pending = pending;
  const bool is_listed = asking.is_running && queues.calculator().is_positive(queues.cluster(), pending);
  if (asking.is_listed && !is_listed) erase_served(*this, leaf, leaf.lists.asking, row);
  if (!asking.is_listed && is_listed) insert_served(*this, leaf, leaf.lists.asking, row);
  asking.is_listed = is_listed;
}

void CapacityBooks::count_asks(RowIndex row, bool has_new_priority) {
  count_pending(row);
  CapacityApplication& asking = application(row);
  CapacityUsers& users = queues.at(asking.queue).users;
  if (ledger.application(row).asks.pending_priorities() == 0) users.stop_asking(asking.user, asking.is_asking);
  else if (has_new_priority) users.start_asking(asking.user, asking.is_asking);
}

void CapacityBooks::check_invariants() const {
  ledger.check_invariants();
  queues.check_invariants();
  std::vector<MemoryAndCores> used(queues.size());
  std::vector<MemoryAndCores> pending(queues.size());
  for (const auto& [id, row] : ledger.applications().in_order()) {
    const LedgerApplication& books = ledger.application(row);
    const auto queue = static_cast<std::size_t>(application(row).queue);
    used[queue] += books.usage - books.unbacked_usage + books.reserved;
    pending[queue] += books.asks.pending();
  }
  for (std::size_t i = 0; i < queues.size(); ++i) {
    const CapacityQueue& leaf = queues.at(static_cast<RowIndex>(i));
    if (!leaf.is_leaf) continue;
    HEDDLE_ASSERT(used[i] == leaf.used, "usage of " + leaf.name + " differs from that of its applications");
    HEDDLE_ASSERT(pending[i] == leaf.pending,
                  "pending resources of " + leaf.name + " differ from those of its applications");
    const auto is_before = [&](RowIndex a, RowIndex b) { return is_served_before(*this, leaf, a, b); };
    HEDDLE_ASSERT(std::is_sorted(leaf.lists.running.begin(), leaf.lists.running.end(), is_before),
                  "applications of " + leaf.name + " are out of order");
    HEDDLE_ASSERT(std::is_sorted(leaf.lists.asking.begin(), leaf.lists.asking.end(), is_before),
                  "asking applications of " + leaf.name + " are out of order");
  }
}

}  // namespace heddle::policies
