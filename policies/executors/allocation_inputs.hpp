// Inputs of the ExecutorAllocation, one struct each, with the record name and fields of the event log
// (runtime/event_log/recorded.hpp).
#pragma once

#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "policies/executors/allocation_events.hpp"
#include "policies/executors/executor_monitor.hpp"

namespace heddle::policies::allocation_input {

struct Started {
  static constexpr std::string_view record = "allocation_start";
  static void visit_fields(auto&, auto&) {}
};

/// One run of the poll.
struct PollDue {
  static constexpr std::string_view record = "allocation_poll";
  static void visit_fields(auto&, auto&) {}
};

/// The answer to a RequestExecutorTotals that needs one.
struct RequestAnswered {
  static constexpr std::string_view record = "allocation_request_answered";
  bool accepted = false;
  static void visit_fields(auto& visit, auto& self) { visit("accepted", self.accepted); }
};

/// The answer to RemoveIdleExecutors: the executors that are removed.
struct KillAnswered {
  static constexpr std::string_view record = "allocation_kill_answered";
  std::vector<ExecutorId> acknowledged;
  static void visit_fields(auto& visit, auto& self) { visit("executors", self.acknowledged); }
};

/// Number of tasks that run at a time in an executor of the profile. Required before a stage uses the profile.
struct ProfileDescribed {
  static constexpr std::string_view record = "allocation_profile";
  ProfileId profile{0};
  std::int32_t tasks_per_executor = 1;
  static void visit_fields(auto& visit, auto& self) {
    visit("profile", self.profile);
    visit("tasks_per_executor", self.tasks_per_executor);
  }
};

/// The application master registered again: reset all targets.
struct Reset {
  static constexpr std::string_view record = "allocation_reset";
  static void visit_fields(auto&, auto&) {}
};

// -- stages and tasks ----------------------------------------------------------

/// `places` are the preferred locations of the set's tasks; `partitions` has their partitions in the same order.
struct StageBegun {
  static constexpr std::string_view record = "allocation_stage_submitted";
  StageId stage;
  std::int32_t attempt = 0;
  std::int32_t tasks = 0;
  ProfileId profile{0};
  std::vector<IndexRange> partitions;
  TaskSetLocations places;
  static void visit_fields(auto& visit, auto& self) {
    visit("stage", self.stage);
    visit("stage_attempt", self.attempt);
    visit("tasks", self.tasks);
    visit("profile", self.profile);
    visit.flat("partitions", self.partitions, &IndexRange::first, &IndexRange::count);
    visit("places", self.places.lists);
    visit("places_by_partition", self.places.by_partition);
  }
};

struct StageEnded {
  static constexpr std::string_view record = "allocation_stage_completed";
  StageId stage;
  std::int32_t attempt = 0;
  static void visit_fields(auto& visit, auto& self) {
    visit("stage", self.stage);
    visit("stage_attempt", self.attempt);
  }
};

struct TaskStarted {
  static constexpr std::string_view record = "allocation_task_started";
  StageId stage;
  std::int32_t attempt = 0;
  std::int32_t index = 0;
  ExecutorId executor;
  bool is_speculative = false;
  static constexpr auto counted = &TaskStarted::index;
  static constexpr void visit_fields(auto& visit, auto& self) {
    visit("stage", self.stage);
    visit("stage_attempt", self.attempt);
    visit("executor", self.executor);
    visit("speculative", self.is_speculative);
  }
};

struct TaskStopped {
  static constexpr std::string_view record = "allocation_task_ended";
  StageId stage;
  std::int32_t attempt = 0;
  std::int32_t index = 0;
  ExecutorId executor;
  bool is_speculative = false;
  TaskEndReason reason = TaskEndReason::success;
  static constexpr auto counted = &TaskStopped::index;
  static constexpr void visit_fields(auto& visit, auto& self) {
    visit("stage", self.stage);
    visit("stage_attempt", self.attempt);
    visit("executor", self.executor);
    visit("speculative", self.is_speculative);
    visit("reason", self.reason);
  }
};

/// A copy of a task was requested.
struct CopySubmitted {
  static constexpr std::string_view record = "allocation_copy_submitted";
  StageId stage;
  std::int32_t attempt = 0;
  std::int32_t index = 0;
  static constexpr auto counted = &CopySubmitted::index;
  static constexpr void visit_fields(auto& visit, auto& self) {
    visit("stage", self.stage);
    visit("stage_attempt", self.attempt);
  }
};

struct SetUnschedulable {
  static constexpr std::string_view record = "allocation_unschedulable_added";
  StageId stage;
  std::int32_t attempt = 0;
  static void visit_fields(auto& visit, auto& self) {
    visit("stage", self.stage);
    visit("stage_attempt", self.attempt);
  }
};

struct SetSchedulable {
  static constexpr std::string_view record = "allocation_unschedulable_removed";
  StageId stage;
  std::int32_t attempt = 0;
  static void visit_fields(auto& visit, auto& self) {
    visit("stage", self.stage);
    visit("stage_attempt", self.attempt);
  }
};

struct JobBegun {
  static constexpr std::string_view record = "allocation_job_started";
  JobId job;
  std::vector<JobStage> stages;
  static void visit_fields(auto& visit, auto& self) {
    visit("job", self.job);
    visit.columns(self.stages, "stages", &JobStage::stage, "shuffles", &JobStage::shuffle);
  }
};

struct JobDone {
  static constexpr std::string_view record = "allocation_job_ended";
  JobId job;
  static void visit_fields(auto& visit, auto& self) { visit("job", self.job); }
};

// -- executors and their blocks ---------------------------------------------------

struct ExecutorActive {
  static constexpr std::string_view record = "allocation_active";
  ExecutorId executor;
  static void visit_fields(auto& visit, auto& self) { visit("executor", self.executor); }
};

struct ExecutorRegistered {
  static constexpr std::string_view record = "allocation_executor_added";
  ExecutorId executor;
  ProfileId profile{0};
  static void visit_fields(auto& visit, auto& self) {
    visit("executor", self.executor);
    visit("profile", self.profile);
  }
};

/// Answer: how the removal is counted; none if the executor is unknown.
struct ExecutorGone {
  static constexpr std::string_view record = "allocation_executor_removed";
  ExecutorId executor;
  LossKind reason = LossKind::process_lost;  // decommissioned: it ended after it was drained
  static void visit_fields(auto& visit, auto& self) {
    visit("executor", self.executor);
    visit("reason", self.reason);
  }
};

struct BlockUpdated {
  static constexpr std::string_view record = "allocation_block_updated";
  ExecutorId executor;
  std::int64_t dataset = 0;
  std::int32_t partition = 0;
  BlockLevel level = BlockLevel::none;
  static void visit_fields(auto& visit, auto& self) {
    visit("executor", self.executor);
    visit("dataset", self.dataset);
    visit("partition", self.partition);
    visit("level", self.level);
  }
};

struct DatasetDropped {
  static constexpr std::string_view record = "allocation_unpersisted";
  std::int64_t dataset = 0;
  static void visit_fields(auto& visit, auto& self) { visit("dataset", self.dataset); }
};

struct ShuffleDropped {
  static constexpr std::string_view record = "allocation_shuffle_cleaned";
  ShuffleId shuffle;
  static void visit_fields(auto& visit, auto& self) { visit("shuffle", self.shuffle); }
};

using Input =
    std::variant<Started, PollDue, RequestAnswered, KillAnswered, ProfileDescribed, Reset, StageBegun, StageEnded,
                 TaskStarted, TaskStopped, CopySubmitted, SetUnschedulable, SetSchedulable, JobBegun, JobDone,
                 ExecutorActive, ExecutorRegistered, ExecutorGone, BlockUpdated, DatasetDropped, ShuffleDropped>;

}  // namespace heddle::policies::allocation_input
