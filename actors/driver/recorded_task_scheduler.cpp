#include "actors/driver/recorded_task_scheduler.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "actors/driver/decider_settings_fields.hpp"
#include "runtime/event_log/field_writer.hpp"

namespace heddle::actors {
namespace {

using ports::EventFields;
using runtime::EffectDigest;
using runtime::RunKind;

constexpr RunKind status_run{"task_scheduler_status", {"state", "failure", "source_executor", "source_host"}};
constexpr RunKind detailed_status_run{"task_scheduler_detailed_status", {"state", "result_bytes", "records", "run_us"}};
constexpr RunKind retract_run{"task_scheduler_retract", {}};
constexpr RunKind partition_run{"task_scheduler_partition_done", {"stage"}};

void digest_one(EffectDigest& digest, const policies::TaskSchedulerEffect& effect) {
  digest.add(static_cast<std::int64_t>(effect.index()) + 1);
  const auto add_set = [&digest](policies::TaskSetKey set) { digest.add_all(set.stage.value, set.attempt); };
  if (const auto* ended = std::get_if<policies::TaskEnded>(&effect)) {
    digest.add_all(ended->id.value, ended->partition, ended->executor.value, ended->outcome);
  } else if (const auto* added = std::get_if<policies::ExecutorAdded>(&effect)) {
    digest.add_all(added->executor.value, added->host.value);
  } else if (const auto* lost = std::get_if<policies::ExecutorLost>(&effect)) {
    digest.add(lost->executor.value);
  } else if (const auto* failed = std::get_if<policies::TaskSetFailed>(&effect)) {
    add_set(failed->set);
    digest.add_all(failed->failure, failed->index, failed->results, failed->result_bytes);
  } else if (const auto* large = std::get_if<policies::LargeDescription>(&effect)) {
    add_set(large->set);
  } else if (const auto* copy = std::get_if<policies::SpeculativeTaskSubmitted>(&effect)) {
    add_set(copy->set);
    digest.add(copy->index);
  } else if (const auto* stuck = std::get_if<policies::UnschedulableSetAdded>(&effect)) {
    add_set(stuck->set);
  } else if (const auto* freed = std::get_if<policies::UnschedulableSetRemoved>(&effect)) {
    add_set(freed->set);
  } else if (const auto* kill = std::get_if<policies::KillAttempt>(&effect)) {
    digest.add_all(kill->id.value, kill->executor.value);
  } else if (const auto* executor = std::get_if<policies::KillExcludedExecutor>(&effect)) {
    digest.add_all(executor->executor.value, executor->idle);
  } else if (const auto* host = std::get_if<policies::KillExcludedHost>(&effect)) {
    digest.add(host->host.value);
  } else if (const auto* finished = std::get_if<policies::TaskSetFinished>(&effect)) {
    add_set(finished->set);
  }
}

/// What executors have beside cores, of all offers laid end to end; nothing where no offer says anything of it.
void add_details(EventFields& fields, std::span<const policies::SlotOffer> offers) {
  if (std::none_of(offers.begin(), offers.end(), [](const auto& offer) { return offer.detail != nullptr; })) return;
  policies::FreeShares free;
  for (const auto& offer : offers)
    if (offer.detail != nullptr) free.insert(free.end(), offer.detail->free.begin(), offer.detail->free.end());
  fields
      .add_column("details", offers,
                  [](const auto& offer) { return offer.detail == nullptr ? -1 : std::ssize(offer.detail->free); })
      .add_column("profiles", offers,
                  [](const auto& offer) { return offer.detail == nullptr ? -1 : offer.detail->profile.value; })
      .add_column("resource_kinds", free, [](const auto& one) { return one.kind; })
      .add_column("addresses", free, [](const auto& one) { return one.address; })
      .add_column("shares", free, [](const auto& one) { return one.share; });
}

/// The digest of what one call adds to effects that may hold earlier ones.
class Decided {
public:
  explicit Decided(const policies::TaskSchedulerEffects& effects)
      : effects_{effects}, launches_{effects.launches.size()}, events_{effects.events.size()} {}
  [[nodiscard]] EffectDigest digest() const {
    EffectDigest digest;
    add_to(digest);
    return digest;
  }
  void add_to(EffectDigest& digest) const { digest_effects(digest, effects_, launches_, events_); }

private:
  const policies::TaskSchedulerEffects& effects_;
  std::size_t launches_;
  std::size_t events_;
};

}  // namespace

void digest_effects(EffectDigest& digest, const policies::TaskSchedulerEffects& effects, std::size_t launches,
                    std::size_t events) {
  for (auto i = events; i < effects.events.size(); ++i) digest_one(digest, effects.events[i]);
  for (auto i = launches; i < effects.launches.size(); ++i) {
    const auto& launch = effects.launches[i];
    digest.add_all(launch.id.value, launch.set.stage.value, launch.set.attempt, launch.index, launch.partition,
                   launch.attempt, launch.executor.value, launch.level, launch.speculative, launch.queued);
  }
}

RecordedTaskScheduler::RecordedTaskScheduler(policies::TaskSchedulerSettings settings, PlaceRecords& places)
    : TaskScheduler{settings}, records_{places.sink(), places.clock()}, places_{places} {
  if (records_.is_kept())
    records_.write(records_.now(), "task_scheduler_settings", runtime::to_fields(std::move(settings)));
}

void RecordedTaskScheduler::introduce_host(policies::HostId host, std::string_view name, std::string_view rack) {
  TaskScheduler::introduce_host(host, name, rack);
  records_.write(records_.now(), "task_scheduler_host",
                 EventFields{}.add("host", host.value).add("name", name).add("rack", rack));
}

void RecordedTaskScheduler::introduce_executor(ExecutorId executor, std::string_view name) {
  TaskScheduler::introduce_executor(executor, name);
  records_.write(records_.now(), "task_scheduler_executor", EventFields{}.add("executor", executor).add("name", name));
}

void RecordedTaskScheduler::on_task_set(Instant now, const policies::TaskSetDescription& set,
                                        policies::TaskSchedulerEffects& effects) {
  const auto places = places_.number_of(now, set.places.lists);
  const Decided decided{effects};
  TaskScheduler::on_task_set(now, set, effects);
  auto fields = EventFields{}
                    .add("stage", set.key.stage)
                    .add("stage_attempt", set.key.attempt)
                    .add("job", set.job)
                    .add("kind", static_cast<int>(set.kind))
                    .add("pool", set.pool)
                    .add("tasks", set.tasks);
  add_ranges(fields, "partitions", set.partitions);
  fields.add("places", places).add("places_by_partition", set.places.by_partition).add("task_cores", set.task_cores);
  fields.add("description_bytes", set.description_bytes);
  if (set.is_barrier) fields.add("barrier", true);
  if (set.expected_shares) fields.add_column("expected_shares", *set.expected_shares);
  if (set.need) fields.add("need", runtime::to_fields(*set.need));
  records_.write(now, "task_scheduler_set", std::move(fields), decided.digest());
}

void RecordedTaskScheduler::on_offers(Instant now, std::span<const policies::SlotOffer> offers, bool is_full,
                                      RandomStream* random, policies::TaskSchedulerEffects& effects) {
  const Decided decided{effects};
  const auto random_state = random == nullptr ? 0 : static_cast<std::int64_t>(random->state());
  TaskScheduler::on_offers(now, offers, is_full, effects, random);
  auto fields = EventFields{}
                    .add("full", is_full)
                    .add_column("executors", offers, [](const auto& offer) { return offer.executor.value; })
                    .add_column("hosts", offers, [](const auto& offer) { return offer.host.value; })
                    .add_column("free_cores", offers, [](const auto& offer) { return offer.free_cores; });
  add_details(fields, offers);
  if (random != nullptr && offers.size() > 1) fields.add("random", random_state);  // one offer has one order
  records_.write(now, "task_scheduler_offers", std::move(fields), decided.digest());
}

bool RecordedTaskScheduler::on_status(Instant now, policies::LaunchId attempt, const policies::AttemptStatus& status,
                                      policies::TaskSchedulerEffects& effects) {
  const Decided decided{effects};
  const bool is_known = TaskScheduler::on_status(now, attempt, status, effects);
  const auto state = static_cast<std::int64_t>(status.state);
  if (status.result_bytes > 0 || status.progress) {
    const auto& seen = status.progress;
    decided.add_to(records_.add_to_run(
        now, detailed_status_run,
        {state, status.result_bytes, seen ? seen->records : 0, seen ? seen->run_time.count() : -1}, attempt.value));
    return is_known;
  }
  decided.add_to(records_.add_to_run(
      now, status_run,
      {state, static_cast<std::int64_t>(status.failure), status.source_executor.value, status.source_host.value},
      attempt.value));
  return is_known;
}

void RecordedTaskScheduler::on_executor_lost(Instant now, ExecutorId executor, policies::LossReason reason,
                                             policies::TaskSchedulerEffects& effects) {
  const Decided decided{effects};
  TaskScheduler::on_executor_lost(now, executor, reason, effects);
  records_.write(now, "task_scheduler_executor_lost",
                 EventFields{}
                     .add("executor", executor)
                     .add("kind", static_cast<int>(reason.kind))
                     .add("by_application", reason.by_application),
                 decided.digest());
}

void RecordedTaskScheduler::on_decommission(Instant now, ExecutorId executor, bool whole_host,
                                            policies::TaskSchedulerEffects& effects) {
  const Decided decided{effects};
  TaskScheduler::on_decommission(now, executor, whole_host, effects);
  records_.write(now, "task_scheduler_decommission",
                 EventFields{}.add("executor", executor).add("whole_host", whole_host), decided.digest());
}

void RecordedTaskScheduler::on_partition_done(Instant now, StageId stage, std::int32_t partition,
                                              policies::TaskSchedulerEffects& effects) {
  const Decided decided{effects};
  TaskScheduler::on_partition_done(now, stage, partition, effects);
  decided.add_to(records_.add_to_run(now, partition_run, {stage.value}, partition));
}

void RecordedTaskScheduler::on_output_moved(Instant now, StageId stage, std::int32_t partition, policies::HostId host) {
  TaskScheduler::on_output_moved(stage, partition, host);
  records_.write(now, "task_scheduler_output_moved",
                 EventFields{}.add("stage", stage).add("partition", partition).add("host", host.value));
}

void RecordedTaskScheduler::kill_stage(Instant now, StageId stage, policies::TaskSchedulerEffects& effects) {
  const Decided decided{effects};
  TaskScheduler::kill_stage(now, stage, effects);
  records_.write(now, "task_scheduler_kill_stage", EventFields{}.add("stage", stage), decided.digest());
}

void RecordedTaskScheduler::check_speculation(Instant now, policies::TaskSchedulerEffects& effects) {
  const Decided decided{effects};
  TaskScheduler::check_speculation(now, effects);
  records_.write(now, "task_scheduler_speculation", {}, decided.digest());
}

void RecordedTaskScheduler::queue_ahead(Instant now, ExecutorId executor, std::int32_t max_count,
                                        policies::TaskSchedulerEffects& effects) {
  const Decided decided{effects};
  TaskScheduler::queue_ahead(now, executor, max_count, effects);
  records_.write(now, "task_scheduler_queue_ahead", EventFields{}.add("executor", executor).add("max_count", max_count),
                 decided.digest());
}

bool RecordedTaskScheduler::retract(Instant now, policies::LaunchId attempt) {
  const bool is_taken_back = TaskScheduler::retract(now, attempt);
  records_.add_to_run(now, retract_run, {}, attempt.value).add_all(1 + (is_taken_back ? 1 : 0));
  return is_taken_back;
}

void RecordedTaskScheduler::on_time(Instant now, policies::TaskSchedulerEffects& effects) {
  const auto due = TaskScheduler::next_due();
  if (!due || *due > now) return;  // nothing would change
  const Decided decided{effects};
  TaskScheduler::on_time(now, effects);
  records_.write(now, "task_scheduler_time", {}, decided.digest());
}

}  // namespace heddle::actors
