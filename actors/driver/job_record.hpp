// A client's job while it lives: its plan, its jobs in the StageScheduler, what was measured so far.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "actors/driver/accepted_tasks.hpp"
#include "actors/driver/job_plan.hpp"
#include "messages/client.hpp"
#include "policies/tasks/types/task_scheduler_events.hpp"

namespace heddle::actors {

/// One attempt of a stage, as it was submitted to the TaskScheduler.
struct TaskSetRecord {
  StageKey key;            // as executors know it: the client's job
  std::int32_t stage = 0;  // index of the user's stage
  std::int32_t root = 0;   // whose splits its tasks read
  policies::TaskSetKind kind = policies::TaskSetKind::result;
  std::vector<policies::IndexRange> partitions;  // index i is the i-th of these laid end to end
  std::vector<std::int32_t> first_index;         // of each range
  std::int32_t tasks = 0;
  StageWork work;
  bool is_live = true;
  bool is_barrier = false;
  bool has_failed = false;  // barrier only: a task failed; results of other tasks are ignored
  std::int32_t finished = 0;
  TaskOutcome last_failure;
  std::string last_failure_place;
  std::int64_t description_bytes = 0;  // of `work`
  std::string fault;                   // why no executor could do it; empty: nothing is known against it

  [[nodiscard]] std::int32_t partition_of(std::int32_t index) const;
  /// -1 if the set has no such partition.
  [[nodiscard]] std::int32_t index_of(std::int32_t partition) const;
};

/// Drawn in job_book.hpp.
enum class JobPhase : std::uint8_t { preparing, waiting, running, stopping, committing, aborting };

/// Of the barrier stages of a job.
struct BarrierRecord {
  std::int32_t slot_checks = 0;      // that found too few task slots for one
  std::optional<Instant> slots_due;  // phase waiting: the next check
  std::string failure;               // of the one that failed last, with the text of its task
  TaskOutcome outcome;               // of that task
};

struct JobRecord {
  JobId id;
  bool has_client = false;
  std::int64_t request = 0;
  JobPlan plan;
  JobPhase phase = JobPhase::preparing;
  bool is_being_prepared = false;  // its outputs; also in phase stopping
  /// Unfinished jobs of the StageScheduler, and the stage that each computes the result of.
  std::map<JobId, std::int32_t> result_jobs;
  std::set<policies::TaskSetKey> live_sets;
  std::vector<policies::TaskSetKey> sets;  // all that were submitted
  std::map<std::int32_t, std::vector<std::string>>
      winners;                                     // by written stage: names of the attempts that won, by partition
  std::map<std::int32_t, StageProgress> progress;  // by user's stage
  struct StageTimes {
    Instant begun{};
    std::optional<Instant> ended;
  };
  std::map<std::int32_t, StageTimes> times;  // by user's stage
  JobTotals totals;
  AcceptedTasks accepted;
  std::map<std::string, std::int64_t> failures;
  JobFinished end;  // its message to the client, as far as known
  BarrierRecord barrier;
  std::optional<Instant> end_due;  // phase stopping: it ends then, even if attempts still run
};

}  // namespace heddle::actors
