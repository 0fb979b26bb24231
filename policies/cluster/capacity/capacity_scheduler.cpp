// Events of nodes, applications and containers, and the books that follow from them.
#include "policies/cluster/capacity/capacity_scheduler.hpp"

#include <algorithm>

#include "model/assert.hpp"

namespace heddle::policies {

CapacityScheduler::CapacityScheduler(CapacitySchedulerSettings settings, const config::CapacitySchedulerFile& file,
                                     Instant now)
    : settings_{settings}, file_{file}, ledger_{settings.container_epoch}, queues_{file, settings.minimum_allocation} {
  file_.queues.clear();
  if (settings_.preemption.is_enabled) preemption_grid_ = UpdateGrid{now, settings_.preemption.interval};
}

// -- nodes ---------------------------------------------------------------------

void CapacityScheduler::set_cluster(ResourceEffects& effects) {
  queues_.set_cluster(ledger_.cluster());
  for (std::size_t i = 0; i < queues_.size(); ++i) {
    CapacityQueue& leaf = queues_.at(static_cast<Slot>(i));
    if (!leaf.is_leaf) continue;
    leaf.users.on_cluster_changed(queues_.calculator(), queues_.cluster());
    start_applications(static_cast<Slot>(i), effects);
    leaf.users.forget_limits();
    for (const Slot each : leaf.unvisited) visit(each);
    leaf.unvisited.clear();
    if (!leaf.running.empty()) static_cast<void>(user_limit(leaf.running.front()));
  }
}

void CapacityScheduler::on_node_added(Instant now, const NodeDescription& node, ResourceEffects& effects) {
  preemption_grid_.mark_changed(now);
  ledger_.add_node(node);
  set_cluster(effects);
}

void CapacityScheduler::on_node_updated(Instant now, NodeId node, Resource capacity, ResourceEffects& effects) {
  preemption_grid_.mark_changed(now);
  const Slot slot = ledger_.find_node(node);
  if (slot == no_slot) return;
  ledger_.update_node(slot, capacity);
  set_cluster(effects);
}

void CapacityScheduler::on_node_removed(Instant now, NodeId node, ResourceEffects& effects) {
  preemption_grid_.mark_changed(now);
  const Slot slot = ledger_.find_node(node);
  if (slot == no_slot) return;
  const SlotList containers = ledger_.node(slot).containers;
  ledger_.end_each({containers.begin(), containers.size()},
                   [&](Slot each) { end(each, exit_status::aborted, true, effects); });
  if (ledger_.node(slot).reservation != no_slot) drop_reservation(ledger_.node(slot).reservation, effects);
  ledger_.remove_node(slot);
  set_cluster(effects);
}

PlacementAnswer CapacityScheduler::place(const PlacementRequest& request) const {
  const bool is_named = !request.queue.empty() && request.queue != "default";
  if (!is_named || file_.mappings_override)
    for (const config::QueueMapping& mapping : file_.mappings) {
      const std::string queue = mapping.queue_for(request.user, request.groups);
      if (!queue.empty() && queues_.find(queue) != no_slot) return {queues_.at(queues_.find(queue)).name, ""};
    }
  return {is_named ? request.queue : "default", ""};
}

Result<Done> CapacityScheduler::on_queues_changed(const config::CapacitySchedulerFile& file, ResourceEffects& effects) {
  preemption_grid_.mark_changed();
  const Result<std::vector<Slot>> moved = queues_.reload(file);
  if (!moved) return moved.error();
  for (const auto& [id, slot] : ledger_.applications_in_order())
    application(slot).queue = ledger_.application(slot).queue =
        (*moved)[static_cast<std::size_t>(application(slot).queue)];
  file_ = file;
  file_.queues.clear();
  for (std::size_t i = 0; i < queues_.size(); ++i) {
    CapacityQueue& leaf = queues_.at(static_cast<Slot>(i));
    for (std::vector<Slot>* list : {&leaf.running, &leaf.asking})
      std::sort(list->begin(), list->end(), [&](Slot a, Slot b) { return is_served_before(leaf, a, b); });
    for (std::size_t user = 0; user < leaf.users.size(); ++user)
      leaf.users.set_weight(static_cast<Slot>(user),
                            leaf.settings.weight_of(leaf.users.at(static_cast<Slot>(user)).name));
  }
  set_cluster(effects);
  admit_held(effects);
  return Done{};
}

// -- applications ----------------------------------------------------------------

Resource CapacityScheduler::normalized_for(const CapacityQueue& queue, const Resource& ask) const {
  Resource most = ledger_.maximum_allocation(settings_.maximum_allocation);
  if (queue.settings.maximum_container) most = smaller_of_each(most, *queue.settings.maximum_container);
  return queues_.calculator().normalized(ask, settings_.minimum_allocation, settings_.minimum_allocation, most);
}

SubmissionAnswer CapacityScheduler::on_application_added(Instant now, const ApplicationSubmission& submission) {
  preemption_grid_.mark_changed(now);
  if (queues_.at(CapacityQueues::root).applications >= file_.applications_max)
    return {false, "", "there are already " + std::to_string(file_.applications_max) + " applications"};
  const Slot slot = queues_.find(submission.queue);
  if (slot == no_slot) return {false, "", "there is no queue " + submission.queue};
  CapacityQueue& leaf = queues_.at(slot);
  if (!leaf.is_leaf) return {false, "", "queue " + leaf.name + " has queues below it and takes no applications"};
  if (leaf.settings.is_stopped) return {false, "", "queue " + leaf.name + " is stopped"};
  if (leaf.applications >= leaf.applications_max)
    return {false, "", "queue " + leaf.name + " already has " + std::to_string(leaf.applications) + " applications"};
  const std::int32_t id = ledger_.users().intern(submission.user);
  const Slot user = leaf.users.intern(id, submission.user);
  leaf.users.arrive(user, leaf.settings.weight_of(submission.user));
  const CapacityUser& who = leaf.users.at(user);
  if (who.waiting + who.running >= leaf.applications_of_user_max)
    return {false, "",
            "user " + submission.user + " already has " + std::to_string(who.waiting + who.running) +
                " applications in queue " + leaf.name};
  ApplicationSubmission accepted = submission;
  accepted.priority = std::min(submission.priority, settings_.application_priority_max);
  const Slot at = ledger_.add_application(now, accepted, slot);
  if (applications_.size() <= static_cast<std::size_t>(at)) applications_.resize(static_cast<std::size_t>(at) + 1);
  CapacityApplication& fresh = application(at) = CapacityApplication{};
  fresh.queue = slot;
  fresh.user = user;
  for (Slot each = slot; each != no_slot; each = queues_.at(each).parent) ++queues_.at(each).applications;
  return {true, leaf.name, ""};
}

void CapacityScheduler::on_attempt_added(Instant now, AttemptId attempt, ResourceEffects& effects) {
  preemption_grid_.mark_changed(now);
  const Slot slot = ledger_.find_application(attempt.application);
  HEDDLE_ASSERT(slot != no_slot, "an attempt belongs to an accepted application");
  LedgerApplication& books = ledger_.application(slot);
  books.attempt = attempt;
  books.is_master_running = false;
  CapacityApplication& fresh = application(slot);
  CapacityQueue& leaf = queues_.at(fresh.queue);
  fresh.was_visited = false;
  fresh.start = attempts_++;
  fresh.order_usage = fresh.order_pending = Resource{};
  fresh.master_size = books.master ? normalized_for(leaf, *books.master) : settings_.minimum_allocation;
  leaf.users.arrive(fresh.user, leaf.settings.weight_of(ledger_.users().name(books.user)));
  leaf.users.change_applications(fresh.user, 1, 0);
  fresh.is_waiting = true;
  admit(slot);
  if (queues_.calculator().is_positive(queues_.cluster(), queues_.cluster())) start_applications(fresh.queue, effects);
  if (!books.master) return;
  books.asks.update({{0, AskEntry{any_place, 1, true, 0, books.master_extras, fresh.master_size}}});
  note_asks(slot, true);
}

void CapacityScheduler::on_attempt_removed(Instant now, AttemptId attempt, ResourceEffects& effects) {
  preemption_grid_.mark_changed(now);
  const Slot slot = ledger_.find_attempt(attempt);
  if (slot == no_slot) return;
  const std::vector<Slot> containers = ledger_.application(slot).live;
  ledger_.end_each(containers, [&](Slot each) { end(each, exit_status::aborted, false, effects); });
  const std::vector<Slot> reservations = ledger_.application(slot).reservations;
  for (const Slot reservation : reservations) drop_reservation(reservation, effects);
  LedgerApplication& books = ledger_.application(slot);
  CapacityApplication& gone = application(slot);
  CapacityQueue& leaf = queues_.at(gone.queue);
  books.asks = AskTable{};
  count_pending(slot);  // the user stays active until the application goes too
  books.excluded.clear();
  books.attempt.reset();
  if (gone.is_running) {
    erase_served(leaf, leaf.running, slot);
    std::erase(leaf.unvisited, slot);
    std::erase(leaf.moved, slot);
    leaf.masters_used -= gone.master_size;
    leaf.users.at(gone.user).masters_used -= gone.master_size;
    leaf.users.change_applications(gone.user, 0, -1);
  } else {
    std::erase(leaf.waiting, slot);
    leaf.users.change_applications(gone.user, -1, 0);
  }
  dismiss(slot);
  gone.is_running = gone.is_waiting = false;
  if (leaf.users.at(gone.user).waiting + leaf.users.at(gone.user).running == 0) leaf.users.leave(gone.user);
  start_applications(gone.queue, effects);
  admit_held(effects);
}

void CapacityScheduler::on_application_removed(Instant now, ApplicationId id, ResourceEffects& effects) {
  preemption_grid_.mark_changed(now);
  const Slot slot = ledger_.find_application(id);
  if (slot == no_slot) return;
  if (const std::optional<AttemptId> attempt = ledger_.application(slot).attempt)
    on_attempt_removed(now, *attempt, effects);
  CapacityApplication& gone = application(slot);
  queues_.at(gone.queue).users.stop_asking(gone.user, gone.is_asking);
  for (Slot each = gone.queue; each != no_slot; each = queues_.at(each).parent) --queues_.at(each).applications;
  ledger_.remove_application(slot);
}

Allocation CapacityScheduler::on_asks(Instant now, AttemptId attempt, const AskBatch& batch, ResourceEffects& effects) {
  if (!batch.is_empty()) preemption_grid_.mark_changed(now);
  Allocation answer;
  ledger_.fetch_ahead_names(attempt, batch.asks);
  const Slot slot = ledger_.find_attempt(attempt);
  if (slot == no_slot) {
    answer.refusal = AskRefusal::unknown_attempt;
    return answer;
  }
  ledger_.fetch_ahead_asks(slot);
  fetch_ahead(&application(slot));
  const CapacityQueue& leaf = queues_.at(ledger_.application(slot).queue);
  std::vector<AskTable::Update> updates = ledger_.interned(batch.asks);
  ledger_.application(slot).asks.fetch_ahead_places(updates);
  ledger_.fetch_ahead_fetched(slot);
  for (AskTable::Update& update : updates) update.entry.capability = normalized_for(leaf, update.entry.capability);
  for (const ContainerId id : batch.release) {
    const Slot container = ledger_.find_container(id);
    if (container == no_slot || ledger_.container(container).application != slot) continue;
    if (ledger_.container(container).is_reservation) drop_reservation(container, effects);
    else if (ledger_.container(container).is_live) end(container, exit_status::aborted, false, effects);
  }
  AskTable& asks = ledger_.application(slot).asks;
  bool has_new_priority = false;
  for (const AskTable::Update& update : updates) {
    if (update.entry.place != any_place || update.entry.count <= 0) continue;
    const PriorityAsks* before = asks.find(update.priority);
    has_new_priority = has_new_priority || before == nullptr || !before->is_pending;
  }
  asks.update(updates);
  if (!updates.empty()) note_asks(slot, has_new_priority);
  ledger_.update_exclusions(slot, batch.exclude, batch.include);
  ledger_.fetch(slot, &answer.granted);
  answer.headroom = headroom_of(slot);
  const bool waits_for_master = ledger_.application(slot).master && !ledger_.application(slot).is_master_running;
  if (leaf.settings.has_size_based_weight && !updates.empty() && !waits_for_master) note_moved(slot);
  return answer;
}

/// Carries what an application asks to its queues.
void CapacityScheduler::count_pending(Slot slot) {
  CapacityApplication& asking = application(slot);
  CapacityQueue& leaf = queues_.at(asking.queue);
  const Resource pending = ledger_.application(slot).asks.pending();
  if (pending != asking.pending) queues_.change_pending(asking.queue, pending - asking.pending);
  asking.pending = pending;
  const bool is_listed = asking.is_running && queues_.calculator().is_positive(queues_.cluster(), pending);
  if (asking.is_listed && !is_listed) erase_served(leaf, leaf.asking, slot);
  if (!asking.is_listed && is_listed) insert_served(leaf, leaf.asking, slot);
  asking.is_listed = is_listed;
}

/// A priority that asks anew makes the user active, if one of the user's applications runs.
void CapacityScheduler::note_asks(Slot slot, bool has_new_priority) {
  count_pending(slot);
  CapacityApplication& asking = application(slot);
  CapacityUsers& users = queues_.at(asking.queue).users;
  if (ledger_.application(slot).asks.pending_priorities() == 0) users.stop_asking(asking.user, asking.is_asking);
  else if (has_new_priority) users.start_asking(asking.user, asking.is_asking);
}

// -- containers --------------------------------------------------------------------

void CapacityScheduler::on_container_launched(Instant, ContainerId container) {
  const Slot slot = ledger_.find_container(container);
  if (slot != no_slot && ledger_.container(slot).is_live) ledger_.container(slot).is_launched = true;
}

void CapacityScheduler::on_container_completed(Instant now, ContainerId container, std::int32_t status,
                                               ResourceEffects& effects) {
  preemption_grid_.mark_changed(now);
  const Slot slot = ledger_.find_container(container);
  if (slot != no_slot && !ledger_.container(slot).is_reservation) end(slot, status, true, effects);
}

/// The usage of an application's queues and user changes; its place in a fair order is decided anew.
void CapacityScheduler::change_usage(Slot slot, const Resource& by) {
  const CapacityApplication& changed = application(slot);
  note_moved(slot);
  queues_.change_usage(changed.queue, by);
  queues_.at(changed.queue).users.change_usage(changed.user, by, queues_.calculator(), queues_.cluster());
}

void CapacityScheduler::end(Slot container, std::int32_t status, bool is_reported_by_node, ResourceEffects& effects) {
  const Slot owner = ledger_.container(container).application;
  const Resource size = ledger_.container(container).resource;
  const std::int32_t priority = ledger_.container(container).priority;
  // A container that its application has heard of gives no ask back.
  const bool keeps_asks = ledger_.container(container).is_fetched &&
                          ledger_.application(owner).asks.pending() == application(owner).pending;
  const PriorityAsks* before = keeps_asks ? nullptr : ledger_.application(owner).asks.find(priority);
  const bool was_pending = before != nullptr && before->is_pending;
  if (!ledger_.end(container, status, is_reported_by_node, effects)) return;
  change_usage(owner, Resource{} - size);
  if (keeps_asks) return;
  const PriorityAsks* after = ledger_.application(owner).asks.find(priority);
  if (after != nullptr &&
      (after->is_pending != was_pending || ledger_.application(owner).asks.pending() != application(owner).pending))
    note_asks(owner, after->is_pending && !was_pending);
}

void CapacityScheduler::drop_reservation(Slot container, ResourceEffects& effects) {
  const LedgerContainer kept = ledger_.container(container);
  effects.emplace_back(ReservationDropped{kept.id, ledger_.application(kept.application).attempt.value_or(AttemptId{}),
                                          ledger_.node(kept.node).id});
  if (PriorityAsks* asks = ledger_.application(kept.application).asks.find(kept.priority)) asks->re_reservations = 0;
  ledger_.unreserve(container, false);
  queues_.change_reserved(application(kept.application).queue, Resource{} - kept.resource);
  change_usage(kept.application, Resource{} - kept.resource);
}

void CapacityScheduler::check_invariants() const {
  ledger_.check_invariants();
  queues_.check_invariants();
  std::vector<Resource> used(queues_.size());
  std::vector<Resource> pending(queues_.size());
  for (const auto& [id, slot] : ledger_.applications_in_order()) {
    const LedgerApplication& books = ledger_.application(slot);
    const auto queue = static_cast<std::size_t>(application(slot).queue);
    used[queue] += books.usage - books.counted_otherwise + books.reserved;
    pending[queue] += books.asks.pending();
  }
  for (std::size_t i = 0; i < queues_.size(); ++i) {
    const CapacityQueue& leaf = queues_.at(static_cast<Slot>(i));
    if (!leaf.is_leaf) continue;
    HEDDLE_ASSERT(used[i] == leaf.used, "usage of " + leaf.name + " is that of its applications");
    HEDDLE_ASSERT(pending[i] == leaf.pending, "what " + leaf.name + " asks is what its applications ask");
    const auto is_before = [&](Slot a, Slot b) { return is_served_before(leaf, a, b); };
    HEDDLE_ASSERT(std::is_sorted(leaf.running.begin(), leaf.running.end(), is_before),
                  "applications of " + leaf.name + " are in order");
    HEDDLE_ASSERT(std::is_sorted(leaf.asking.begin(), leaf.asking.end(), is_before),
                  "those of " + leaf.name + " that ask are in order");
  }
}

}  // namespace heddle::policies
