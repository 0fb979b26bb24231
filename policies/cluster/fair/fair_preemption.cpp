// Starvation of applications and of a leaf's minimum share, the choice of containers, and resources kept on nodes.
#include "policies/cluster/fair/fair_preemption.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "model/java_text.hpp"
#include "policies/cluster/resource_calculator.hpp"

namespace heddle::policies {
namespace {

/// Buckets of a Java HashMap with this many keys.
std::uint32_t map_buckets(std::size_t keys) {
  std::uint32_t buckets = 16;
  while (keys >= buckets * 3 / 4) buckets *= 2;
  return buckets;
}

/// Bucket of this priority's SchedulerRequestKey (request id 0, no container update).
std::uint32_t priority_bucket(std::int32_t priority, std::uint32_t buckets) {
  const std::uint32_t of_priority = 517861U * 9511U + static_cast<std::uint32_t>(priority);
  return java::map_bucket(31U * 31U * of_priority, buckets);
}

/// Starvation is distributed in the iteration order of Hadoop's hash map of priorities.
std::vector<const PriorityAsks*> in_bucket_order(const std::vector<PriorityAsks>& priorities) {
  std::vector<const PriorityAsks*> result;
  for (const PriorityAsks& each : priorities)
    if (each.entries.size() > 0) result.push_back(&each);
  const std::uint32_t buckets = map_buckets(result.size());
  std::stable_sort(result.begin(), result.end(), [&](const PriorityAsks* a, const PriorityAsks* b) {
    return priority_bucket(a->priority, buckets) < priority_bucket(b->priority, buckets);
  });
  return result;
}

/// Resource names in the iteration order of Hadoop's hash map; within a bucket in the order of creation.
std::vector<AskEntry> in_bucket_order(std::vector<AskEntry> entries, const ResourceLedger& ledger) {
  const std::uint32_t bins = map_buckets(entries.size());
  const auto bin = [&](const AskEntry& entry) {
    return java::map_bucket(java::string_hash(ledger.places().name(entry.place)), bins);
  };
  std::stable_sort(entries.begin(), entries.end(),
                   [&](const AskEntry& a, const AskEntry& b) { return bin(a) < bin(b); });
  return entries;
}

/// Visited resource names of one priority, by size. A name is skipped if its rack, its hosts or "*" was visited before.
class VisitedPlaces {
public:
  explicit VisitedPlaces(const ResourceLedger& ledger) : ledger_{ledger} {}
  /// False if the entry is to be skipped.
  bool visit(const AskEntry& entry) {
    Visited& visited = of_size(entry);
    const std::vector<RowIndex>& nodes = ledger_.nodes().of_place(entry.place);
    if (visited.any || (nodes.empty() && entry.place != any_place)) return false;
    if (entry.place == any_place) {
      if (!visited.racks.empty() || !visited.nodes.empty()) return false;
      return visited.any = true;
    }
    if (const auto& first = ledger_.node(nodes.front()); first.host == entry.place)
      return visited.racks.count(first.rack) == 0 && visited.nodes.insert(entry.place).second;
    const bool is_blocked = std::any_of(
        nodes.begin(), nodes.end(), [&](RowIndex node) { return visited.nodes.count(ledger_.node(node).host) > 0; });
    return !is_blocked && visited.racks.insert(entry.place).second;
  }

private:
  struct Visited {
    MemoryAndCores capability;
    OthersId others = no_others;
    bool any = false;
    std::set<ResourceNameId> racks;
    std::set<ResourceNameId> nodes;
  };
  Visited& of_size(const AskEntry& entry) {
    const auto same = [&](const Visited& each) {
      return each.capability == entry.capability && each.others == entry.others;
    };
    const auto at = std::find_if(visited_.begin(), visited_.end(), same);
    return at != visited_.end() ? *at : visited_.emplace_back(Visited{entry.capability, entry.others, false, {}, {}});
  }

  const ResourceLedger& ledger_;
  std::vector<Visited> visited_;
};

MemoryAndCores fair_share_starvation(FairBooks& books, RowIndex row, std::int64_t now_ms) {
  FairApplication& application = books.queues.application(row);
  const FairQueue& queue = books.queues.at(application.queue);
  const MemoryAndCores& usage = books.ledger.application(row).usage;
  const MemoryAndCores due =
      smaller_of_each(multiplied(application.fair_share, static_cast<double>(queue.preemption.fair_share_threshold)),
                      application.demand);
  const bool is_starved = books.is_below_share(row, usage, due);
  if (!is_starved) application.last_at_fair_share_ms = now_ms;
  application.fair_share_starvation = MemoryAndCores{};
  if (is_starved && now_ms - application.last_at_fair_share_ms >= queue.preemption.fair_share_timeout_ms) {
    application.fair_share_starvation = due;
    take_not_below_zero(application.fair_share_starvation, usage);
  }
  return application.fair_share_starvation;
}

MemoryAndCores min_share_starvation(FairBooks& books, RowIndex leaf, std::int64_t now_ms) {
  FairQueue& queue = books.queues.at(leaf);
  MemoryAndCores starvation = smaller_of_each(queue.limits.minimum, queue.demand);
  take_not_below_zero(starvation, queue.usage);
  if (starvation == MemoryAndCores{}) queue.preemption.last_at_min_share_ms = now_ms;
  return now_ms - queue.preemption.last_at_min_share_ms < queue.preemption.minimum_share_timeout_ms ? MemoryAndCores{}
                                                                                                    : starvation;
}

StarvedQueue::Starvation starvation_of(const FairBooks& books, RowIndex row) {
  const FairApplication& application = books.queues.application(row);
  return {application.fair_share_starvation, application.min_share_starvation};
}

bool may_preempt(const FairBooks& books, RowIndex row, const MemoryAndCores& considered) {
  const LedgerContainer& container = books.ledger.container(row);
  const FairApplication& owner = books.queues.application(container.application);
  const FairQueue& queue = books.queues.at(owner.queue);
  if (!queue.preemption.is_preemptable || container.is_chosen) return false;
  if (container.is_master) {
    const auto found = books.settings.preemption.master_of_queue.find(queue.name);
    if (found != books.settings.preemption.master_of_queue.end() && !found->second) return false;
  }
  const MemoryAndCores after =
      books.ledger.application(container.application).usage - owner.to_be_preempted - container.resource - considered;
  return !books.is_below_share(container.application, after, owner.fair_share);
}

}  // namespace

void FairPreemption::add_node(RowIndex node) {
  all_nodes_.push_back(node);
  if (nodes_.size() <= static_cast<std::size_t>(node)) nodes_.resize(static_cast<std::size_t>(node) + 1);
  nodes_[static_cast<std::size_t>(node)] = Node{};
}

void FairPreemption::remove_node(RowIndex node) {
  nodes_[static_cast<std::size_t>(node)] = Node{};
  std::erase(all_nodes_, node);
}

void FairPreemption::remove_application(const FairBooks& books, RowIndex row) {
  starved_.forget(row, starvation_of(books, row));
  for (Node& each : nodes_)
    for (auto& [who, kept] : each.kept_for)
      if (who == row) who = no_row;
}

// -- starvation ------------------------------------------------------------------

void FairPreemption::update_starvation(FairBooks& books, Instant now) {
  starvation_at_ms_ = -1;
  if (!books.settings.preemption.is_enabled) return;
  const MemoryAndCores& used = books.ledger.used();
  const MemoryAndCores& all = books.ledger.cluster();
  const float busy = std::max(static_cast<float>(used.memory_mib) / static_cast<float>(all.memory_mib),
                              static_cast<float>(used.cores) / static_cast<float>(all.cores));
  if (!(busy > books.settings.preemption.utilization_threshold)) return;
  starvation_at_ms_ = to_milliseconds(now.time_since_epoch());
  for (std::size_t i = 0; i < books.queues.size(); ++i)
    if (books.queues.at(static_cast<RowIndex>(i)).is_leaf) update_starvation_of(books, static_cast<RowIndex>(i));
}

void FairPreemption::add_starved(const FairBooks& books, RowIndex application) {
  starved_.push(application, books.ledger.application(application).id,
                [&](RowIndex row) { return starvation_of(books, row); });
}

void FairPreemption::update_starvation_of(FairBooks& books, RowIndex leaf) {
  const std::int64_t now_ms = starvation_at_ms_;
  std::vector<RowIndex> demanding;
  for (const RowIndex each : books.queues.served(leaf, books.ledger)) {
    const FairApplication& application = books.queues.application(each);
    if (application.demand != books.ledger.application(each).usage && now_ms >= application.next_starvation_check_ms)
      demanding.push_back(each);
  }
  MemoryAndCores covered;
  for (const RowIndex each : demanding) {
    const MemoryAndCores starvation = fair_share_starvation(books, each, now_ms);
    if (starvation == MemoryAndCores{}) break;
    add_starved(books, each);
    covered += starvation;
  }
  MemoryAndCores left = min_share_starvation(books, leaf, now_ms);
  take_not_below_zero(left, covered);
  const bool is_dominant = books.queues.at(leaf).policy == FairPolicy::dominant_resource;
  for (const RowIndex each : demanding) {
    FairApplication& application = books.queues.application(each);
    if (left == MemoryAndCores{}) {
      application.min_share_starvation = MemoryAndCores{};
      continue;
    }
    MemoryAndCores part = application.demand - books.ledger.application(each).usage;
    take_not_below_zero(part, application.fair_share_starvation);
    const bool is_more =
        is_dominant ? compare_dominant(part, left, books.ledger.cluster()) > 0 : part.memory_mib > left.memory_mib;
    if (is_more) {
      if (books.settings.preemption.caps_minimum_starvation) part = smaller_of_each(part, left);
      else take_not_below_zero(part, left);  // as upstream: what exceeds the rest, not the rest
      left = MemoryAndCores{};
    } else {
      take_not_below_zero(left, part);
    }
    application.min_share_starvation = part;
    add_starved(books, each);
  }
}

void FairPreemption::skip_updates(FairBooks& books, Instant last_skipped) const {
  if (starvation_at_ms_ < 0) return;
  for (std::size_t i = 0; i < books.queues.size(); ++i)
    if (FairQueue& queue = books.queues.at(static_cast<RowIndex>(i));
        queue.preemption.last_at_min_share_ms == starvation_at_ms_)
      queue.preemption.last_at_min_share_ms = to_milliseconds(last_skipped.time_since_epoch());
}

bool FairPreemption::is_time_awaited(const FairBooks& books) const {
  const auto& applications = books.ledger.applications().in_order();
  return starvation_at_ms_ >= 0 && std::any_of(applications.begin(), applications.end(), [&](const auto& row) {
           return books.queues.application(row.second).demand != books.ledger.application(row.second).usage;
         });
}

// -- choice ------------------------------------------------------------------------

std::vector<FairPreemption::StarvedAsk> FairPreemption::starved_asks(const FairBooks& books, RowIndex row) {
  const FairApplication& application = books.queues.application(row);
  MemoryAndCores pending = application.fair_share_starvation + application.min_share_starvation;
  std::vector<StarvedAsk> result;
  for (const PriorityAsks* asks : in_bucket_order(books.ledger.application(row).asks.priorities())) {
    VisitedPlaces visited{books.ledger};
    for (const AskEntry& entry : in_bucket_order(asks->entries.in_creation_order(), books.ledger)) {
      if (pending == MemoryAndCores{}) return result;
      if (!visited.visit(entry) || entry.capability.memory_mib <= 0) continue;
      const auto fitting = static_cast<std::int32_t>(
          std::floor(static_cast<float>(pending.memory_mib) / static_cast<float>(entry.capability.memory_mib)));
      if (fitting == 0) continue;
      const bool is_partial = fitting < entry.count;
      const std::int32_t count = is_partial ? fitting : entry.count;
      result.push_back({entry.place, count, is_partial || entry.relax_locality, entry.capability, entry.others});
      take_not_below_zero(pending, MemoryAndCores{entry.capability.memory_mib * count, entry.capability.cores * count});
    }
  }
  return result;
}

std::optional<FairPreemption::Choice> FairPreemption::choose_on(const FairBooks& books, RowIndex node_slot,
                                                                const StarvedAsk& ask, std::int32_t masters_max) const {
  const LedgerNode& node = books.ledger.node(node_slot);
  if (!books.ledger.could_have_others(node_slot, ask.others)) return std::nullopt;
  std::vector<RowIndex> candidates;
  for (const RowIndex each : node.containers)
    if (books.ledger.container(each).is_live && !books.ledger.container(each).is_chosen) candidates.push_back(each);
  std::sort(candidates.begin(), candidates.end(), [&](RowIndex a, RowIndex b) {
    const LedgerContainer& first = books.ledger.container(a);
    const LedgerContainer& second = books.ledger.container(b);
    return first.is_master != second.is_master ? second.is_master : first.id < second.id;
  });
  MemoryAndCores room = node.unallocated;
  MemoryAndCores kept = nodes_[static_cast<std::size_t>(node_slot)].total;
  if (node.reservation != no_row) kept += books.ledger.container(node.reservation).resource;
  take_not_below_zero(room, kept);
  const OtherResources& others = books.ledger.others();
  OtherAmounts free;
  if (ask.others != no_others) {
    free = others.free_of(static_cast<std::size_t>(node_slot));
    if (node.reservation != no_row) others.change(free, books.ledger.container(node.reservation).others, -1);
  }
  Choice choice;
  std::map<RowIndex, MemoryAndCores> considered;
  for (const RowIndex each : candidates) {
    const LedgerContainer& container = books.ledger.container(each);
    if (may_preempt(books, each, considered[container.application])) {
      if (container.is_master && ++choice.masters >= masters_max) return std::nullopt;
      choice.containers.push_back(each);
      considered[container.application] += container.resource;
      room += container.resource;
      if (ask.others != no_others) others.change(free, container.others, 1);
    }
    if (fits_in(ask.capability, room) && others.is_within(ask.others, free)) return choice;
  }
  return std::nullopt;
}

std::optional<FairPreemption::Choice> FairPreemption::choose_among(const FairBooks& books,
                                                                   const std::vector<RowIndex>& nodes,
                                                                   const StarvedAsk& ask) const {
  std::optional<Choice> best;
  std::int32_t masters_max = std::numeric_limits<std::int32_t>::max();
  for (const RowIndex node : nodes) {
    std::optional<Choice> choice = choose_on(books, node, ask, masters_max);
    if (!choice) continue;
    masters_max = choice->masters;
    best = std::move(choice);
    if (masters_max == 0) break;
  }
  return best;
}

std::optional<FairPreemption::Choice> FairPreemption::choose(const FairBooks& books, const StarvedAsk& ask) const {
  const std::vector<RowIndex>& nodes = ask.place == any_place ? all_nodes_ : books.ledger.nodes().of_place(ask.place);
  std::optional<Choice> best = choose_among(books, nodes, ask);
  if (!ask.relax_locality || ask.place == any_place || !best || best->masters == 0) return best;
  std::vector<RowIndex> others;
  for (const RowIndex node : all_nodes_)
    if (std::find(nodes.begin(), nodes.end(), node) == nodes.end()) others.push_back(node);
  std::optional<Choice> spare = choose_among(books, others, ask);
  return spare && spare->masters < best->masters ? spare : best;
}

void FairPreemption::end_for(FairBooks& books, RowIndex row, const Choice& choice, Instant kill_at,
                             StarvedApplication& report, ResourceEffects& effects) {
  MemoryAndCores kept;
  const RowIndex node = books.ledger.container(choice.containers.front()).node;
  for (const RowIndex each : choice.containers) {
    LedgerContainer& container = books.ledger.container(each);
    container.is_chosen = true;
    kept += container.resource;
    books.queues.application(container.application).to_be_preempted += container.resource;
    const LedgerApplication& victim = books.ledger.application(container.application);
    ++report.victims[victim.id];
    if (container.is_master) ++report.master_victims;
    chosen_.push_back({container.id, kill_at});
    effects.emplace_back(
        ContainerChosen{container.id, victim.attempt.value_or(AttemptId{}), books.ledger.node(node).id, kill_at});
  }
  Node& record = nodes_[static_cast<std::size_t>(node)];
  record.total += kept;
  const auto at =
      std::find_if(record.kept_for.begin(), record.kept_for.end(), [&](const auto& each) { return each.first == row; });
  if (at == record.kept_for.end()) record.kept_for.emplace_back(row, kept);
  else at->second += kept;
}

std::vector<StarvedApplication> FairPreemption::preempt(FairBooks& books, Instant now, ResourceEffects& effects) {
  const FairPreemptionSettings& settings = books.settings.preemption;
  std::vector<StarvedApplication> result;
  while (!starved_.empty()) {
    const StarvedQueue::Entry next = starved_.pop([&](RowIndex each) { return starvation_of(books, each); });
    if (next.row == no_row) {
      result.push_back({next.application, next.last.fair_share, next.last.minimum_share, {}, 0});
      continue;
    }
    const RowIndex row = next.row;
    FairApplication& application = books.queues.application(row);
    StarvedApplication report{
        books.ledger.application(row).id, application.fair_share_starvation, application.min_share_starvation, {}, 0};
    for (const StarvedAsk& ask : starved_asks(books, row))
      for (std::int32_t i = 0; i < ask.count; ++i) {
        const std::optional<Choice> choice = choose(books, ask);
        if (!choice) break;
        if (!choice->containers.empty()) end_for(books, row, *choice, now + settings.wait_before_kill, report, effects);
      }
    application.next_starvation_check_ms = to_milliseconds(now.time_since_epoch()) +
                                           to_milliseconds(settings.wait_before_kill) +
                                           to_milliseconds(settings.wait_before_next_check);
    result.push_back(std::move(report));
  }
  return result;
}

void FairPreemption::kill_chosen(FairBooks& books, Instant now, ResourceEffects& effects) {
  std::size_t done = 0;
  while (done < chosen_.size() && chosen_[done].kill_at <= now) {
    const RowIndex row = books.ledger.find_container(chosen_[done++].container);
    if (row != no_row && books.ledger.container(row).is_live)
      books.end(row, container_exit_status::preempted, false, effects);
  }
  chosen_.erase(chosen_.begin(), chosen_.begin() + static_cast<std::ptrdiff_t>(done));
}

// -- resources kept on nodes ----------------------------------------------------------

bool FairPreemption::is_kept_for(RowIndex node, RowIndex application) const {
  const std::vector<Kept>& kept = kept_for(node);
  return std::any_of(kept.begin(), kept.end(), [&](const Kept& each) { return each.first == application; });
}

void FairPreemption::remove_satisfied(const FairBooks& books, RowIndex node) {
  Node& record = nodes_[static_cast<std::size_t>(node)];
  std::erase_if(record.kept_for, [&](const auto& kept) {
    const bool is_done = kept.first == no_row || !books.is_starved(kept.first) ||
                         starvation_of(books, kept.first).total() == MemoryAndCores{};
    if (is_done) take_not_below_zero(record.total, kept.second);
    return is_done;
  });
}

void FairPreemption::count_allocated(RowIndex node, RowIndex application, const MemoryAndCores& size) {
  Node& record = nodes_[static_cast<std::size_t>(node)];
  const auto at = std::find_if(record.kept_for.begin(), record.kept_for.end(),
                               [&](const auto& kept) { return kept.first == application; });
  if (at == record.kept_for.end()) return;
  const MemoryAndCores fulfilled = smaller_of_each(at->second, size);
  at->second -= fulfilled;
  take_not_below_zero(record.total, fulfilled);
  if (at->second == MemoryAndCores{}) record.kept_for.erase(at);
}

}  // namespace heddle::policies
