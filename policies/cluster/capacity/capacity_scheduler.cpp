// Inputs of nodes, applications and containers. Offers, admission, limits and preemption are separate parts.
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
    CapacityQueue& leaf = books_.queues.at(static_cast<RowIndex>(i));
    if (!leaf.is_leaf) continue;
    leaf.users.on_cluster_changed(books_.queues.calculator(), books_.queues.cluster());
    start_applications(books_, static_cast<RowIndex>(i), effects);
    leaf.users.clear_limits();
    for (const RowIndex each : leaf.lists.unvisited) books_.application(each).was_visited = true;
    leaf.lists.unvisited.clear();
    if (!leaf.lists.running.empty()) static_cast<void>(user_limit(books_, leaf.lists.running.front()));
  }
}

void CapacityScheduler::on_node_added(Instant now, const NodeDescription& node, ResourceEffects& effects) {
  preemption_grid_.mark_changed(now);
  books_.ledger.add_node(node);
  set_cluster(effects);
}

void CapacityScheduler::on_node_updated(Instant now, NodeId node, MemoryAndCores capacity, ResourceEffects& effects) {
  preemption_grid_.mark_changed(now);
  const RowIndex row = books_.ledger.find_node(node);
  if (row == no_row) return;
  books_.ledger.update_node(row, capacity);
  set_cluster(effects);
}

void CapacityScheduler::on_node_removed(Instant now, NodeId node, ResourceEffects& effects) {
  preemption_grid_.mark_changed(now);
  const RowIndex row = books_.ledger.find_node(node);
  if (row == no_row) return;
  const SlotList containers = books_.ledger.node(row).containers;
  end_each(books_.ledger, {containers.begin(), containers.size()},
           [&](RowIndex each) { books_.end(each, container_exit_status::aborted, true, effects); });
  if (books_.ledger.node(row).reservation != no_row)
    books_.drop_reservation(books_.ledger.node(row).reservation, effects);
  books_.ledger.remove_node(row);
  set_cluster(effects);
}

bool CapacityScheduler::has_room(NodeId id) const {
  const RowIndex node = books_.ledger.find_node(id);
  if (node == no_row) return false;
  if (books_.ledger.node(node).reservation != no_row)
    return books_.queues.calculator().fits(books_.ledger.container(books_.ledger.node(node).reservation).resource,
                                           books_.ledger.node(node).unallocated);
  return books_.queues.calculator().count_fitting(books_.ledger.node(node).unallocated,
                                                  books_.settings.minimum_allocation) > 0;
}

bool CapacityScheduler::needs_offer(NodeId id) const {
  const RowIndex node = books_.ledger.find_node(id);
  if (node == no_row) return false;
  return books_.ledger.node(node).reservation != no_row ||
         books_.queues.is_asking(books_.queues.at(CapacityQueues::root));
}

void CapacityScheduler::node_heartbeat(Instant now, NodeId id, ResourceEffects& effects, OfferCause cause) {
  const RowIndex node = books_.ledger.find_node(id);
  if (node == no_row) return;
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
      if (!queue.empty() && books_.queues.find(queue) != no_row)
        return {books_.queues.at(books_.queues.find(queue)).name, ""};
    }
  return {is_named ? request.queue : "default", ""};
}

Result<Done> CapacityScheduler::on_queues_changed(const config::CapacitySchedulerFile& file, ResourceEffects& effects) {
  preemption_grid_.mark_changed();
  const Result<std::vector<RowIndex>> moved = books_.queues.reload(file);
  if (!moved) return moved.error();
  for (const auto& [id, row] : books_.ledger.applications().in_order())
    books_.application(row).queue = books_.ledger.application(row).queue =
        (*moved)[static_cast<std::size_t>(books_.application(row).queue)];
  books_.file = file;
  books_.file.queues.clear();
  for (std::size_t i = 0; i < books_.queues.size(); ++i) {
    CapacityQueue& leaf = books_.queues.at(static_cast<RowIndex>(i));
    for (std::vector<RowIndex>* list : {&leaf.lists.running, &leaf.lists.asking})
      std::sort(list->begin(), list->end(),
                [&](RowIndex a, RowIndex b) { return is_served_before(books_, leaf, a, b); });
    for (std::size_t user = 0; user < leaf.users.size(); ++user)
      leaf.users.set_weight(static_cast<RowIndex>(user),
                            leaf.settings.weight_of(leaf.users.at(static_cast<RowIndex>(user)).name));
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
  const RowIndex row = books_.queues.find(submission.queue);
  if (row == no_row) return {false, "", "there is no queue " + submission.queue};
  CapacityQueue& leaf = books_.queues.at(row);
  if (!leaf.is_leaf) return {false, "", "queue " + leaf.name + " has queues below it and takes no applications"};
  if (leaf.settings.is_stopped) return {false, "", "queue " + leaf.name + " is stopped"};
  if (leaf.counts.applications >= leaf.counts.applications_max)
    return {false, "",
            "queue " + leaf.name + " already has " + std::to_string(leaf.counts.applications) + " applications"};
  const std::int32_t id = books_.ledger.users().intern(submission.user);
  const RowIndex user = leaf.users.intern(id, submission.user);
  leaf.users.arrive(user, leaf.settings.weight_of(submission.user));
  const CapacityUser& who = leaf.users.at(user);
  if (who.waiting + who.running >= leaf.counts.applications_of_user_max)
    return {false, "",
            "user " + submission.user + " already has " + std::to_string(who.waiting + who.running) +
                " applications in queue " + leaf.name};
  ApplicationSubmission accepted = submission;
  accepted.priority = std::min(submission.priority, books_.settings.application_priority_max);
  const RowIndex at = books_.ledger.add_application(now, accepted, row);
  CapacityApplication& fresh = books_.add_application(at);
  fresh.queue = row;
  fresh.user = user;
  for (RowIndex each = row; each != no_row; each = books_.queues.at(each).parent)
    ++books_.queues.at(each).counts.applications;
  return {true, leaf.name, ""};
}

void CapacityScheduler::on_attempt_added(Instant now, AttemptId attempt, ResourceEffects& effects) {
  preemption_grid_.mark_changed(now);
  const RowIndex row = books_.ledger.find_application(attempt.application);
  HEDDLE_ASSERT(row != no_row, "attempt of an unknown application");
  LedgerApplication& books = books_.ledger.application(row);
  books.attempt = attempt;
  books.is_master_running = false;
  CapacityApplication& fresh = books_.application(row);
  CapacityQueue& leaf = books_.queues.at(fresh.queue);
  fresh.was_visited = false;
  fresh.start = attempts_++;
  fresh.order_usage = fresh.order_pending = MemoryAndCores{};
  fresh.master_size = books.master ? books_.normalized_for(leaf, *books.master) : books_.settings.minimum_allocation;
  leaf.users.arrive(fresh.user, leaf.settings.weight_of(books_.ledger.users().name(books.user)));
  leaf.users.change_applications(fresh.user, 1, 0);
  fresh.is_waiting = true;
  admission_.admit(books_, row);
  if (books_.queues.calculator().is_positive(books_.queues.cluster(), books_.queues.cluster()))
    start_applications(books_, fresh.queue, effects);
  if (!books.master) return;
  books.asks.update({{0, AskEntry{any_place, 1, true, 0, books.master_others, fresh.master_size}}});
  books_.count_asks(row, true);
}

void CapacityScheduler::on_attempt_removed(Instant now, AttemptId attempt, ResourceEffects& effects) {
  preemption_grid_.mark_changed(now);
  const RowIndex row = books_.ledger.find_attempt(attempt);
  if (row == no_row) return;
  const std::vector<RowIndex> containers = books_.ledger.application(row).live.slots();
  end_each(books_.ledger, containers,
           [&](RowIndex each) { books_.end(each, container_exit_status::aborted, false, effects); });
  const std::vector<RowIndex> reservations = books_.ledger.application(row).reservations;
  for (const RowIndex reservation : reservations) books_.drop_reservation(reservation, effects);
  LedgerApplication& books = books_.ledger.application(row);
  CapacityApplication& gone = books_.application(row);
  CapacityQueue& leaf = books_.queues.at(gone.queue);
  books.asks = PendingRequests{};
  books_.count_pending(row);  // the user stays active until the application is removed too
  books.excluded.clear();
  books.attempt.reset();
  if (gone.is_running) {
    erase_served(books_, leaf, leaf.lists.running, row);
    std::erase(leaf.lists.unvisited, row);
    std::erase(leaf.lists.moved, row);
    leaf.masters.used -= gone.master_size;
    leaf.users.at(gone.user).masters_used -= gone.master_size;
    leaf.users.change_applications(gone.user, 0, -1);
  } else {
    std::erase(leaf.lists.waiting, row);
    leaf.users.change_applications(gone.user, -1, 0);
  }
  admission_.dismiss(books_, row);
  gone.is_running = gone.is_waiting = false;
  if (leaf.users.at(gone.user).waiting + leaf.users.at(gone.user).running == 0) leaf.users.leave(gone.user);
  start_applications(books_, gone.queue, effects);
  admission_.admit_held(books_, effects);
}

void CapacityScheduler::on_application_removed(Instant now, ApplicationId id, ResourceEffects& effects) {
  preemption_grid_.mark_changed(now);
  const RowIndex row = books_.ledger.find_application(id);
  if (row == no_row) return;
  if (const std::optional<AttemptId> attempt = books_.ledger.application(row).attempt)
    on_attempt_removed(now, *attempt, effects);
  CapacityApplication& gone = books_.application(row);
  books_.queues.at(gone.queue).users.stop_asking(gone.user, gone.is_asking);
  for (RowIndex each = gone.queue; each != no_row; each = books_.queues.at(each).parent)
    --books_.queues.at(each).counts.applications;
  books_.ledger.remove_application(row);
}

Allocation CapacityScheduler::allocate(Instant now, AttemptId attempt, const AllocateRequest& batch,
                                       ResourceEffects& effects) {
  if (!batch.is_empty()) preemption_grid_.mark_changed(now);
  Allocation answer;
  books_.ledger.fetch_ahead_names(attempt, batch.asks);
  const RowIndex row = books_.ledger.find_attempt(attempt);
  if (row == no_row) {
    answer.refusal = AskRefusal::unknown_attempt;
    return answer;
  }
  fetch_ahead_asks(books_.ledger, row);
  fetch_ahead(&books_.application(row));
  const CapacityQueue& leaf = books_.queues.at(books_.ledger.application(row).queue);
  std::vector<PendingRequests::Update> updates = books_.ledger.interned(batch.asks);
  books_.ledger.application(row).asks.fetch_ahead_places(updates);
  fetch_ahead_fetched(books_.ledger, row);
  for (PendingRequests::Update& update : updates)
    update.entry.capability = books_.normalized_for(leaf, update.entry.capability);
  for (const ContainerId id : batch.release) {
    const RowIndex container = books_.ledger.find_container(id);
    if (container == no_row || books_.ledger.container(container).application != row) continue;
    if (books_.ledger.container(container).is_reservation) books_.drop_reservation(container, effects);
    else if (books_.ledger.container(container).is_live)
      books_.end(container, container_exit_status::aborted, false, effects);
  }
  PendingRequests& asks = books_.ledger.application(row).asks;
  bool has_new_priority = false;
  for (const PendingRequests::Update& update : updates) {
    if (update.entry.place != any_place || update.entry.count <= 0) continue;
    const PriorityAsks* before = asks.find(update.priority);
    has_new_priority = has_new_priority || before == nullptr || !before->is_pending;
  }
  asks.update(updates);
  if (!updates.empty()) books_.count_asks(row, has_new_priority);
  books_.ledger.update_exclusions(row, batch.exclude, batch.include);
  books_.ledger.fetch(row, &answer.granted);
  if (books_.application(row).was_visited) answer.headroom = headroom_of(books_, row, user_limit(books_, row));
  const bool waits_for_master =
      books_.ledger.application(row).master && !books_.ledger.application(row).is_master_running;
  if (leaf.settings.has_size_based_weight && !updates.empty() && !waits_for_master) mark_moved(books_, row);
  return answer;
}

MemoryAndCores CapacityScheduler::headroom(AttemptId attempt) const {
  const RowIndex row = books_.ledger.find_attempt(attempt);
  if (row == no_row || !books_.application(row).was_visited) return MemoryAndCores{};
  const CapacityApplication& asking = books_.application(row);
  const CapacityQueue& leaf = books_.queues.at(asking.queue);
  const MemoryAndCores limit =
      leaf.users.peek_limit(asking.user, books_.queues.calculator(), limit_input(books_, leaf));
  return headroom_of(books_, row, limit);
}

// -- containers --------------------------------------------------------------------

void CapacityScheduler::on_container_launched(Instant, ContainerId container) {
  const RowIndex row = books_.ledger.find_container(container);
  if (row != no_row && books_.ledger.container(row).is_live) books_.ledger.container(row).is_launched = true;
}

void CapacityScheduler::on_container_completed(Instant now, ContainerId container, std::int32_t status,
                                               ResourceEffects& effects) {
  preemption_grid_.mark_changed(now);
  const RowIndex row = books_.ledger.find_container(container);
  if (row != no_row && !books_.ledger.container(row).is_reservation) books_.end(row, status, true, effects);
}

void CapacityScheduler::on_time(Instant now, ResourceEffects& effects) {
  if (!preemption_grid_.is_due(now)) return;
  reclaim_.preempt(books_, now, effects);
  // Time alone kills chosen containers; an end changes the input of the next check.
  preemption_grid_.on_computed(now, reclaim_.has_chosen() || !effects.empty());
}

ResourceExplanation CapacityScheduler::explain(ApplicationId application) const {
  return policies::explain(books_, admission_, application);
}

}  // namespace heddle::policies
