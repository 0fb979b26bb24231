// Datasets and effects of the StageScheduler. A struct that the event log holds, or a digest of, lists its
// fields (runtime/event_log/field_writer.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <variant>
#include <vector>

#include "model/container.hpp"
#include "model/ids.hpp"
#include "model/preferred_location.hpp"
#include "model/time.hpp"
#include "policies/stages/map_output_table.hpp"

namespace heddle::policies {

/// A dataset of the user's graph, numbered densely from 0 in the order of DatasetAdded.
using DatasetId = StrongId<struct DatasetIdTag>;

/// Input of a dataset. Narrow: partition i needs partition i of the parent. Shuffle: each partition needs all
/// partitions.
struct Dependency {
  enum class Kind : std::uint8_t { narrow, shuffle };
  Kind kind = Kind::narrow;
  DatasetId parent;
  /// Shuffle dependencies only: the shuffle of an earlier dataset with the same parent and as many partitions. None: a
  /// new shuffle.
  ShuffleId shared{};
};

struct DatasetDescription {
  std::int32_t partitions = 0;
  std::vector<Dependency> dependencies;
  bool cached = false;           // false: its cached places are ignored
  bool indeterminate = false;    // a second computation may yield other records or another order
  bool barrier = false;          // its tasks run at the same time; if one fails, all run again
  bool reduce_locality = false;  // tasks prefer hosts with much of their shuffle input (MOT-4)
  std::shared_ptr<const PreferredLocationLists> preferred;  // per partition; null: there are none
  ProfileId profile{0};                                     // of the executors of a stage that ends with this dataset
};

enum class StageKind : std::uint8_t { map, result };

/// Why a job failed.
enum class JobFailure : std::uint8_t {
  cancelled,
  task_set_failed,
  fetch_failures,
  too_many_attempts,
  indeterminate_output,
  barrier_failures,
  barrier_result
};

// -- effects, in the order of their application ---------------------------------

/// A stage attempt starts. With 0 tasks, no SubmitTaskSet follows.
struct StageSubmitted {
  StageId stage;
  std::int32_t attempt = 0;
  std::int32_t tasks = 0;
  std::vector<IndexRange> partitions;
  TaskSetLocations places;  // as the datasets name them, with repeated places
  ProfileId profile{0};
  static void visit_fields(auto& visit, auto& self) {
    visit("stage", self.stage);
    visit("attempt", self.attempt);
    visit("tasks", self.tasks);
    visit("profile", self.profile);
    visit("partitions", self.partitions);
  }
};
/// Run one task per partition, in this order. A task's index is its position in the set.
struct SubmitTaskSet {
  StageId stage;
  std::int32_t attempt = 0;
  StageKind kind = StageKind::result;
  JobId job;  // gives the set its pool and priority
  DatasetId dataset;
  ShuffleId shuffle;  // map only: the shuffle that the tasks write
  std::vector<IndexRange> partitions;
  std::int32_t tasks = 0;
  TaskSetLocations places;  // each location once per task
  bool is_barrier = false;
  static void visit_fields(auto& visit, auto& self) {
    visit("stage", self.stage);
    visit("attempt", self.attempt);
    visit("kind", self.kind);
    visit("job", self.job);
    visit("dataset", self.dataset);
    visit("shuffle", self.shuffle);
    visit("tasks", self.tasks);
    visit("partitions", self.partitions);
    visit("places", self.places);
  }
};
/// A stage attempt ended. `will_retry`: it failed, and the stage will run again.
struct StageCompleted {
  StageId stage;
  std::int32_t attempt = 0;
  bool succeeded = false;
  bool will_retry = false;
  static void visit_fields(auto& visit, auto& self) {
    visit("stage", self.stage);
    visit("attempt", self.attempt);
    visit("succeeded", self.succeeded);
    visit("will_retry", self.will_retry);
  }
};
/// The output with this index in the job's list of partitions is available.
struct JobResult {
  JobId job;
  std::int32_t output = 0;
  static void visit_fields(auto& visit, auto& self) {
    visit("job", self.job);
    visit("output", self.output);
  }
};
/// The job fails; a JobEnded follows.
struct JobFailed {
  JobId job;
  JobFailure failure = JobFailure::cancelled;
  StageId stage;  // none if the job was cancelled
  static void visit_fields(auto& visit, auto& self) {
    visit("job", self.job);
    visit("failure", self.failure);
    visit("stage", self.stage);
  }
};
/// The job ended.
struct JobEnded {
  JobId job;
  bool succeeded = false;
  static void visit_fields(auto& visit, auto& self) {
    visit("job", self.job);
    visit("succeeded", self.succeeded);
  }
};
/// Cancel all running attempts of a stage that no job needs.
struct CancelStage {
  StageId stage;
  static void visit_fields(auto& visit, auto& self) { visit("stage", self.stage); }
};
/// Kill the running tasks of a stage whose latest attempt has ended.
struct KillStageAttempts {
  StageId stage;
  static void visit_fields(auto& visit, auto& self) { visit("stage", self.stage); }
};
/// An older stage attempt finished this partition. Newer attempts skip it.
struct PartitionDone {
  StageId stage;
  std::int32_t partition = 0;
  static void visit_fields(auto& visit, auto& self) {
    visit("stage", self.stage);
    visit("partition", self.partition);
  }
};
/// The executor is lost with its cached blocks.
struct BlocksRemoved {
  ExecutorId executor;
  static void visit_fields(auto& visit, auto& self) { visit("executor", self.executor); }
};
/// Failed stages are submitted again at `due`.
struct ResubmitScheduled {
  Instant due;
  static void visit_fields(auto& visit, auto& self) { visit("due", self.due); }
};

using StageEffect = std::variant<StageSubmitted, SubmitTaskSet, StageCompleted, JobResult, JobFailed, JobEnded,
                                 CancelStage, KillStageAttempts, PartitionDone, BlocksRemoved, ResubmitScheduled>;
using StageEffects = std::vector<StageEffect>;

}  // namespace heddle::policies
