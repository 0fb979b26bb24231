// The tables of the StageScheduler, and the steps that its inputs share. Private to policies/stages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "model/ids.hpp"
#include "model/time.hpp"
#include "policies/stages/cached_partitions.hpp"
#include "policies/stages/dataset_table.hpp"
#include "policies/stages/executor_losses.hpp"
#include "policies/stages/job_outputs.hpp"
#include "policies/stages/map_output_table.hpp"
#include "policies/stages/resubmission_times.hpp"
#include "policies/stages/stage_scheduler.hpp"
#include "policies/tasks/types/index_bits.hpp"

namespace heddle::policies {

struct Stage {
  StageId id;
  StageKind kind = StageKind::result;
  DatasetId dataset;
  ShuffleId shuffle;  // map stages only
  JobId first_job;
  JobId result_job;  // result stages only
  std::set<JobId> jobs;
  std::set<JobId> map_stage_jobs;  // jobs that want nothing but this map stage
  std::vector<StageId> parents;    // ascending
  std::int32_t next_attempt = 0;
  std::int32_t latest_attempt = 0;
  std::set<std::int32_t> failed_attempts;
  std::vector<std::int64_t> epoch_of_attempt;  // -1: the attempt was skipped
  IndexBits pending;                           // map stages only: partitions that the latest attempt has not finished

  /// Epoch of the map outputs when the attempt was submitted; -1 for an unknown attempt.
  [[nodiscard]] std::int64_t epoch_of(std::int32_t attempt) const {
    const auto index = static_cast<std::size_t>(attempt);
    return attempt >= 0 && index < epoch_of_attempt.size() ? epoch_of_attempt[index] : -1;
  }
};

struct ActiveJob {
  StageId final_stage;
  std::set<StageId> stages;  // the final stage and its ancestors
  JobOutputs outputs;        // empty for a job that wants a map stage
};

struct StageSchedulerState {
  explicit StageSchedulerState(StageSchedulerSettings given) : settings{given} {}

  StageSchedulerSettings settings;
  DatasetTable datasets;
  CachedPartitions cached;
  MapOutputTable outputs;
  std::map<StageId, Stage> stages;
  std::map<ShuffleId, StageId> map_stage_of;
  std::map<JobId, ActiveJob> jobs;
  std::set<StageId> waiting;
  std::set<StageId> running;
  std::set<StageId> failed;
  std::int64_t next_stage = 0;
  ResubmissionTimes resubmissions;
  ExecutorLosses losses;
};

// -- stages of a job (stage_graph.cpp) -------------------------------------------
/// Makes the result stage of a job, with the map stages that are missing.
StageId make_result_stage(StageSchedulerState& state, DatasetId dataset, JobId job);
/// The map stage of a shuffle. A new one is made after its missing ancestors.
StageId ensure_map_stage(StageSchedulerState& state, ShuffleId shuffle, JobId job);
/// Records that the job needs the stage and all its ancestors.
void register_job(StageSchedulerState& state, JobId job, StageId stage);
/// True if the stage reaches the target's dataset through narrow dependencies and incomplete map stages.
[[nodiscard]] bool depends_on(const StageSchedulerState& state, StageId stage, StageId target);
/// The stage and all stages that read from it, directly or not.
[[nodiscard]] std::set<StageId> downstream_of(const StageSchedulerState& state, StageId stage);

// -- submission (stage_submission.cpp) -------------------------------------------
/// Submits the stage, or its missing parents, which it then waits for.
void submit_stage(StageSchedulerState& state, StageId stage, StageEffects& effects);
/// Partitions to compute: ascending for a map stage, in the order of the outputs for a result stage.
[[nodiscard]] std::vector<IndexRange> missing_partitions(const StageSchedulerState& state, const Stage& stage);
/// The latest attempt of a map stage has no pending partition left.
void finish_map_stage(StageSchedulerState& state, StageId stage, StageEffects& effects);
/// Adds an instant at which all stages that failed until then are submitted again.
void schedule_resubmission(StageSchedulerState& state, Instant now, StageEffects& effects);
void resubmit_failed_stages(StageSchedulerState& state, StageEffects& effects);

// -- preferred locations (stage_places.cpp) --------------------------------------
[[nodiscard]] bool is_fully_cached(StageSchedulerState& state, DatasetId dataset);
/// Preferred locations of the stage's tasks for these partitions.
[[nodiscard]] TaskSetLocations places_of(StageSchedulerState& state, const Stage& stage,
                                         const std::vector<IndexRange>& partitions);

// -- losses (stage_losses.cpp) ---------------------------------------------------
void report_fetch_failure(StageSchedulerState& state, Instant now, const stage_input::FetchFailed& input,
                          StageEffects& effects);
void fail_barrier_attempt(StageSchedulerState& state, Instant now, StageId stage, std::int32_t attempt,
                          StageEffects& effects);

/// Which files an executor loses, and when that was noticed.
struct ExecutorLoss {
  ExecutorId executor;
  std::int64_t epoch = 0;  // of the map outputs
  bool files_lost = false;
  bool ignores_file_epoch = false;  // removes outputs even if a loss of the files is known
  std::optional<HostId> host;       // all outputs on this host are lost
};
void lose_executor(StageSchedulerState& state, const ExecutorLoss& loss, StageEffects& effects);

// -- ends of attempts and jobs (stage_endings.cpp) -------------------------------
/// Ends the latest attempt. Success clears the failed attempts.
void complete_attempt(StageSchedulerState& state, Stage& stage, bool succeeded, bool will_retry, StageEffects& effects);
/// Ends the jobs that want nothing but this map stage.
void finish_map_stage_jobs(StageSchedulerState& state, StageId stage, StageEffects& effects);
/// The last output of the job is there.
void finish_job(StageSchedulerState& state, JobId job, StageEffects& effects);
/// Fails every job that depends on the stage.
void abort_stage(StageSchedulerState& state, StageId stage, JobFailure failure, StageEffects& effects);
/// Without StageSchedulerSettings::can_kill_tasks, a job with a running stage of its own goes on.
void fail_job(StageSchedulerState& state, JobId job, JobFailure failure, StageId stage, StageEffects& effects);

}  // namespace heddle::policies
