// The Driver's jobs and their task sets: ids, phases with their transitions, and deadlines.
// A plain class: no actor, no clock.
//
//   preparing --> waiting --> running --all results--> committing --> (removed)
//     |   |         |  ^ '     |                            ^
//     |   |         |  '-' too few slots                    |
//     |   '---------|----------|--> stopping --> aborting --|--> (removed)
//     |     failed, cancelled       |                       |
//     '-----------------------------'--commit was decided---'
//                                      by an earlier Driver
//
// preparing: the background thread reads its package from a file, then it creates its output folders.
// waiting: for executors to register, or for enough task slots for a barrier stage.
// stopping: it failed or was cancelled; the Driver waits for its killed task attempts.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "actors/driver/job_record.hpp"
#include "messages/executor.hpp"
#include "model/time.hpp"
#include "policies/tasks/types/task_set_key.hpp"

namespace heddle::actors {

class JobBook {
public:
  /// Sums over all ended jobs.
  struct Totals {
    std::int64_t jobs = 0;
    std::int64_t tasks = 0;
    std::int64_t failed_attempts = 0;
  };

  // -- jobs -----------------------------------------------------------------------------------
  /// The next job id. Jobs of clients and result jobs share one sequence.
  JobId assign_id();
  [[nodiscard]] JobId next_id() const { return next_id_; }
  JobRecord& add(JobRecord job);
  [[nodiscard]] JobRecord* find(JobId id);
  [[nodiscard]] std::map<JobId, JobRecord>& all() { return jobs_; }
  [[nodiscard]] bool is_empty() const { return jobs_.empty(); }
  [[nodiscard]] std::vector<JobId> ids() const;
  [[nodiscard]] std::optional<JobId> first() const;
  /// Removes the job and adds it to the totals. Does not remove its task sets: see remove_set.
  void remove(JobId id);
  [[nodiscard]] const Totals& totals() const { return totals_; }

  // -- phases -----------------------------------------------------------------------------------
  void enter(JobRecord& job, JobPhase next);
  /// Enters phase waiting, because a barrier stage has too few task slots. `due`: the next check.
  void wait_for_slots(JobRecord& job, Instant due);
  [[nodiscard]] bool is_waiting_for_slots(JobId id) const { return waiting_for_slots_.contains(id); }
  [[nodiscard]] const std::set<JobId>& waiting_for_slots() const { return waiting_for_slots_; }
  [[nodiscard]] std::vector<JobId> waiting() const;
  /// Enters phase stopping. `end_due`: deadline for the end of its task attempts.
  void stop(JobRecord& job, JobStatus status, std::string text, Instant end_due);
  /// Moves stopping jobs to phase aborting if their task attempts have ended or their deadline has passed. Returns
  /// them.
  [[nodiscard]] std::vector<JobId> start_aborts(Instant now);
  /// The earliest deadline of a waiting or stopping job.
  [[nodiscard]] std::optional<Instant> next_due() const;

  // -- result jobs: one job of the StageScheduler per result stage of a client's job -----------------
  JobId add_result_job(JobRecord& job, std::int32_t stage);
  [[nodiscard]] JobRecord* owner_of(JobId result_job);
  void remove_result_job(JobId result_job);

  // -- task sets ----------------------------------------------------------------------------------
  TaskSetRecord& add_set(JobRecord& job, TaskSetRecord set);
  [[nodiscard]] TaskSetRecord* find_set(policies::TaskSetKey key);
  [[nodiscard]] JobRecord* job_of(const TaskSetRecord& set) { return find(set.key.job); }
  void remove_set(policies::TaskSetKey key) { sets_.erase(key); }

  // -- shuffles -------------------------------------------------------------------------------------
  void number_shuffles(const policies::JobPlan& plan);
  /// Message that removes all shuffles but those of current jobs.
  [[nodiscard]] RemoveShuffles removable_shuffles(Epoch epoch) const;
  /// A job with shuffles has ended. From then on the Driver sends RemoveShuffles to each executor that registers.
  [[nodiscard]] bool has_removable_shuffles() const { return has_removable_shuffles_; }

private:
  std::map<JobId, JobRecord> jobs_;
  std::map<JobId, JobId> owners_;  // from result job to client's job
  std::map<policies::TaskSetKey, TaskSetRecord> sets_;
  std::set<JobId> waiting_for_slots_;
  std::set<JobId> stopping_;
  JobId next_id_{0};
  ShuffleId next_shuffle_{0};
  bool has_removable_shuffles_ = false;
  Totals totals_;
};

}  // namespace heddle::actors
