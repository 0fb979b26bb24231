// Forwards each input to the chosen scheduler.
#include "policies/cluster/scheduler/resource_scheduler.hpp"

namespace heddle::policies {

void ResourceScheduler::apply(Instant now, const resource_input::NodeAdded& input, ResourceEffects& effects) {
  std::visit([&](auto& rules) { rules.on_node_added(now, input.node, effects); }, rules_);
}

void ResourceScheduler::apply(Instant now, const resource_input::NodeUpdated& input, ResourceEffects& effects) {
  std::visit([&](auto& rules) { rules.on_node_updated(now, input.node, input.capacity, effects); }, rules_);
}

void ResourceScheduler::apply(Instant now, const resource_input::NodeRemoved& input, ResourceEffects& effects) {
  std::visit([&](auto& rules) { rules.on_node_removed(now, input.node, effects); }, rules_);
}

void ResourceScheduler::apply(Instant now, const resource_input::NodeOffered& input, ResourceEffects& effects) {
  std::visit([&](auto& rules) { rules.node_heartbeat(now, input.node, effects, input.cause); }, rules_);
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

Result<Done> ResourceScheduler::apply(Instant now, const resource_input::QueuesChanged& input,
                                      ResourceEffects& effects) {
  if (auto* fair = std::get_if<FairScheduler>(&rules_)) {
    if (const auto* queues = std::get_if<config::FairSchedulerFile>(input.queues.get()))
      return fair->on_queues_changed(now, *queues, effects), Done{};
  }
  if (auto* capacity = std::get_if<CapacityScheduler>(&rules_)) {
    if (const auto* queues = std::get_if<config::CapacitySchedulerFile>(input.queues.get()))
      return capacity->on_queues_changed(*queues, effects);
  }
  return Error{Errc::usage, "the queue file is of another scheduler than the running one"};
}

SubmissionAnswer ResourceScheduler::apply(Instant now, const resource_input::ApplicationAdded& input) {
  return std::visit([&](auto& rules) { return rules.on_application_added(now, input.submission); }, rules_);
}

Result<std::string> ResourceScheduler::apply(Instant, const resource_input::ApplicationMoved& input,
                                             ResourceEffects& effects) {
  if (auto* fair = std::get_if<FairScheduler>(&rules_))
    return fair->on_application_moved(input.application, input.queue, effects);
  return Error{Errc::refused, "only the fair scheduler moves applications between queues"};
}

void ResourceScheduler::apply(Instant now, const resource_input::AttemptAdded& input, ResourceEffects& effects) {
  std::visit([&](auto& rules) { rules.on_attempt_added(now, input.attempt, effects); }, rules_);
}

void ResourceScheduler::apply(Instant now, const resource_input::AttemptRemoved& input, ResourceEffects& effects) {
  std::visit([&](auto& rules) { rules.on_attempt_removed(now, input.attempt, effects); }, rules_);
}

void ResourceScheduler::apply(Instant now, const resource_input::ApplicationRemoved& input, ResourceEffects& effects) {
  std::visit([&](auto& rules) { rules.on_application_removed(now, input.application, effects); }, rules_);
}

Allocation ResourceScheduler::apply(Instant now, const resource_input::AsksMade& input, ResourceEffects& effects) {
  return std::visit([&](auto& rules) { return rules.allocate(now, input.attempt, input.batch, effects); }, rules_);
}

void ResourceScheduler::apply(Instant now, const resource_input::ContainerLaunched& input) {
  std::visit([&](auto& rules) { rules.on_container_launched(now, input.container); }, rules_);
}

void ResourceScheduler::apply(Instant now, const resource_input::ContainerCompleted& input, ResourceEffects& effects) {
  std::visit([&](auto& rules) { rules.on_container_completed(now, input.container, input.exit_status, effects); },
             rules_);
}

std::optional<Instant> ResourceScheduler::next_due() const {
  return std::visit([](const auto& rules) { return rules.next_due(); }, rules_);
}

void ResourceScheduler::apply(Instant now, const resource_input::TimePassed&, ResourceEffects& effects) {
  std::visit([&](auto& rules) { rules.on_time(now, effects); }, rules_);
}

MemoryAndCores ResourceScheduler::headroom(AttemptId attempt) const {
  return std::visit([&](const auto& rules) { return rules.headroom(attempt); }, rules_);
}

ResourceExplanation ResourceScheduler::explain(ApplicationId application) const {
  return std::visit([&](const auto& rules) { return rules.explain(application); }, rules_);
}

void ResourceScheduler::check_invariants() const {
  std::visit([](const auto& rules) { rules.check_invariants(); }, rules_);
}

}  // namespace heddle::policies
