// Tries the node's reservation, then passes over the tree. Proposals are checked again before they are committed.
#include "policies/cluster/capacity/capacity_offers.hpp"

#include <algorithm>
#include <limits>

#include "policies/cluster/capacity/capacity_limits.hpp"
#include "policies/cluster/capacity/capacity_order.hpp"
#include "policies/cluster/ledger_questions.hpp"

namespace heddle::policies {

void CapacityOffer::make() {
  ledger_.containers().fetch_ahead_next();
  std::int32_t off_switch = 0;
  std::int32_t assigned = 0;
  while (true) {
    const Proposal done = propose();
    if (done.kind != Proposal::Kind::allocate || done.reservation != no_row) break;
    ++assigned;
    if (done.locality == AskLocality::off_switch) ++off_switch;
    if (!file_.assigns_multiple || off_switch >= file_.off_switch_assignments_max) break;
    if (file_.assignments_max != -1 && assigned >= file_.assignments_max) break;
  }
}

/// Proposes and commits one pass.
CapacityOffer::Proposal CapacityOffer::propose() {
  if (ledger_.node(node_).reservation != no_row) {
    const Proposal proposal = fulfil_reservation();
    if (proposal.kind != Proposal::Kind::nothing) static_cast<void>(commit(proposal));
    return proposal.kind == Proposal::Kind::allocate ? proposal : Proposal{};
  }
  if (queues_.calculator().count_fitting(ledger_.node(node_).unallocated, settings_.minimum_allocation) <= 0) return {};
  CapacityLimits limits{queues_.cluster()};
  const Proposal proposal = offer_to_queue(CapacityQueues::root, limits);
  if (proposal.kind == Proposal::Kind::nothing) return {};
  const bool is_done = commit(proposal);
  // A refused proposal would be repeated until a limit on assignments stops it. Without a limit, stop here.
  if (!is_done && file_.assignments_max == -1 && proposal.locality != AskLocality::off_switch) return {};
  return proposal;
}

// -- queues ----------------------------------------------------------------------

CapacityOffer::Proposal CapacityOffer::offer_to_queue(RowIndex row, CapacityLimits& limits) {
  const CapacityQueue& queue = queues_.at(row);
  if (queue.is_leaf) return offer_to_leaf(row, limits);
  if (!queues_.is_asking(queue)) return {};
  if (!queues_.calculator().fits(settings_.minimum_allocation, ledger_.node(node_).unallocated)) return {};
  if (!queues_.may_assign(queue, limits, queue.reserved, file_.looks_beyond_reservations)) return {};
  return offer_to_children(row, limits);
}

CapacityOffer::Proposal CapacityOffer::offer_to_children(RowIndex row, CapacityLimits& limits) {
  const CapacityQueue& queue = queues_.at(row);
  Proposal result;
  for (const RowIndex child_slot : queue.order) {
    const CapacityQueue& child = queues_.at(child_slot);
    CapacityLimits child_limits = queues_.limits_of_child(queue, child, limits, true);
    const Proposal proposal = offer_to_queue(child_slot, child_limits);
    if (proposal.kind != Proposal::Kind::nothing) return proposal;
    if (proposal.skip != Proposal::Skip::queue_limit) continue;
    result.skip = Proposal::Skip::queue_limit;
    const MemoryAndCores& blocked = child.is_leaf ? child_limits.headroom : child_limits.blocked;
    limits.blocked += queues_.calculator().larger(queues_.cluster(), blocked, MemoryAndCores{});
  }
  return result;
}

CapacityOffer::Proposal CapacityOffer::offer_to_leaf(RowIndex row, CapacityLimits& limits) {
  CapacityQueue& leaf = queues_.at(row);
  queues_.set_headroom_limit(leaf, limits);
  if (!queues_.is_asking(leaf) || leaf.lists.running.empty()) return {};
  if (!leaf.lists.asking.empty()) {
    fetch_ahead(&ledger_.application(leaf.lists.asking.front()));
    ledger_.application(leaf.lists.asking.front()).asks.fetch_ahead_priorities();
  }
  move_in_order(books_, leaf);
  // Without reservations one check is enough for all applications, and only applications with asks can get containers.
  const bool is_simple = leaf.reserved == MemoryAndCores{} || !file_.looks_beyond_reservations;
  const std::vector<RowIndex>& candidates = is_simple ? leaf.lists.asking : leaf.lists.running;
  if (is_simple) {
    const MemoryAndCores& reserved = ledger_.application(leaf.lists.running.front()).reserved;
    if (!queues_.may_assign(leaf, limits, reserved, file_.looks_beyond_reservations)) return {};
    leaf.visit.limit_of_applications = leaf.visit.limit_for_headroom;
    leaf.visit.cluster_of_applications = queues_.cluster();
    static_cast<void>(user_limit(books_, leaf.lists.running.front()));
  }
  bool is_checked = is_simple;
  for (const RowIndex each : candidates) {
    const MemoryAndCores& reserved = ledger_.application(each).reserved;
    if (!is_checked && !queues_.may_assign(leaf, limits, reserved, file_.looks_beyond_reservations)) return {};
    is_checked = is_checked || reserved == MemoryAndCores{};
    leaf.visit.limit_of_applications = leaf.visit.limit_for_headroom;
    leaf.visit.cluster_of_applications = queues_.cluster();
    const MemoryAndCores limit = user_limit(books_, each);
    if (!is_simple) books_.application(each).was_visited = true;
    if (!is_within_user_limit(books_, each, limit, limits)) continue;
    const Proposal proposal = offer_to_application(each, limits);
    if (proposal.kind == Proposal::Kind::nothing && proposal.skip == Proposal::Skip::application) continue;
    if (is_simple) mark_visited(leaf, each);
    return proposal;
  }
  if (is_simple) mark_visited(leaf, no_row);
  return {};
}

/// Marks applications up to and including `last` as visited; all of them if no_row.
void CapacityOffer::mark_visited(CapacityQueue& leaf, RowIndex last) {
  if (leaf.lists.unvisited.empty()) return;
  for (const RowIndex each : leaf.lists.unvisited)
    if (last == no_row || each == last || is_served_before(books_, leaf, each, last))
      books_.application(each).was_visited = true;
  std::erase_if(leaf.lists.unvisited, [&](RowIndex each) { return books_.application(each).was_visited; });
}

// -- applications ------------------------------------------------------------------

CapacityOffer::Proposal CapacityOffer::offer_to_application(RowIndex row, const CapacityLimits& limits) {
  Proposal skipped;
  skipped.skip = Proposal::Skip::application;
  if (!books_.application(row).is_listed) return skipped;
  for (PriorityAsks& asks : ledger_.application(row).asks.priorities()) {
    if (!asks.is_pending) continue;
    Proposal proposal;
    proposal.application = row;
    proposal.priority = asks.priority;
    switch (try_ask(row, asks, limits, proposal)) {
      case AskResult::found: return proposal;
      case AskResult::queue_is_full: skipped.skip = Proposal::Skip::queue_limit; return skipped;
      case AskResult::next_priority: continue;
      default: return skipped;
    }
  }
  return skipped;
}

void CapacityOffer::count_opportunity(PriorityAsks& asks) const {
  if (counts_opportunities_ && asks.opportunities < std::numeric_limits<std::int32_t>::max()) ++asks.opportunities;
}

CapacityOffer::Proposal CapacityOffer::fulfil_reservation() {
  const LedgerContainer& kept = ledger_.container(ledger_.node(node_).reservation);
  Proposal proposal;
  proposal.application = kept.application;
  proposal.priority = kept.priority;
  proposal.reservation = ledger_.node(node_).reservation;
  PriorityAsks* asks = ledger_.application(kept.application).asks.find(kept.priority);
  CapacityLimits limits{queues_.cluster()};
  queues_.set_headroom_limit(queues_.at(books_.application(kept.application).queue), limits);
  if (asks == nullptr || !asks->is_pending) {
    proposal.kind = Proposal::Kind::drop_reservation;
    return proposal;
  }
  if (is_excluded(ledger_.application(kept.application), ledger_.node(node_))) return {};
  count_opportunity(*asks);
  return try_places(kept.application, *asks, limits, proposal) == AskResult::found ? proposal : Proposal{};
}

CapacityOffer::AskResult CapacityOffer::try_ask(RowIndex row, PriorityAsks& asks, const CapacityLimits& limits,
                                                Proposal& proposal) {
  const LedgerApplication& books = ledger_.application(row);
  const MemoryAndCores& required = asks.find(any_place)->capability;
  if (!file_.looks_beyond_reservations && !wants_more(row, asks, required)) return AskResult::next_priority;
  const MemoryAndCores unreservable = file_.looks_beyond_reservations ? books.reserved : MemoryAndCores{};
  if (!queues_.calculator().fits(required, limits.headroom + unreservable)) return AskResult::queue_is_full;
  if (is_excluded(books, ledger_.node(node_))) return AskResult::next_application;
  count_opportunity(asks);
  const AskResult result = try_places(row, asks, limits, proposal);
  if (result == AskResult::next_priority && counts_opportunities_)
    asks.opportunities = std::max(0, asks.opportunities - 1);
  const bool is_reset = proposal.locality == AskLocality::node_local ||
                        (proposal.locality == AskLocality::rack_local && file_.rack_locality_full_reset);
  if (result == AskResult::found && is_reset) asks.opportunities = 0;
  return result;
}

CapacityOffer::AskResult CapacityOffer::try_places(RowIndex row, PriorityAsks& asks, const CapacityLimits& limits,
                                                   Proposal& proposal) {
  const LedgerNode& where = ledger_.node(node_);
  asks.entries.fetch_ahead_place(where.host);
  const AskEntry* at_rack = asks.find(where.rack);
  const bool has_rack = at_rack != nullptr && at_rack->count > 0;
  if (const AskEntry* at_node = asks.find(where.host); at_node != nullptr && at_node->count > 0 && has_rack) {
    proposal.locality = AskLocality::node_local;
    proposal.size = at_node->capability;
    proposal.others = at_node->others;
    if (try_size(row, asks, limits, proposal) == AskResult::found) return AskResult::found;
  }
  if (has_rack) {
    if (!at_rack->relax_locality) return AskResult::next_priority;
    proposal.locality = AskLocality::rack_local;
    proposal.size = at_rack->capability;
    proposal.others = at_rack->others;
    if (may_go_to_rack(asks) && try_size(row, asks, limits, proposal) == AskResult::found) return AskResult::found;
  }
  const AskEntry* any = asks.find(any_place);
  if (any == nullptr || any->count <= 0 || !any->relax_locality) return AskResult::next_priority;
  proposal.locality = AskLocality::off_switch;
  proposal.size = any->capability;
  proposal.others = any->others;
  if (!may_go_anywhere(books_, asks, proposal.reservation != no_row)) return AskResult::next_application;
  return try_size(row, asks, limits, proposal) == AskResult::found ? AskResult::found : AskResult::next_application;
}

bool CapacityOffer::may_go_to_rack(const PriorityAsks& asks) const {
  return std::min(ledger_.nodes().count(), file_.node_locality_delay) < asks.opportunities;
}

bool may_go_anywhere(const CapacityBooks& books, const PriorityAsks& asks, bool is_reserved) {
  if (is_reserved || asks.entries.size() == 1) return true;
  const std::int32_t nodes = books.ledger.nodes().count();
  if (books.file.rack_locality_additional_delay > -1)
    return asks.opportunities >
           std::min(nodes, books.file.node_locality_delay + books.file.rack_locality_additional_delay);
  const auto places = static_cast<float>(std::max<std::int64_t>(static_cast<std::int64_t>(asks.entries.size()) - 1, 0));
  const float wait_factor = std::min(places / static_cast<float>(nodes), 1.0F);
  const float wait = std::min(static_cast<float>(nodes), static_cast<float>(asks.count(any_place)) * wait_factor);
  return wait < static_cast<float>(asks.opportunities);
}

/// True if the application asks for more containers of this priority than it has reservations. A reservation counts
/// less the longer it is not fulfilled.
bool CapacityOffer::wants_more(RowIndex row, const PriorityAsks& asks, const MemoryAndCores& size) const {
  std::int32_t reserved = 0;
  for (const RowIndex each : ledger_.application(row).reservations)
    reserved += ledger_.container(each).priority == asks.priority ? 1 : 0;
  std::int32_t starvation = 0;
  if (reserved > 0) {
    const CapacityQueue& leaf = queues_.at(books_.application(row).queue);
    const MemoryAndCores most =
        leaf.settings.maximum_container ? *leaf.settings.maximum_container : settings_.maximum_allocation;
    const float part = std::min(queues_.calculator().ratio(size, most),
                                queues_.calculator().ratio(most - settings_.minimum_allocation, most));
    starvation = static_cast<std::int32_t>(static_cast<float>(asks.re_reservations) / static_cast<float>(reserved) *
                                           (1.0F - part));
  }
  return starvation + asks.count(any_place) - reserved > 0;
}

/// The first reservation of the priority that is large enough, by the nodes' tie-breaks, then by age.
RowIndex CapacityOffer::reservation_to_drop(RowIndex row, std::int32_t priority, const MemoryAndCores& needed) const {
  const std::vector<RowIndex>& reservations = ledger_.application(row).reservations;
  const auto same = [&](RowIndex each) { return ledger_.container(each).priority == priority; };
  std::uint32_t buckets = 16;  // buckets of Hadoop's table, which grows at a load of 3/4
  for (auto count = std::count_if(reservations.begin(), reservations.end(), same); count > buckets / 4 * 3;)
    buckets *= 2;
  RowIndex found = no_row;
  std::uint32_t least = 0;
  for (const RowIndex each : reservations) {
    if (!same(each) || !queues_.calculator().fits(needed, ledger_.container(each).resource)) continue;
    const std::uint32_t bucket = ledger_.node(ledger_.container(each).node).tie_break & (buckets - 1);
    if (found != no_row && bucket >= least) continue;
    found = each;
    least = bucket;
  }
  return found;
}

/// Checks whether the node can hold a container of this size, now or by a reservation.
CapacityOffer::AskResult CapacityOffer::try_size(RowIndex row, const PriorityAsks& asks, const CapacityLimits& limits,
                                                 Proposal& proposal) const {
  const ResourceCalculator& calculator = queues_.calculator();
  const MemoryAndCores& cluster = queues_.cluster();
  const LedgerNode& where = ledger_.node(node_);
  const MemoryAndCores& size = proposal.size;
  if (!calculator.fits(size, where.capacity) || !ledger_.could_have_others(node_, proposal.others))
    return AskResult::next_place;
  const bool wants = wants_more(row, asks, size);
  MemoryAndCores excess = calculator.larger(cluster, size - limits.headroom, limits.to_unreserve);
  const bool must_unreserve = calculator.is_positive(cluster, excess);
  const bool is_new = proposal.reservation == no_row;
  proposal.to_unreserve = no_row;
  if (calculator.count_fitting(where.unallocated, size) > 0 && has_others(proposal)) {
    if (is_new && file_.looks_beyond_reservations && (!wants || must_unreserve)) {
      if (!must_unreserve) excess = size;
      proposal.to_unreserve = reservation_to_drop(row, asks.priority, excess);
      if (proposal.to_unreserve == no_row) return AskResult::next_place;
    }
    proposal.kind = Proposal::Kind::allocate;
    return AskResult::found;
  }
  if (is_new && (!wants || (file_.looks_beyond_reservations && must_unreserve))) return AskResult::next_place;
  proposal.kind = Proposal::Kind::reserve;
  return AskResult::found;
}

/// A reservation uses the resources for which it was made, whatever the current ask is.
bool CapacityOffer::has_others(const Proposal& proposal) const {
  const OthersId kept = proposal.reservation == no_row ? no_others : ledger_.container(proposal.reservation).others;
  return ledger_.has_others(node_, proposal.others) && ledger_.has_others(node_, kept);
}

// -- applying a proposal ------------------------------------------------------------------

bool CapacityOffer::is_acceptable(const Proposal& proposal) {
  const ResourceCalculator& calculator = queues_.calculator();
  const LedgerNode& where = ledger_.node(node_);
  // What is asked now counts, so that a larger reservation may overfill its node.
  const MemoryAndCores& size = proposal.size;
  if (proposal.kind == Proposal::Kind::allocate && !(calculator.fits(size, where.unallocated) && has_others(proposal)))
    return false;
  if (proposal.reservation != no_row) return true;
  const CapacityApplication& asking = books_.application(proposal.application);
  CapacityQueue& leaf = queues_.at(asking.queue);
  const MemoryAndCores released =
      proposal.to_unreserve == no_row ? MemoryAndCores{} : ledger_.container(proposal.to_unreserve).resource;
  if (calculator.compare(queues_.cluster(), leaf.users.at(asking.user).used - released,
                         user_limit(books_, proposal.application)) > 0)
    return false;
  return queues_.fits_maximum(asking.queue, size - released);
}

bool CapacityOffer::commit(const Proposal& proposal) {
  if (proposal.kind == Proposal::Kind::drop_reservation) {
    books_.drop_reservation(proposal.reservation, effects_);
    return true;
  }
  if (!is_acceptable(proposal)) return false;
  if (proposal.kind == Proposal::Kind::reserve && proposal.reservation != no_row) {
    if (counts_opportunities_)
      ++ledger_.application(proposal.application).asks.find(proposal.priority)->re_reservations;
    return true;
  }
  commit_container(proposal);
  return true;
}

void CapacityOffer::commit_container(const Proposal& proposal) {
  const RowIndex owner = proposal.application;
  RowIndex container = proposal.reservation;
  if (container != no_row) {
    ledger_.unreserve(container, true);
    queues_.change_reserved(books_.application(owner).queue, MemoryAndCores{} - ledger_.container(container).resource);
  } else {
    container = ledger_.create_container(owner, node_, proposal.priority, proposal.size, proposal.others);
  }
  PriorityAsks& asks = *ledger_.application(owner).asks.find(proposal.priority);
  if (proposal.kind == Proposal::Kind::reserve) {
    asks.re_reservations = 0;
    ledger_.reserve(container);
    effects_.emplace_back(described_reservation(ledger_, container));
  } else {
    if (proposal.reservation != no_row) asks.re_reservations = 0;
    ledger_.allocate(container, asks, proposal.locality);
    // The container has the reserved size. Hadoop counts the size of the current ask.
    if (proposal.reservation != no_row)
      ledger_.add_unbacked_usage(owner, proposal.size - ledger_.container(container).resource);
    effects_.emplace_back(described(ledger_, container));
    books_.count_asks(owner, false);
  }
  if (proposal.to_unreserve != no_row) books_.drop_reservation(proposal.to_unreserve, effects_);
  if (proposal.reservation == no_row) books_.change_usage(owner, proposal.size);
  if (proposal.kind == Proposal::Kind::reserve) queues_.change_reserved(books_.application(owner).queue, proposal.size);
}

}  // namespace heddle::policies
