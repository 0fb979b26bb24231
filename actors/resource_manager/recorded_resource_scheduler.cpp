#include "actors/resource_manager/recorded_resource_scheduler.hpp"

#include <utility>

#include "runtime/event_log/extra_resource_fields.hpp"

namespace heddle::actors {
namespace {

using ports::EventFields;
using runtime::EffectDigest;
using runtime::RunKind;

constexpr RunKind offer_run{"resource_scheduler_offer", {"cause"}};
constexpr RunKind launched_run{"resource_scheduler_launched", {}};

void digest_attempt(EffectDigest& digest, const AttemptId& attempt) {
  digest.add_all(attempt.application.cluster_start, attempt.application.number, attempt.attempt);
}

void digest_assigned(EffectDigest& digest, const policies::ContainerAssigned& assigned) {
  digest_attempt(digest, assigned.attempt);
  digest.add_all(assigned.container.value, assigned.number, assigned.node.value, assigned.priority,
                 assigned.resource.memory_mib, assigned.resource.cores, assigned.locality, assigned.is_master);
}

void digest_one(EffectDigest& digest, const policies::ResourceEffect& effect) {
  digest.add(static_cast<std::int64_t>(effect.index()) + 1);
  if (const auto* assigned = std::get_if<policies::ContainerAssigned>(&effect)) {
    digest_assigned(digest, *assigned);
  } else if (const auto* ended = std::get_if<policies::ContainerEnded>(&effect)) {
    digest_attempt(digest, ended->attempt);
    digest.add_all(ended->container.value, ended->number, ended->node.value, ended->exit_status, ended->is_on_node);
  } else if (const auto* reserved = std::get_if<policies::NodeReserved>(&effect)) {
    digest_attempt(digest, reserved->attempt);
    digest.add_all(reserved->container.value, reserved->number, reserved->node.value, reserved->priority,
                   reserved->resource.memory_mib, reserved->resource.cores);
  } else if (const auto* dropped = std::get_if<policies::ReservationDropped>(&effect)) {
    digest_attempt(digest, dropped->attempt);
    digest.add_all(dropped->container.value, dropped->node.value);
  } else if (const auto* chosen = std::get_if<policies::ContainerChosen>(&effect)) {
    digest_attempt(digest, chosen->attempt);
    digest.add_all(chosen->container.value, chosen->node.value, chosen->kill_at.time_since_epoch().count());
  } else if (const auto* may_run = std::get_if<policies::ApplicationMayRun>(&effect)) {
    digest.add_all(may_run->application.cluster_start, may_run->application.number);
  }
}

EffectDigest digest_from(const policies::ResourceEffects& effects, std::size_t first) {
  EffectDigest digest;
  digest_effects(digest, effects, first);
  return digest;
}

EventFields of_application(const ApplicationId& application) {
  return EventFields{}.add("cluster_start", application.cluster_start).add("application", application.number);
}

EventFields of_application_attempt(const AttemptId& attempt) {
  return of_application(attempt.application).add("attempt", attempt.attempt);
}

/// One row for each kind of each ask that names any; the asks by their place in the batch.
void add_extras_of_asks(EventFields& fields, const std::vector<policies::ResourceAsk>& asks) {
  std::vector<std::int64_t> places;
  ExtraResources extras;
  for (std::size_t i = 0; i < asks.size(); ++i)
    for (const ExtraResource& each : asks[i].extras) {
      places.push_back(static_cast<std::int64_t>(i));
      extras.push_back(each);
    }
  if (places.empty()) return;
  fields.add_column("extra_asks", places);
  runtime::add_extras(fields, "extras", std::move(extras));
}

}  // namespace

void digest_effects(EffectDigest& digest, const policies::ResourceEffects& effects, std::size_t first) {
  for (auto i = first; i < effects.size(); ++i) digest_one(digest, effects[i]);
}

void digest_answer(EffectDigest& digest, const policies::SubmissionAnswer& answer) {
  digest.add(answer.is_accepted ? 2 : 1);
  digest.add(answer.queue);
  digest.add(answer.refusal);
}

void digest_answer(EffectDigest& digest, const policies::Allocation& answer) {
  digest.add(answer.refusal ? static_cast<std::int64_t>(*answer.refusal) + 2 : 1);
  for (const auto& granted : answer.granted) digest_assigned(digest, granted);
  digest.add_all(answer.headroom.memory_mib, answer.headroom.cores);
}

RecordedResourceScheduler::RecordedResourceScheduler(policies::ResourceScheduler scheduler, ports::EventSink* sink,
                                                     const ports::Clock* clock)
    : ResourceScheduler{std::move(scheduler)}, records_{sink, clock} {}

// -- nodes and queues --------------------------------------------------------------

void RecordedResourceScheduler::on_node_added(Instant now, const policies::NodeDescription& node,
                                              policies::ResourceEffects& effects) {
  const auto before = effects.size();
  ResourceScheduler::on_node_added(now, node, effects);
  auto fields = EventFields{}
                    .add("node", node.id)
                    .add("host", node.host)
                    .add("rack", node.rack)
                    .add("memory_mib", node.capacity.memory_mib)
                    .add("cores", node.capacity.cores);
  runtime::add_extras(fields, "extras", node.extras);
  records_.write(now, "resource_scheduler_node_added", std::move(fields), digest_from(effects, before));
}

void RecordedResourceScheduler::on_node_updated(Instant now, NodeId node, Resource capacity,
                                                policies::ResourceEffects& effects) {
  const auto before = effects.size();
  ResourceScheduler::on_node_updated(now, node, capacity, effects);
  records_.write(now, "resource_scheduler_node_updated",
                 EventFields{}.add("node", node).add("memory_mib", capacity.memory_mib).add("cores", capacity.cores),
                 digest_from(effects, before));
}

void RecordedResourceScheduler::on_node_removed(Instant now, NodeId node, policies::ResourceEffects& effects) {
  const auto before = effects.size();
  ResourceScheduler::on_node_removed(now, node, effects);
  records_.write(now, "resource_scheduler_node_removed", EventFields{}.add("node", node), digest_from(effects, before));
}

void RecordedResourceScheduler::node_heartbeat(Instant now, NodeId node, policies::ResourceEffects& effects,
                                               policies::OfferCause cause) {
  const auto before = effects.size();
  ResourceScheduler::node_heartbeat(now, node, effects, cause);
  digest_effects(records_.add_to_run(now, offer_run, {static_cast<std::int64_t>(cause)}, node.value), effects, before);
}

Result<Done> RecordedResourceScheduler::on_queues_changed(Instant now, const policies::QueueFile& file,
                                                          policies::ResourceEffects& effects, const std::string& name,
                                                          const std::string& content) {
  const auto before = effects.size();
  auto taken = ResourceScheduler::on_queues_changed(now, file, effects);
  auto digest = digest_from(effects, before);
  digest.add(taken ? 2 : 1);
  records_.write(now, "resource_scheduler_queues", EventFields{}.add("file", name).add("content", content), digest);
  return taken;
}

// -- applications ------------------------------------------------------------------

policies::SubmissionAnswer RecordedResourceScheduler::on_application_added(
    Instant now, const policies::ApplicationSubmission& submission) {
  auto answer = ResourceScheduler::on_application_added(now, submission);
  auto fields = of_application(submission.id)
                    .add("queue", submission.queue)
                    .add("user", submission.user)
                    .add("priority", submission.priority);
  if (submission.master)
    fields.add("master_mib", submission.master->memory_mib).add("master_cores", submission.master->cores);
  runtime::add_extras(fields, "master_extras", submission.master_extras);
  EffectDigest digest;
  digest_answer(digest, answer);
  records_.write(now, "resource_scheduler_application_added", std::move(fields), digest);
  return answer;
}

void RecordedResourceScheduler::on_attempt_added(Instant now, AttemptId attempt, policies::ResourceEffects& effects) {
  const auto before = effects.size();
  ResourceScheduler::on_attempt_added(now, attempt, effects);
  records_.write(now, "resource_scheduler_attempt_added", of_application_attempt(attempt),
                 digest_from(effects, before));
}

void RecordedResourceScheduler::on_attempt_removed(Instant now, AttemptId attempt, policies::ResourceEffects& effects) {
  const auto before = effects.size();
  ResourceScheduler::on_attempt_removed(now, attempt, effects);
  records_.write(now, "resource_scheduler_attempt_removed", of_application_attempt(attempt),
                 digest_from(effects, before));
}

void RecordedResourceScheduler::on_application_removed(Instant now, ApplicationId application,
                                                       policies::ResourceEffects& effects) {
  const auto before = effects.size();
  ResourceScheduler::on_application_removed(now, application, effects);
  records_.write(now, "resource_scheduler_application_removed", of_application(application),
                 digest_from(effects, before));
}

policies::Allocation RecordedResourceScheduler::on_asks(Instant now, AttemptId attempt, const policies::AskBatch& batch,
                                                        policies::ResourceEffects& effects) {
  const auto before = effects.size();
  auto answer = ResourceScheduler::on_asks(now, attempt, batch, effects);
  auto fields = of_application_attempt(attempt);
  if (!batch.asks.empty())
    fields.add_column("names", batch.asks, [](const auto& ask) { return ask.name; })
        .add_column("priorities", batch.asks, [](const auto& ask) { return ask.priority; })
        .add_column("counts", batch.asks, [](const auto& ask) { return ask.count; })
        .add_column("mib", batch.asks, [](const auto& ask) { return ask.capability.memory_mib; })
        .add_column("cores", batch.asks, [](const auto& ask) { return ask.capability.cores; })
        .add_column("relaxed", batch.asks, [](const auto& ask) { return ask.relax_locality ? 1 : 0; });
  add_extras_of_asks(fields, batch.asks);
  if (!batch.release.empty()) fields.add_column("released", batch.release);
  if (!batch.exclude.empty()) fields.add_column("excluded", batch.exclude);
  if (!batch.include.empty()) fields.add_column("included", batch.include);
  auto digest = digest_from(effects, before);
  digest_answer(digest, answer);
  records_.write(now, "resource_scheduler_asks", std::move(fields), digest);
  return answer;
}

// -- containers and time -----------------------------------------------------------

void RecordedResourceScheduler::on_container_launched(Instant now, ContainerId container) {
  ResourceScheduler::on_container_launched(now, container);
  static_cast<void>(records_.add_to_run(now, launched_run, {}, container.value));
}

void RecordedResourceScheduler::on_containers_completed(Instant now, std::span<const policies::ContainerCompleted> ends,
                                                        policies::ResourceEffects& effects) {
  const auto before = effects.size();
  ResourceScheduler::on_containers_completed(now, ends, effects);
  records_.write(now, "resource_scheduler_completed",
                 EventFields{}
                     .add_column("containers", ends, [](const auto& end) { return end.container; })
                     .add_column("exit_statuses", ends, [](const auto& end) { return end.exit_status; }),
                 digest_from(effects, before));
}

void RecordedResourceScheduler::on_time(Instant now, policies::ResourceEffects& effects) {
  const auto before = effects.size();
  ResourceScheduler::on_time(now, effects);
  records_.write(now, "resource_scheduler_time", {}, digest_from(effects, before));
}

}  // namespace heddle::actors
