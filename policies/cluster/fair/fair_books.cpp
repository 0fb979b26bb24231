// Each change of a container updates first the ledger, then the queues of its application.
#include "policies/cluster/fair/fair_books.hpp"

#include <algorithm>

#include "model/assert.hpp"
#include "policies/cluster/resource_calculator.hpp"

namespace heddle::policies {

FairBooks::FairBooks(FairSchedulerSettings given, const config::FairSchedulerFile& file, Instant now)
    : settings{std::move(given)}, ledger{settings.container_epoch}, queues{file, now} {
  const auto multiplied = [&](std::int64_t amount) {
    return static_cast<std::int64_t>(static_cast<double>(amount) *
                                     static_cast<double>(settings.reservation.increment_multiple));
  };
  reservable_from = {multiplied(settings.increment.memory_mib), multiplied(settings.increment.cores)};
}

// -- containers --------------------------------------------------------------------

void FairBooks::allocate(RowIndex container, PriorityAsks& asks, AskLocality locality, const MemoryAndCores& asked) {
  const RowIndex row = ledger.container(container).application;
  const LedgerApplication& application = ledger.application(row);
  const MemoryAndCores held = ledger.container(container).resource;
  ledger.allocate(container, asks, locality);
  update_asking(row);
  queues.change_usage(application.queue, row, held);
  const OthersId held_others = ledger.container(container).others;
  if (held_others != no_others) queues.change_others(application.queue, ledger.others().list(held_others), 1);
  if (!ledger.container(container).is_master) return;
  queues.application(row).master_size = asked;
  queues.at(application.queue).masters.usage += asked;
  queues.application(row).master_others = ledger.others().list(held_others);
  ledger.others().change(queues.at(application.queue).masters.others, held_others, 1);
}

void FairBooks::end(RowIndex row, std::int32_t status, bool is_reported_by_node, ResourceEffects& effects) {
  const LedgerContainer gone = ledger.container(row);
  if (!ledger.end(row, status, is_reported_by_node, effects)) return;
  if (!gone.is_fetched) update_asking(gone.application);  // its ask returned
  queues.change_usage(ledger.application(gone.application).queue, gone.application, MemoryAndCores{} - gone.resource);
  if (gone.others != no_others)
    queues.change_others(ledger.application(gone.application).queue, ledger.others().list(gone.others), -1);
  if (gone.is_chosen) queues.application(gone.application).to_be_preempted -= gone.resource;
  update_available();
}

void FairBooks::drop_reservation(RowIndex node, bool keep_container, ResourceEffects& effects) {
  const RowIndex reservation = ledger.node(node).reservation;
  const LedgerContainer kept = ledger.container(reservation);
  if (!keep_container)
    effects.emplace_back(ReservationDropped{kept.id, ledger.application(kept.application).attempt.value_or(AttemptId{}),
                                            ledger.node(node).id});
  ledger.unreserve(reservation, keep_container);
}

// -- questions ---------------------------------------------------------------------

MemoryAndCores FairBooks::normalized_for(const FairQueue& queue, const MemoryAndCores& ask) const {
  const MemoryAndCores most = ledger.nodes().maximum_allocation(settings.maximum_allocation);
  const MemoryAndCores maximum{std::min(most.memory_mib, queue.limits.maximum_container.memory_mib),
                               std::min(most.cores, queue.limits.maximum_container.cores)};
  return normalized(ask, settings.minimum_allocation, settings.increment, maximum);
}

bool FairBooks::is_below_share(RowIndex application, const MemoryAndCores& usage, const MemoryAndCores& share) const {
  if (queues.at(ledger.application(application).queue).policy == FairPolicy::dominant_resource)
    return compare_dominant_only(usage, share, ledger.cluster()) < 0;
  return usage.memory_mib < share.memory_mib;
}

bool FairBooks::is_starved(RowIndex row) const {
  const FairApplication& application = queues.application(row);
  return is_below_share(row, ledger.application(row).usage, application.fair_share) ||
         application.min_share_starvation != MemoryAndCores{};
}

void FairBooks::check_invariants() const {
  ledger.check_invariants();
  for (std::size_t i = 0; i < queues.size(); ++i) {
    const FairQueue& queue = queues.at(static_cast<RowIndex>(i));
    MemoryAndCores usage;
    std::int32_t running = 0;
    std::int32_t asking = 0;
    for (const RowIndex child : queue.waiting) asking += queues.application(child).is_asking ? 1 : 0;
    for (const RowIndex child : queue.children) {
      asking += queue.is_leaf ? (queues.application(child).is_asking ? 1 : 0) : queues.at(child).asking;
      usage += queue.is_leaf ? ledger.application(child).usage : queues.at(child).usage;
      running += queue.is_leaf ? 1 : queues.at(child).running;
    }
    HEDDLE_ASSERT(usage == queue.usage, "usage of " + queue.name + " is not the sum of its children");
    HEDDLE_ASSERT(asking == queue.asking, "asking applications of " + queue.name + " are not those of its children");
    HEDDLE_ASSERT(running == queue.running, "running applications of " + queue.name + " are not those of its children");
  }
}

}  // namespace heddle::policies
