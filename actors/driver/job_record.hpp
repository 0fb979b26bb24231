// A client's job from submission to its end: plan, datasets and result jobs in the StageScheduler, progress and totals.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "actors/driver/job_datasets.hpp"
#include "messages/client.hpp"
#include "policies/map_reduce/job_counters.hpp"
#include "policies/stages/accepted_tasks.hpp"
#include "policies/stages/job_plan.hpp"
#include "policies/tasks/types/task_set_key.hpp"
#include "policies/tasks/unreachable_tasks.hpp"

namespace heddle::actors {

/// One stage attempt that was submitted to the TaskScheduler.
struct TaskSetRecord {
  StageKey key;            // with the id of the client's job, as executors know it
  std::int32_t stage = 0;  // index of the user's stage
  std::int32_t root = 0;   // stage whose splits its tasks read
  policies::TaskSetKind kind = policies::TaskSetKind::result;
  std::vector<IndexRange> partitions;     // task i computes the i-th partition of these ranges; empty: i
  std::vector<std::int32_t> first_index;  // of each range
  std::int32_t tasks = 0;
  StageProgram work;
  bool is_live = true;
  bool is_barrier = false;
  bool has_failed = false;  // barrier only: a task failed; results of other tasks are ignored
  std::int32_t finished = 0;
  TaskOutcome last_failure;
  std::string last_failure_place;
  std::map<std::int32_t, std::int32_t> interruptions;    // by partition: attempts whose output its file system broke
  policies::UnreachableTasks<std::int32_t> unreachable;  // by partition
  std::int64_t task_binary_bytes = 0;                    // encoded size of `work`
  std::string fault;                                     // why no executor can run it; empty: no reason is known

  [[nodiscard]] std::int32_t partition_of(std::int32_t index) const;
  /// -1 if the set has no such partition.
  [[nodiscard]] std::int32_t index_of(std::int32_t partition) const;
};

/// Transitions: see job_book.hpp.
enum class JobPhase : std::uint8_t { preparing, waiting, running, stopping, committing, aborting };

/// State of the barrier stages of a job.
struct BarrierRecord {
  std::int32_t slot_checks = 0;      // checks that found too few task slots
  std::optional<Instant> slots_due;  // phase waiting: the next check
  std::string failure;               // text for the last failed barrier stage attempt
  TaskOutcome outcome;               // outcome of the task that failed it
};

/// Counts of the attempts of a MapReduce job. Maps by stage and partition.
struct MapReduceAttempts {
  policies::JobCounters counters;
  std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> failed_maps;  // number of failed attempts
  std::set<std::pair<std::int32_t, std::int32_t>> skipped_maps;               // failed for good, without output
};

struct JobRecord {
  JobId id;
  bool has_client = false;
  std::int32_t earlier_drivers = 0;  // lost Drivers to which it was submitted before
  policies::JobPlan plan;
  JobDatasets datasets;  // from phase running on
  JobPhase phase = JobPhase::preparing;
  bool is_being_prepared = false;  // in the background; possible in phase stopping too
  /// Unfinished result jobs of the StageScheduler, and the result stage of each.
  std::map<JobId, std::int32_t> result_jobs;
  std::set<policies::TaskSetKey> live_sets;
  std::vector<policies::TaskSetKey> sets;  // all stage attempts, also ended ones
  /// By stage with an output: names of the successful task attempts, by partition.
  std::map<std::int32_t, std::vector<std::string>> winners;
  std::map<std::int32_t, StageProgress> progress;  // by user's stage
  struct StageTimes {
    Instant begun{};
    std::optional<Instant> ended;
  };
  std::map<std::int32_t, StageTimes> times;  // by user's stage
  JobTotals totals;
  policies::AcceptedTasks accepted;
  MapReduceAttempts map_reduce;
  std::map<std::string, std::int64_t> failures;
  JobFinished end;  // the final message to the client, filled step by step
  BarrierRecord barrier;
  std::optional<Instant> end_due;  // phase stopping: the job ends then, even if task attempts still run
};

}  // namespace heddle::actors
