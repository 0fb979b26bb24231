// The inputs of the TaskScheduler, one struct each, with the name of its record and its fields in the event log
// (runtime/event_log/recorded.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/random_stream.hpp"
#include "policies/tasks/types/task_scheduler_events.hpp"

namespace heddle::policies::task_input {

/// Names a host and its rack (empty: none) before the host is first used. The same host may be introduced again,
/// unchanged.
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

/// Names an executor; one that is not introduced is called by its number in decimal. Names decide no launch by
/// themselves: where Spark walks a hash table of names, heddle walks in the same order.
struct ExecutorIntroduced {
  static constexpr std::string_view record = "task_scheduler_executor";
  ExecutorId executor;
  std::string name;
  static void visit_fields(auto& visit, auto& self) {
    visit("executor", self.executor);
    visit("name", self.name);
  }
};

/// A stage attempt's tasks are ready. Every earlier attempt of the stage launches nothing from now on.
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
    visit("description_bytes", self.set.description_bytes);
    visit.unless_default("barrier", self.set.is_barrier);
    visit("expected_shares", self.set.expected_shares);
    visit("need", self.set.need);
  }
};

/// What an executor has beside cores, by the place of its offer.
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

/// One round over these offers. `is_full`: all executors are offered, also those without a free core. An executor that
/// is not known is thereby added. With a stream the offers are shuffled once, so that tasks spread over the executors
/// (TS-2 step 5); without one they keep the given order.
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
    if (self.offers.size() > 1) visit("random", self.random);  // one offer has one order
  }

private:
  static std::vector<DetailOfOffer> details_of(std::span<const SlotOffer> all) {
    std::vector<DetailOfOffer> rows;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i].detail != nullptr) rows.push_back({static_cast<std::int64_t>(i), *all[i].detail});
    return rows;
  }
};

/// An executor reports an attempt. One that is not known, or known as ended, is ignored; the answer `false` says so.
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

/// The same with the size of its result, or with what it has read; without a failure.
struct AttemptMeasured {
  static constexpr std::string_view record = "task_scheduler_detailed_status";
  LaunchId attempt;
  AttemptState state = AttemptState::finished;
  std::int64_t result_bytes = 0;
  std::int64_t records = 0;
  std::int64_t run_us = -1;  // for these records; -1: not known
  static constexpr auto counted = &AttemptMeasured::attempt;
  static constexpr void visit_fields(auto& visit, auto& self) {
    visit("state", self.state);
    visit("result_bytes", self.result_bytes);
    visit("records", self.records);
    visit("run_us", self.run_us);
  }
};

/// Tells a TaskScheduler, or one that records, what an executor reported: with the input that holds all of it.
template <class Scheduler>
bool tell_status(Scheduler& scheduler, Instant now, LaunchId attempt, const AttemptStatus& status,
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

/// The executor will go; `whole_host`: its host with it.
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

/// The output of this map task stands on another host now: it stays when the executor that made it goes by
/// decommission.
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

/// Kills what runs of all attempts of the stage; they launch nothing any more (TS-13).
struct StageKilled {
  static constexpr std::string_view record = "task_scheduler_kill_stage";
  StageId stage;
  static void visit_fields(auto& visit, auto& self) { visit("stage", self.stage); }
};

/// One look for tasks that run too long, over all sets; the caller decides how often (100 ms in Spark).
struct SpeculationDue {
  static constexpr std::string_view record = "task_scheduler_speculation";
  static void visit_fields(auto&, auto&) {}
};

/// Takes up to `max_count` tasks of one set, all equally local on the executor, and assigns them to it without running
/// them: they are launches with `queued`. They run when their status says `running` (or any end). Locality timers do
/// not see them. The set is the first in pool order that has tasks at its allowed level; nothing is taken from a level
/// that still waits.
struct TasksWantedAhead {
  static constexpr std::string_view record = "task_scheduler_queue_ahead";
  ExecutorId executor;
  std::int32_t max_count = 0;
  static void visit_fields(auto& visit, auto& self) {
    visit("executor", self.executor);
    visit("max_count", self.max_count);
  }
};

/// Takes a queued attempt back: its task is pending again, no effect. Answers false if it is not queued (any more), or
/// its set launches no more.
struct AttemptRetracted {
  static constexpr std::string_view record = "task_scheduler_retract";
  LaunchId attempt;
  static constexpr auto counted = &AttemptRetracted::attempt;
  static constexpr void visit_fields(auto&, auto&) {}
};

/// Fires what is due: sets that could run nowhere for too long are given up.
struct TimePassed {
  static constexpr std::string_view record = "task_scheduler_time";
  static constexpr bool is_due_only = true;
  static void visit_fields(auto&, auto&) {}
};

using Input = std::variant<HostIntroduced, ExecutorIntroduced, TaskSetSubmitted, OffersMade, AttemptReported,
                           AttemptMeasured, ExecutorGone, ExecutorDecommissioned, PartitionFinished, OutputMoved,
                           StageKilled, SpeculationDue, TasksWantedAhead, AttemptRetracted, TimePassed>;

}  // namespace heddle::policies::task_input
