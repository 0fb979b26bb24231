// From a heartbeat to containers: preempted room first, then the node's reservation, then the tree.
#include <algorithm>
#include <cmath>

#include "policies/cluster/fair/fair_scheduler.hpp"

namespace heddle::policies {

bool FairScheduler::has_room(NodeId node) const {
  const Slot slot = ledger_.find_node(node);
  return slot != no_slot && ledger_.node(slot).unallocated.memory_mib > 0;
}

bool FairScheduler::needs_offer(NodeId node) const {
  const Slot slot = ledger_.find_node(node);
  if (slot == no_slot) return false;
  const auto number = static_cast<std::size_t>(slot);
  return queues_.at(FairQueues::root).asking > 0 || ledger_.node(slot).reservation != no_slot ||
         (number < preemptions_.size() && !preemptions_[number].kept_for.empty());
}

std::vector<NodeId> FairScheduler::continuous_round() const {
  std::vector<const LedgerNode*> nodes;
  const bool is_asking = queues_.at(FairQueues::root).asking > 0;
  for (const auto& [id, slot] : ledger_.nodes_in_order()) {
    const LedgerNode& node = ledger_.node(slot);
    if ((is_asking || node.reservation != no_slot) && fits_in(settings_.minimum_allocation, node.unallocated))
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

void FairScheduler::node_heartbeat(Instant now, NodeId node_id, ResourceEffects& effects, OfferCause cause) {
  const Slot node = ledger_.find_node(node_id);
  if (node == no_slot) return;
  offered_at_ms_ = to_milliseconds(now.time_since_epoch());
  counts_opportunities_ = cause == OfferCause::heartbeat;
  const std::size_t first_effect = effects.size();
  ledger_.fetch_ahead_container();
  assign_preempted(node, effects);
  if (ledger_.node(node).reservation == no_slot || !assign_reserved(node, effects)) {
    const Resource room = ledger_.node(node).unallocated;
    const Resource most{static_cast<std::int64_t>(static_cast<double>(room.memory_mib) * 0.5),
                        static_cast<std::int64_t>(static_cast<double>(room.cores) * 0.5)};
    Resource assigned;
    std::int32_t count = 0;
    while (ledger_.node(node).reservation == no_slot) {
      const Offer result = offer_to_queue(FairQueues::root, node, effects);
      if (!result.is_taken) break;
      assigned += result.size;
      if (!may_continue(++count, most, assigned)) break;
    }
  }
  note_cluster_available();
  if (effects.size() > first_effect) update_grid_.mark_changed(now);
  for (std::size_t i = first_effect; i < effects.size(); ++i)
    if (const auto* assigned = std::get_if<ContainerAssigned>(&effects[i]); assigned != nullptr && assigned->is_master)
      ledger_.fetch(ledger_.find_attempt(assigned->attempt), nullptr);
}

bool FairScheduler::may_continue(std::int32_t count, const Resource& most, const Resource& assigned) const {
  if (!settings_.assign_multiple) return false;
  if (settings_.dynamic_max_assign) return fits_in(assigned, most);
  return settings_.max_assign <= 0 || count < settings_.max_assign;
}

void FairScheduler::assign_preempted(Slot node, ResourceEffects& effects) {
  if (!settings_.is_preemption_enabled) return;
  forget_satisfied(node);
  const std::vector<std::pair<Slot, Resource>> kept_for = preemption_of(node).kept_for;
  for (const auto& [application, kept] : kept_for) {
    Resource pending = kept;
    while (pending != Resource{}) {
      const bool had_reservation = ledger_.node(node).reservation != no_slot;
      const Offer result = offer_to_application(application, node, effects);
      if (!result.is_taken || (!had_reservation && ledger_.node(node).reservation != no_slot)) break;
      pending.memory_mib = std::max<std::int64_t>(0, pending.memory_mib - result.size.memory_mib);
      pending.cores = std::max<std::int64_t>(0, pending.cores - result.size.cores);
    }
  }
}

bool FairScheduler::assign_reserved(Slot node, ResourceEffects& effects) {
  const LedgerContainer kept = ledger_.container(ledger_.node(node).reservation);
  const PriorityAsks* asks = ledger_.application(kept.application).asks.find(kept.priority);
  if (asks == nullptr || !wants_node(kept.application, *asks, node) || !may_master_start(kept.application)) {
    drop_reservation(node, false, effects);
    return false;
  }
  if (fits_in(kept.resource, ledger_.node(node).unallocated) && ledger_.has_extras(node, kept.extras))
    offer(kept.application, node, Mode::reserved, effects);
  return true;
}

FairScheduler::Offer FairScheduler::offer_to_queue(Slot slot, Slot node, ResourceEffects& effects) {
  const FairQueue& queue = queues_.at(slot);
  if (queue.asking == 0 || !is_of_use(queue.sizes, ledger_.node(node).unallocated)) return {};
  if (ledger_.node(node).reservation != no_slot || !fits_in(queue.usage, queues_.maximum_of(queue))) return {};
  if (queue.is_leaf && !queue.order.empty()) {
    // Before they are put in order; the first one will most often do.
    const Slot likely = queue.order.front();
    fetch_ahead(&queues_.application(likely));
    fetch_ahead(&ledger_.application(likely));
  }
  const std::vector<Slot>& order = queues_.served(slot, ledger_);
  if (queue.is_leaf && !order.empty()) ledger_.application(order.front()).asks.fetch_ahead_priorities();
  for (const Slot child : order) {
    Offer result;
    if (!queue.is_leaf) {
      result = offer_to_queue(child, node, effects);
    } else {
      if (!queues_.application(child).is_asking) continue;
      const LedgerApplication& application = ledger_.application(child);
      if (queues_.application(child).demand == application.usage ||
          ledger_.is_excluded(application, ledger_.node(node)))
        continue;
      result = offer_to_application(child, node, effects);
    }
    if (result.is_taken) return result;
  }
  return {};
}

/// False if an offer of this room can do nothing: what is asked for neither fits nor is large enough to keep the node
/// for it, and nobody counts offers. Larger sizes have larger shares, so the bounds stand for all of them.
bool FairScheduler::is_of_use(const AskSizes& sizes, const Resource& room) const {
  if (fits_in(sizes.least, room) || has_locality_delay()) return true;
  return sizes.most.memory_mib >= reservable_from_.memory_mib ||
         compare_dominant(sizes.most, reservable_from_, ledger_.cluster()) >= 0;
}

bool FairScheduler::may_master_start(Slot slot) const {
  const LedgerApplication& application = ledger_.application(slot);
  if (application.is_master_running || !application.master) return true;
  for (const PriorityAsks& asks : application.asks.priorities()) {
    if (!asks.is_pending) continue;
    const std::optional<Resource> limit = master_limit(application.queue);
    const AskEntry& any = *asks.find(any_place);
    return !limit || (fits_in(queues_.at(application.queue).master_usage + any.capability, *limit) &&
                      may_master_hold(slot, any.extras));
  }
  return false;
}

bool FairScheduler::may_master_hold(Slot slot, ExtrasId extras) const {
  const Slot leaf = ledger_.application(slot).queue;
  const ExtraBooks::List& wanted = ledger_.extras().list(extras);
  return std::all_of(wanted.begin(), wanted.end(), [&](const auto& each) {
    const auto limit = master_limit(leaf, each.first);
    return !limit || queues_.at(leaf).master_extras.of(each.first) + each.second <= *limit;
  });
}

FairScheduler::Offer FairScheduler::offer_to_application(Slot application, Slot node, ResourceEffects& effects) {
  if (!may_master_start(application)) return {};
  return offer(application, node, Mode::free, effects);
}

bool FairScheduler::wants_node(Slot application, const PriorityAsks& asks, Slot node_slot) const {
  const LedgerNode& node = ledger_.node(node_slot);
  const AskEntry* any = asks.find(any_place);
  if (any == nullptr || any->count <= 0) return false;
  const bool has_rack = asks.count(node.rack) > 0;
  if (!any->relax_locality && !has_rack) return false;
  if (has_rack && !asks.may_relax(node.rack) && asks.count(node.host) <= 0) return false;
  const Slot leaf = ledger_.application(application).queue;
  if (!fits_in(any->capability, node.capacity) || !queues_.fits_in_maximum(leaf, any->capability)) return false;
  if (any->extras == no_extras) return true;
  return ledger_.could_have_extras(node_slot, any->extras) &&
         queues_.full_of_extras(leaf, ledger_.extras(), any->extras) == no_slot;
}

AskLocality FairScheduler::allowed_level_by_time(PriorityAsks& asks) const {
  if (!asks.has_allowed_level) {
    asks.has_allowed_level = true;
    asks.allowed_level = AskLocality::node_local;
    asks.level_since_ms = offered_at_ms_;
    return asks.allowed_level;
  }
  if (asks.allowed_level == AskLocality::off_switch) return asks.allowed_level;
  const bool is_at_node = asks.allowed_level == AskLocality::node_local;
  if (offered_at_ms_ - asks.level_since_ms >
      (is_at_node ? settings_.node_locality_delay_ms : settings_.rack_locality_delay_ms)) {
    asks.allowed_level = is_at_node ? AskLocality::rack_local : AskLocality::off_switch;
    asks.level_since_ms = offered_at_ms_;
    asks.opportunities = 0;
  }
  return asks.allowed_level;
}

AskLocality FairScheduler::allowed_level(PriorityAsks& asks) const {
  if (!has_locality_delay()) return AskLocality::off_switch;
  if (settings_.continuous_sleep) return allowed_level_by_time(asks);
  const double node_threshold = std::min(static_cast<double>(settings_.node_locality_threshold), 1.0);
  const double rack_threshold = std::min(static_cast<double>(settings_.rack_locality_threshold), 1.0);
  if (!asks.has_allowed_level) {
    asks.has_allowed_level = true;
    asks.allowed_level = AskLocality::node_local;
    return asks.allowed_level;
  }
  if (asks.allowed_level == AskLocality::off_switch) return asks.allowed_level;
  const double threshold = asks.allowed_level == AskLocality::node_local ? node_threshold : rack_threshold;
  if (asks.opportunities > ledger_.node_count() * threshold) {
    asks.allowed_level =
        asks.allowed_level == AskLocality::node_local ? AskLocality::rack_local : AskLocality::off_switch;
    asks.opportunities = 0;
  }
  return asks.allowed_level;
}

FairScheduler::Offer FairScheduler::offer(Slot application, Slot node_slot, Mode mode, ResourceEffects& effects) {
  const LedgerNode& node = ledger_.node(node_slot);
  AskTable& table = ledger_.application(application).asks;
  for (PriorityAsks& asks : table.priorities()) {
    if (mode == Mode::reserved && asks.priority != ledger_.container(node.reservation).priority) continue;
    asks.entries.fetch_ahead_place(node.rack);
    asks.entries.fetch_ahead_place(node.host);
    if (mode == Mode::free && (!asks.is_pending || !wants_node(application, asks, node_slot))) continue;
    if (counts_opportunities_ && asks.opportunities < std::numeric_limits<std::int32_t>::max()) ++asks.opportunities;
    const AskLocality level = allowed_level(asks);
    const AskEntry* at_rack = asks.find(node.rack);
    const AskEntry* at_node = asks.find(node.host);
    const bool has_rack = at_rack != nullptr && at_rack->count > 0;
    if (has_rack && at_node != nullptr && at_node->count > 0)
      return take(application, node_slot, asks, *at_node, AskLocality::node_local, mode, effects);
    if (at_rack != nullptr && !at_rack->relax_locality) continue;
    if (has_rack && level != AskLocality::node_local)
      return take(application, node_slot, asks, *at_rack, AskLocality::rack_local, mode, effects);
    const AskEntry* any = asks.find(any_place);
    if (any == nullptr || !any->relax_locality) continue;
    if (any->count > 0 && (asks.entries.size() <= 1 || level == AskLocality::off_switch))
      return take(application, node_slot, asks, *any, AskLocality::off_switch, mode, effects);
  }
  return {};
}

FairScheduler::Offer FairScheduler::take(Slot slot, Slot node, PriorityAsks& asks, const AskEntry& entry,
                                         AskLocality locality, Mode mode, ResourceEffects& effects) {
  const Resource size = entry.capability;
  LedgerApplication& application = ledger_.application(slot);
  const ExtrasId extras = entry.extras;
  if (!fits_in(size, ledger_.node(node).unallocated) || !ledger_.has_extras(node, extras)) {
    const auto& kept_for = preemption_of(node).kept_for;
    const bool is_kept =
        std::any_of(kept_for.begin(), kept_for.end(), [&](const auto& kept) { return kept.first == slot; });
    if (is_reservable(slot, size) && !is_kept && reserve(slot, node, asks, entry, locality, mode, effects))
      return {true, Resource{-1, 0}};
    return {};
  }
  if (asks.has_allowed_level && locality < asks.allowed_level) asks.allowed_level = locality;
  Slot container = no_slot;
  if (mode == Mode::reserved) {
    container = ledger_.node(node).reservation;
    drop_reservation(node, true, effects);
  } else {
    container = ledger_.create_container(slot, node, asks.priority, size, extras);
  }
  const Resource held = ledger_.container(container).resource;
  ledger_.allocate(container, asks, locality);
  note_asking(slot);
  queues_.change_usage(application.queue, slot, held);
  const ExtrasId held_extras = ledger_.container(container).extras;
  if (held_extras != no_extras) queues_.change_extras(application.queue, ledger_.extras().list(held_extras), 1);
  note_allocated_after_preemption(node, slot, held);
  if (ledger_.container(container).is_master) {
    queues_.application(slot).master_size = size;
    queues_.at(application.queue).master_usage += size;
    queues_.application(slot).master_extras = ledger_.extras().list(held_extras);
    ledger_.extras().change(queues_.at(application.queue).master_extras, held_extras, 1);
  }
  effects.emplace_back(ledger_.described(container));
  return {size != Resource{}, size};
}

bool FairScheduler::is_below_share(Slot application, const Resource& usage, const Resource& share) const {
  if (queues_.at(ledger_.application(application).queue).policy == FairPolicy::dominant_resource)
    return compare_dominant_only(usage, share, ledger_.cluster()) < 0;
  return usage.memory_mib < share.memory_mib;
}

bool FairScheduler::is_starved(Slot slot) const {
  const FairApplication& application = queues_.application(slot);
  return is_below_share(slot, ledger_.application(slot).usage, application.fair_share) ||
         application.min_share_starvation != Resource{};
}

bool FairScheduler::is_reservable(Slot slot, const Resource& size) const {
  if (!is_starved(slot)) return false;
  const FairApplication& application = queues_.application(slot);
  if (queues_.at(application.queue).policy == FairPolicy::dominant_resource)
    return compare_dominant(size, reservable_from_, ledger_.cluster()) >= 0;
  return size.memory_mib >= reservable_from_.memory_mib;
}

bool FairScheduler::has_reservations_enough(const LedgerApplication& application, const LedgerNode& node,
                                            AskLocality locality) const {
  if (locality == AskLocality::node_local) return false;
  std::int32_t existing = 0;
  for (const Slot each : application.reservations)
    if (locality == AskLocality::off_switch || ledger_.node(ledger_.container(each).node).rack == node.rack) ++existing;
  const std::int32_t nodes =
      locality == AskLocality::off_switch ? ledger_.node_count() : ledger_.node_count_of_rack(node.rack);
  return existing >= static_cast<std::int32_t>(std::ceil(static_cast<float>(nodes) * settings_.reservable_nodes));
}

bool FairScheduler::reserve(Slot application, Slot node, const PriorityAsks& asks, const AskEntry& entry,
                            AskLocality locality, Mode mode, ResourceEffects& effects) {
  const Slot existing = ledger_.node(node).reservation;
  if (existing != no_slot && ledger_.container(existing).application != application) return false;
  if (has_reservations_enough(ledger_.application(application), ledger_.node(node), locality)) return false;
  if (mode == Mode::reserved || existing != no_slot) return true;
  const Slot container = ledger_.create_container(application, node, asks.priority, entry.capability, entry.extras);
  ledger_.reserve(container);
  effects.emplace_back(ledger_.described_reservation(container));
  return true;
}

void FairScheduler::drop_reservation(Slot node, bool keep_container, ResourceEffects& effects) {
  const Slot reservation = ledger_.node(node).reservation;
  const LedgerContainer kept = ledger_.container(reservation);
  if (!keep_container)
    effects.emplace_back(ReservationDropped{
        kept.id, ledger_.application(kept.application).attempt.value_or(AttemptId{}), ledger_.node(node).id});
  ledger_.unreserve(reservation, keep_container);
}

}  // namespace heddle::policies
