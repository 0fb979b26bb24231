// Lists are kept with positions, so that a container leaves its node and its application in constant time.
#include "policies/cluster/resource_ledger.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "model/assert.hpp"
#include "policies/cluster/resource_calculator.hpp"

namespace heddle::policies {
namespace {

std::int64_t rounded_up(std::int64_t amount, std::int64_t step) {
  return step <= 0 ? amount : (amount + step - 1) / step * step;
}

template <class T>
Slot take_slot(LargeTable<T>& all, std::vector<Slot>& free_slots) {
  if (free_slots.empty()) {
    all.emplace_back();
    return static_cast<Slot>(all.size() - 1);
  }
  const Slot slot = free_slots.back();
  free_slots.pop_back();
  all[static_cast<std::size_t>(slot)] = T{};
  return slot;
}

void erase_value(std::vector<Slot>& list, Slot value) {
  const auto at = std::find(list.begin(), list.end(), value);
  if (at != list.end()) list.erase(at);
}

const std::vector<Slot> no_nodes;

}  // namespace

Resource normalized_memory_only(const Resource& ask, const Resource& minimum, const Resource& step,
                                const Resource& maximum) {
  const std::int64_t memory =
      std::min(rounded_up(std::max(ask.memory_mib, minimum.memory_mib), step.memory_mib), maximum.memory_mib);
  return Resource{memory, memory > 0 ? 1 : 0};
}

Resource normalized(const Resource& ask, const Resource& minimum, const Resource& step, const Resource& maximum) {
  return Resource{
      std::min(rounded_up(std::max(ask.memory_mib, minimum.memory_mib), step.memory_mib), maximum.memory_mib),
      std::min(rounded_up(std::max(ask.cores, minimum.cores), step.cores), maximum.cores)};
}

// -- nodes ---------------------------------------------------------------------

void ResourceLedger::count_size(const Resource& capacity, std::int32_t by) {
  if ((memory_sizes_[capacity.memory_mib] += by) == 0) memory_sizes_.erase(capacity.memory_mib);
  if ((core_sizes_[capacity.cores] += by) == 0) core_sizes_.erase(capacity.cores);
}

void ResourceLedger::put_node(NodeId id, Slot slot) {
  constexpr std::int64_t near = 1 << 16;
  if (id.value < 0 || id.value >= near) {
    if (slot == no_slot) far_nodes_.erase(id.value);
    else far_nodes_.insert(id.value, slot);
    return;
  }
  const auto at = static_cast<std::size_t>(id.value);
  if (at >= near_nodes_.size()) near_nodes_.resize(at + 1, no_slot);
  near_nodes_[at] = slot;
}

Slot ResourceLedger::add_node(const NodeDescription& description) {
  HEDDLE_ASSERT(find_node(description.id) == no_slot, "node " + to_string(description.id) + " is there already");
  const Slot slot = take_slot(nodes_, free_nodes_);
  LedgerNode& added = node(slot);
  added.id = description.id;
  added.host = places_.intern(description.host);
  added.rack = places_.intern(description.rack);
  added.capacity = description.capacity;
  added.unallocated = description.capacity;
  added.tie_break = description.tie_break;
  added.is_present = true;
  if (nodes_of_place_.size() < places_.size()) nodes_of_place_.resize(places_.size());
  nodes_of_place_[static_cast<std::size_t>(added.host)].push_back(slot);
  if (added.rack != added.host) nodes_of_place_[static_cast<std::size_t>(added.rack)].push_back(slot);
  extras_.add_node(static_cast<std::size_t>(slot), description.extras);
  put_node(description.id, slot);
  nodes_in_order_.emplace(description.id, slot);
  ++node_count_;
  cluster_ += description.capacity;
  count_size(description.capacity, 1);
  return slot;
}

void ResourceLedger::update_node(Slot slot, Resource capacity) {
  LedgerNode& changed = node(slot);
  count_size(changed.capacity, -1);
  count_size(capacity, 1);
  cluster_ += capacity - changed.capacity;
  changed.unallocated += capacity - changed.capacity;
  changed.capacity = capacity;
}

void ResourceLedger::remove_node(Slot slot) {
  LedgerNode& gone = node(slot);
  HEDDLE_ASSERT(gone.containers.empty() && gone.reservation == no_slot, "a node leaves after its containers");
  erase_value(nodes_of_place_[static_cast<std::size_t>(gone.host)], slot);
  erase_value(nodes_of_place_[static_cast<std::size_t>(gone.rack)], slot);
  put_node(gone.id, no_slot);
  nodes_in_order_.erase(gone.id);
  --node_count_;
  cluster_ -= gone.capacity;
  count_size(gone.capacity, -1);
  extras_.remove_node(static_cast<std::size_t>(slot));
  gone.is_present = false;
  free_nodes_.push_back(slot);
}

std::int32_t ResourceLedger::node_count_of_rack(PlaceId rack) const {
  return static_cast<std::int32_t>(nodes_of_place(rack).size());
}

const std::vector<Slot>& ResourceLedger::nodes_of_place(PlaceId place) const {
  const auto at = static_cast<std::size_t>(place);
  return at < nodes_of_place_.size() ? nodes_of_place_[at] : no_nodes;
}

std::optional<Resource> ResourceLedger::largest_node() const {
  if (memory_sizes_.empty()) return std::nullopt;
  return Resource{memory_sizes_.rbegin()->first, core_sizes_.rbegin()->first};
}

Resource ResourceLedger::maximum_allocation(const Resource& configured) const {
  const std::optional<Resource> largest = largest_node();
  if (!largest) return configured;
  return smaller_of_each(configured, *largest);
}

// -- applications ----------------------------------------------------------------

Slot ResourceLedger::add_application(Instant now, const ApplicationSubmission& submission, Slot queue) {
  HEDDLE_ASSERT(find_application(submission.id) == no_slot, to_string(submission.id) + " is there already");
  const Slot slot = take_slot(applications_, free_applications_);
  LedgerApplication& added = application(slot);
  added.id = submission.id;
  added.queue = queue;
  added.user = users_.intern(submission.user);
  added.priority = submission.priority;
  added.start = now;
  added.arrival = next_arrival_++;
  added.master = submission.master;
  added.master_extras = extras_.intern(submission.master_extras);
  added.is_present = true;
  application_slots_.emplace(submission.id, slot);
  applications_by_number_.insert(submission.id.number, slot);
  return slot;
}

void ResourceLedger::remove_application(Slot slot) {
  LedgerApplication& gone = application(slot);
  HEDDLE_ASSERT(gone.live.empty() && gone.reservations.empty(), "an application leaves after its containers");
  application_slots_.erase(gone.id);
  if (applications_by_number_.find(gone.id.number) == slot) applications_by_number_.erase(gone.id.number);
  gone.is_present = false;
  free_applications_.push_back(slot);
}

Slot ResourceLedger::find_application(const ApplicationId& id) const {
  if (const Slot slot = applications_by_number_.find(id.number); slot != no_slot && application(slot).id == id)
    return slot;
  const auto at = application_slots_.find(id);
  return at == application_slots_.end() ? no_slot : at->second;
}

Slot ResourceLedger::find_attempt(const AttemptId& id) const {
  if (const Slot slot = applications_by_number_.find(id.application.number);
      slot != no_slot && application(slot).attempt == id)
    return slot;
  const Slot slot = find_application(id.application);
  return slot != no_slot && application(slot).attempt == id ? slot : no_slot;
}

bool ResourceLedger::update_exclusions(Slot slot, const std::vector<std::string>& exclude,
                                       const std::vector<std::string>& include) {
  std::vector<PlaceId>& excluded = application(slot).excluded;
  bool has_changed = false;
  for (const std::string& name : exclude) {
    const PlaceId place = places_.intern(name);
    const auto at = std::lower_bound(excluded.begin(), excluded.end(), place);
    if (at != excluded.end() && *at == place) continue;
    excluded.insert(at, place);
    has_changed = true;
  }
  for (const std::string& name : include) {
    const PlaceId place = places_.intern(name);
    const auto at = std::lower_bound(excluded.begin(), excluded.end(), place);
    if (at == excluded.end() || *at != place) continue;
    excluded.erase(at);
    has_changed = true;
  }
  return has_changed;
}

bool ResourceLedger::is_excluded(const LedgerApplication& who, const LedgerNode& where) const {
  if (who.excluded.empty()) return false;
  return std::binary_search(who.excluded.begin(), who.excluded.end(), where.host) ||
         std::binary_search(who.excluded.begin(), who.excluded.end(), where.rack);
}

std::vector<AskTable::Update> ResourceLedger::interned(const std::vector<ResourceAsk>& asks) {
  std::vector<AskTable::Update> updates;
  updates.reserve(asks.size());
  HEDDLE_ASSERT(hashes_.size() == asks.size(), "the names of a call are fetched ahead");
  for (std::size_t i = 0; i < asks.size(); ++i)
    updates.push_back(
        {asks[i].priority,
         AskEntry{places_.intern(asks[i].name, hashes_[i]), asks[i].count, asks[i].relax_locality, 0,
                  asks[i].extras.empty() ? no_extras : extras_.intern(asks[i].extras), asks[i].capability}});
  hashes_.clear();
  return updates;
}

void ResourceLedger::fetch_ahead_names(const AttemptId& attempt, const std::vector<ResourceAsk>& asks) {
  if (const Slot slot = applications_by_number_.find(attempt.application.number); slot != no_slot)
    fetch_ahead(&application(slot));
  hashes_.clear();
  for (const ResourceAsk& ask : asks) places_.fetch_ahead_cell(hashes_.emplace_back(NameTable::hash_of(ask.name)));
}

void ResourceLedger::fetch_ahead_asks(Slot slot) const {
  const LedgerApplication& asking = application(slot);
  asking.asks.fetch_ahead_priorities();
  fetch_ahead(asking.unfetched.data(), std::min<std::size_t>(asking.unfetched.size(), 2));
}

void ResourceLedger::fetch_ahead_fetched(Slot slot) const {
  for (const UnfetchedContainer& each : application(slot).unfetched) fetch_ahead(&container(each.container));
}

// -- containers ------------------------------------------------------------------

/// As take_slot; the slot that the next container will have is fetched meanwhile.
Slot ResourceLedger::take_container_slot() {
  static constexpr LedgerContainer blank;
  if (free_containers_.empty()) {
    containers_.push_back(blank);
    return static_cast<Slot>(containers_.size() - 1);
  }
  const Slot slot = free_containers_.back();
  free_containers_.pop_back();
  fetch_ahead_container();
  container(slot) = blank;
  return slot;
}

Slot ResourceLedger::create_container(Slot owner, Slot where, std::int32_t priority, Resource resource,
                                      ExtrasId extras) {
  const Slot slot = take_container_slot();
  LedgerContainer& created = container(slot);
  container_slots_.insert(next_container_, slot);
  created.id = ContainerId{(container_epoch_ << 40) | next_container_++};
  created.number = application(owner).next_number++;
  created.application = owner;
  created.node = where;
  created.priority = priority;
  created.extras = extras;
  created.resource = resource;
  return slot;
}

void ResourceLedger::allocate(Slot slot, PriorityAsks& asks, AskLocality locality) {
  LedgerContainer& taken = container(slot);
  LedgerApplication& owner = application(taken.application);
  LedgerNode& where = node(taken.node);
  taken.locality = locality;
  taken.is_live = true;
  taken.is_reservation = false;
  taken.is_master = owner.master.has_value() && !owner.is_master_running;
  if (taken.is_master) owner.is_master_running = true;
  taken.live_at = static_cast<std::int32_t>(owner.live.size());
  owner.live.push_back(slot);
  UnfetchedContainer& unfetched = owner.unfetched.emplace_back(blank_unfetched_);
  unfetched.container = slot;
  unfetched.granted = described(slot);
  owner.asks.take(asks, locality, where.host, where.rack, unfetched.used);
  owner.usage += taken.resource;
  where.containers.push_back(slot);
  where.unallocated -= taken.resource;
  used_ += taken.resource;
  if (taken.extras == no_extras) return;
  extras_.charge(static_cast<std::size_t>(taken.node), taken.extras);
  extras_.change_available(taken.extras, -1);
}

void ResourceLedger::count_otherwise(Slot slot, const Resource& by) {
  application(slot).usage += by;
  application(slot).counted_otherwise += by;
}

void ResourceLedger::reserve(Slot slot) {
  LedgerContainer& kept = container(slot);
  LedgerApplication& owner = application(kept.application);
  HEDDLE_ASSERT(node(kept.node).reservation == no_slot, "one reservation per node");
  kept.is_reservation = true;
  node(kept.node).reservation = slot;
  owner.reservations.push_back(slot);
  owner.reserved += kept.resource;
}

void ResourceLedger::unreserve(Slot slot, bool keep) {
  LedgerContainer& kept = container(slot);
  LedgerApplication& owner = application(kept.application);
  HEDDLE_ASSERT(node(kept.node).reservation == slot, "a reservation is on its node");
  kept.is_reservation = false;
  node(kept.node).reservation = no_slot;
  erase_value(owner.reservations, slot);
  owner.reserved -= kept.resource;
  if (!keep) free_container(slot);
}

void ResourceLedger::leave_node(Slot slot) {
  LedgerContainer& gone = container(slot);
  LedgerNode& where = node(gone.node);
  *std::find(where.containers.begin(), where.containers.end(), slot) = where.containers.back();
  where.containers.pop_back();
  where.unallocated += gone.resource;
  if (gone.extras != no_extras) extras_.release(static_cast<std::size_t>(gone.node), gone.extras);
}

void ResourceLedger::free_container(Slot slot) {
  container_slots_.erase(container(slot).id.value - (container_epoch_ << 40));
  free_containers_.push_back(slot);
}

bool ResourceLedger::end(Slot slot, std::int32_t exit_status, bool is_reported_by_node, ResourceEffects& effects) {
  LedgerContainer& gone = container(slot);
  fetch_ahead(&node(gone.node));
  const bool stays_on_node = gone.is_launched && !is_reported_by_node;
  const bool was_live = gone.is_live;
  if (was_live) {
    LedgerApplication& owner = application(gone.application);
    const auto at = static_cast<std::size_t>(gone.live_at);
    owner.live[at] = owner.live.back();
    container(owner.live[at]).live_at = gone.live_at;
    owner.live.pop_back();
    owner.usage -= gone.resource;
    used_ -= gone.resource;
    if (gone.extras != no_extras) extras_.change_available(gone.extras, 1);
    gone.is_live = false;
    effects.emplace_back(ContainerEnded{gone.id, owner.attempt.value_or(AttemptId{}), gone.number, node(gone.node).id,
                                        exit_status, stays_on_node});
    if (!gone.is_fetched) {
      const auto unfetched = std::find_if(owner.unfetched.begin(), owner.unfetched.end(),
                                          [&](const UnfetchedContainer& each) { return each.container == slot; });
      HEDDLE_ASSERT(unfetched != owner.unfetched.end(), "what was not fetched is remembered");
      owner.asks.put_back(gone.priority, unfetched->used);
      owner.unfetched.erase(unfetched);
    }
  }
  if (!stays_on_node) {
    leave_node(slot);
    free_container(slot);
  }
  return was_live;
}

void ResourceLedger::fetch_ahead_ends(std::span<const ContainerCompleted> ends) const {
  for (const ContainerCompleted& each : ends)
    container_slots_.fetch_ahead_number(each.container.value - (container_epoch_ << 40));
  std::array<Slot, ends_at_once> slots;
  std::size_t count = 0;
  for (const ContainerCompleted& each : ends.first(std::min(ends.size(), ends_at_once)))
    if (const Slot slot = find_container(each.container); slot != no_slot)
      fetch_ahead(&container(slots[count++] = slot));
  fetch_ahead_ends(std::span<const Slot>{slots.data(), count});
}

/// Each step looks at what the one before it asked for.
void ResourceLedger::fetch_ahead_ends(std::span<const Slot> slots) const {
  const std::span<const Slot> next = slots.first(std::min(slots.size(), ends_at_once));
  for (const Slot slot : next) {
    fetch_ahead(&node(container(slot).node));
    application(container(slot).application).fetch_ahead_usage();
  }
  for (const Slot slot : next) {
    const std::vector<Slot>& live = application(container(slot).application).live;
    if (live.empty() || !container(slot).is_live) continue;
    fetch_ahead(&live.back());
    fetch_ahead(&live[static_cast<std::size_t>(container(slot).live_at)]);
  }
  for (const Slot slot : next) {
    const std::vector<Slot>& live = application(container(slot).application).live;
    if (!live.empty() && container(slot).is_live) fetch_ahead(&container(live.back()));  // it moves
  }
}

void ResourceLedger::fetch(Slot slot, std::vector<ContainerAssigned>* granted) {
  LedgerApplication& owner = application(slot);
  for (const UnfetchedContainer& each : owner.unfetched) {
    container(each.container).is_fetched = true;
    if (granted != nullptr) granted->push_back(each.granted);
  }
  owner.unfetched.clear();
}

ContainerAssigned ResourceLedger::described(Slot slot) const {
  const LedgerContainer& what = container(slot);
  return ContainerAssigned{what.id,       application(what.application).attempt.value_or(AttemptId{}),
                           what.number,   node(what.node).id,
                           what.priority, what.resource,
                           what.locality, what.is_master};
}

NodeReserved ResourceLedger::described_reservation(Slot slot) const {
  const LedgerContainer& what = container(slot);
  return NodeReserved{what.id,       application(what.application).attempt.value_or(AttemptId{}),
                      what.number,   node(what.node).id,
                      what.priority, what.resource};
}

std::optional<ResourceExplanation> ResourceLedger::missing_extras(ExtrasId what) const {
  if (what == no_extras) return std::nullopt;
  std::vector<Slot> able;
  for (const auto& [id, slot] : nodes_in_order_) {
    if (has_extras(slot, what)) return std::nullopt;
    if (could_have_extras(slot, what)) able.push_back(slot);
  }
  if (able.empty())
    return ResourceExplanation{"no_node_has_resource",
                               "No node has " + extras_.in_words(what) + ", which the next container needs.", "",
                               std::nullopt, 0};
  return holders_of_extras(able, what);
}

/// Who holds on these nodes what a container needs, the one with most of it first. An application that is gone has no
/// name here.
ResourceExplanation ResourceLedger::holders_of_extras(const std::vector<Slot>& able, ExtrasId what) const {
  std::map<ApplicationId, std::int64_t> held;
  std::int64_t ending = 0;
  for (const Slot slot : able)
    for (const Slot each : node(slot).containers) {
      const LedgerContainer& holder = container(each);
      std::int64_t amount = 0;
      for (const auto& [kind, wanted] : extras_.list(what)) amount += extras_.amount_of(holder.extras, kind);
      if (amount > 0) (holder.is_live ? held[application(holder.application).id] : ending) += amount;
    }
  std::vector<std::pair<ApplicationId, std::int64_t>> holders(held.begin(), held.end());
  std::stable_sort(holders.begin(), holders.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string names;
  for (const auto& [id, amount] : holders)
    names += (names.empty() ? "" : ", ") + to_string(id) + " (" + std::to_string(amount) + ")";
  if (ending > 0)
    names += (names.empty() ? "" : ", ") + std::string{"containers that are ending ("} + std::to_string(ending) + ")";
  return {"resource_held",
          "No node has " + extras_.in_words(what) + " left, which the next container needs: held by " + names + ".",
          holders.empty() ? "" : to_string(holders.front().first), std::nullopt, 0};
}

void ResourceLedger::check_invariants() const {
  Resource used;
  for (const auto& [id, slot] : application_slots_) {
    const LedgerApplication& owner = application(slot);
    Resource usage;
    for (const Slot each : owner.live) usage += container(each).resource;
    HEDDLE_ASSERT(usage + owner.counted_otherwise == owner.usage,
                  "usage of " + to_string(id) + " is the sum of its containers");
    used += usage;
  }
  HEDDLE_ASSERT(used == used_, "the cluster's usage is the sum over applications");
  Resource cluster;
  for (const auto& [id, slot] : nodes_in_order_) {
    const LedgerNode& where = node(slot);
    Resource room = where.capacity;
    for (const Slot each : where.containers) room -= container(each).resource;
    ExtraAmounts left = extras_.capacity_of(static_cast<std::size_t>(slot));
    for (const Slot each : where.containers) extras_.change(left, container(each).extras, -1);
    for (std::int32_t kind = 0; static_cast<std::size_t>(kind) < left.size(); ++kind)
      HEDDLE_ASSERT(left.of(kind) >= 0 && left.of(kind) == extras_.free_of(static_cast<std::size_t>(slot)).of(kind),
                    extras_.name(kind) + " of node " + to_string(id) + " is what its containers leave");
    HEDDLE_ASSERT(room == where.unallocated, "room of node " + to_string(id) + " is what its containers leave");
    cluster += where.capacity;
  }
  HEDDLE_ASSERT(cluster == cluster_, "the cluster is the sum of its nodes");
}

}  // namespace heddle::policies
