// Order of an offer: application, priority, locality.
#include "policies/cluster/fifo/fifo_scheduler.hpp"

#include <algorithm>

#include "model/assert.hpp"
#include "policies/cluster/ledger_hints.hpp"
#include "policies/cluster/ledger_questions.hpp"
#include "policies/cluster/resource_calculator.hpp"

namespace heddle::policies {

void FifoScheduler::on_node_added(Instant, const NodeDescription& node, ResourceEffects&) { ledger_.add_node(node); }

void FifoScheduler::on_node_updated(Instant, NodeId node, MemoryAndCores capacity, ResourceEffects&) {
  const RowIndex row = ledger_.find_node(node);
  if (row != no_row) ledger_.update_node(row, capacity);
}

void FifoScheduler::on_node_removed(Instant, NodeId node, ResourceEffects& effects) {
  const RowIndex row = ledger_.find_node(node);
  if (row == no_row) return;
  const SlotList containers = ledger_.node(row).containers;
  for (const RowIndex container : containers) {
    if (const auto released = released_.find(ledger_.container(container).id); released != released_.end()) {
      if (ledger_.find_attempt(released->second) != no_row) counted_twice_ += ledger_.container(container).resource;
      released_.erase(released);
    }
    end(container, container_exit_status::aborted, true, effects);
  }
  ledger_.remove_node(row);
}

SubmissionAnswer FifoScheduler::on_application_added(Instant now, const ApplicationSubmission& submission) {
  ledger_.add_application(now, submission, 0);
  return SubmissionAnswer{true, "default", ""};
}

void FifoScheduler::on_attempt_added(Instant, AttemptId attempt, ResourceEffects&) {
  const RowIndex row = ledger_.find_application(attempt.application);
  HEDDLE_ASSERT(row != no_row, "attempt of an unknown application");
  LedgerApplication& application = ledger_.application(row);
  application.attempt = attempt;
  application.is_master_running = false;
  if (!application.master) return;
  const MemoryAndCores wanted =
      normalized_memory_only(*application.master, settings_.minimum_allocation, settings_.minimum_allocation,
                             ledger_.nodes().maximum_allocation(settings_.maximum_allocation));
  application.asks.update({{0, AskEntry{any_place, 1, true, 0, application.master_others, wanted}}});
  update_pending(row);
}

void FifoScheduler::on_attempt_removed(Instant, AttemptId attempt, ResourceEffects& effects) {
  const RowIndex row = ledger_.find_attempt(attempt);
  if (row == no_row) return;
  const std::vector<RowIndex> containers = ledger_.application(row).live.slots();
  end_each(ledger_, containers, [&](RowIndex each) { end(each, container_exit_status::aborted, false, effects); });
  LedgerApplication& application = ledger_.application(row);
  application.asks = PendingRequests{};
  application.excluded.clear();
  application.attempt.reset();
  update_pending(row);
}

void FifoScheduler::on_application_removed(Instant now, ApplicationId application, ResourceEffects& effects) {
  const RowIndex row = ledger_.find_application(application);
  if (row == no_row) return;
  if (const std::optional<AttemptId> attempt = ledger_.application(row).attempt)
    on_attempt_removed(now, *attempt, effects);
  ledger_.remove_application(row);
}

Allocation FifoScheduler::allocate(Instant, AttemptId attempt, const AllocateRequest& batch, ResourceEffects& effects) {
  Allocation answer;
  const RowIndex row = ledger_.find_attempt(attempt);
  if (row == no_row) {
    answer.refusal = AskRefusal::unknown_attempt;
    return answer;
  }
  ledger_.fetch_ahead_names(attempt, batch.asks);
  std::vector<PendingRequests::Update> updates = ledger_.interned(batch.asks);
  const MemoryAndCores maximum = ledger_.nodes().maximum_allocation(settings_.maximum_allocation);
  for (PendingRequests::Update& update : updates)
    update.entry.capability = normalized_memory_only(update.entry.capability, settings_.minimum_allocation,
                                                     settings_.minimum_allocation, maximum);
  for (const ContainerId id : batch.release) {
    const RowIndex container = ledger_.find_container(id);
    if (container == no_row || !ledger_.container(container).is_live || ledger_.container(container).application != row)
      continue;
    if (ledger_.container(container).is_launched) released_.insert_or_assign(id, attempt);
    end(container, container_exit_status::aborted, false, effects);
  }
  ledger_.application(row).asks.update(updates);
  update_pending(row);
  ledger_.update_exclusions(row, batch.exclude, batch.include);
  ledger_.fetch(row, &answer.granted);
  answer.headroom = headroom_of(row);
  return answer;
}

MemoryAndCores FifoScheduler::headroom(AttemptId attempt) const {
  const RowIndex row = ledger_.find_attempt(attempt);
  return row == no_row ? MemoryAndCores{} : headroom_of(row);
}

MemoryAndCores FifoScheduler::headroom_of(RowIndex application) const {
  return ledger_.application(application).arrival < arrivals_offered_ ? headroom_ : MemoryAndCores{};
}

void FifoScheduler::on_container_launched(Instant, ContainerId container) {
  const RowIndex row = ledger_.find_container(container);
  if (row != no_row && ledger_.container(row).is_live) ledger_.container(row).is_launched = true;
}

void FifoScheduler::on_container_completed(Instant, ContainerId container, std::int32_t exit_status,
                                           ResourceEffects& effects) {
  const RowIndex row = ledger_.find_container(container);
  released_.erase(container);
  if (row != no_row) end(row, exit_status, true, effects);
}

void FifoScheduler::on_time(Instant, ResourceEffects&) {}

bool FifoScheduler::has_room(NodeId node) const {
  const RowIndex row = ledger_.find_node(node);
  return row != no_row && has_room(ledger_.node(row));
}

bool FifoScheduler::needs_offer(NodeId node) const {
  return has_room(node) &&
         (!pending_.empty() || headroom_ != headroom_now() || arrivals_offered_ != ledger_.applications().arrivals());
}

MemoryAndCores FifoScheduler::headroom_now() const {
  return larger_of_each(ledger_.cluster() - ledger_.used() + counted_twice_, MemoryAndCores{});
}

void FifoScheduler::node_heartbeat(Instant, NodeId node, ResourceEffects& effects, OfferCause) {
  const RowIndex row = ledger_.find_node(node);
  if (row == no_row || !has_room(ledger_.node(row))) return;
  fill(row, effects);
  headroom_ = headroom_now();
  arrivals_offered_ = ledger_.applications().arrivals();
}

void FifoScheduler::fill(RowIndex node, ResourceEffects& effects) {
  auto next = pending_.begin();
  while (next != pending_.end() && has_room(ledger_.node(node))) {
    const RowIndex application = next->second;
    ++next;  // the offer may remove this application from the map
    offer(node, application, effects);
  }
}

void FifoScheduler::offer(RowIndex node, RowIndex application, ResourceEffects& effects) {
  if (is_excluded(ledger_.application(application), ledger_.node(node))) return;
  bool has_new_master = false;
  for (std::size_t i = 0; i < ledger_.application(application).asks.priorities().size(); ++i) {
    const PriorityAsks& asks = ledger_.application(application).asks.priorities()[i];
    if (!asks.is_pending) continue;
    const std::int32_t priority = asks.priority;
    const bool had_master = ledger_.application(application).is_master_running;
    std::int32_t assigned = assign_at(node, application, priority, AskLocality::node_local, effects);
    assigned += assign_at(node, application, priority, AskLocality::rack_local, effects);
    assigned += assign_at(node, application, priority, AskLocality::off_switch, effects);
    has_new_master = has_new_master || (!had_master && ledger_.application(application).is_master_running);
    if (assigned == 0) break;
  }
  if (has_new_master) ledger_.fetch(application, nullptr);
  update_pending(application);
}

std::int32_t FifoScheduler::assign_at(RowIndex node, RowIndex application, std::int32_t priority, AskLocality locality,
                                      ResourceEffects& effects) {
  PriorityAsks* asks = ledger_.application(application).asks.find(priority);
  const LedgerNode& where = ledger_.node(node);
  const std::int32_t any_count = asks->count(any_place);
  const ResourceNameId place = locality == AskLocality::node_local   ? where.host
                               : locality == AskLocality::rack_local ? where.rack
                                                                     : any_place;
  const AskEntry* entry = asks->find(place);
  if (entry == nullptr || entry->count <= 0) return 0;
  if (locality == AskLocality::node_local && asks->count(where.rack) <= 0) return 0;
  const MemoryAndCores size = entry->capability;
  if (size.memory_mib <= 0) return 0;
  const OthersId others = entry->others;
  std::int64_t fitting = where.unallocated.memory_mib / size.memory_mib;
  if (others != no_others)
    fitting = std::min(fitting, ledger_.others().count_fitting(static_cast<std::size_t>(node), others));
  const std::int64_t wanted = std::min(any_count, entry->count);
  const auto assigned = static_cast<std::int32_t>(std::max<std::int64_t>(0, std::min(fitting, wanted)));
  for (std::int32_t i = 0; i < assigned; ++i) {
    const RowIndex container = ledger_.create_container(application, node, priority, size, others);
    ledger_.allocate(container, *asks, locality);
    effects.emplace_back(described(ledger_, container));
  }
  return assigned;
}

void FifoScheduler::update_pending(RowIndex row) {
  const LedgerApplication& application = ledger_.application(row);
  if (application.asks.pending_priorities() > 0) pending_.emplace(application.id, row);
  else pending_.erase(application.id);
}

void FifoScheduler::end(RowIndex container, std::int32_t status, bool is_reported_by_node, ResourceEffects& effects) {
  const RowIndex application = ledger_.container(container).application;
  if (ledger_.end(container, status, is_reported_by_node, effects)) update_pending(application);
}

ResourceExplanation FifoScheduler::explain(ApplicationId id) const {
  const RowIndex row = ledger_.find_application(id);
  if (row == no_row) return {"unknown_application", "The application is unknown.", "", std::nullopt, 0};
  const LedgerApplication& application = ledger_.application(row);
  if (application.asks.pending_priorities() == 0)
    return {"nothing_asked", "The application has no pending requests.", "", std::nullopt, 0};
  if (pending_.begin()->first != id)
    return {"earlier_application", "An application that was submitted earlier is served first.",
            to_string(pending_.begin()->first), std::nullopt, 0};
  for (const PriorityAsks& asks : application.asks.priorities())
    if (asks.is_pending)
      if (auto missing = missing_others(ledger_, asks.find(any_place)->others)) return *missing;
  return {"no_room", "No node with a heartbeat had enough memory for the requested container.", "", std::nullopt, 1};
}

}  // namespace heddle::policies
