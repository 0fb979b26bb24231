// Forwards each event to the scheduler that was chosen.
#include "policies/cluster/scheduler/resource_scheduler.hpp"

#include <algorithm>

namespace heddle::policies {

void ResourceScheduler::on_node_added(Instant now, const NodeDescription& node, ResourceEffects& effects) {
  std::visit([&](auto& rules) { rules.on_node_added(now, node, effects); }, rules_);
}

void ResourceScheduler::on_node_updated(Instant now, NodeId node, Resource capacity, ResourceEffects& effects) {
  std::visit([&](auto& rules) { rules.on_node_updated(now, node, capacity, effects); }, rules_);
}

void ResourceScheduler::on_node_removed(Instant now, NodeId node, ResourceEffects& effects) {
  std::visit([&](auto& rules) { rules.on_node_removed(now, node, effects); }, rules_);
}

void ResourceScheduler::node_heartbeat(Instant now, NodeId node, ResourceEffects& effects, OfferCause cause) {
  std::visit([&](auto& rules) { rules.node_heartbeat(now, node, effects, cause); }, rules_);
}

bool ResourceScheduler::has_room(NodeId node) const {
  return std::visit([&](const auto& rules) { return rules.has_room(node); }, rules_);
}

bool ResourceScheduler::needs_offer(NodeId node) const {
  return std::visit([&](const auto& rules) { return rules.needs_offer(node); }, rules_);
}

std::optional<Duration> ResourceScheduler::continuous_sleep() const {
  const auto* fair = std::get_if<FairScheduler>(&rules_);
  return fair == nullptr ? std::nullopt : fair->continuous_sleep();
}

std::vector<NodeId> ResourceScheduler::continuous_round() const {
  const auto* fair = std::get_if<FairScheduler>(&rules_);
  return fair == nullptr ? std::vector<NodeId>{} : fair->continuous_round();
}

ResourceKinds ResourceScheduler::counted_kinds() const {
  const auto* capacity = std::get_if<CapacityScheduler>(&rules_);
  const bool counts_cores =
      capacity != nullptr ? capacity->file().is_dominant : std::holds_alternative<FairScheduler>(rules_);
  if (counts_cores) return {ResourceKind::memory, ResourceKind::cores};
  return {ResourceKind::memory};
}

PlacementAnswer ResourceScheduler::place(const PlacementRequest& request) const {
  return std::visit([&](const auto& rules) { return rules.place(request); }, rules_);
}

Result<Done> ResourceScheduler::on_queues_changed(Instant now, const QueueFile& file, ResourceEffects& effects) {
  if (auto* fair = std::get_if<FairScheduler>(&rules_)) {
    if (const auto* queues = std::get_if<config::FairSchedulerFile>(&file))
      return fair->on_queues_changed(now, *queues, effects), Done{};
  }
  if (auto* capacity = std::get_if<CapacityScheduler>(&rules_)) {
    if (const auto* queues = std::get_if<config::CapacitySchedulerFile>(&file))
      return capacity->on_queues_changed(*queues, effects);
  }
  return Error{Errc::usage, "the scheduler that runs has no queues of this kind"};
}

SubmissionAnswer ResourceScheduler::on_application_added(Instant now, const ApplicationSubmission& submission) {
  return std::visit([&](auto& rules) { return rules.on_application_added(now, submission); }, rules_);
}

Result<std::string> ResourceScheduler::on_application_moved(ApplicationId application, std::string_view queue,
                                                            ResourceEffects& effects) {
  if (auto* fair = std::get_if<FairScheduler>(&rules_)) return fair->on_application_moved(application, queue, effects);
  return Error{Errc::refused, "applications move between fair queues only"};
}

void ResourceScheduler::on_attempt_added(Instant now, AttemptId attempt, ResourceEffects& effects) {
  std::visit([&](auto& rules) { rules.on_attempt_added(now, attempt, effects); }, rules_);
}

void ResourceScheduler::on_attempt_removed(Instant now, AttemptId attempt, ResourceEffects& effects) {
  std::visit([&](auto& rules) { rules.on_attempt_removed(now, attempt, effects); }, rules_);
}

void ResourceScheduler::on_application_removed(Instant now, ApplicationId application, ResourceEffects& effects) {
  std::visit([&](auto& rules) { rules.on_application_removed(now, application, effects); }, rules_);
}

Allocation ResourceScheduler::on_asks(Instant now, AttemptId attempt, const AskBatch& batch, ResourceEffects& effects) {
  return std::visit([&](auto& rules) { return rules.on_asks(now, attempt, batch, effects); }, rules_);
}

void ResourceScheduler::on_container_launched(Instant now, ContainerId container) {
  std::visit([&](auto& rules) { rules.on_container_launched(now, container); }, rules_);
}

void ResourceScheduler::on_container_completed(Instant now, ContainerId container, std::int32_t exit_status,
                                               ResourceEffects& effects) {
  std::visit([&](auto& rules) { rules.on_container_completed(now, container, exit_status, effects); }, rules_);
}

void ResourceScheduler::on_containers_completed(Instant now, std::span<const ContainerCompleted> ends,
                                                ResourceEffects& effects) {
  const auto carry_out = [&](auto& rules) {
    for (std::size_t first = 0; first < ends.size(); first += ResourceLedger::ends_at_once) {
      const auto next = ends.subspan(first, std::min(ends.size() - first, ResourceLedger::ends_at_once));
      rules.ledger().fetch_ahead_ends(next);
      for (const ContainerCompleted& each : next)
        rules.on_container_completed(now, each.container, each.exit_status, effects);
    }
  };
  std::visit(carry_out, rules_);
}

std::optional<Instant> ResourceScheduler::next_due() const {
  return std::visit([](const auto& rules) { return rules.next_due(); }, rules_);
}

void ResourceScheduler::on_time(Instant now, ResourceEffects& effects) {
  std::visit([&](auto& rules) { rules.on_time(now, effects); }, rules_);
}

ResourceExplanation ResourceScheduler::explain(ApplicationId application) const {
  return std::visit([&](const auto& rules) { return rules.explain(application); }, rules_);
}

void ResourceScheduler::check_invariants() const {
  std::visit([](const auto& rules) { rules.check_invariants(); }, rules_);
}

}  // namespace heddle::policies
