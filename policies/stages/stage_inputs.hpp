// Inputs of the StageScheduler, one struct each, with the record name and fields of the event log
// (runtime/event_log/recorded.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "policies/stages/stage_events.hpp"

namespace heddle::policies::stage_input {

// -- datasets and jobs ---------------------------------------------------------

/// The parents must be known. Shuffle dependencies get the next shuffle ids in their order, unless they share one.
/// Returns the id of the dataset.
struct DatasetAdded {
  static constexpr std::string_view record = "stage_scheduler_dataset";
  static constexpr std::string_view answer_key = "dataset";
  DatasetDescription description;
  static void visit_fields(auto& visit, auto& self) {
    visit("partitions", self.description.partitions);
    visit.flat("dependencies", self.description.dependencies, &Dependency::kind, &Dependency::parent);
    visit("cached", self.description.cached);
    visit("indeterminate", self.description.indeterminate);
    visit("reduce_locality", self.description.reduce_locality);
    visit("places", self.description.preferred);
    visit.unless_default("barrier", self.description.barrier);
    visit.converted(
        "shared", [&self] { return shared_of(self.description.dependencies); },
        [&self](const auto& rows, auto&) {
          for (std::size_t i = 0; i < rows.size(); ++i) self.description.dependencies.at(i).shared = rows[i];
        });
    visit("profile", self.description.profile);
  }

private:
  /// The shared shuffle of each dependency. Empty if no dependency shares one.
  static std::vector<ShuffleId> shared_of(const std::vector<Dependency>& dependencies) {
    std::vector<ShuffleId> shuffles;
    bool is_any = false;
    for (const Dependency& each : dependencies) {
      shuffles.push_back(each.shared);
      is_any = is_any || !each.shared.is_none();
    }
    return is_any ? shuffles : std::vector<ShuffleId>{};
  }
};

/// No later job needs the dataset. Removes its map outputs, preferred locations and cached places. Does nothing while a
/// live stage needs the dataset.
struct DatasetForgotten {
  static constexpr std::string_view record = "stage_scheduler_forget_dataset";
  DatasetId dataset;
  static void visit_fields(auto& visit, auto& self) { visit("dataset", self.dataset); }
};

/// Job ids ascend. `partitions`: distinct, in the order of the job's outputs. A job without partitions ends at once.
struct JobSubmitted {
  static constexpr std::string_view record = "stage_scheduler_submit_job";
  JobId job;
  DatasetId dataset;
  std::vector<IndexRange> partitions;
  static void visit_fields(auto& visit, auto& self) {
    visit("job", self.job);
    visit("dataset", self.dataset);
    visit.flat("partitions", self.partitions, &IndexRange::first, &IndexRange::count);
  }
};

/// A job that needs only the map outputs of a shuffle. Its single result is output 0.
struct MapStageSubmitted {
  static constexpr std::string_view record = "stage_scheduler_submit_map_stage";
  JobId job;
  ShuffleId shuffle;
  static void visit_fields(auto& visit, auto& self) {
    visit("job", self.job);
    visit("shuffle", self.shuffle);
  }
};

struct JobCancelled {
  static constexpr std::string_view record = "stage_scheduler_cancel_job";
  JobId job;
  static void visit_fields(auto& visit, auto& self) { visit("job", self.job); }
};

// -- from the TaskScheduler ----------------------------------------------------

/// `place`: of the output of a map task. `sizes`: its bytes per reduce task; may be empty.
struct TaskSucceeded {
  static constexpr std::string_view record = "stage_scheduler_success";
  StageId stage;
  std::int32_t attempt = 0;
  std::int32_t partition = 0;
  MapStatusLocation place;
  std::span<const std::int64_t> sizes = {};
  static constexpr auto counted = &TaskSucceeded::partition;
  static constexpr bool is_timeless = true;
  static constexpr void visit_fields(auto& visit, auto& self) {
    visit("stage", self.stage);
    visit("stage_attempt", self.attempt);
    visit("executor", self.place.executor);
    visit("host", self.place.host);
    visit.unless_default("sizes", self.sizes);
  }
};

/// The task could not fetch map output `map` of `shuffle` from `place`. -1: the map is unknown. None: the place is
/// unknown.
struct FetchFailed {
  static constexpr std::string_view record = "stage_scheduler_fetch_failed";
  StageId stage;
  std::int32_t attempt = 0;
  std::int32_t partition = 0;
  ShuffleId shuffle;
  std::int32_t map = 0;
  MapStatusLocation place;
  static void visit_fields(auto& visit, auto& self) {
    visit("stage", self.stage);
    visit("stage_attempt", self.attempt);
    visit("partition", self.partition);
    visit("shuffle", self.shuffle);
    visit("map", self.map);
    visit("executor", self.place.executor);
    visit("host", self.place.host);
  }
};

/// Any other failure. It has no effect here, because the TaskScheduler retries the task.
struct TaskFailed {
  static constexpr std::string_view record = "stage_scheduler_failure";
  StageId stage;
  std::int32_t attempt = 0;
  std::int32_t partition = 0;
  static constexpr auto counted = &TaskFailed::partition;
  static constexpr bool is_timeless = true;
  static constexpr void visit_fields(auto& visit, auto& self) {
    visit("stage", self.stage);
    visit("stage_attempt", self.attempt);
  }
};

/// A task of a barrier stage failed, or its output is lost. The running tasks of the attempt are killed. A map stage
/// runs again in full. A result stage fails its jobs, because its other tasks may have delivered results.
struct BarrierFailed {
  static constexpr std::string_view record = "stage_scheduler_barrier_failed";
  StageId stage;
  std::int32_t attempt = 0;
  static void visit_fields(auto& visit, auto& self) {
    visit("stage", self.stage);
    visit("stage_attempt", self.attempt);
  }
};

/// A finished map task runs again, because its output was lost with its executor.
struct TaskResubmitted {
  static constexpr std::string_view record = "stage_scheduler_resubmitted";
  StageId stage;
  std::int32_t attempt = 0;
  std::int32_t partition = 0;
  static constexpr auto counted = &TaskResubmitted::partition;
  static constexpr bool is_timeless = true;
  static constexpr void visit_fields(auto& visit, auto& self) {
    visit("stage", self.stage);
    visit("stage_attempt", self.attempt);
  }
};

/// The TaskScheduler aborted the task set.
struct SetGivenUp {
  static constexpr std::string_view record = "stage_scheduler_set_failed";
  StageId stage;
  std::int32_t attempt = 0;
  static void visit_fields(auto& visit, auto& self) {
    visit("stage", self.stage);
    visit("stage_attempt", self.attempt);
  }
};

// -- executors, blocks and time ------------------------------------------------

struct ExecutorRegistered {
  static constexpr std::string_view record = "stage_scheduler_executor_added";
  ExecutorId executor;
  HostId host;
  static void visit_fields(auto& visit, auto& self) {
    visit("executor", self.executor);
    visit("host", self.host);
  }
};

/// `lost_host`: set if the whole host is lost.
struct ExecutorGone {
  static constexpr std::string_view record = "stage_scheduler_executor_lost";
  ExecutorId executor;
  std::optional<HostId> lost_host;
  static void visit_fields(auto& visit, auto& self) {
    visit("executor", self.executor);
    visit("lost_host", self.lost_host);
  }
};

/// The executor is being decommissioned. `host_too`: its host is, too.
struct ExecutorDecommissioned {
  static constexpr std::string_view record = "stage_scheduler_decommissioned";
  ExecutorId executor;
  bool host_too = false;
  static void visit_fields(auto& visit, auto& self) {
    visit("executor", self.executor);
    visit("host_too", self.host_too);
  }
};

/// A map output has a copy at `to`. Returns false if the output is no longer the one at `from`.
struct OutputMoved {
  static constexpr std::string_view record = "stage_scheduler_output_moved";
  ShuffleId shuffle;
  std::int32_t map = 0;
  MapStatusLocation from;
  MapStatusLocation to;
  static void visit_fields(auto& visit, auto& self) {
    visit("shuffle", self.shuffle);
    visit("map", self.map);
    visit("from_executor", self.from.executor);
    visit("from_host", self.from.host);
    visit("executor", self.to.executor);
    visit("host", self.to.host);
  }
};

/// From now on the partition is cached at exactly these places.
struct PartitionCached {
  static constexpr std::string_view record = "stage_scheduler_cached";
  DatasetId dataset;
  std::int32_t partition = 0;
  std::vector<MapStatusLocation> places;
  static void visit_fields(auto& visit, auto& self) {
    visit("dataset", self.dataset);
    visit("partition", self.partition);
    visit.columns(self.places, "executors", &MapStatusLocation::executor, "hosts", &MapStatusLocation::host);
  }
};

/// Submits the failed stages whose delay is over.
struct TimePassed {
  static constexpr std::string_view record = "stage_scheduler_time";
  static constexpr bool is_due_only = true;
  static void visit_fields(auto&, auto&) {}
};

using Input = std::variant<DatasetAdded, DatasetForgotten, JobSubmitted, MapStageSubmitted, JobCancelled, TaskSucceeded,
                           FetchFailed, TaskFailed, BarrierFailed, TaskResubmitted, SetGivenUp, ExecutorRegistered,
                           ExecutorGone, ExecutorDecommissioned, OutputMoved, PartitionCached, TimePassed>;

}  // namespace heddle::policies::stage_input
