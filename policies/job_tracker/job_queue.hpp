// The jobs of classic MapReduce that have not ended, in the order in which slots are offered to them: priority,
// submission time, number. Also their load and their special tasks, so that a heartbeat need not ask all jobs.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>

#include "policies/job_tracker/classic_job.hpp"

namespace heddle::policies {

class JobQueue {
public:
  using Place = std::tuple<JobPriority, Instant, JobId>;
  /// Tasks that have not finished and may run now.
  struct Load {
    std::int32_t maps = 0;
    std::int32_t reduces = 0;
    friend bool operator==(const Load&, const Load&) = default;
  };
  /// Running jobs with reduces, and all of their tasks.
  struct ReduceJobs {
    std::int64_t jobs = 0;
    std::int64_t maps = 0;
    std::int64_t reduces = 0;
    friend bool operator==(const ReduceJobs&, const ReduceJobs&) = default;
  };
  struct Row {
    ClassicJob* job = nullptr;
    Load load;  // as counted in the load of the queue
    ReduceJobs reduce_jobs;
  };

  /// The job must outlive its row.
  void add(ClassicJob& job);
  /// False if the job is not in the queue. Its priority must be that of the addition.
  bool remove(const ClassicJob& job);
  /// Must follow each change of a job: counts its load and its special tasks anew.
  void recount(const ClassicJob& job);

  [[nodiscard]] const std::map<Place, Row>& rows() const { return rows_; }
  [[nodiscard]] const Load& load() const { return load_; }
  [[nodiscard]] const ReduceJobs& reduce_jobs() const { return reduce_jobs_; }
  /// Jobs that may launch a setup or a cleanup.
  [[nodiscard]] const std::map<JobId, ClassicJob*>& special_jobs() const { return special_; }
  void check_invariants() const;

private:
  /// Replaces what the row counts.
  void count(Row& row, const Load& load, const ReduceJobs& reduce_jobs);

  std::map<Place, Row> rows_;
  Load load_;  // of all rows
  ReduceJobs reduce_jobs_;
  std::map<JobId, ClassicJob*> special_;
};

}  // namespace heddle::policies
