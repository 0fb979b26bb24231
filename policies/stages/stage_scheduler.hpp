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
#include "policies/tasks/types/index_bits.hpp"
#include "policies/tasks/types/task_place.hpp"

namespace heddle::policies {

/// A dataset of the user's graph, numbered densely from 0 in the order of add_dataset.
using DatasetId = StrongId<struct DatasetIdTag>;

/// What a dataset is computed from. Narrow: partition i needs partition i of the parent. Shuffle: every partition needs
/// all.
struct Dependency {
  enum class Kind : std::uint8_t { narrow, shuffle };
  Kind kind = Kind::narrow;
  DatasetId parent;
  ShuffleId
      shared{};  // shuffle: that of an earlier dataset with this parent and as many partitions; none: one of its own
};

struct DatasetDescription {
  std::int32_t partitions = 0;
  std::vector<Dependency> dependencies;
  bool cached = false;           // only then its cached places are asked for
  bool indeterminate = false;    // a second computation may give other records, or another order
  bool barrier = false;          // its tasks run all at once: a failure of one runs all of them again
  bool reduce_locality = false;  // shuffled: a task prefers hosts that hold much of what it reads (MOT-4)
  std::shared_ptr<const PlaceLists> preferred;  // per partition; null: nobody has any
  ProfileId profile{0};                         // of the executors that compute it, where a stage ends with it
};

struct StageSchedulerSettings {
  std::int32_t max_consecutive_attempts = 4;      // failed attempts of a stage before its jobs fail
  std::int32_t max_stage_attempts = INT32_MAX;    // attempts of a stage in all
  bool shuffle_service = false;                   // map outputs outlive the executor that wrote them
  bool unregister_output_on_host = false;         // a fetch failure drops the host's outputs, not just the executor's
  bool reliable_shuffle_storage = false;          // map outputs survive whatever is lost
  bool ignore_decommission_fetch_failure = true;  // fetch failures at a decommissioned executor count for no limit
  bool cancel_stages_with_failed_attempts =
      false;                        // also cancel old attempts of a stage that is not running (Spark 3.5.4 and later)
  bool old_fetch_protocol = false;  // map outputs are fetched without the attempt that wrote them
  bool can_kill_tasks = true;       // else a job whose stages run goes on when it is cancelled
  bool reduce_locality_by_host =
      false;  // sum what a host holds over its executors (heddle.fix.reduce_locality_by_host)
  Duration resubmit_delay = std::chrono::milliseconds{200};
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

// -- effects, in the order in which they have to happen ------------------------

/// A new attempt of a stage begins; `tasks` may be 0, then no SubmitTaskSet follows.
struct StageSubmitted {
  StageId stage;
  std::int32_t attempt = 0;
  std::int32_t tasks = 0;
  std::vector<IndexRange> partitions;
  TaskSetPlaces places;  // as the datasets name them; a place that is named twice counts twice as a hint
  ProfileId profile{0};
};
/// Run one task per partition, in this order. The position in the set is the task's index.
struct SubmitTaskSet {
  StageId stage;
  std::int32_t attempt = 0;
  StageKind kind = StageKind::result;
  JobId job;  // whose pool and priority the set has
  DatasetId dataset;
  ShuffleId shuffle;  // map only: which shuffle the tasks write
  std::vector<IndexRange> partitions;
  std::int32_t tasks = 0;
  TaskSetPlaces places;  // each place once per task
  bool is_barrier = false;
};
/// This attempt of a stage is over. `will_retry`: it failed and the stage will run again.
struct StageCompleted {
  StageId stage;
  std::int32_t attempt = 0;
  bool succeeded = false;
  bool will_retry = false;
};
/// The output at this index of the job's list of partitions is there.
struct JobResult {
  JobId job;
  std::int32_t output = 0;
};
/// The job fails; a JobEnded follows.
struct JobFailed {
  JobId job;
  JobFailure failure = JobFailure::cancelled;
  StageId stage;  // none for a job that was cancelled
};
/// The job is no longer active.
struct JobEnded {
  JobId job;
  bool succeeded = false;
};
/// Cancel what runs of all attempts of a stage: nobody needs it.
struct CancelStage {
  StageId stage;
};
/// Kill the attempts that still run of a stage that is finished.
struct KillStageAttempts {
  StageId stage;
};
/// An older attempt finished this partition: newer attempts need not run it.
struct PartitionDone {
  StageId stage;
  std::int32_t partition = 0;
};
/// The executor is gone: its blocks are no longer anywhere.
struct BlocksRemoved {
  ExecutorId executor;
};
/// Failed stages are submitted again at `due`; next_due() tells the same.
struct ResubmitScheduled {
  Instant due;
};

using StageEffect = std::variant<StageSubmitted, SubmitTaskSet, StageCompleted, JobResult, JobFailed, JobEnded,
                                 CancelStage, KillStageAttempts, PartitionDone, BlocksRemoved, ResubmitScheduled>;
using StageEffects = std::vector<StageEffect>;

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

/// Decides about stages. One method per event; partitions are numbers of the stage's dataset, also for a result stage.
class StageScheduler {
public:
  explicit StageScheduler(StageSchedulerSettings settings) : settings_{settings} {}

  /// Parents must have been added. Its shuffle dependencies take the next shuffle ids, in their order, unless they
  /// share one.
  DatasetId add_dataset(DatasetDescription description);
  /// No later job will need the dataset: what is kept of it goes, with its map outputs. A dataset that a job still
  /// needs stays.
  void forget_dataset(DatasetId dataset);
  /// The shuffle of a dataset's nth dependency; none for a narrow one.
  [[nodiscard]] ShuffleId shuffle_of(DatasetId dataset, std::size_t dependency) const;

  // -- jobs ----------------------------------------------------------------------
  /// Job ids are new and ascend. `partitions`: distinct, in the order in which outputs are counted. An empty job ends
  /// at once.
  void on_submit_job(Instant now, JobId job, DatasetId dataset, std::vector<IndexRange> partitions,
                     StageEffects& effects);
  /// A job that only wants the map outputs of a shuffle; its one result has output 0.
  void on_submit_map_stage(Instant now, JobId job, ShuffleId shuffle, StageEffects& effects);
  void on_cancel_job(JobId job, StageEffects& effects);

  // -- from the task scheduler ---------------------------------------------------
  /// `place`: for a map task where its output lies. `sizes`: its bytes per reduce task, or empty.
  void on_task_success(StageId stage, std::int32_t attempt, std::int32_t partition, OutputPlace place,
                       StageEffects& effects, std::span<const std::int64_t> sizes = {});
  /// The task could not fetch map output `map` of `shuffle` from `place`. map -1: not known which; place none: not
  /// known where.
  void on_fetch_failed(Instant now, StageId stage, std::int32_t attempt, std::int32_t partition, ShuffleId shuffle,
                       std::int32_t map, OutputPlace place, StageEffects& effects);
  /// Any other failure: the task scheduler retries on its own.
  void on_task_failed(StageId stage, std::int32_t attempt, std::int32_t partition, StageEffects& effects);
  /// A task of a barrier stage ended otherwise than well, or its output is lost: what runs of the attempt is killed,
  /// and a map stage runs again whole. A result stage is given up, since its other tasks may have handed out results.
  void on_barrier_failed(Instant now, StageId stage, std::int32_t attempt, StageEffects& effects);
  /// A finished map task will run again, because its output went with its executor.
  void on_task_resubmitted(StageId stage, std::int32_t attempt, std::int32_t partition, StageEffects& effects);
  /// The task scheduler gave the set up.
  void on_task_set_failed(StageId stage, std::int32_t attempt, StageEffects& effects);

  // -- executors and blocks --------------------------------------------------------
  void on_executor_added(ExecutorId executor, HostId host);
  /// `lost_host`: the whole host went with it.
  void on_executor_lost(ExecutorId executor, std::optional<HostId> lost_host, StageEffects& effects);
  /// The executor is being drained; `host_too`: its whole host is.
  void on_executor_decommissioned(ExecutorId executor, bool host_too);
  /// A copy of a map output stands at `to` now. False if the output is not, or not any more, what lay at `from`.
  bool on_output_moved(ShuffleId shuffle, std::int32_t map, OutputPlace from, OutputPlace to);
  /// From now on the partition is cached exactly there.
  void on_cached(DatasetId dataset, std::int32_t partition, std::vector<OutputPlace> places);

  // -- time --------------------------------------------------------------------------
  [[nodiscard]] std::optional<Instant> next_due() const;
  void on_time(Instant now, StageEffects& effects);

  // -- reading -----------------------------------------------------------------------
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
    std::vector<std::vector<TaskPlace>> of_partition;
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
  TaskSetPlaces places_of(const Stage& stage, const std::vector<IndexRange>& partitions);
  std::optional<std::shared_ptr<const PlaceLists>> shared_places(DatasetId dataset);
  std::vector<TaskPlace> preferred_places(DatasetId dataset, std::int32_t partition);
  void drop_cached_on(ExecutorId executor);
  static void set_cached(Dataset& dataset, std::size_t partition, std::vector<TaskPlace> places);
  [[nodiscard]] std::vector<TaskPlace> reduce_places(DatasetId dataset, std::int32_t partition) const;
  // ends (stage_scheduler.cpp)
  [[nodiscard]] bool is_barrier(const Stage& stage) const;
  void finish_result_task(Stage& stage, std::int32_t partition, StageEffects& effects);
  void finish_map_task(Stage& stage, std::int32_t attempt, std::int32_t partition, OutputPlace place,
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
