// Cuts the datasets of jobs into stages, decides which stage runs when, and what a loss costs.
// Order: parents before children; several at once by first job, then stage id; missing parents by stage id; jobs by id.
// Cost per task event: logarithmic in live stages, constant in partitions; per submitted attempt: linear in its
// partitions. Source: Spark 3.5's DAGScheduler (spec DAG-1 to DAG-23); DAG-3 has the order of stage ids.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "model/container.hpp"
#include "model/ids.hpp"
#include "model/time.hpp"
#include "policies/stages/map_output_table.hpp"
#include "policies/stages/stage_inputs.hpp"
#include "policies/tasks/types/index_bits.hpp"
#include "policies/tasks/types/preferred_location.hpp"

namespace heddle::policies {

/// Where a stage stands and whom it waits for.
struct StageExplanation {
  enum class State : std::uint8_t { unknown, idle, waiting, running, failed };
  State state = State::unknown;
  std::vector<StageId> missing_parents;  // waiting: in ascending order
  std::int32_t missing_partitions = 0;
  std::optional<Instant> retry_at;  // failed: when it is submitted again
  std::string text;
};

/// The position of a dataset in tables that hold all of them.
[[nodiscard]] inline std::size_t index_of(DatasetId id) { return static_cast<std::size_t>(id.value); }

/// Decides about stages. One overload of apply per input; partitions are numbers of the stage's dataset, also for a
/// result stage.
class StageScheduler {
public:
  explicit StageScheduler(StageSchedulerSettings settings) : settings_{settings} {}

  using Inputs = stage_input::Input;
  using Effects = StageEffects;

  // Inputs, each explained at its struct.
  DatasetId apply(Instant now, const stage_input::DatasetAdded& input);
  void apply(Instant now, const stage_input::DatasetForgotten& input);
  void apply(Instant now, const stage_input::JobSubmitted& input, StageEffects& effects);
  void apply(Instant now, const stage_input::MapStageSubmitted& input, StageEffects& effects);
  void apply(Instant now, const stage_input::JobCancelled& input, StageEffects& effects);
  void apply(Instant now, const stage_input::TaskSucceeded& input, StageEffects& effects);
  void apply(Instant now, const stage_input::FetchFailed& input, StageEffects& effects);
  void apply(Instant now, const stage_input::TaskFailed& input, StageEffects& effects);
  void apply(Instant now, const stage_input::BarrierFailed& input, StageEffects& effects);
  void apply(Instant now, const stage_input::TaskResubmitted& input, StageEffects& effects);
  void apply(Instant now, const stage_input::SetGivenUp& input, StageEffects& effects);
  void apply(Instant now, const stage_input::ExecutorRegistered& input);
  void apply(Instant now, const stage_input::ExecutorGone& input, StageEffects& effects);
  void apply(Instant now, const stage_input::ExecutorDecommissioned& input);
  bool apply(Instant now, const stage_input::OutputMoved& input);
  void apply(Instant now, const stage_input::PartitionCached& input);
  void apply(Instant now, const stage_input::TimePassed& input, StageEffects& effects);

  // -- questions -----------------------------------------------------------------
  /// The shuffle of a dataset's nth dependency; none for a narrow one.
  [[nodiscard]] ShuffleId shuffle_of(DatasetId dataset, std::size_t dependency) const;

  [[nodiscard]] std::optional<Instant> next_due() const;
  [[nodiscard]] const MapOutputTable& outputs() const { return outputs_; }
  /// The live stage that writes a shuffle; none if there is none.
  [[nodiscard]] StageId stage_of(ShuffleId shuffle) const {
    const auto found = map_stage_of_.find(shuffle);
    return found == map_stage_of_.end() ? StageId{} : found->second;
  }
  [[nodiscard]] const std::set<StageId>& waiting() const { return waiting_; }
  [[nodiscard]] const std::set<StageId>& running() const { return running_; }
  [[nodiscard]] const std::set<StageId>& failed() const { return failed_; }
  [[nodiscard]] bool is_active(JobId job) const { return jobs_.contains(job); }
  /// Direct parents of a live stage, ascending.
  [[nodiscard]] std::vector<StageId> parents(StageId stage) const;
  /// The stages that a job needs, ascending, each with the shuffle that it writes (none: the result's). Empty once the
  /// job has ended.
  [[nodiscard]] std::vector<std::pair<StageId, ShuffleId>> stages_of(JobId job) const;
  [[nodiscard]] StageExplanation explain(StageId stage) const;
  void check_invariants() const;

private:
  /// Cached places of a dataset, per partition. Shared until written to.
  struct CachedPlaces {
    std::vector<std::vector<PreferredLocation>> of_partition;
    std::int32_t partitions_cached = 0;
  };
  struct Dataset {
    DatasetDescription description;
    std::vector<ShuffleId> shuffles;                // per dependency; none for narrow ones
    std::vector<ShuffleId> direct_shuffles;         // through narrow dependencies, ascending, each once
    bool barrier = false;                           // itself or anything it is computed from in the same tasks
    bool indeterminate = false;                     // itself or anything it is computed from
    bool forgotten = false;                         // its shuffles count it no more
    std::shared_ptr<CachedPlaces> cached;           // what is true now; null: nothing
    std::shared_ptr<const CachedPlaces> looked_up;  // what was true at the first question since it was last cleared
    bool is_looked_up = false;
  };
  struct ShuffleEdge {
    DatasetId parent;  // whose partitions the map tasks compute
    DatasetId child;   // the first that reads it
    std::int32_t children = 1;
  };
  struct Stage {
    StageId id;
    StageKind kind = StageKind::result;
    DatasetId dataset;
    ShuffleId shuffle;  // map only
    JobId first_job;
    JobId result_job;  // result only
    std::set<JobId> jobs;
    std::set<JobId> map_stage_jobs;  // jobs that only want this map stage
    std::vector<StageId> parents;    // ascending
    std::int32_t next_attempt = 0;
    std::int32_t latest_attempt = 0;
    std::set<std::int32_t> failed_attempts;
    std::vector<std::int64_t> epoch_of_attempt;  // -1: an attempt that never was
    IndexBits pending;                           // map only: partitions that the latest attempt still owes
  };
  struct Job {
    StageId final_stage;
    bool wants_map_stage = false;
    std::set<StageId> stages;
    std::vector<IndexRange> partitions;      // in the order asked for
    std::vector<IndexRange> sorted_ranges;   // the same ranges by first partition
    std::vector<std::int32_t> first_output;  // of each sorted range
    IndexBits finished;                      // outputs that are there
    std::int32_t outputs = 0;
  };

  // making stages (stage_graph.cpp)
  StageId ensure_map_stage(ShuffleId shuffle, JobId job);
  StageId make_map_stage(ShuffleId shuffle, JobId job);
  StageId make_stage(Stage stage, DatasetId dataset, JobId job);
  std::vector<ShuffleId> missing_ancestors(DatasetId dataset) const;
  void register_job(JobId job, StageId stage);
  ShuffleId shuffle_for(const Dependency& dependency, DatasetId child, std::int32_t partitions);
  [[nodiscard]] bool covers(DatasetId top, DatasetId wanted) const;
  [[nodiscard]] bool depends_on(StageId stage, StageId target) const;
  // submitting (stage_submission.cpp)
  void submit_stage(StageId stage, StageEffects& effects);
  std::optional<std::vector<StageId>> begin_submission(StageId stage, StageEffects& effects);
  std::vector<StageId> missing_parents(StageId stage);
  void submit_missing_tasks(StageId stage, JobId job, StageEffects& effects);
  std::vector<IndexRange> missing_partitions(const Stage& stage) const;
  void finish_map_stage(StageId stage, StageEffects& effects);
  void finish_map_stage_jobs(StageId stage, StageEffects& effects);
  void submit_waiting_children(StageId parent, StageEffects& effects);
  void schedule_resubmission(Instant now, StageEffects& effects);
  void submit_in_order(std::vector<StageId> stages, StageEffects& effects);
  void resubmit_failed_stages(StageEffects& effects);
  std::optional<JobId> active_job(const Stage& stage) const;
  // places (stage_places.cpp)
  const CachedPlaces* look_up_cached(DatasetId dataset);
  void clear_looked_up();
  bool is_fully_cached(DatasetId dataset);
  TaskSetLocations places_of(const Stage& stage, const std::vector<IndexRange>& partitions);
  std::optional<std::shared_ptr<const PreferredLocationLists>> shared_places(DatasetId dataset);
  std::vector<PreferredLocation> preferred_places(DatasetId dataset, std::int32_t partition);
  void drop_cached_on(ExecutorId executor);
  static void set_cached(Dataset& dataset, std::size_t partition, std::vector<PreferredLocation> places);
  [[nodiscard]] std::vector<PreferredLocation> reduce_places(DatasetId dataset, std::int32_t partition) const;
  // ends (stage_scheduler.cpp)
  [[nodiscard]] bool is_barrier(const Stage& stage) const;
  void finish_result_task(Stage& stage, std::int32_t partition, StageEffects& effects);
  void finish_map_task(Stage& stage, std::int32_t attempt, std::int32_t partition, MapStatusLocation place,
                       std::span<const std::int64_t> sizes, StageEffects& effects);
  void mark_finished(Stage& stage, bool succeeded, bool will_retry, StageEffects& effects);
  void abort_stage(StageId stage, JobFailure failure, StageEffects& effects);
  void fail_job(JobId job, JobFailure failure, StageId stage, StageEffects& effects);
  void cancel_independent_stages(JobId job, StageEffects& effects);
  [[nodiscard]] bool has_running_stage_of_its_own(JobId job) const;
  void remove_job(JobId job);
  [[nodiscard]] static std::int64_t epoch_of(const Stage& stage, std::int32_t attempt);
  std::set<StageId> downstream_of(StageId stage) const;
  void roll_back(StageId map_stage, StageEffects& effects);
  void lose_executor(ExecutorId executor, bool files_lost, std::optional<HostId> host, std::int64_t epoch,
                     bool ignore_files_epoch, StageEffects& effects);

  StageSchedulerSettings settings_;
  std::vector<Dataset> datasets_;
  std::vector<ShuffleEdge> shuffles_;  // by shuffle id
  MapOutputTable outputs_;
  std::map<StageId, Stage> stages_;
  std::map<ShuffleId, StageId> map_stage_of_;
  std::map<JobId, Job> jobs_;
  std::set<StageId> waiting_;
  std::set<StageId> running_;
  std::set<StageId> failed_;
  std::int64_t next_stage_ = 0;
  std::vector<Instant> resubmissions_;  // ascending
  std::map<ExecutorId, std::int64_t> failure_epoch_;
  std::map<ExecutorId, std::int64_t> file_lost_epoch_;
  std::map<ExecutorId, bool> decommissioned_;  // value: its host too
  std::set<DatasetId> looked_up_;
  std::map<ExecutorId, std::vector<std::pair<DatasetId, std::int32_t>>> cached_on_;
};

}  // namespace heddle::policies
