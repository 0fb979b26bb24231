// Inputs of the TaskScheduler, one struct each, with the record name and fields of the event log
// (runtime/event_log/recorded.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/executor_loss.hpp"
#include "model/ids.hpp"
#include "model/preferred_location.hpp"
#include "model/random_stream.hpp"
#include "policies/tasks/types/task_descriptions.hpp"
#include "policies/tasks/types/task_effects.hpp"
#include "policies/tasks/types/task_resources.hpp"
#include "policies/tasks/types/task_set_key.hpp"

namespace heddle::policies::task_input {

/// Registers the name of a host and its rack (empty: none), before the first use of the host. Repeating it unchanged is
/// allowed.
struct HostIntroduced {
  static constexpr std::string_view record = "task_scheduler_host";
  HostId host;
  std::string name;
  std::string rack;
  static void visit_fields(auto& visit, auto& self) {
    visit("host", self.host);
    visit("name", self.name);
    visit("rack", self.rack);
  }
};

/// Registers the name of an executor. An executor without a name has its decimal number as name. Names matter only for
/// the iteration order of Spark's hash tables, which heddle reproduces.
struct ExecutorIntroduced {
  static constexpr std::string_view record = "task_scheduler_executor";
  ExecutorId executor;
  std::string name;
  static void visit_fields(auto& visit, auto& self) {
    visit("executor", self.executor);
    visit("name", self.name);
  }
};

/// The tasks of a stage attempt are ready. Earlier attempts of the stage launch nothing from now on.
struct TaskSetSubmitted {
  static constexpr std::string_view record = "task_scheduler_set";
  TaskSetDescription set;
  static void visit_fields(auto& visit, auto& self) {
    visit("stage", self.set.key.stage);
    visit("stage_attempt", self.set.key.attempt);
    visit("job", self.set.job);
    visit("kind", self.set.kind);
    visit("pool", self.set.pool);
    visit("tasks", self.set.tasks);
    visit.flat("partitions", self.set.partitions, &IndexRange::first, &IndexRange::count);
    visit("places", self.set.places.lists);
    visit("places_by_partition", self.set.places.by_partition);
    visit("task_cores", self.set.task_cores);
    visit("task_binary_bytes", self.set.task_binary_bytes);
    visit.unless_default("barrier", self.set.is_barrier);
    visit("expected_shares", self.set.expected_shares);
    visit("need", self.set.need);
  }
};

/// Resources of an executor besides cores, by the index of its offer.
struct DetailOfOffer {
  std::int64_t offer = 0;
  OfferDetail detail;
  static void visit_fields(auto& visit, auto& self) {
    visit("offer", self.offer);
    visit("profile", self.detail.profile);
    visit.columns(self.detail.free, "kinds", &ResourceShare::kind, "addresses", &ResourceShare::address, "shares",
                  &ResourceShare::share);
  }
};

/// One offer round. `is_full`: all executors are offered, also those without a free core. Unknown executors are added.
/// With a random stream the offers are shuffled once, to spread tasks over the executors (TS-2 step 5); without one
/// they keep the given order.
struct OffersMade {
  static constexpr std::string_view record = "task_scheduler_offers";
  std::span<const SlotOffer> offers;
  bool is_full = false;
  RandomStream* random = nullptr;
  static void visit_fields(auto& visit, auto& self) {
    visit("full", self.is_full);
    visit.columns(self.offers, "executors", &SlotOffer::executor, "hosts", &SlotOffer::host, "free_cores",
                  &SlotOffer::free_cores);
    visit.converted(
        "details", [&self] { return details_of(self.offers); },
        [&self](const auto& rows, auto& keep) {
          auto& kept = keep(std::vector<SlotOffer>(self.offers.begin(), self.offers.end()));
          for (const auto& row : rows) kept.at(static_cast<std::size_t>(row.offer)).detail = &keep(row.detail);
          self.offers = kept;
        });
    if (self.offers.size() > 1) visit("random", self.random);  // a single offer needs no order
  }

private:
  static std::vector<DetailOfOffer> details_of(std::span<const SlotOffer> all) {
    std::vector<DetailOfOffer> rows;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i].detail != nullptr) rows.push_back({static_cast<std::int64_t>(i), *all[i].detail});
    return rows;
  }
};

/// An executor reports the state of an attempt. Ignored, with the answer `false`, if the attempt is unknown or has
/// ended.
struct AttemptReported {
  static constexpr std::string_view record = "task_scheduler_status";
  LaunchId attempt;
  AttemptState state = AttemptState::finished;
  AttemptFailure failure = AttemptFailure::unknown;
  ExecutorId source_executor;
  HostId source_host;
  static constexpr auto counted = &AttemptReported::attempt;
  static constexpr void visit_fields(auto& visit, auto& self) {
    visit("state", self.state);
    visit("failure", self.failure);
    visit("source_executor", self.source_executor);
    visit("source_host", self.source_host);
  }
};

/// As AttemptReported, with the size of the result or the records read; without a failure.
struct AttemptMeasured {
  static constexpr std::string_view record = "task_scheduler_detailed_status";
  LaunchId attempt;
  AttemptState state = AttemptState::finished;
  std::int64_t result_bytes = 0;
  std::int64_t records = 0;
  std::int64_t run_us = -1;  // run time for these records; -1: unknown
  static constexpr auto counted = &AttemptMeasured::attempt;
  static constexpr void visit_fields(auto& visit, auto& self) {
    visit("state", self.state);
    visit("result_bytes", self.result_bytes);
    visit("records", self.records);
    visit("run_us", self.run_us);
  }
};

/// Applies a reported status to a TaskScheduler or to its recorder, as the input that holds all of its fields.
template <class Scheduler>
bool apply_attempt_status(Scheduler& scheduler, Instant now, LaunchId attempt, const AttemptStatus& status,
                          TaskSchedulerEffects& effects) {
  if (status.result_bytes == 0 && !status.progress)
    return scheduler.apply(
        now, AttemptReported{attempt, status.state, status.failure, status.source_executor, status.source_host},
        effects);
  AttemptMeasured measured{attempt, status.state, status.result_bytes};
  if (status.progress) {
    measured.records = status.progress->records;
    measured.run_us = status.progress->run_time.count();
  }
  return scheduler.apply(now, measured, effects);
}

struct ExecutorGone {
  static constexpr std::string_view record = "task_scheduler_executor_lost";
  ExecutorId executor;
  LossReason reason;
  static void visit_fields(auto& visit, auto& self) {
    visit("executor", self.executor);
    visit("kind", self.reason.kind);
    visit("by_application", self.reason.by_application);
  }
};

/// The executor is going to be decommissioned; with `whole_host` its host too.
struct ExecutorDecommissioned {
  static constexpr std::string_view record = "task_scheduler_decommission";
  ExecutorId executor;
  bool whole_host = false;
  static void visit_fields(auto& visit, auto& self) {
    visit("executor", self.executor);
    visit("whole_host", self.whole_host);
  }
};

/// Another attempt of the stage finished this partition.
struct PartitionFinished {
  static constexpr std::string_view record = "task_scheduler_partition_done";
  StageId stage;
  std::int32_t partition = 0;
  static constexpr auto counted = &PartitionFinished::partition;
  static constexpr void visit_fields(auto& visit, auto& self) { visit("stage", self.stage); }
};

/// The output of this map task was migrated to another host. It remains when its executor is decommissioned.
struct OutputMoved {
  static constexpr std::string_view record = "task_scheduler_output_moved";
  StageId stage;
  std::int32_t partition = 0;
  HostId host;
  static void visit_fields(auto& visit, auto& self) {
    visit("stage", self.stage);
    visit("partition", self.partition);
    visit("host", self.host);
  }
};

/// Kills the running tasks of all attempts of the stage, which launch nothing any more (TS-13).
struct StageKilled {
  static constexpr std::string_view record = "task_scheduler_kill_stage";
  StageId stage;
  static void visit_fields(auto& visit, auto& self) { visit("stage", self.stage); }
};

/// Checks all sets for tasks that run too long. The caller decides how often (100 ms in Spark).
struct SpeculationDue {
  static constexpr std::string_view record = "task_scheduler_speculation";
  static void visit_fields(auto&, auto&) {}
};

/// Queues up to `max_count` tasks of one set ahead on the executor, all of the same locality level: launches with
/// `queued`. They start when their status is `running` (or an end). Locality timers ignore them. The set is the first
/// in pool order with tasks at its allowed level; no task of a level that still waits is taken.
struct TasksWantedAhead {
  static constexpr std::string_view record = "task_scheduler_queue_ahead";
  ExecutorId executor;
  std::int32_t max_count = 0;
  static void visit_fields(auto& visit, auto& self) {
    visit("executor", self.executor);
    visit("max_count", self.max_count);
  }
};

/// Retracts a queued attempt: its task is pending again, without effect. False if the attempt is not queued (any more),
/// or its set launches nothing any more.
struct AttemptRetracted {
  static constexpr std::string_view record = "task_scheduler_retract";
  LaunchId attempt;
  static constexpr auto counted = &AttemptRetracted::attempt;
  static constexpr void visit_fields(auto&, auto&) {}
};

/// Applies timers that are due: aborts sets that were unschedulable for too long.
struct TimePassed {
  static constexpr std::string_view record = "task_scheduler_time";
  static constexpr bool is_due_only = true;
  static void visit_fields(auto&, auto&) {}
};

using Input = std::variant<HostIntroduced, ExecutorIntroduced, TaskSetSubmitted, OffersMade, AttemptReported,
                           AttemptMeasured, ExecutorGone, ExecutorDecommissioned, PartitionFinished, OutputMoved,
                           StageKilled, SpeculationDue, TasksWantedAhead, AttemptRetracted, TimePassed>;

}  // namespace heddle::policies::task_input
