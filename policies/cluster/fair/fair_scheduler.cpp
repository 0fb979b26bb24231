// Events of nodes and applications; offers and preemption have their own files.
#include "policies/cluster/fair/fair_scheduler.hpp"

#include <algorithm>
#include <cmath>

#include "model/assert.hpp"
#include "model/java_number.hpp"
#include "policies/cluster/resource_calculator.hpp"

namespace heddle::policies {
namespace {

std::int64_t share_rounded_up(std::int64_t amount, float share) {
  return java::to_long(std::ceil(static_cast<double>(amount) * static_cast<double>(share)));
}

}  // namespace

FairScheduler::FairScheduler(FairSchedulerSettings settings, const config::FairSchedulerFile& file, Instant now)
    : settings_{std::move(settings)},
      ledger_{settings_.container_epoch},
      queues_{file, now},
      update_grid_{now, settings_.update_interval} {
  const auto multiplied = [&](std::int64_t amount) {
    return static_cast<std::int64_t>(static_cast<double>(amount) *
                                     static_cast<double>(settings_.reservation_increment_multiple));
  };
  reservable_from_ = {multiplied(settings_.increment.memory_mib), multiplied(settings_.increment.cores)};
}

// -- nodes ---------------------------------------------------------------------

void FairScheduler::on_node_added(Instant now, const NodeDescription& node, ResourceEffects&) {
  update_grid_.mark_changed(now);
  const Slot slot = ledger_.add_node(node);
  all_nodes_.push_back(slot);
  preemption_of(slot) = NodePreemption{};
  queues_.set_cluster(ledger_.cluster());
  note_cluster_available();
}

void FairScheduler::on_node_updated(Instant now, NodeId node, Resource capacity, ResourceEffects&) {
  update_grid_.mark_changed(now);
  const Slot slot = ledger_.find_node(node);
  if (slot == no_slot) return;
  ledger_.update_node(slot, capacity);
  queues_.set_cluster(ledger_.cluster());
  note_cluster_available();
}

void FairScheduler::on_node_removed(Instant now, NodeId node, ResourceEffects& effects) {
  update_grid_.mark_changed(now);
  const Slot slot = ledger_.find_node(node);
  if (slot == no_slot) return;
  const SlotList containers = ledger_.node(slot).containers;
  ledger_.end_each({containers.begin(), containers.size()},
                   [&](Slot each) { end(each, exit_status::aborted, true, effects); });
  if (ledger_.node(slot).reservation != no_slot) drop_reservation(slot, false, effects);
  for (const auto& [id, application] : ledger_.applications_in_order()) {
    FairApplication& each = queues_.application(application);
    if (std::erase(each.excluded_nodes, slot) > 0) each.excluded_and_gone += ledger_.node(slot).unallocated;
  }
  preemption_of(slot) = NodePreemption{};
  std::erase(all_nodes_, slot);
  ledger_.remove_node(slot);
  queues_.set_cluster(ledger_.cluster());
  note_cluster_available();
}

// -- applications ----------------------------------------------------------------

bool FairScheduler::asks_what_queue_lacks(const FairQueue& queue, const Resource& ask) const {
  const Resource most = queues_.maximum_of(queue);
  return (ask.memory_mib > 0 && most.memory_mib == 0) || (ask.cores > 0 && most.cores == 0);
}

Resource FairScheduler::normalized_for(const FairQueue& queue, const Resource& ask) const {
  const Resource most = ledger_.maximum_allocation(settings_.maximum_allocation);
  const Resource maximum{std::min(most.memory_mib, queue.maximum_container.memory_mib),
                         std::min(most.cores, queue.maximum_container.cores)};
  return normalized(ask, settings_.minimum_allocation, settings_.increment, maximum);
}

PlacementAnswer FairScheduler::place(const PlacementRequest& request) const {
  return place_application(queues_.file(), settings_.placement, request, [this](std::string_view name) {
    const Slot slot = queues_.find(name);
    if (slot == no_slot) return QueueKind::absent;
    return queues_.at(slot).is_leaf ? QueueKind::leaf : QueueKind::parent;
  });
}

void FairScheduler::on_queues_changed(Instant now, const config::FairSchedulerFile& file, ResourceEffects& effects) {
  update_grid_.mark_changed(now);
  queues_.reload(file, now);
  for (const Slot promoted : queues_.retry_waiting(ledger_))
    effects.emplace_back(ApplicationMayRun{ledger_.application(promoted).id});
}

SubmissionAnswer FairScheduler::on_application_added(Instant now, const ApplicationSubmission& submission) {
  update_grid_.mark_changed(now);
  if (submission.queue.empty()) return {false, "", "no placement rule decided on a queue"};
  const Slot leaf = queues_.find_or_create_leaf(submission.queue, now);
  if (leaf == no_slot) return {false, "", "queue " + submission.queue + " is no leaf queue and cannot become one"};
  const FairQueue& queue = queues_.at(leaf);
  if (submission.master && asks_what_queue_lacks(queue, *submission.master))
    return {false, "",
            "queue " + queue.name + " has a maximum of 0 for a resource that the application's master needs"};
  const Slot slot = ledger_.add_application(now, submission, leaf);
  FairApplication& application = queues_.add_application(slot);
  application.queue = leaf;
  application.name = to_string(submission.id);
  return {true, queue.name, ""};
}

Result<std::string> FairScheduler::on_application_moved(ApplicationId id, std::string_view name,
                                                        ResourceEffects& effects) {
  update_grid_.mark_changed();
  const Slot slot = ledger_.find_application(id);
  if (slot == no_slot) return Error{Errc::not_found, "application " + to_string(id) + " is not known"};
  const Slot leaf = queues_.find(name);
  if (leaf == no_slot || !queues_.at(leaf).is_leaf)
    return Error{Errc::not_found, "there is no leaf queue " + std::string{name}};
  LedgerApplication& books = ledger_.application(slot);
  const Slot former = books.queue;
  if (leaf == former) return queues_.at(leaf).name;
  const auto obstacle = queues_.application(slot).is_runnable ? queues_.move_obstacle(former, leaf, books.usage)
                                                              : FairQueues::MoveObstacle{};
  if (obstacle.queue != no_slot)
    return Error{Errc::refused, "application " + to_string(id) + " cannot move to " + queues_.at(leaf).name +
                                    ": queue " + queues_.at(obstacle.queue).name +
                                    (obstacle.is_running_limit ? " runs as many applications as it may"
                                                               : " would have more than its maximum")};
  queues_.note_asks(slot, AskTable{});
  queues_.change_usage(former, slot, Resource{} - books.usage);
  for (const Slot each : books.live)
    queues_.change_extras(former, ledger_.extras().list(ledger_.container(each).extras), -1);
  books.queue = leaf;
  std::vector<Slot> promoted;
  if (queues_.application(slot).has_queue) promoted = queues_.move_application(slot, leaf, books.user, ledger_);
  else queues_.application(slot).queue = leaf;
  queues_.change_usage(leaf, slot, books.usage);
  for (const Slot each : books.live)
    queues_.change_extras(leaf, ledger_.extras().list(ledger_.container(each).extras), 1);
  note_asking(slot);
  for (const Slot each : promoted) effects.emplace_back(ApplicationMayRun{ledger_.application(each).id});
  return queues_.at(leaf).name;
}

void FairScheduler::on_attempt_added(Instant now, AttemptId attempt, ResourceEffects&) {
  update_grid_.mark_changed(now);
  const Slot slot = ledger_.find_application(attempt.application);
  HEDDLE_ASSERT(slot != no_slot, "an attempt belongs to an accepted application");
  LedgerApplication& application = ledger_.application(slot);
  application.attempt = attempt;
  application.is_master_running = false;
  FairApplication fresh;
  fresh.name = queues_.application(slot).name;
  fresh.queue = application.queue;
  fresh.start_ms = fresh.last_at_fair_share_ms = to_milliseconds(now.time_since_epoch());
  if (settings_.is_size_based_weight) fresh.weight = 0;  // of a demand that no update has counted yet
  queues_.application(slot) = fresh;
  if (queues_.may_run(application.queue, application.user, ledger_))
    queues_.start_running(application.queue, slot, application.user);
  else queues_.wait(application.queue, slot, application.user);
  if (application.master)
    application.asks.update({{0, AskEntry{any_place, 1, true, 0, application.master_extras,
                                          normalized_for(queues_.at(application.queue), *application.master)}}});
  note_asking(slot);
}

void FairScheduler::note_asking(Slot slot) { queues_.note_asks(slot, ledger_.application(slot).asks); }

void FairScheduler::on_attempt_removed(Instant now, AttemptId attempt, ResourceEffects& effects) {
  update_grid_.mark_changed(now);
  const Slot slot = ledger_.find_attempt(attempt);
  if (slot == no_slot) return;
  const std::vector<Slot> containers = ledger_.application(slot).live;
  ledger_.end_each(containers, [&](Slot each) { end(each, exit_status::aborted, false, effects); });
  const std::vector<Slot> reservations = ledger_.application(slot).reservations;
  for (const Slot reservation : reservations) drop_reservation(ledger_.container(reservation).node, false, effects);
  LedgerApplication& application = ledger_.application(slot);
  application.asks = AskTable{};
  note_asking(slot);
  application.excluded.clear();
  application.attempt.reset();
  for (const Slot promoted : queues_.remove_application(slot, application.user, ledger_))
    effects.emplace_back(ApplicationMayRun{ledger_.application(promoted).id});
  starved_.forget(slot, starvation_of(slot));
  // What is kept for it stays kept until the node's next heartbeat.
  for (NodePreemption& each : preemptions_)
    for (auto& [who, kept] : each.kept_for)
      if (who == slot) who = no_slot;
}

void FairScheduler::on_application_removed(Instant now, ApplicationId application, ResourceEffects& effects) {
  update_grid_.mark_changed(now);
  const Slot slot = ledger_.find_application(application);
  if (slot == no_slot) return;
  if (const std::optional<AttemptId> attempt = ledger_.application(slot).attempt)
    on_attempt_removed(now, *attempt, effects);
  ledger_.remove_application(slot);
}

Allocation FairScheduler::on_asks(Instant now, AttemptId attempt, const AskBatch& batch, ResourceEffects& effects) {
  if (!batch.is_empty()) update_grid_.mark_changed(now);
  Allocation answer;
  ledger_.fetch_ahead_names(attempt, batch.asks);
  const Slot slot = ledger_.find_attempt(attempt);
  if (slot == no_slot) {
    answer.refusal = AskRefusal::unknown_attempt;
    return answer;
  }
  ledger_.fetch_ahead_asks(slot);
  fetch_ahead(&queues_.application(slot));
  const FairQueue& queue = queues_.at(ledger_.application(slot).queue);
  for (const ResourceAsk& ask : batch.asks)
    if (asks_what_queue_lacks(queue, ask.capability)) {
      answer.refusal = AskRefusal::queue_has_none;
      return answer;
    }
  std::vector<AskTable::Update> updates = ledger_.interned(batch.asks);
  ledger_.application(slot).asks.fetch_ahead_places(updates);
  ledger_.fetch_ahead_fetched(slot);
  for (AskTable::Update& update : updates) update.entry.capability = normalized_for(queue, update.entry.capability);
  for (const ContainerId id : batch.release) {
    const Slot container = ledger_.find_container(id);
    if (container != no_slot && ledger_.container(container).is_live &&
        ledger_.container(container).application == slot)
      end(container, exit_status::aborted, false, effects);
  }
  ledger_.application(slot).asks.update(updates);
  note_asking(slot);
  if (ledger_.update_exclusions(slot, batch.exclude, batch.include))
    queues_.application(slot).has_new_exclusions = true;
  ledger_.fetch(slot, &answer.granted);
  answer.headroom = headroom_of(slot);
  return answer;
}

Resource FairScheduler::headroom_of(Slot slot) {
  FairApplication& application = queues_.application(slot);
  const FairQueue& queue = queues_.at(application.queue);
  Resource available = ledger_.cluster() - ledger_.used();
  if (application.has_new_exclusions) {
    application.has_new_exclusions = false;
    application.excluded_nodes.clear();
    application.excluded_and_gone = Resource{};
    for (const PlaceId place : ledger_.application(slot).excluded)
      for (const Slot node : ledger_.nodes_of_place(place))
        if (std::find(application.excluded_nodes.begin(), application.excluded_nodes.end(), node) ==
            application.excluded_nodes.end())
          application.excluded_nodes.push_back(node);
  }
  for (const Slot node : application.excluded_nodes) take_not_below_zero(available, ledger_.node(node).unallocated);
  if (application.excluded_and_gone != Resource{}) take_not_below_zero(available, application.excluded_and_gone);
  const Resource left = queues_.maximum_of(queue) - queue.usage;
  const Resource most = smaller_of_each(available, left);
  const Resource share = queue.fair_share - queue.usage;
  Resource headroom{std::min(most.memory_mib, std::max<std::int64_t>(share.memory_mib, 0)), most.cores};
  if (queue.policy == FairPolicy::dominant_resource)
    headroom.cores = std::min(most.cores, std::max<std::int64_t>(share.cores, 0));
  return headroom;
}

std::optional<Resource> FairScheduler::master_limit(Slot leaf) const {
  const FairQueue& queue = queues_.at(leaf);
  if (std::abs(queue.master_share_max + 1.0F) < 0.0001F) return std::nullopt;
  const Resource most = queues_.maximum_of(queue);
  Resource limit = queue.fair_share;
  if (limit.memory_mib == 0) limit.memory_mib = std::min(available_.memory_mib, most.memory_mib);
  if (limit.cores == 0) limit.cores = std::min(available_.cores, most.cores);
  return Resource{share_rounded_up(limit.memory_mib, queue.master_share_max),
                  share_rounded_up(limit.cores, queue.master_share_max)};
}

std::optional<std::int64_t> FairScheduler::master_limit(Slot leaf, std::int32_t kind) const {
  const FairQueue& queue = queues_.at(leaf);
  if (std::abs(queue.master_share_max + 1.0F) < 0.0001F) return std::nullopt;
  std::int64_t most = std::max<std::int64_t>(0, ledger_.extras().available().of(kind));
  if (const auto maximum = FairQueues::maximum_of_kind(queue, ledger_.extras(), kind)) most = std::min(most, *maximum);
  return share_rounded_up(most, queue.master_share_max);
}

// -- containers --------------------------------------------------------------------

void FairScheduler::on_container_launched(Instant, ContainerId container) {
  const Slot slot = ledger_.find_container(container);
  if (slot != no_slot && ledger_.container(slot).is_live) ledger_.container(slot).is_launched = true;
}

void FairScheduler::on_container_completed(Instant now, ContainerId container, std::int32_t status,
                                           ResourceEffects& effects) {
  update_grid_.mark_changed(now);
  const Slot slot = ledger_.find_container(container);
  if (slot != no_slot && !ledger_.container(slot).is_reservation) end(slot, status, true, effects);
}

void FairScheduler::end(Slot slot, std::int32_t status, bool is_reported_by_node, ResourceEffects& effects) {
  const LedgerContainer gone = ledger_.container(slot);
  if (!ledger_.end(slot, status, is_reported_by_node, effects)) return;
  if (!gone.is_fetched) note_asking(gone.application);  // its ask returned
  queues_.change_usage(ledger_.application(gone.application).queue, gone.application, Resource{} - gone.resource);
  if (gone.extras != no_extras)
    queues_.change_extras(ledger_.application(gone.application).queue, ledger_.extras().list(gone.extras), -1);
  if (gone.is_chosen) queues_.application(gone.application).to_be_preempted -= gone.resource;
  note_cluster_available();
}

// -- time --------------------------------------------------------------------------

void FairScheduler::update(Instant now) {
  queues_.update_demands(ledger_, settings_.is_size_based_weight);
  queues_.update_shares();
  note_cluster_available();
  starvation_updated_at_ms_ = -1;
  if (!settings_.is_preemption_enabled) return;
  const Resource& used = ledger_.used();
  const Resource& all = ledger_.cluster();
  const float busy = std::max(static_cast<float>(used.memory_mib) / static_cast<float>(all.memory_mib),
                              static_cast<float>(used.cores) / static_cast<float>(all.cores));
  if (!(busy > settings_.preemption_utilization_threshold)) return;
  starvation_updated_at_ms_ = to_milliseconds(now.time_since_epoch());
  for (std::size_t i = 0; i < queues_.size(); ++i)
    if (queues_.at(static_cast<Slot>(i)).is_leaf) update_starvation(static_cast<Slot>(i), starvation_updated_at_ms_);
}

std::optional<Instant> FairScheduler::next_due() const {
  std::optional<Instant> due = update_grid_.next_due();
  if (!chosen_.empty() && (!due || chosen_.front().kill_at < *due)) due = chosen_.front().kill_at;
  return due;
}

void FairScheduler::on_time(Instant now, ResourceEffects& effects) {
  if (!chosen_.empty() && chosen_.front().kill_at <= now) update_grid_.mark_changed(now);
  kill_chosen(now, effects);
  if (!update_grid_.is_due(now)) return;
  // The updates that were skipped would have found the same leaves at their minimum share.
  if (const auto skipped = update_grid_.take_skipped(); skipped && starvation_updated_at_ms_ >= 0)
    for (std::size_t i = 0; i < queues_.size(); ++i)
      if (FairQueue& queue = queues_.at(static_cast<Slot>(i)); queue.last_at_min_share_ms == starvation_updated_at_ms_)
        queue.last_at_min_share_ms = to_milliseconds(skipped->time_since_epoch());
  update(now);
  if (settings_.is_preemption_enabled) preempt(now, effects);
  // Who has not all that it demands in a busy cluster is starved by time alone.
  const auto& applications = ledger_.applications_in_order();
  const bool is_time_awaited =
      starvation_updated_at_ms_ >= 0 && std::any_of(applications.begin(), applications.end(), [this](const auto& row) {
        return queues_.application(row.second).demand != ledger_.application(row.second).usage;
      });
  update_grid_.on_computed(now, is_time_awaited);
}

void FairScheduler::check_invariants() const {
  ledger_.check_invariants();
  for (std::size_t i = 0; i < queues_.size(); ++i) {
    const FairQueue& queue = queues_.at(static_cast<Slot>(i));
    Resource usage;
    std::int32_t running = 0;
    std::int32_t asking = 0;
    for (const Slot child : queue.waiting) asking += queues_.application(child).is_asking ? 1 : 0;
    for (const Slot child : queue.children) {
      asking += queue.is_leaf ? (queues_.application(child).is_asking ? 1 : 0) : queues_.at(child).asking;
      usage += queue.is_leaf ? ledger_.application(child).usage : queues_.at(child).usage;
      running += queue.is_leaf ? 1 : queues_.at(child).running;
    }
    HEDDLE_ASSERT(usage == queue.usage, "usage of " + queue.name + " is the sum of its children");
    HEDDLE_ASSERT(asking == queue.asking, "applications of " + queue.name + " that ask are those of its children");
    HEDDLE_ASSERT(running == queue.running, "running applications of " + queue.name + " are those of its children");
  }
}

/// Until the next level of locality is allowed.
std::int64_t FairScheduler::offers_to_wait(const PriorityAsks& asks) const {
  const float threshold = asks.allowed_level == AskLocality::node_local ? settings_.node_locality_threshold
                                                                        : settings_.rack_locality_threshold;
  const double most = ledger_.node_count() * std::min(static_cast<double>(threshold), 1.0);
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::floor(most)) + 1 - asks.opportunities);
}

ResourceExplanation FairScheduler::explain(ApplicationId id) const {
  const Slot slot = ledger_.find_application(id);
  if (slot == no_slot) return {"unknown_application", "No such application runs here.", "", std::nullopt, 0};
  const FairApplication& application = queues_.application(slot);
  const FairQueue& queue = queues_.at(application.queue);
  if (!application.is_runnable)
    return {"running_applications_limit", "A limit of running applications of the user or of a queue above is reached.",
            queues_.running_limit_of(application.queue, ledger_.application(slot).user, ledger_), std::nullopt, 0};
  if (!may_master_start(slot))
    return {"master_share_limit", "The masters in the queue use what masters may use.", queue.name, std::nullopt, 0};
  const LedgerApplication& books = ledger_.application(slot);
  if (books.asks.pending_priorities() == 0)
    return {"nothing_asked", "The application asks for nothing.", "", std::nullopt, 0};
  if (application.demand == books.usage)
    return {"demand_not_seen", "The asks are newer than the last update of demands.", "", update_grid_.next_due(), 0};
  for (const PriorityAsks& asks : books.asks.priorities()) {
    if (!asks.is_pending) continue;
    const AskEntry& any = *asks.find(any_place);
    if (const Slot full = queues_.full_queue(application.queue, any.capability); full != no_slot)
      return {"queue_at_maximum", "The next container would exceed the maximum of this queue.", queues_.at(full).name,
              std::nullopt, 0};
    if (const Slot full = queues_.full_of_extras(application.queue, ledger_.extras(), any.extras); full != no_slot)
      return {"queue_at_maximum",
              "The next container needs " + ledger_.extras().in_words(any.extras) +
                  ", which would exceed the maximum of " + queues_.at(full).name + ".",
              queues_.at(full).name, std::nullopt, 0};
    if (auto missing = ledger_.missing_extras(any.extras)) return *missing;
    if (!any.relax_locality)
      return {"only_named_places", "Only the named hosts and racks will do, and none of them had room.", "",
              std::nullopt, 1};
    const bool waits = has_locality_delay() && asks.entries.size() > 1 && asks.allowed_level != AskLocality::off_switch;
    if (waits && settings_.continuous_sleep && asks.has_allowed_level) {
      const bool is_at_node = asks.allowed_level == AskLocality::node_local;
      const std::int64_t wait = is_at_node ? settings_.node_locality_delay_ms : settings_.rack_locality_delay_ms;
      return {"locality_delay", "The application waits for a node nearer to its data.", "",
              Instant{std::chrono::milliseconds{asks.level_since_ms + wait + 1}}, 0};
    }
    if (waits)
      return {"locality_delay", "The application waits for a node nearer to its data.", "", std::nullopt,
              offers_to_wait(asks)};
  }
  return {"no_room", "No node that sent a heartbeat had room, or others are further below their share.", "",
          std::nullopt, 1};
}

}  // namespace heddle::policies
