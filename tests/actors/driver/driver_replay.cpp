#include "tests/actors/driver/driver_replay.hpp"

#include <optional>

#include "actors/driver/decider_settings_fields.hpp"

namespace heddle::tests {
namespace {

using policies::HostId;
using policies::IndexRange;
using runtime::EffectDigest;

std::vector<IndexRange> ranges(const EventLine& line, std::string_view key) {
  const auto numbers = column(line, key);
  std::vector<IndexRange> found;
  for (std::size_t i = 0; i + 1 < numbers.size(); i += 2)
    found.emplace_back(static_cast<std::int32_t>(numbers[i]), static_cast<std::int32_t>(numbers[i + 1]));
  return found;
}

policies::TaskSetKey set_key(const EventLine& line) {
  return {StageId{number(line, "stage")}, small_number(line, "stage_attempt")};
}

ExecutorId executor(const EventLine& line) { return ExecutorId{number(line, "executor")}; }
HostId host(const EventLine& line) { return HostId{small_number(line, "host")}; }

/// What executors have beside cores, one for each offer; none at all in lines of jobs without devices.
std::vector<std::optional<policies::OfferDetail>> details(const EventLine& line) {
  std::vector<std::optional<policies::OfferDetail>> found;
  const auto profiles = column(line, "profiles");
  const auto kinds = column(line, "resource_kinds");
  const auto addresses = column(line, "addresses");
  const auto shares = column(line, "shares");
  std::size_t next = 0;
  for (const auto count : column(line, "details")) {
    found.emplace_back();
    if (count < 0) continue;
    auto& detail = found.back().emplace();
    detail.profile = ProfileId{profiles.at(found.size() - 1)};
    for (std::int64_t i = 0; i < count; ++i, ++next)
      detail.free.push_back(
          {static_cast<std::int32_t>(kinds.at(next)), static_cast<std::int32_t>(addresses.at(next)), shares.at(next)});
  }
  return found;
}

/// Calls `call(number)` for each number of a run.
template <class Call>
void for_run(const EventLine& line, Call call) {
  const auto first = number(line, "first");
  for (std::int64_t i = 0; i < number(line, "count"); ++i) call(first + i);
}

EffectDigest digest_of(const policies::StageEffects& effects) {
  EffectDigest digest;
  actors::digest_effects(digest, effects, 0);
  return digest;
}

EffectDigest digest_of(const policies::AllocationEffects& effects) {
  EffectDigest digest;
  actors::digest_effects(digest, effects, 0);
  return digest;
}

}  // namespace

DriverReplay::DriverReplay() {
  add("place_lists", [this](const EventLine& line) {
    auto lists = std::make_shared<policies::PlaceLists>();
    const auto hosts = column(line, "hosts");
    const auto kinds = column(line, "kinds");
    const auto executors = column(line, "executors");
    std::size_t next = 0;
    for (const auto length : column(line, "lengths")) {
      std::vector<policies::TaskPlace> places(static_cast<std::size_t>(length));
      for (auto& place : places) {
        place.host = HostId{static_cast<std::int32_t>(hosts.at(next))};
        if (!kinds.empty()) {
          place.kind = static_cast<policies::TaskPlace::Kind>(kinds.at(next));
          place.executor = ExecutorId{executors.at(next)};
        }
        ++next;
      }
      lists->add(places);
    }
    places_[number(line, "places")] = lists;
    return EffectDigest{};
  });
  add_task_scheduler();
  add_task_statuses();
  add_stage_scheduler();
  add_stage_tasks();
  add_allocation();
  add_allocation_tasks();
}

policies::TaskSetPlaces DriverReplay::places(const EventLine& line) const {
  const auto found = places_.find(number(line, "places"));
  return {found == places_.end() ? nullptr : found->second, truth(line, "places_by_partition")};
}

// -- task scheduler ----------------------------------------------------------------

void DriverReplay::add_task_scheduler() {
  // Adds a record whose call takes effects; launches are kept.
  const auto add_call = [this](const char* name, auto call) {
    add(name, [this, call](const EventLine& line) {
      policies::TaskSchedulerEffects effects;
      call(*task_scheduler, time_of(line), line, effects);
      launches.insert(launches.end(), effects.launches.begin(), effects.launches.end());
      EffectDigest digest;
      actors::digest_effects(digest, effects, 0, 0);
      return digest;
    });
  };
  add("task_scheduler_settings", [this](const EventLine& line) {
    task_scheduler.emplace(value_of<policies::TaskSchedulerSettings>(line));
    return EffectDigest{};
  });
  add_call("task_scheduler_host", [](auto& decider, Instant, const EventLine& line, auto&) {
    decider.introduce_host(host(line), text(line, "name"), text(line, "rack"));
  });
  add_call("task_scheduler_executor", [](auto& decider, Instant, const EventLine& line, auto&) {
    decider.introduce_executor(executor(line), text(line, "name"));
  });
  add_call("task_scheduler_set", [this](auto& decider, Instant now, const EventLine& line, auto& effects) {
    policies::TaskSetDescription set{
        set_key(line),      JobId{number(line, "job")},      static_cast<policies::TaskSetKind>(number(line, "kind")),
        text(line, "pool"), small_number(line, "tasks"),     ranges(line, "partitions"),
        places(line),       small_number(line, "task_cores")};
    set.is_barrier = line.contains("barrier");
    if (line.contains("expected_shares")) {
      const auto shares = column(line, "expected_shares");
      set.expected_shares = std::make_shared<const std::vector<std::int32_t>>(shares.begin(), shares.end());
    }
    set.description_bytes = number(line, "description_bytes");
    if (const auto* need = line.if_contains("need")) set.need = value_of<policies::TaskNeed>(need->as_object());
    decider.on_task_set(now, set, effects);
  });
  add_call("task_scheduler_offers", [](auto& decider, Instant now, const EventLine& line, auto& effects) {
    const auto executors = column(line, "executors");
    const auto hosts = column(line, "hosts");
    const auto cores = column(line, "free_cores");
    std::vector<policies::SlotOffer> offers;
    for (std::size_t i = 0; i < executors.size(); ++i)
      offers.push_back({ExecutorId{executors[i]}, HostId{static_cast<std::int32_t>(hosts.at(i))},
                        static_cast<std::int32_t>(cores.at(i))});
    const auto found = details(line);
    for (std::size_t i = 0; i < found.size(); ++i)
      if (found[i]) offers.at(i).detail = &*found[i];
    std::optional<RandomStream> random;
    if (line.contains("random")) random.emplace(static_cast<std::uint64_t>(number(line, "random")));
    decider.on_offers(now, offers, truth(line, "full"), effects, random ? &*random : nullptr);
  });
  add_call("task_scheduler_executor_lost", [](auto& decider, Instant now, const EventLine& line, auto& effects) {
    decider.on_executor_lost(now, executor(line),
                             {static_cast<policies::LossKind>(number(line, "kind")), truth(line, "by_application")},
                             effects);
  });
  add_call("task_scheduler_decommission", [](auto& decider, Instant now, const EventLine& line, auto& effects) {
    decider.on_decommission(now, executor(line), truth(line, "whole_host"), effects);
  });
  add_call("task_scheduler_output_moved", [](auto& decider, Instant, const EventLine& line, auto&) {
    decider.on_output_moved(StageId{number(line, "stage")}, small_number(line, "partition"), host(line));
  });
  add_call("task_scheduler_kill_stage", [](auto& decider, Instant now, const EventLine& line, auto& effects) {
    decider.kill_stage(now, StageId{number(line, "stage")}, effects);
  });
  add_call("task_scheduler_speculation", [](auto& decider, Instant now, const EventLine&, auto& effects) {
    decider.check_speculation(now, effects);
  });
  add_call("task_scheduler_queue_ahead", [](auto& decider, Instant now, const EventLine& line, auto& effects) {
    decider.queue_ahead(now, executor(line), small_number(line, "max_count"), effects);
  });
  add_call("task_scheduler_time",
           [](auto& decider, Instant now, const EventLine&, auto& effects) { decider.on_time(now, effects); });
}

void DriverReplay::add_task_statuses() {
  // A digest of a run covers its calls one after the other.
  const auto add_run = [this](const char* name, auto call) {
    add(name, [this, call](const EventLine& line) {
      EffectDigest digest;
      for_run(line, [&](std::int64_t each) {
        policies::TaskSchedulerEffects effects;
        call(*task_scheduler, time_of(line), line, each, effects, digest);
        launches.insert(launches.end(), effects.launches.begin(), effects.launches.end());
        actors::digest_effects(digest, effects, 0, 0);
      });
      return digest;
    });
  };
  add_run("task_scheduler_status",
          [](auto& decider, Instant now, const EventLine& line, std::int64_t each, auto& effects, auto&) {
            const policies::AttemptStatus status{static_cast<policies::AttemptState>(number(line, "state")),
                                                 static_cast<policies::AttemptFailure>(number(line, "failure")),
                                                 ExecutorId{number(line, "source_executor")},
                                                 HostId{small_number(line, "source_host")}};
            decider.on_status(now, policies::LaunchId{each}, status, effects);
          });
  add_run("task_scheduler_detailed_status",
          [](auto& decider, Instant now, const EventLine& line, std::int64_t each, auto& effects, auto&) {
            policies::AttemptStatus status;
            status.state = static_cast<policies::AttemptState>(number(line, "state"));
            status.result_bytes = number(line, "result_bytes");
            if (const auto run_us = number(line, "run_us"); run_us >= 0)
              status.progress = policies::AttemptProgress{number(line, "records"), Duration{run_us}};
            decider.on_status(now, policies::LaunchId{each}, status, effects);
          });
  add_run("task_scheduler_retract",
          [](auto& decider, Instant now, const EventLine&, std::int64_t each, auto&, auto& digest) {
            digest.add(decider.retract(now, policies::LaunchId{each}) ? 2 : 1);
          });
  add_run("task_scheduler_partition_done",
          [](auto& decider, Instant now, const EventLine& line, std::int64_t each, auto& effects, auto&) {
            decider.on_partition_done(now, StageId{number(line, "stage")}, static_cast<std::int32_t>(each), effects);
          });
}

// -- stage scheduler ---------------------------------------------------------------

void DriverReplay::add_stage_scheduler() {
  const auto add_call = [this](const char* name, auto call) {
    add(name, [this, call](const EventLine& line) {
      policies::StageEffects effects;
      call(*stage_scheduler, time_of(line), line, effects);
      return digest_of(effects);
    });
  };
  add("stage_scheduler_settings", [this](const EventLine& line) {
    stage_scheduler.emplace(value_of<policies::StageSchedulerSettings>(line));
    return EffectDigest{};
  });
  add_call("stage_scheduler_dataset", [this](auto& decider, Instant, const EventLine& line, auto&) {
    policies::DatasetDescription description;
    description.partitions = small_number(line, "partitions");
    const auto parents = column(line, "dependencies");
    for (std::size_t i = 0; i + 1 < parents.size(); i += 2)
      description.dependencies.push_back(
          {static_cast<policies::Dependency::Kind>(parents[i]), policies::DatasetId{parents[i + 1]}});
    if (line.contains("shared")) {
      const auto shared = column(line, "shared");
      for (std::size_t i = 0; i < shared.size(); ++i)
        if (shared[i] >= 0) description.dependencies.at(i).shared = ShuffleId{shared[i]};
    }
    description.cached = truth(line, "cached");
    description.indeterminate = truth(line, "indeterminate");
    description.reduce_locality = truth(line, "reduce_locality");
    description.barrier = line.contains("barrier");
    if (line.contains("profile")) description.profile = ProfileId{number(line, "profile")};
    if (const auto found = places_.find(number(line, "places")); found != places_.end())
      description.preferred = found->second;
    decider.add_dataset(std::move(description));
  });
  add_call("stage_scheduler_forget_dataset", [](auto& decider, Instant, const EventLine& line, auto&) {
    decider.forget_dataset(policies::DatasetId{number(line, "dataset")});
  });
  add_call("stage_scheduler_submit_job", [](auto& decider, Instant now, const EventLine& line, auto& effects) {
    decider.on_submit_job(now, JobId{number(line, "job")}, policies::DatasetId{number(line, "dataset")},
                          ranges(line, "partitions"), effects);
  });
  add_call("stage_scheduler_submit_map_stage", [](auto& decider, Instant now, const EventLine& line, auto& effects) {
    decider.on_submit_map_stage(now, JobId{number(line, "job")}, ShuffleId{number(line, "shuffle")}, effects);
  });
  add_call("stage_scheduler_cancel_job", [](auto& decider, Instant, const EventLine& line, auto& effects) {
    decider.on_cancel_job(JobId{number(line, "job")}, effects);
  });
  add_call("stage_scheduler_barrier_failed", [](auto& decider, Instant now, const EventLine& line, auto& effects) {
    decider.on_barrier_failed(now, StageId{number(line, "stage")}, small_number(line, "stage_attempt"), effects);
  });
  add_call("stage_scheduler_executor_added", [](auto& decider, Instant, const EventLine& line, auto&) {
    decider.on_executor_added(executor(line), host(line));
  });
  add_call("stage_scheduler_executor_lost", [](auto& decider, Instant, const EventLine& line, auto& effects) {
    std::optional<HostId> lost;
    if (line.contains("lost_host")) lost = HostId{small_number(line, "lost_host")};
    decider.on_executor_lost(executor(line), lost, effects);
  });
  add_call("stage_scheduler_decommissioned", [](auto& decider, Instant, const EventLine& line, auto&) {
    decider.on_executor_decommissioned(executor(line), truth(line, "host_too"));
  });
  add_call("stage_scheduler_output_moved", [](auto& decider, Instant, const EventLine& line, auto&) {
    const policies::OutputPlace from{ExecutorId{number(line, "from_executor")},
                                     HostId{small_number(line, "from_host")}};
    decider.on_output_moved(ShuffleId{number(line, "shuffle")}, small_number(line, "map"), from,
                            {executor(line), host(line)});
  });
  add_call("stage_scheduler_cached", [](auto& decider, Instant, const EventLine& line, auto&) {
    std::vector<policies::OutputPlace> places;
    const auto hosts = column(line, "hosts");
    for (std::size_t i = 0; const auto each : column(line, "executors"))
      places.emplace_back(ExecutorId{each}, HostId{static_cast<std::int32_t>(hosts.at(i++))});
    decider.on_cached(policies::DatasetId{number(line, "dataset")}, small_number(line, "partition"), std::move(places));
  });
  add_call("stage_scheduler_time",
           [](auto& decider, Instant now, const EventLine&, auto& effects) { decider.on_time(now, effects); });
}

void DriverReplay::add_stage_tasks() {
  const auto add_run = [this](const char* name, auto call) {
    add(name, [this, call](const EventLine& line) {
      policies::StageEffects effects;
      const auto key = set_key(line);
      for_run(line,
              [&](std::int64_t each) { call(*stage_scheduler, line, key, static_cast<std::int32_t>(each), effects); });
      return digest_of(effects);
    });
  };
  add_run("stage_scheduler_success",
          [](auto& decider, const EventLine& line, policies::TaskSetKey key, std::int32_t partition, auto& effects) {
            const auto sizes = column(line, "sizes");
            decider.on_task_success(key.stage, key.attempt, partition, {executor(line), host(line)}, effects, sizes);
          });
  add_run("stage_scheduler_failure",
          [](auto& decider, const EventLine&, policies::TaskSetKey key, std::int32_t partition, auto& effects) {
            decider.on_task_failed(key.stage, key.attempt, partition, effects);
          });
  add_run("stage_scheduler_resubmitted",
          [](auto& decider, const EventLine&, policies::TaskSetKey key, std::int32_t partition, auto& effects) {
            decider.on_task_resubmitted(key.stage, key.attempt, partition, effects);
          });
  add("stage_scheduler_fetch_failed", [this](const EventLine& line) {
    policies::StageEffects effects;
    const auto key = set_key(line);
    stage_scheduler->on_fetch_failed(time_of(line), key.stage, key.attempt, small_number(line, "partition"),
                                     ShuffleId{number(line, "shuffle")}, small_number(line, "map"),
                                     {executor(line), host(line)}, effects);
    return digest_of(effects);
  });
  add("stage_scheduler_set_failed", [this](const EventLine& line) {
    policies::StageEffects effects;
    const auto key = set_key(line);
    stage_scheduler->on_task_set_failed(key.stage, key.attempt, effects);
    return digest_of(effects);
  });
}

// -- executor allocation -----------------------------------------------------------

void DriverReplay::add_allocation() {
  const auto add_call = [this](const char* name, auto call) {
    add(name, [this, call](const EventLine& line) {
      policies::AllocationEffects effects;
      call(*allocation, time_of(line), line, effects);
      return digest_of(effects);
    });
  };
  add("allocation_settings", [this](const EventLine& line) {
    allocation.emplace(value_of<policies::ExecutorAllocationSettings>(line));
    return EffectDigest{};
  });
  add_call("allocation_start",
           [](auto& decider, Instant now, const EventLine&, auto& effects) { decider.on_start(now, effects); });
  add_call("allocation_poll",
           [](auto& decider, Instant now, const EventLine&, auto& effects) { decider.on_poll(now, effects); });
  add_call("allocation_request_answered", [](auto& decider, Instant now, const EventLine& line, auto& effects) {
    decider.on_request_answered(now, truth(line, "accepted"), effects);
  });
  add_call("allocation_kill_answered", [](auto& decider, Instant now, const EventLine& line, auto& effects) {
    decider.on_kill_answered(now, ids<ExecutorId>(line, "executors"), effects);
  });
  add_call("allocation_reset", [](auto& decider, Instant, const EventLine&, auto&) { decider.on_reset(); });
  add_call("allocation_active",
           [](auto& decider, Instant, const EventLine& line, auto&) { decider.on_active(executor(line)); });
  add_call("allocation_profile", [](auto& decider, Instant, const EventLine& line, auto&) {
    decider.on_profile(ProfileId{small_number(line, "profile")}, small_number(line, "tasks_per_executor"));
  });
  add_call("allocation_executor_added", [](auto& decider, Instant now, const EventLine& line, auto&) {
    decider.on_executor_added(now, executor(line), ProfileId{small_number(line, "profile")});
  });
  add("allocation_executor_removed", [this](const EventLine& line) {
    const auto kind =
        allocation->on_executor_removed(executor(line), static_cast<policies::ExecutorEnd>(number(line, "reason")));
    EffectDigest digest;
    digest.add(kind ? static_cast<std::int64_t>(*kind) + 2 : 1);
    return digest;
  });
  add_call("allocation_block_updated", [](auto& decider, Instant now, const EventLine& line, auto&) {
    decider.on_block_updated(now, executor(line), number(line, "dataset"), small_number(line, "partition"),
                             static_cast<policies::BlockLevel>(number(line, "level")));
  });
  add_call("allocation_unpersisted", [](auto& decider, Instant, const EventLine& line, auto&) {
    decider.on_unpersisted(number(line, "dataset"));
  });
  add_call("allocation_shuffle_cleaned", [](auto& decider, Instant, const EventLine& line, auto&) {
    decider.on_shuffle_cleaned(ShuffleId{number(line, "shuffle")});
  });
}

void DriverReplay::add_allocation_tasks() {
  const auto add_call = [this](const char* name, auto call) {
    add(name, [this, call](const EventLine& line) {
      policies::AllocationEffects effects;
      call(*allocation, time_of(line), line, effects);
      return digest_of(effects);
    });
  };
  add_call("allocation_stage_submitted", [this](auto& decider, Instant now, const EventLine& line, auto& effects) {
    const auto key = set_key(line);
    decider.on_stage_submitted(now, key.stage, key.attempt, small_number(line, "tasks"),
                               ProfileId{small_number(line, "profile")}, ranges(line, "partitions"), places(line),
                               effects);
  });
  add_call("allocation_stage_completed", [](auto& decider, Instant, const EventLine& line, auto&) {
    decider.on_stage_completed(set_key(line).stage, set_key(line).attempt);
  });
  add_call("allocation_task_started", [](auto& decider, Instant now, const EventLine& line, auto&) {
    const auto key = set_key(line);
    for_run(line, [&](std::int64_t each) {
      decider.on_task_started(now, key.stage, key.attempt, static_cast<std::int32_t>(each), executor(line),
                              number(line, "speculative") != 0);
    });
  });
  add_call("allocation_task_ended", [](auto& decider, Instant now, const EventLine& line, auto&) {
    const auto key = set_key(line);
    for_run(line, [&](std::int64_t each) {
      decider.on_task_ended(now, key.stage, key.attempt, static_cast<std::int32_t>(each), executor(line),
                            number(line, "speculative") != 0,
                            static_cast<policies::TaskEndReason>(number(line, "reason")));
    });
  });
  add_call("allocation_copy_submitted", [](auto& decider, Instant now, const EventLine& line, auto&) {
    const auto key = set_key(line);
    for_run(line, [&](std::int64_t each) {
      decider.on_speculative_submitted(now, key.stage, key.attempt, static_cast<std::int32_t>(each));
    });
  });
  add_call("allocation_unschedulable_added", [](auto& decider, Instant now, const EventLine& line, auto&) {
    decider.on_unschedulable_added(now, set_key(line).stage, set_key(line).attempt);
  });
  add_call("allocation_unschedulable_removed", [](auto& decider, Instant, const EventLine& line, auto&) {
    decider.on_unschedulable_removed(set_key(line).stage, set_key(line).attempt);
  });
  add_call("allocation_job_started", [](auto& decider, Instant, const EventLine& line, auto&) {
    std::vector<policies::JobStage> stages;
    const auto shuffles = column(line, "shuffles");
    for (std::size_t i = 0; const auto stage : column(line, "stages"))
      stages.push_back({StageId{stage}, ShuffleId{shuffles.at(i++)}});
    decider.on_job_started(JobId{number(line, "job")}, stages);
  });
  add_call("allocation_job_ended", [](auto& decider, Instant, const EventLine& line, auto&) {
    decider.on_job_ended(JobId{number(line, "job")});
  });
}

}  // namespace heddle::tests
