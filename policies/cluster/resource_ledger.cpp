// Lists with positions, so that removing a container from its node and its application is constant.
#include "policies/cluster/resource_ledger.hpp"

#include <algorithm>
#include <span>

#include "model/assert.hpp"
#include "policies/cluster/ledger_questions.hpp"
#include "policies/cluster/resource_calculator.hpp"

namespace heddle::policies {
namespace {

std::int64_t rounded_up(std::int64_t amount, std::int64_t step) {
  return step <= 0 ? amount : (amount + step - 1) / step * step;
}

}  // namespace

MemoryAndCores normalized_memory_only(const MemoryAndCores& ask, const MemoryAndCores& minimum,
                                      const MemoryAndCores& step, const MemoryAndCores& maximum) {
  const std::int64_t memory =
      std::min(rounded_up(std::max(ask.memory_mib, minimum.memory_mib), step.memory_mib), maximum.memory_mib);
  return MemoryAndCores{memory, memory > 0 ? 1 : 0};
}

MemoryAndCores normalized(const MemoryAndCores& ask, const MemoryAndCores& minimum, const MemoryAndCores& step,
                          const MemoryAndCores& maximum) {
  return MemoryAndCores{
      std::min(rounded_up(std::max(ask.memory_mib, minimum.memory_mib), step.memory_mib), maximum.memory_mib),
      std::min(rounded_up(std::max(ask.cores, minimum.cores), step.cores), maximum.cores)};
}

// -- nodes ---------------------------------------------------------------------

RowIndex ResourceLedger::add_node(const NodeDescription& description) {
  const ResourceNameId host = places_.intern(description.host);
  const RowIndex row = nodes_.add(description, host, places_.intern(description.rack));
  others_.add_node(static_cast<std::size_t>(row), description.capacity.others);
  return row;
}

void ResourceLedger::remove_node(RowIndex row) {
  nodes_.remove(row);
  others_.remove_node(static_cast<std::size_t>(row));
}

// -- applications ----------------------------------------------------------------

RowIndex ResourceLedger::add_application(Instant now, const ApplicationSubmission& submission, RowIndex queue) {
  const RowIndex row = applications_.add(now, submission.id);
  LedgerApplication& added = application(row);
  added.queue = queue;
  added.user = users_.intern(submission.user);
  added.priority = submission.priority;
  added.master = submission.master;
  added.master_others = submission.master ? others_.intern(submission.master->others) : no_others;
  return row;
}

bool ResourceLedger::update_exclusions(RowIndex row, const std::vector<std::string>& exclude,
                                       const std::vector<std::string>& include) {
  std::vector<ResourceNameId>& excluded = application(row).excluded;
  bool has_changed = false;
  for (const std::string& name : exclude) {
    const ResourceNameId place = places_.intern(name);
    const auto at = std::lower_bound(excluded.begin(), excluded.end(), place);
    if (at != excluded.end() && *at == place) continue;
    excluded.insert(at, place);
    has_changed = true;
  }
  for (const std::string& name : include) {
    const ResourceNameId place = places_.intern(name);
    const auto at = std::lower_bound(excluded.begin(), excluded.end(), place);
    if (at == excluded.end() || *at != place) continue;
    excluded.erase(at);
    has_changed = true;
  }
  return has_changed;
}

std::vector<PendingRequests::Update> ResourceLedger::interned(const std::vector<ResourceRequest>& asks) {
  std::vector<PendingRequests::Update> updates;
  updates.reserve(asks.size());
  HEDDLE_ASSERT(hashes_.size() == asks.size(), "asks without a call of fetch_ahead_names");
  for (std::size_t i = 0; i < asks.size(); ++i)
    updates.push_back(
        {asks[i].priority,
         AskEntry{places_.intern(asks[i].name, hashes_[i]), asks[i].count, asks[i].relax_locality, 0,
                  asks[i].capability.others.empty() ? no_others : others_.intern(asks[i].capability.others),
                  asks[i].capability}});
  hashes_.clear();
  return updates;
}

void ResourceLedger::fetch_ahead_names(const AttemptId& attempt, const std::vector<ResourceRequest>& asks) {
  applications_.fetch_ahead_number(attempt.application);
  hashes_.clear();
  for (const ResourceRequest& ask : asks) places_.fetch_ahead_cell(hashes_.emplace_back(NameTable::hash_of(ask.name)));
}

// -- containers ------------------------------------------------------------------

RowIndex ResourceLedger::create_container(RowIndex owner, RowIndex where, std::int32_t priority,
                                          MemoryAndCores resource, OthersId others) {
  const RowIndex row = containers_.create();
  LedgerContainer& created = container(row);
  created.number = application(owner).next_number++;
  created.application = owner;
  created.node = where;
  created.priority = priority;
  created.others = others;
  created.resource = resource;
  return row;
}

void ResourceLedger::allocate(RowIndex row, PriorityAsks& asks, AskLocality locality) {
  LedgerContainer& taken = container(row);
  LedgerApplication& owner = application(taken.application);
  LedgerNode& where = node(taken.node);
  taken.locality = locality;
  taken.is_live = true;
  taken.is_reservation = false;
  taken.is_master = owner.master.has_value() && !owner.is_master_running;
  if (taken.is_master) owner.is_master_running = true;
  taken.live_at = owner.live.insert(row);
  auto& [unfetched, used] = owner.unfetched;
  const auto first_used = static_cast<std::uint32_t>(used.size());
  owner.asks.take(asks, locality, where.host, where.rack, used);
  unfetched.push_back({row, first_used, static_cast<std::uint32_t>(used.size()), where.id});
  owner.usage += taken.resource;
  where.containers.push_back(row);
  where.unallocated -= taken.resource;
  used_ += taken.resource;
  if (taken.others == no_others) return;
  others_.charge(static_cast<std::size_t>(taken.node), taken.others);
  others_.change_available(taken.others, -1);
}

void ResourceLedger::add_unbacked_usage(RowIndex row, const MemoryAndCores& by) {
  application(row).usage += by;
  application(row).unbacked_usage += by;
}

void ResourceLedger::reserve(RowIndex row) {
  LedgerContainer& kept = container(row);
  LedgerApplication& owner = application(kept.application);
  HEDDLE_ASSERT(node(kept.node).reservation == no_row, "the node has a reservation");
  kept.is_reservation = true;
  node(kept.node).reservation = row;
  owner.reservations.push_back(row);
  owner.reserved += kept.resource;
}

void ResourceLedger::unreserve(RowIndex row, bool keep) {
  LedgerContainer& kept = container(row);
  LedgerApplication& owner = application(kept.application);
  HEDDLE_ASSERT(node(kept.node).reservation == row, "the reservation is not on its node");
  kept.is_reservation = false;
  node(kept.node).reservation = no_row;
  erase_value(owner.reservations, row);
  owner.reserved -= kept.resource;
  if (!keep) containers_.erase(row);
}

void ResourceLedger::leave_node(RowIndex row) {
  LedgerContainer& gone = container(row);
  LedgerNode& where = node(gone.node);
  *std::find(where.containers.begin(), where.containers.end(), row) = where.containers.back();
  where.containers.pop_back();
  where.unallocated += gone.resource;
  if (gone.others != no_others) others_.release(static_cast<std::size_t>(gone.node), gone.others);
}

bool ResourceLedger::end(RowIndex row, std::int32_t exit_status, bool is_reported_by_node, ResourceEffects& effects) {
  LedgerContainer& gone = container(row);
  fetch_ahead(&node(gone.node));
  const bool stays_on_node = gone.is_launched && !is_reported_by_node;
  const bool was_live = gone.is_live;
  if (was_live) {
    LedgerApplication& owner = application(gone.application);
    owner.live.erase(gone.live_at);
    owner.usage -= gone.resource;
    used_ -= gone.resource;
    if (gone.others != no_others) others_.change_available(gone.others, 1);
    gone.is_live = false;
    effects.emplace_back(ContainerEnded{gone.id, owner.attempt.value_or(AttemptId{}), gone.number, node(gone.node).id,
                                        exit_status, stays_on_node});
    if (!gone.is_fetched) {
      auto& [unfetched, used] = owner.unfetched;
      const auto lost = std::find_if(unfetched.begin(), unfetched.end(),
                                     [&](const UnfetchedContainer& each) { return each.container == row; });
      HEDDLE_ASSERT(lost != unfetched.end(), "container missing among the unfetched ones");
      owner.asks.put_back(gone.priority, std::span{used}.subspan(lost->first_used, lost->end_used - lost->first_used));
      unfetched.erase(lost);
      if (unfetched.empty()) used.clear();
    }
  }
  if (!stays_on_node) {
    leave_node(row);
    containers_.erase(row);
  }
  return was_live;
}

void ResourceLedger::fetch(RowIndex row, std::vector<ContainerAssigned>* granted) {
  auto& [unfetched, used] = application(row).unfetched;
  if (granted != nullptr) granted->reserve(granted->size() + unfetched.size());
  for (const UnfetchedContainer& each : unfetched) {
    container(each.container).is_fetched = true;
    if (granted != nullptr) granted->push_back(described(*this, each.container, each.node));
  }
  unfetched.clear();
  used.clear();
}

void ResourceLedger::check_invariants() const {
  MemoryAndCores used;
  for (const auto& [id, row] : applications_.in_order()) {
    const LedgerApplication& owner = application(row);
    MemoryAndCores usage;
    for (const RowIndex each : owner.live.slots()) usage += container(each).resource;
    HEDDLE_ASSERT(usage + owner.unbacked_usage == owner.usage,
                  "usage of " + to_string(id) + " is not the sum of its containers");
    used += usage;
  }
  HEDDLE_ASSERT(used == used_, "the cluster's usage is not the sum of its applications");
  MemoryAndCores cluster;
  for (const auto& [id, row] : nodes_.in_order()) {
    const LedgerNode& where = node(row);
    MemoryAndCores room = where.capacity;
    for (const RowIndex each : where.containers) room -= container(each).resource;
    OtherAmounts left = others_.capacity_of(static_cast<std::size_t>(row));
    for (const RowIndex each : where.containers) others_.change(left, container(each).others, -1);
    for (std::int32_t kind = 0; static_cast<std::size_t>(kind) < left.size(); ++kind)
      HEDDLE_ASSERT(left.of(kind) >= 0 && left.of(kind) == others_.free_of(static_cast<std::size_t>(row)).of(kind),
                    others_.name(kind) + " of node " + to_string(id) + " differs from what its containers leave");
    HEDDLE_ASSERT(room == where.unallocated,
                  "room of node " + to_string(id) + " differs from what its containers leave");
    cluster += where.capacity;
  }
  HEDDLE_ASSERT(cluster == nodes_.cluster(), "the cluster is not the sum of its nodes");
}

}  // namespace heddle::policies
