// The Driver's jobs and their task sets: numbers, phases with legal moves, and who waits for what.
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
// Preparing: its outputs are set up. Waiting: for executors to register, or for task slots of a barrier stage.
// Stopping: it failed or was cancelled, and its attempts are being killed.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "actors/driver/job_record.hpp"
#include "messages/executor.hpp"
#include "model/time.hpp"

namespace heddle::actors {

class JobBook {
public:
  /// Of all jobs that have ended.
  struct Totals {
    std::int64_t jobs = 0;
    std::int64_t tasks = 0;
    std::int64_t failed_attempts = 0;
  };

  // -- jobs -----------------------------------------------------------------------------------
  /// Numbers jobs of clients and result jobs alike, in order.
  JobId take_id();
  [[nodiscard]] JobId next_id() const { return next_id_; }
  JobRecord& add(JobRecord job);
  [[nodiscard]] JobRecord* find(JobId id);
  [[nodiscard]] std::map<JobId, JobRecord>& all() { return jobs_; }
  [[nodiscard]] bool is_empty() const { return jobs_.empty(); }
  [[nodiscard]] std::vector<JobId> ids() const;
  [[nodiscard]] std::optional<JobId> first() const;
  /// Removes the job and adds it to the totals. Its task sets are removed with remove_set.
  void remove(JobId id);
  [[nodiscard]] const Totals& totals() const { return totals_; }

  // -- phases -----------------------------------------------------------------------------------
  void enter(JobRecord& job, JobPhase next);
  /// Phase waiting, until `due`: a barrier stage has too few task slots.
  void wait_for_slots(JobRecord& job, Instant due);
  [[nodiscard]] bool is_short_of_slots(JobId id) const { return short_of_slots_.contains(id); }
  [[nodiscard]] const std::set<JobId>& short_of_slots() const { return short_of_slots_; }
  [[nodiscard]] std::vector<JobId> waiting() const;
  void stop(JobRecord& job, JobStatus status, std::string text, Instant end_due);
  /// Moves stopping jobs to phase aborting if their attempts have ended, or their deadline is over.
  [[nodiscard]] std::vector<JobId> take_stopped(Instant now);
  /// The earliest deadline of a waiting or stopping job.
  [[nodiscard]] std::optional<Instant> next_due() const;

  // -- result jobs: the jobs of the StageScheduler that a job consists of -------------------------
  JobId add_result_job(JobRecord& job, std::int32_t stage);
  [[nodiscard]] JobRecord* owner_of(JobId result_job);
  void remove_result_job(JobId result_job);

  // -- task sets ----------------------------------------------------------------------------------
  TaskSetRecord& add_set(JobRecord& job, TaskSetRecord set);
  [[nodiscard]] TaskSetRecord* find_set(policies::TaskSetKey key);
  [[nodiscard]] JobRecord* job_of(const TaskSetRecord& set) { return find(set.key.job); }
  void remove_set(policies::TaskSetKey key) { sets_.erase(key); }

  // -- shuffles -------------------------------------------------------------------------------------
  void number_shuffles(const JobPlan& plan);
  /// All shuffles that no job has any more.
  [[nodiscard]] RemoveShuffles removable_shuffles(Epoch epoch) const;
  /// A job with shuffles has ended: executors that register later have shuffles to remove, too.
  [[nodiscard]] bool has_removable_shuffles() const { return has_removable_shuffles_; }

private:
  std::map<JobId, JobRecord> jobs_;
  std::map<JobId, JobId> owners_;  // of result jobs
  std::map<policies::TaskSetKey, TaskSetRecord> sets_;
  std::set<JobId> short_of_slots_;
  std::set<JobId> stopping_;
  JobId next_id_{0};
  ShuffleId next_shuffle_{0};
  bool has_removable_shuffles_ = false;
  Totals totals_;
};

}  // namespace heddle::actors
