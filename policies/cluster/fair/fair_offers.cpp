// The checks have Hadoop's order, since each can end an offer before a later one counts an opportunity.
#include "policies/cluster/fair/fair_offers.hpp"

#include <algorithm>
#include <cmath>

#include "policies/cluster/fair/fair_limits.hpp"
#include "policies/cluster/ledger_questions.hpp"

namespace heddle::policies {

void FairOffer::make() {
  ledger_.containers().fetch_ahead_next();
  assign_preempted();
  if (ledger_.node(node_).reservation != no_row && assign_reserved()) return;
  const MemoryAndCores room = ledger_.node(node_).unallocated;
  const MemoryAndCores most{static_cast<std::int64_t>(static_cast<double>(room.memory_mib) * 0.5),
                            static_cast<std::int64_t>(static_cast<double>(room.cores) * 0.5)};
  MemoryAndCores assigned;
  std::int32_t count = 0;
  while (ledger_.node(node_).reservation == no_row) {
    const Offer result = offer_to_queue(FairQueues::root);
    if (!result.is_taken) break;
    assigned += result.size;
    if (!may_continue(++count, most, assigned)) break;
  }
}

bool FairOffer::may_continue(std::int32_t count, const MemoryAndCores& most, const MemoryAndCores& assigned) const {
  if (!settings_.assignment.assigns_multiple) return false;
  if (settings_.assignment.is_bounded_by_room) return fits_in(assigned, most);
  return settings_.assignment.max <= 0 || count < settings_.assignment.max;
}

void FairOffer::assign_preempted() {
  if (!settings_.preemption.is_enabled) return;
  preemption_.remove_satisfied(books_, node_);
  const std::vector<FairPreemption::Kept> kept_for = preemption_.kept_for(node_);
  for (const auto& [application, kept] : kept_for) {
    MemoryAndCores pending = kept;
    while (pending != MemoryAndCores{}) {
      const bool had_reservation = ledger_.node(node_).reservation != no_row;
      const Offer result = offer_to_application(application);
      if (!result.is_taken || (!had_reservation && ledger_.node(node_).reservation != no_row)) break;
      pending.memory_mib = std::max<std::int64_t>(0, pending.memory_mib - result.size.memory_mib);
      pending.cores = std::max<std::int64_t>(0, pending.cores - result.size.cores);
    }
  }
}

bool FairOffer::assign_reserved() {
  const LedgerContainer kept = ledger_.container(ledger_.node(node_).reservation);
  const PriorityAsks* asks = ledger_.application(kept.application).asks.find(kept.priority);
  if (asks == nullptr || !wants_node(kept.application, *asks) || !may_master_start(books_, kept.application)) {
    books_.drop_reservation(node_, false, effects_);
    return false;
  }
  if (fits_in(kept.resource, ledger_.node(node_).unallocated) && ledger_.has_others(node_, kept.others))
    offer(kept.application, Mode::reserved);
  return true;
}

FairOffer::Offer FairOffer::offer_to_queue(RowIndex row) {
  const FairQueue& queue = queues_.at(row);
  if (queue.asking == 0 || !is_of_use(queue.sizes, ledger_.node(node_).unallocated)) return {};
  if (ledger_.node(node_).reservation != no_row || !fits_in(queue.usage, queue.limits.maximum_now)) return {};
  if (queue.is_leaf && !queue.order.children.empty()) {
    // Tried before the children are sorted: most often the first one takes the node.
    const RowIndex likely = queue.order.children.front();
    fetch_ahead(&queues_.application(likely));
    fetch_ahead(&ledger_.application(likely));
  }
  const std::vector<RowIndex>& order = queues_.served(row, ledger_);
  if (queue.is_leaf && !order.empty()) ledger_.application(order.front()).asks.fetch_ahead_priorities();
  for (const RowIndex child : order) {
    Offer result;
    if (!queue.is_leaf) {
      result = offer_to_queue(child);
    } else {
      if (!queues_.application(child).is_asking) continue;
      const LedgerApplication& application = ledger_.application(child);
      if (queues_.application(child).demand == application.usage || is_excluded(application, ledger_.node(node_)))
        continue;
      result = offer_to_application(child);
    }
    if (result.is_taken) return result;
  }
  return {};
}

/// False if an offer of this room changes nothing: no ask fits, no ask is large enough for a reservation, and no
/// locality delay counts offers. Checks only the smallest and the largest ask, because larger sizes have larger shares.
bool FairOffer::is_of_use(const AskSizes& sizes, const MemoryAndCores& room) const {
  if (fits_in(sizes.least, room) || settings_.locality.has_delay()) return true;
  return sizes.most.memory_mib >= books_.reservable_from.memory_mib ||
         compare_dominant(sizes.most, books_.reservable_from, ledger_.cluster()) >= 0;
}

FairOffer::Offer FairOffer::offer_to_application(RowIndex application) {
  if (!may_master_start(books_, application)) return {};
  return offer(application, Mode::free);
}

bool FairOffer::wants_node(RowIndex application, const PriorityAsks& asks) const {
  const LedgerNode& node = ledger_.node(node_);
  const AskEntry* any = asks.find(any_place);
  if (any == nullptr || any->count <= 0) return false;
  const bool has_rack = asks.count(node.rack) > 0;
  if (!any->relax_locality && !has_rack) return false;
  if (has_rack && !asks.may_relax(node.rack) && asks.count(node.host) <= 0) return false;
  const RowIndex leaf = ledger_.application(application).queue;
  if (!fits_in(any->capability, node.capacity) || full_queue(queues_.tree(), leaf, any->capability) != no_row)
    return false;
  if (any->others == no_others) return true;
  return ledger_.could_have_others(node_, any->others) &&
         full_of_others(queues_.tree(), leaf, ledger_.others(), any->others) == no_row;
}

AskLocality FairOffer::allowed_level_by_time(PriorityAsks& asks) const {
  if (!asks.has_allowed_level) {
    asks.has_allowed_level = true;
    asks.allowed_level = AskLocality::node_local;
    asks.level_since_ms = now_ms_;
    return asks.allowed_level;
  }
  if (asks.allowed_level == AskLocality::off_switch) return asks.allowed_level;
  const bool is_at_node = asks.allowed_level == AskLocality::node_local;
  if (now_ms_ - asks.level_since_ms >
      (is_at_node ? settings_.locality.node_delay_ms : settings_.locality.rack_delay_ms)) {
    asks.allowed_level = is_at_node ? AskLocality::rack_local : AskLocality::off_switch;
    asks.level_since_ms = now_ms_;
    asks.opportunities = 0;
  }
  return asks.allowed_level;
}

AskLocality FairOffer::allowed_level(PriorityAsks& asks) const {
  if (!settings_.locality.has_delay()) return AskLocality::off_switch;
  if (settings_.locality.continuous_sleep) return allowed_level_by_time(asks);
  const double node_threshold = std::min(static_cast<double>(settings_.locality.node_threshold), 1.0);
  const double rack_threshold = std::min(static_cast<double>(settings_.locality.rack_threshold), 1.0);
  if (!asks.has_allowed_level) {
    asks.has_allowed_level = true;
    asks.allowed_level = AskLocality::node_local;
    return asks.allowed_level;
  }
  if (asks.allowed_level == AskLocality::off_switch) return asks.allowed_level;
  const double threshold = asks.allowed_level == AskLocality::node_local ? node_threshold : rack_threshold;
  if (asks.opportunities > ledger_.nodes().count() * threshold) {
    asks.allowed_level =
        asks.allowed_level == AskLocality::node_local ? AskLocality::rack_local : AskLocality::off_switch;
    asks.opportunities = 0;
  }
  return asks.allowed_level;
}

FairOffer::Offer FairOffer::offer(RowIndex application, Mode mode) {
  const LedgerNode& node = ledger_.node(node_);
  PendingRequests& table = ledger_.application(application).asks;
  for (PriorityAsks& asks : table.priorities()) {
    if (mode == Mode::reserved && asks.priority != ledger_.container(node.reservation).priority) continue;
    asks.entries.fetch_ahead_place(node.rack);
    asks.entries.fetch_ahead_place(node.host);
    if (mode == Mode::free && (!asks.is_pending || !wants_node(application, asks))) continue;
    if (counts_opportunities_ && asks.opportunities < std::numeric_limits<std::int32_t>::max()) ++asks.opportunities;
    const AskLocality level = allowed_level(asks);
    const AskEntry* at_rack = asks.find(node.rack);
    const AskEntry* at_node = asks.find(node.host);
    const bool has_rack = at_rack != nullptr && at_rack->count > 0;
    if (has_rack && at_node != nullptr && at_node->count > 0)
      return take(application, asks, *at_node, AskLocality::node_local, mode);
    if (at_rack != nullptr && !at_rack->relax_locality) continue;
    if (has_rack && level != AskLocality::node_local)
      return take(application, asks, *at_rack, AskLocality::rack_local, mode);
    const AskEntry* any = asks.find(any_place);
    if (any == nullptr || !any->relax_locality) continue;
    if (any->count > 0 && (asks.entries.size() <= 1 || level == AskLocality::off_switch))
      return take(application, asks, *any, AskLocality::off_switch, mode);
  }
  return {};
}

FairOffer::Offer FairOffer::take(RowIndex row, PriorityAsks& asks, const AskEntry& entry, AskLocality locality,
                                 Mode mode) {
  const MemoryAndCores size = entry.capability;
  const OthersId others = entry.others;
  if (!fits_in(size, ledger_.node(node_).unallocated) || !ledger_.has_others(node_, others)) {
    if (is_reservable(row, size) && !preemption_.is_kept_for(node_, row) && reserve(row, asks, entry, locality, mode))
      return {true, MemoryAndCores{-1, 0}};
    return {};
  }
  if (asks.has_allowed_level && locality < asks.allowed_level) asks.allowed_level = locality;
  RowIndex container = no_row;
  if (mode == Mode::reserved) {
    container = ledger_.node(node_).reservation;
    books_.drop_reservation(node_, true, effects_);
  } else {
    container = ledger_.create_container(row, node_, asks.priority, size, others);
  }
  const MemoryAndCores held = ledger_.container(container).resource;
  books_.allocate(container, asks, locality, size);
  if (settings_.preemption.is_enabled) preemption_.count_allocated(node_, row, held);
  effects_.emplace_back(described(ledger_, container));
  return {size != MemoryAndCores{}, size};
}

bool FairOffer::is_reservable(RowIndex row, const MemoryAndCores& size) const {
  if (!books_.is_starved(row)) return false;
  const FairApplication& application = queues_.application(row);
  if (queues_.at(application.queue).policy == FairPolicy::dominant_resource)
    return compare_dominant(size, books_.reservable_from, ledger_.cluster()) >= 0;
  return size.memory_mib >= books_.reservable_from.memory_mib;
}

bool FairOffer::has_reservations_enough(const LedgerApplication& application, AskLocality locality) const {
  if (locality == AskLocality::node_local) return false;
  const ResourceNameId rack = ledger_.node(node_).rack;
  std::int32_t existing = 0;
  for (const RowIndex each : application.reservations)
    if (locality == AskLocality::off_switch || ledger_.node(ledger_.container(each).node).rack == rack) ++existing;
  const std::int32_t nodes =
      locality == AskLocality::off_switch ? ledger_.nodes().count() : ledger_.nodes().count_of_rack(rack);
  return existing >= static_cast<std::int32_t>(std::ceil(static_cast<float>(nodes) * settings_.reservation.nodes_max));
}

bool FairOffer::reserve(RowIndex application, const PriorityAsks& asks, const AskEntry& entry, AskLocality locality,
                        Mode mode) {
  const RowIndex existing = ledger_.node(node_).reservation;
  if (existing != no_row && ledger_.container(existing).application != application) return false;
  if (has_reservations_enough(ledger_.application(application), locality)) return false;
  if (mode == Mode::reserved || existing != no_row) return true;
  const RowIndex container =
      ledger_.create_container(application, node_, asks.priority, entry.capability, entry.others);
  ledger_.reserve(container);
  effects_.emplace_back(described_reservation(ledger_, container));
  return true;
}

std::vector<NodeId> continuous_round(const FairBooks& books) {
  std::vector<const LedgerNode*> nodes;
  const bool is_asking = books.queues.at(FairQueues::root).asking > 0;
  for (const auto& [id, row] : books.ledger.nodes().in_order()) {
    const LedgerNode& node = books.ledger.node(row);
    if ((is_asking || node.reservation != no_row) && fits_in(books.settings.minimum_allocation, node.unallocated))
      nodes.push_back(&node);
  }
  std::stable_sort(nodes.begin(), nodes.end(), [](const LedgerNode* a, const LedgerNode* b) {
    return a->unallocated.memory_mib > b->unallocated.memory_mib;
  });
  std::vector<NodeId> round;
  round.reserve(nodes.size());
  for (const LedgerNode* node : nodes) round.push_back(node->id);
  return round;
}

}  // namespace heddle::policies
