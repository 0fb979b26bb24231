#include "actors/yarn_allocator/recorded_container_allocator.hpp"

#include <utility>

#include "runtime/event_log/field_writer.hpp"

namespace heddle::actors {
namespace {

using ports::EventFields;
using runtime::EffectDigest;

void digest_one(EffectDigest& digest, const policies::ContainerEffect& effect) {
  digest.add(static_cast<std::int64_t>(effect.index()) + 1);
  if (const auto* launch = std::get_if<policies::LaunchExecutor>(&effect)) {
    digest.add_all(launch->executor.value, launch->container.value, launch->profile.value, launch->resource.memory_mib,
                   launch->resource.cores);
    digest.add(launch->host);
  } else if (const auto* release = std::get_if<policies::ReleaseContainer>(&effect)) {
    digest.add(release->container.value);
  } else if (const auto* forgotten = std::get_if<policies::ForgetExecutor>(&effect)) {
    digest.add(forgotten->executor.value);
  } else if (const auto* removed = std::get_if<policies::TellExecutorRemoved>(&effect)) {
    digest.add_all(removed->executor.value, removed->exit.status, removed->exit.caused_by_application);
  } else if (const auto* leaving = std::get_if<policies::TellHostDecommissioning>(&effect)) {
    digest.add(leaving->host);
  } else if (const auto* answer = std::get_if<policies::AnswerLossReason>(&effect)) {
    digest.add_all(answer->executor.value, answer->exit.has_value());
    if (answer->exit) digest.add_all(answer->exit->status, answer->exit->caused_by_application);
  } else if (const auto* requests = std::get_if<policies::RequestsChanged>(&effect)) {
    digest.add_all(requests->profile.value, requests->added, requests->count, requests->hosts, requests->racks);
  } else if (const auto* exclusion = std::get_if<policies::ExclusionChanged>(&effect)) {
    for (const auto& host : exclusion->added) digest.add(host);
    for (const auto& host : exclusion->removed) digest.add(host);
  }
}

EffectDigest digest_from(const policies::ContainerEffects& effects, std::size_t first) {
  EffectDigest digest;
  digest_effects(digest, effects, first);
  return digest;
}

/// Profiles and their numbers as two columns.
void add_numbers(EventFields& fields, std::string_view profiles, std::string_view values,
                 const std::map<ProfileId, std::int32_t>& rows) {
  fields.add_column(profiles, rows, [](const auto& row) { return row.first.value; });
  fields.add_column(values, rows, [](const auto& row) { return row.second; });
}

void add_grants(EventFields& fields, const std::vector<ContainerGrant>& grants) {
  if (grants.empty()) return;
  fields.add_column("granted", grants, [](const auto& grant) { return grant.container; })
      .add_column("granted_hosts", grants, [](const auto& grant) { return grant.host; })
      .add_column("granted_profiles", grants, [](const auto& grant) { return grant.profile; })
      .add_column("granted_mib", grants, [](const auto& grant) { return grant.resource.memory_mib; })
      .add_column("granted_cores", grants, [](const auto& grant) { return grant.resource.cores; });
}

void add_exits(EventFields& fields, const std::vector<ContainerExit>& exits) {
  if (exits.empty()) return;
  fields.add_column("ended", exits, [](const auto& exit) { return exit.container; })
      .add_column("exit_statuses", exits, [](const auto& exit) { return exit.status; });
}

}  // namespace

void digest_effects(EffectDigest& digest, const policies::ContainerEffects& effects, std::size_t first) {
  for (auto i = first; i < effects.size(); ++i) digest_one(digest, effects[i]);
}

void digest_call(EffectDigest& digest, const policies::AllocateCall& call) {
  digest.add(call.response_id);
  for (const auto& ask : call.asks) {
    digest.add_all(ask.profile.value, ask.resource.memory_mib, ask.resource.cores, ask.count);
    digest.add(ask.name);
    for (const ExtraResource& each : ask.extras) {
      digest.add(each.name);
      digest.add(each.amount);
    }
  }
  for (const auto container : call.releases) digest.add(container.value);
  for (const auto& host : call.exclude) digest.add(host);
  for (const auto& host : call.include) digest.add(host);
}

RecordedContainerAllocator::RecordedContainerAllocator(const policies::ContainerAllocatorSettings& settings,
                                                       const RackTable& racks, ports::EventSink* sink,
                                                       const ports::Clock* clock)
    : ContainerAllocator{settings, racks}, records_{sink, clock} {
  if (!records_.is_kept()) return;
  records_.write(now(), "container_allocator_settings",
                 runtime::to_fields(settings)
                     .add_column("rack_hosts", racks.rows(), [](const auto& row) { return row.first; })
                     .add_column("racks", racks.rows(), [](const auto& row) { return row.second; }));
}

void RecordedContainerAllocator::on_start(Instant when, policies::ContainerEffects& effects) {
  const auto before = effects.size();
  ContainerAllocator::on_start(when, effects);
  records_.write(when, "container_allocator_start", {}, digest_from(effects, before));
}

void RecordedContainerAllocator::on_profile(const policies::ExecutorProfile& profile) {
  ContainerAllocator::on_profile(profile);
  auto fields = EventFields{}
                    .add("profile", profile.id)
                    .add("memory_mib", profile.resource.memory_mib)
                    .add("cores", profile.resource.cores)
                    .add("tasks_per_executor", profile.tasks_per_executor);
  runtime::add_extras(fields, "extras", profile.extras);
  records_.write(now(), "container_allocator_profile", std::move(fields));
}

// -- from the Driver -----------------------------------------------------------------

bool RecordedContainerAllocator::on_request_total(Instant when, const policies::ExecutorTotals& wish,
                                                  policies::ContainerEffects& effects) {
  const auto before = effects.size();
  const bool is_changed = ContainerAllocator::on_request_total(when, wish, effects);
  EventFields fields;
  add_numbers(fields, "profiles", "totals", wish.totals);
  add_numbers(fields, "locality_profiles", "locality_tasks", wish.locality_tasks);
  fields.add_column("tasks_of_host", wish.tasks_of_host, [](const auto& row) {
    return EventFields{}
        .add("profile", row.first)
        .add_column("hosts", row.second, [](const auto& each) { return each.first; })
        .add_column("tasks", row.second, [](const auto& each) { return each.second; });
  });
  fields.add_column("excluded_hosts", wish.excluded_hosts);
  auto digest = digest_from(effects, before);
  digest.add(is_changed ? 2 : 1);
  records_.write(when, "container_allocator_total", std::move(fields), digest);
  return is_changed;
}

void RecordedContainerAllocator::on_kill_executor(ExecutorId executor, policies::ContainerEffects& effects) {
  const auto before = effects.size();
  ContainerAllocator::on_kill_executor(executor, effects);
  records_.write(now(), "container_allocator_kill", EventFields{}.add("executor", executor),
                 digest_from(effects, before));
}

void RecordedContainerAllocator::on_loss_question(ExecutorId executor, policies::ContainerEffects& effects) {
  const auto before = effects.size();
  ContainerAllocator::on_loss_question(executor, effects);
  records_.write(now(), "container_allocator_loss_question", EventFields{}.add("executor", executor),
                 digest_from(effects, before));
}

void RecordedContainerAllocator::on_shutdown() {
  ContainerAllocator::on_shutdown();
  records_.write(now(), "container_allocator_shutdown", {});
}

// -- towards the ResourceManager -----------------------------------------------------

policies::AllocateCall RecordedContainerAllocator::next_call(policies::ContainerEffects& effects) {
  const auto before = effects.size();
  auto call = ContainerAllocator::next_call(effects);
  auto digest = digest_from(effects, before);
  digest_call(digest, call);
  records_.write(now(), "container_allocator_call", {}, digest);
  return call;
}

void RecordedContainerAllocator::on_answer(Instant when, const policies::AllocateAnswer& answer,
                                           policies::ContainerEffects& effects) {
  const auto before = effects.size();
  ContainerAllocator::on_answer(when, answer, effects);
  auto fields = EventFields{}.add("response_id", answer.response_id).add("cluster_nodes", answer.cluster_nodes);
  fields.add_column("decommissioning_hosts", answer.decommissioning_hosts);
  add_grants(fields, answer.allocated);
  add_exits(fields, answer.completed);
  records_.write(when, "container_allocator_answer", std::move(fields), digest_from(effects, before));
}

void RecordedContainerAllocator::on_call_failed() {
  ContainerAllocator::on_call_failed();
  records_.write(now(), "container_allocator_call_failed", {});
}

void RecordedContainerAllocator::on_not_registered() {
  ContainerAllocator::on_not_registered();
  records_.write(now(), "container_allocator_not_registered", {});
}

void RecordedContainerAllocator::on_allocated(const std::vector<ContainerGrant>& batch,
                                              policies::ContainerEffects& effects) {
  const auto before = effects.size();
  ContainerAllocator::on_allocated(batch, effects);
  if (batch.empty() && effects.size() == before) return;  // nothing was said
  EventFields fields;
  add_grants(fields, batch);
  records_.write(now(), "container_allocator_allocated", std::move(fields), digest_from(effects, before));
}

bool RecordedContainerAllocator::launch_next(policies::ContainerEffects& effects) {
  const auto before = effects.size();
  if (!ContainerAllocator::launch_next(effects)) return false;
  records_.write(now(), "container_allocator_launch_next", {}, digest_from(effects, before));
  return true;
}

void RecordedContainerAllocator::on_completed(Instant when, const std::vector<ContainerExit>& batch,
                                              policies::ContainerEffects& effects) {
  const auto before = effects.size();
  ContainerAllocator::on_completed(when, batch, effects);
  if (batch.empty() && effects.size() == before) return;  // nothing was said
  EventFields fields;
  add_exits(fields, batch);
  records_.write(when, "container_allocator_completed", std::move(fields), digest_from(effects, before));
}

void RecordedContainerAllocator::on_executor_started(ContainerId container) {
  ContainerAllocator::on_executor_started(container);
  records_.write(now(), "container_allocator_started", EventFields{}.add("container", container));
}

void RecordedContainerAllocator::on_executor_start_failed(ContainerId container, policies::ContainerEffects& effects) {
  const auto before = effects.size();
  ContainerAllocator::on_executor_start_failed(container, effects);
  records_.write(now(), "container_allocator_start_failed", EventFields{}.add("container", container),
                 digest_from(effects, before));
}

}  // namespace heddle::actors
