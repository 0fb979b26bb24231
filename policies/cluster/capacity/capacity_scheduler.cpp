// Events of nodes, applications and containers; offers, admission, limits and preemption are parts of their own.
#include "policies/cluster/capacity/capacity_scheduler.hpp"

#include <algorithm>

#include "model/assert.hpp"
#include "policies/cluster/capacity/capacity_explain.hpp"
#include "policies/cluster/capacity/capacity_limits.hpp"
#include "policies/cluster/capacity/capacity_offers.hpp"
#include "policies/cluster/capacity/capacity_order.hpp"
#include "policies/cluster/ledger_hints.hpp"

namespace heddle::policies {

CapacityScheduler::CapacityScheduler(CapacitySchedulerSettings settings, const config::CapacitySchedulerFile& file,
                                     Instant now)
    : books_{settings, file} {
  if (settings.preemption.is_enabled) preemption_grid_ = UpdateGrid{now, settings.preemption.interval};
}

// -- nodes ---------------------------------------------------------------------

void CapacityScheduler::set_cluster(ResourceEffects& effects) {
  books_.queues.set_cluster(books_.ledger.cluster());
  for (std::size_t i = 0; i < books_.queues.size(); ++i) {
    CapacityQueue& leaf = books_.queues.at(static_cast<Slot>(i));
    if (!leaf.is_leaf) continue;
    leaf.users.on_cluster_changed(books_.queues.calculator(), books_.queues.cluster());
    start_applications(books_, static_cast<Slot>(i), effects);
    leaf.users.forget_limits();
    for (const Slot each : leaf.lists.unvisited) books_.application(each).was_visited = true;
    leaf.lists.unvisited.clear();
    if (!leaf.lists.running.empty()) static_cast<void>(user_limit(books_, leaf.lists.running.front()));
  }
}

void CapacityScheduler::on_node_added(Instant now, const NodeDescription& node, ResourceEffects& effects) {
  preemption_grid_.mark_changed(now);
  books_.ledger.add_node(node);
  set_cluster(effects);
}

void CapacityScheduler::on_node_updated(Instant now, NodeId node, Resource capacity, ResourceEffects& effects) {
  preemption_grid_.mark_changed(now);
  const Slot slot = books_.ledger.find_node(node);
  if (slot == no_slot) return;
  books_.ledger.update_node(slot, capacity);
  set_cluster(effects);
}

void CapacityScheduler::on_node_removed(Instant now, NodeId node, ResourceEffects& effects) {
  preemption_grid_.mark_changed(now);
  const Slot slot = books_.ledger.find_node(node);
  if (slot == no_slot) return;
  const SlotList containers = books_.ledger.node(slot).containers;
  end_each(books_.ledger, {containers.begin(), containers.size()},
           [&](Slot each) { books_.end(each, exit_status::aborted, true, effects); });
  if (books_.ledger.node(slot).reservation != no_slot)
    books_.drop_reservation(books_.ledger.node(slot).reservation, effects);
  books_.ledger.remove_node(slot);
  set_cluster(effects);
}

bool CapacityScheduler::has_room(NodeId id) const {
  const Slot node = books_.ledger.find_node(id);
  if (node == no_slot) return false;
  if (books_.ledger.node(node).reservation != no_slot)
    return books_.queues.calculator().fits(books_.ledger.container(books_.ledger.node(node).reservation).resource,
                                           books_.ledger.node(node).unallocated);
  return books_.queues.calculator().count_fitting(books_.ledger.node(node).unallocated,
                                                  books_.settings.minimum_allocation) > 0;
}

bool CapacityScheduler::needs_offer(NodeId id) const {
  const Slot node = books_.ledger.find_node(id);
  if (node == no_slot) return false;
  return books_.ledger.node(node).reservation != no_slot ||
         books_.queues.is_asking(books_.queues.at(CapacityQueues::root));
}

void CapacityScheduler::node_heartbeat(Instant now, NodeId id, ResourceEffects& effects, OfferCause cause) {
  const Slot node = books_.ledger.find_node(id);
  if (node == no_slot) return;
  const std::size_t first_effect = effects.size();
  CapacityOffer{books_, node, cause, effects}.make();
  if (effects.size() > first_effect) preemption_grid_.mark_changed(now);
  for (std::size_t i = first_effect; i < effects.size(); ++i)
    if (const auto* taken = std::get_if<ContainerAssigned>(&effects[i]); taken != nullptr && taken->is_master)
      books_.ledger.fetch(books_.ledger.find_attempt(taken->attempt), nullptr);
}

PlacementAnswer CapacityScheduler::place(const PlacementRequest& request) const {
  const bool is_named = !request.queue.empty() && request.queue != "default";
  if (!is_named || books_.file.mappings_override)
    for (const config::QueueMapping& mapping : books_.file.mappings) {
      const std::string queue = mapping.queue_for(request.user, request.groups);
      if (!queue.empty() && books_.queues.find(queue) != no_slot)
        return {books_.queues.at(books_.queues.find(queue)).name, ""};
    }
  return {is_named ? request.queue : "default", ""};
}

Result<Done> CapacityScheduler::on_queues_changed(const config::CapacitySchedulerFile& file, ResourceEffects& effects) {
  preemption_grid_.mark_changed();
  const Result<std::vector<Slot>> moved = books_.queues.reload(file);
  if (!moved) return moved.error();
  for (const auto& [id, slot] : books_.ledger.applications().in_order())
    books_.application(slot).queue = books_.ledger.application(slot).queue =
        (*moved)[static_cast<std::size_t>(books_.application(slot).queue)];
  books_.file = file;
  books_.file.queues.clear();
  for (std::size_t i = 0; i < books_.queues.size(); ++i) {
    CapacityQueue& leaf = books_.queues.at(static_cast<Slot>(i));
    for (std::vector<Slot>* list : {&leaf.lists.running, &leaf.lists.asking})
      std::sort(list->begin(), list->end(), [&](Slot a, Slot b) { return is_served_before(books_, leaf, a, b); });
    for (std::size_t user = 0; user < leaf.users.size(); ++user)
      leaf.users.set_weight(static_cast<Slot>(user),
                            leaf.settings.weight_of(leaf.users.at(static_cast<Slot>(user)).name));
  }
  set_cluster(effects);
  admission_.admit_held(books_, effects);
  return Done{};
}

// -- applications ----------------------------------------------------------------

SubmissionAnswer CapacityScheduler::on_application_added(Instant now, const ApplicationSubmission& submission) {
  preemption_grid_.mark_changed(now);
  if (books_.queues.at(CapacityQueues::root).counts.applications >= books_.file.applications_max)
    return {false, "", "there are already " + std::to_string(books_.file.applications_max) + " applications"};
  const Slot slot = books_.queues.find(submission.queue);
  if (slot == no_slot) return {false, "", "there is no queue " + submission.queue};
  CapacityQueue& leaf = books_.queues.at(slot);
  if (!leaf.is_leaf) return {false, "", "queue " + leaf.name + " has queues below it and takes no applications"};
  if (leaf.settings.is_stopped) return {false, "", "queue " + leaf.name + " is stopped"};
  if (leaf.counts.applications >= leaf.counts.applications_max)
    return {false, "",
            "queue " + leaf.name + " already has " + std::to_string(leaf.counts.applications) + " applications"};
  const std::int32_t id = books_.ledger.users().intern(submission.user);
  const Slot user = leaf.users.intern(id, submission.user);
  leaf.users.arrive(user, leaf.settings.weight_of(submission.user));
  const CapacityUser& who = leaf.users.at(user);
  if (who.waiting + who.running >= leaf.counts.applications_of_user_max)
    return {false, "",
            "user " + submission.user + " already has " + std::to_string(who.waiting + who.running) +
                " applications in queue " + leaf.name};
  ApplicationSubmission accepted = submission;
  accepted.priority = std::min(submission.priority, books_.settings.application_priority_max);
  const Slot at = books_.ledger.add_application(now, accepted, slot);
  CapacityApplication& fresh = books_.add_application(at);
  fresh.queue = slot;
  fresh.user = user;
  for (Slot each = slot; each != no_slot; each = books_.queues.at(each).parent)
    ++books_.queues.at(each).counts.applications;
  return {true, leaf.name, ""};
}

void CapacityScheduler::on_attempt_added(Instant now, AttemptId attempt, ResourceEffects& effects) {
  preemption_grid_.mark_changed(now);
  const Slot slot = books_.ledger.find_application(attempt.application);
  HEDDLE_ASSERT(slot != no_slot, "an attempt belongs to an accepted application");
  LedgerApplication& books = books_.ledger.application(slot);
  books.attempt = attempt;
  books.is_master_running = false;
  CapacityApplication& fresh = books_.application(slot);
  CapacityQueue& leaf = books_.queues.at(fresh.queue);
  fresh.was_visited = false;
  fresh.start = attempts_++;
  fresh.order_usage = fresh.order_pending = Resource{};
  fresh.master_size = books.master ? books_.normalized_for(leaf, *books.master) : books_.settings.minimum_allocation;
  leaf.users.arrive(fresh.user, leaf.settings.weight_of(books_.ledger.users().name(books.user)));
  leaf.users.change_applications(fresh.user, 1, 0);
  fresh.is_waiting = true;
  admission_.admit(books_, slot);
  if (books_.queues.calculator().is_positive(books_.queues.cluster(), books_.queues.cluster()))
    start_applications(books_, fresh.queue, effects);
  if (!books.master) return;
  books.asks.update({{0, AskEntry{any_place, 1, true, 0, books.master_extras, fresh.master_size}}});
  books_.count_asks(slot, true);
}

void CapacityScheduler::on_attempt_removed(Instant now, AttemptId attempt, ResourceEffects& effects) {
  preemption_grid_.mark_changed(now);
  const Slot slot = books_.ledger.find_attempt(attempt);
  if (slot == no_slot) return;
  const std::vector<Slot> containers = books_.ledger.application(slot).live;
  end_each(books_.ledger, containers, [&](Slot each) { books_.end(each, exit_status::aborted, false, effects); });
  const std::vector<Slot> reservations = books_.ledger.application(slot).reservations;
  for (const Slot reservation : reservations) books_.drop_reservation(reservation, effects);
  LedgerApplication& books = books_.ledger.application(slot);
  CapacityApplication& gone = books_.application(slot);
  CapacityQueue& leaf = books_.queues.at(gone.queue);
  books.asks = AskTable{};
  books_.count_pending(slot);  // the user stays active until the application goes too
  books.excluded.clear();
  books.attempt.reset();
  if (gone.is_running) {
    erase_served(books_, leaf, leaf.lists.running, slot);
    std::erase(leaf.lists.unvisited, slot);
    std::erase(leaf.lists.moved, slot);
    leaf.masters.used -= gone.master_size;
    leaf.users.at(gone.user).masters_used -= gone.master_size;
    leaf.users.change_applications(gone.user, 0, -1);
  } else {
    std::erase(leaf.lists.waiting, slot);
    leaf.users.change_applications(gone.user, -1, 0);
  }
  admission_.dismiss(books_, slot);
  gone.is_running = gone.is_waiting = false;
  if (leaf.users.at(gone.user).waiting + leaf.users.at(gone.user).running == 0) leaf.users.leave(gone.user);
  start_applications(books_, gone.queue, effects);
  admission_.admit_held(books_, effects);
}

void CapacityScheduler::on_application_removed(Instant now, ApplicationId id, ResourceEffects& effects) {
  preemption_grid_.mark_changed(now);
  const Slot slot = books_.ledger.find_application(id);
  if (slot == no_slot) return;
  if (const std::optional<AttemptId> attempt = books_.ledger.application(slot).attempt)
    on_attempt_removed(now, *attempt, effects);
  CapacityApplication& gone = books_.application(slot);
  books_.queues.at(gone.queue).users.stop_asking(gone.user, gone.is_asking);
  for (Slot each = gone.queue; each != no_slot; each = books_.queues.at(each).parent)
    --books_.queues.at(each).counts.applications;
  books_.ledger.remove_application(slot);
}

Allocation CapacityScheduler::on_asks(Instant now, AttemptId attempt, const AskBatch& batch, ResourceEffects& effects) {
  if (!batch.is_empty()) preemption_grid_.mark_changed(now);
  Allocation answer;
  books_.ledger.fetch_ahead_names(attempt, batch.asks);
  const Slot slot = books_.ledger.find_attempt(attempt);
  if (slot == no_slot) {
    answer.refusal = AskRefusal::unknown_attempt;
    return answer;
  }
  fetch_ahead_asks(books_.ledger, slot);
  fetch_ahead(&books_.application(slot));
  const CapacityQueue& leaf = books_.queues.at(books_.ledger.application(slot).queue);
  std::vector<AskTable::Update> updates = books_.ledger.interned(batch.asks);
  books_.ledger.application(slot).asks.fetch_ahead_places(updates);
  fetch_ahead_fetched(books_.ledger, slot);
  for (AskTable::Update& update : updates)
    update.entry.capability = books_.normalized_for(leaf, update.entry.capability);
  for (const ContainerId id : batch.release) {
    const Slot container = books_.ledger.find_container(id);
    if (container == no_slot || books_.ledger.container(container).application != slot) continue;
    if (books_.ledger.container(container).is_reservation) books_.drop_reservation(container, effects);
    else if (books_.ledger.container(container).is_live) books_.end(container, exit_status::aborted, false, effects);
  }
  AskTable& asks = books_.ledger.application(slot).asks;
  bool has_new_priority = false;
  for (const AskTable::Update& update : updates) {
    if (update.entry.place != any_place || update.entry.count <= 0) continue;
    const PriorityAsks* before = asks.find(update.priority);
    has_new_priority = has_new_priority || before == nullptr || !before->is_pending;
  }
  asks.update(updates);
  if (!updates.empty()) books_.count_asks(slot, has_new_priority);
  books_.ledger.update_exclusions(slot, batch.exclude, batch.include);
  books_.ledger.fetch(slot, &answer.granted);
  answer.headroom = headroom_of(books_, slot);
  const bool waits_for_master =
      books_.ledger.application(slot).master && !books_.ledger.application(slot).is_master_running;
  if (leaf.settings.has_size_based_weight && !updates.empty() && !waits_for_master) mark_moved(books_, slot);
  return answer;
}

// -- containers --------------------------------------------------------------------

void CapacityScheduler::on_container_launched(Instant, ContainerId container) {
  const Slot slot = books_.ledger.find_container(container);
  if (slot != no_slot && books_.ledger.container(slot).is_live) books_.ledger.container(slot).is_launched = true;
}

void CapacityScheduler::on_container_completed(Instant now, ContainerId container, std::int32_t status,
                                               ResourceEffects& effects) {
  preemption_grid_.mark_changed(now);
  const Slot slot = books_.ledger.find_container(container);
  if (slot != no_slot && !books_.ledger.container(slot).is_reservation) books_.end(slot, status, true, effects);
}

void CapacityScheduler::on_time(Instant now, ResourceEffects& effects) {
  if (!preemption_grid_.is_due(now)) return;
  reclaim_.preempt(books_, now, effects);
  // Chosen containers end by time alone; an end changes what the next check sees.
  preemption_grid_.on_computed(now, reclaim_.has_chosen() || !effects.empty());
}

ResourceExplanation CapacityScheduler::explain(ApplicationId application) const {
  return policies::explain(books_, admission_, application);
}

}  // namespace heddle::policies
