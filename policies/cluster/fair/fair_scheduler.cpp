// Inputs of nodes, applications and containers. Offers, preemption and limits are separate parts.
#include "policies/cluster/fair/fair_scheduler.hpp"

#include <algorithm>

#include "model/assert.hpp"
#include "model/due_heap.hpp"
#include "policies/cluster/fair/fair_explain.hpp"
#include "policies/cluster/fair/fair_limits.hpp"
#include "policies/cluster/fair/fair_offers.hpp"
#include "policies/cluster/ledger_hints.hpp"

namespace heddle::policies {

// -- nodes ---------------------------------------------------------------------

void FairScheduler::on_node_added(Instant now, const NodeDescription& node, ResourceEffects&) {
  update_grid_.mark_changed(now);
  const RowIndex row = books_.ledger.add_node(node);
  preemption_.add_node(row);
  books_.queues.set_cluster(books_.ledger.cluster());
  books_.update_available();
}

void FairScheduler::on_node_updated(Instant now, NodeId node, MemoryAndCores capacity, ResourceEffects&) {
  update_grid_.mark_changed(now);
  const RowIndex row = books_.ledger.find_node(node);
  if (row == no_row) return;
  books_.ledger.update_node(row, capacity);
  books_.queues.set_cluster(books_.ledger.cluster());
  books_.update_available();
}

void FairScheduler::on_node_removed(Instant now, NodeId node, ResourceEffects& effects) {
  update_grid_.mark_changed(now);
  const RowIndex row = books_.ledger.find_node(node);
  if (row == no_row) return;
  const SlotList containers = books_.ledger.node(row).containers;
  end_each(books_.ledger, {containers.begin(), containers.size()},
           [&](RowIndex each) { books_.end(each, container_exit_status::aborted, true, effects); });
  if (books_.ledger.node(row).reservation != no_row) books_.drop_reservation(row, false, effects);
  for (const auto& [id, application] : books_.ledger.applications().in_order()) {
    FairApplication& each = books_.queues.application(application);
    if (std::erase(each.excluded_nodes, row) > 0) each.excluded_and_gone += books_.ledger.node(row).unallocated;
  }
  preemption_.remove_node(row);
  books_.ledger.remove_node(row);
  books_.queues.set_cluster(books_.ledger.cluster());
  books_.update_available();
}

bool FairScheduler::has_room(NodeId node) const {
  const RowIndex row = books_.ledger.find_node(node);
  return row != no_row && books_.ledger.node(row).unallocated.memory_mib > 0;
}

bool FairScheduler::needs_offer(NodeId node) const {
  const RowIndex row = books_.ledger.find_node(node);
  if (row == no_row) return false;
  return books_.queues.at(FairQueues::root).asking > 0 || books_.ledger.node(row).reservation != no_row ||
         preemption_.is_kept(row);
}

void FairScheduler::node_heartbeat(Instant now, NodeId node_id, ResourceEffects& effects, OfferCause cause) {
  const RowIndex node = books_.ledger.find_node(node_id);
  if (node == no_row) return;
  const std::size_t first_effect = effects.size();
  FairOffer{books_, preemption_, node, now, cause, effects}.make();
  books_.update_available();
  if (effects.size() > first_effect) update_grid_.mark_changed(now);
  for (std::size_t i = first_effect; i < effects.size(); ++i)
    if (const auto* assigned = std::get_if<ContainerAssigned>(&effects[i]); assigned != nullptr && assigned->is_master)
      books_.ledger.fetch(books_.ledger.find_attempt(assigned->attempt), nullptr);
}

// -- applications ----------------------------------------------------------------

PlacementAnswer FairScheduler::place(const PlacementRequest& request) const {
  return place_application(books_.queues.tree().file(), books_.settings.placement, request,
                           [this](std::string_view name) {
                             const RowIndex row = books_.queues.find(name);
                             if (row == no_row) return QueueKind::absent;
                             return books_.queues.at(row).is_leaf ? QueueKind::leaf : QueueKind::parent;
                           });
}

void FairScheduler::on_queues_changed(Instant now, const config::FairSchedulerFile& file, ResourceEffects& effects) {
  update_grid_.mark_changed(now);
  books_.queues.reload(file, now);
  for (const RowIndex promoted : books_.queues.retry_waiting(books_.ledger))
    effects.emplace_back(ApplicationMayRun{books_.ledger.application(promoted).id});
}

SubmissionAnswer FairScheduler::on_application_added(Instant now, const ApplicationSubmission& submission) {
  update_grid_.mark_changed(now);
  if (submission.queue.empty()) return {false, "", "no placement rule decided on a queue"};
  const RowIndex leaf = books_.queues.find_or_create_leaf(submission.queue, now);
  if (leaf == no_row) return {false, "", "queue " + submission.queue + " is no leaf queue and cannot become one"};
  const FairQueue& queue = books_.queues.at(leaf);
  if (submission.master && asks_what_queue_lacks(queue, *submission.master))
    return {false, "",
            "queue " + queue.name + " has a maximum of 0 for a resource that the application's master needs"};
  const RowIndex row = books_.ledger.add_application(now, submission, leaf);
  FairApplication& application = books_.queues.add_application(row);
  application.queue = leaf;
  application.name = to_string(submission.id);
  return {true, queue.name, ""};
}

Result<std::string> FairScheduler::on_application_moved(ApplicationId id, std::string_view name,
                                                        ResourceEffects& effects) {
  update_grid_.mark_changed();
  const RowIndex row = books_.ledger.find_application(id);
  if (row == no_row) return Error{Errc::not_found, "application " + to_string(id) + " is not known"};
  const RowIndex leaf = books_.queues.find(name);
  if (leaf == no_row || !books_.queues.at(leaf).is_leaf)
    return Error{Errc::not_found, "there is no leaf queue " + std::string{name}};
  LedgerApplication& books = books_.ledger.application(row);
  const RowIndex former = books.queue;
  if (leaf == former) return books_.queues.at(leaf).name;
  const auto obstacle = books_.queues.application(row).is_runnable
                            ? move_obstacle(books_.queues.tree(), former, leaf, books.usage)
                            : FairMoveObstacle{};
  if (obstacle.queue != no_row)
    return Error{Errc::refused, "application " + to_string(id) + " cannot move to " + books_.queues.at(leaf).name +
                                    ": queue " + books_.queues.at(obstacle.queue).name +
                                    (obstacle.is_running_limit ? " has reached its limit of running applications"
                                                               : " would exceed its maximum")};
  books_.queues.change_asks(row, PendingRequests{});
  books_.queues.change_usage(former, row, MemoryAndCores{} - books.usage);
  for (const RowIndex each : books.live.slots())
    books_.queues.change_others(former, books_.ledger.others().list(books_.ledger.container(each).others), -1);
  books.queue = leaf;
  std::vector<RowIndex> promoted;
  if (books_.queues.application(row).has_queue)
    promoted = books_.queues.move_application(row, leaf, books.user, books_.ledger);
  else books_.queues.application(row).queue = leaf;
  books_.queues.change_usage(leaf, row, books.usage);
  for (const RowIndex each : books.live.slots())
    books_.queues.change_others(leaf, books_.ledger.others().list(books_.ledger.container(each).others), 1);
  books_.update_asking(row);
  for (const RowIndex each : promoted) effects.emplace_back(ApplicationMayRun{books_.ledger.application(each).id});
  return books_.queues.at(leaf).name;
}

void FairScheduler::on_attempt_added(Instant now, AttemptId attempt, ResourceEffects&) {
  update_grid_.mark_changed(now);
  const RowIndex row = books_.ledger.find_application(attempt.application);
  HEDDLE_ASSERT(row != no_row, "attempt of an unknown application");
  LedgerApplication& application = books_.ledger.application(row);
  application.attempt = attempt;
  application.is_master_running = false;
  FairApplication fresh;
  fresh.name = books_.queues.application(row).name;
  fresh.queue = application.queue;
  fresh.start_ms = fresh.last_at_fair_share_ms = to_milliseconds(now.time_since_epoch());
  if (books_.settings.is_size_based_weight) fresh.weight = 0;  // no update has counted its demand yet
  books_.queues.application(row) = fresh;
  if (books_.queues.running_limit_of(application.queue, application.user, books_.ledger).empty())
    books_.queues.start_running(application.queue, row, application.user);
  else books_.queues.wait(application.queue, row, application.user);
  if (application.master)
    application.asks.update(
        {{0, AskEntry{any_place, 1, true, 0, application.master_others,
                      books_.normalized_for(books_.queues.at(application.queue), *application.master)}}});
  books_.update_asking(row);
}

void FairScheduler::on_attempt_removed(Instant now, AttemptId attempt, ResourceEffects& effects) {
  update_grid_.mark_changed(now);
  const RowIndex row = books_.ledger.find_attempt(attempt);
  if (row == no_row) return;
  const std::vector<RowIndex> containers = books_.ledger.application(row).live.slots();
  end_each(books_.ledger, containers,
           [&](RowIndex each) { books_.end(each, container_exit_status::aborted, false, effects); });
  const std::vector<RowIndex> reservations = books_.ledger.application(row).reservations;
  for (const RowIndex reservation : reservations)
    books_.drop_reservation(books_.ledger.container(reservation).node, false, effects);
  LedgerApplication& application = books_.ledger.application(row);
  application.asks = PendingRequests{};
  books_.update_asking(row);
  application.excluded.clear();
  application.attempt.reset();
  for (const RowIndex promoted : books_.queues.remove_application(row, application.user, books_.ledger))
    effects.emplace_back(ApplicationMayRun{books_.ledger.application(promoted).id});
  preemption_.remove_application(books_, row);
}

void FairScheduler::on_application_removed(Instant now, ApplicationId application, ResourceEffects& effects) {
  update_grid_.mark_changed(now);
  const RowIndex row = books_.ledger.find_application(application);
  if (row == no_row) return;
  if (const std::optional<AttemptId> attempt = books_.ledger.application(row).attempt)
    on_attempt_removed(now, *attempt, effects);
  books_.ledger.remove_application(row);
}

Allocation FairScheduler::allocate(Instant now, AttemptId attempt, const AllocateRequest& batch,
                                   ResourceEffects& effects) {
  if (!batch.is_empty()) update_grid_.mark_changed(now);
  Allocation answer;
  books_.ledger.fetch_ahead_names(attempt, batch.asks);
  const RowIndex row = books_.ledger.find_attempt(attempt);
  if (row == no_row) {
    answer.refusal = AskRefusal::unknown_attempt;
    return answer;
  }
  fetch_ahead_asks(books_.ledger, row);
  fetch_ahead(&books_.queues.application(row));
  const FairQueue& queue = books_.queues.at(books_.ledger.application(row).queue);
  for (const ResourceRequest& ask : batch.asks)
    if (asks_what_queue_lacks(queue, ask.capability)) {
      answer.refusal = AskRefusal::queue_has_none;
      return answer;
    }
  std::vector<PendingRequests::Update> updates = books_.ledger.interned(batch.asks);
  books_.ledger.application(row).asks.fetch_ahead_places(updates);
  fetch_ahead_fetched(books_.ledger, row);
  for (PendingRequests::Update& update : updates)
    update.entry.capability = books_.normalized_for(queue, update.entry.capability);
  for (const ContainerId id : batch.release) {
    const RowIndex container = books_.ledger.find_container(id);
    if (container != no_row && books_.ledger.container(container).is_live &&
        books_.ledger.container(container).application == row)
      books_.end(container, container_exit_status::aborted, false, effects);
  }
  books_.ledger.application(row).asks.update(updates);
  books_.update_asking(row);
  if (books_.ledger.update_exclusions(row, batch.exclude, batch.include)) list_excluded_nodes(books_, row);
  books_.ledger.fetch(row, &answer.granted);
  answer.headroom = headroom_of(books_, row);
  return answer;
}

MemoryAndCores FairScheduler::headroom(AttemptId attempt) const {
  const RowIndex row = books_.ledger.find_attempt(attempt);
  return row == no_row ? MemoryAndCores{} : headroom_of(books_, row);
}

// -- containers --------------------------------------------------------------------

void FairScheduler::on_container_launched(Instant, ContainerId container) {
  const RowIndex row = books_.ledger.find_container(container);
  if (row != no_row && books_.ledger.container(row).is_live) books_.ledger.container(row).is_launched = true;
}

void FairScheduler::on_container_completed(Instant now, ContainerId container, std::int32_t status,
                                           ResourceEffects& effects) {
  update_grid_.mark_changed(now);
  const RowIndex row = books_.ledger.find_container(container);
  if (row != no_row && !books_.ledger.container(row).is_reservation) books_.end(row, status, true, effects);
}

// -- time --------------------------------------------------------------------------

void FairScheduler::update(Instant now) {
  books_.queues.update_demands(books_.ledger, books_.settings.is_size_based_weight);
  books_.queues.update_shares();
  books_.update_available();
  preemption_.update_starvation(books_, now);
}

std::optional<Instant> FairScheduler::next_due() const {
  return earlier(update_grid_.next_due(), preemption_.next_kill());
}

void FairScheduler::on_time(Instant now, ResourceEffects& effects) {
  if (const auto kill = preemption_.next_kill(); kill && *kill <= now) update_grid_.mark_changed(now);
  kill_chosen(now, effects);
  if (!update_grid_.is_due(now)) return;
  if (const auto skipped = update_grid_.pop_skipped()) preemption_.skip_updates(books_, *skipped);
  update(now);
  if (books_.settings.preemption.is_enabled) preempt(now, effects);
  update_grid_.on_computed(now, preemption_.is_time_awaited(books_));
}

ResourceExplanation FairScheduler::explain(ApplicationId application) const {
  return policies::explain(books_, application, update_grid_.next_due());
}

std::vector<NodeId> FairScheduler::continuous_round() const { return policies::continuous_round(books_); }

std::optional<MemoryAndCores> FairScheduler::master_limit(RowIndex leaf) const {
  return policies::master_limit(books_, leaf);
}

std::optional<std::int64_t> FairScheduler::master_limit(RowIndex leaf, std::int32_t kind) const {
  return policies::master_limit(books_, leaf, kind);
}

}  // namespace heddle::policies
