// The jobs of a JobTracker, and what the ends of their attempts mean for their clients: counts, totals, winners, the
// reason of a failure. Tables of a live job cost its tasks; an ended job keeps only its last message.
//
//   reading --package read--> live --ClassicJobEnded--> ended
//      +---- package bad, or cancelled ------------^
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "actors/job_tracker/completion_list.hpp"
#include "messages/client.hpp"
#include "model/attempt_work.hpp"
#include "policies/job_tracker/job_queue_scheduler.hpp"
#include "policies/job_tracker/job_work.hpp"
#include "policies/stages/accepted_tasks.hpp"

namespace heddle::actors {

/// The maps or the reduces of a job.
struct TrackedTasks {
  StageProgress progress;
  std::optional<Instant> begun;                       // its first launch
  std::vector<std::optional<TaskAttemptId>> winners;  // by task
};

/// Outputs of the maps, for the reduces of the job.
struct TrackedOutputs {
  CompletionList completions;
  std::set<std::string> readers;                         // TaskTrackers that ask for the completions
  std::map<TaskAttemptId, std::int32_t> fetch_failures;  // by map attempt: notices of reduces that could not copy
};

struct TrackedJob {
  JobId id;
  ApplicationId application;
  std::string token;
  JobRules rules;
  bool has_client = false;
  std::optional<policies::JobWork> work;  // none: its package is being read
  bool is_set_up = false;                 // its output folders may exist
  bool is_committing = false;             // a job cleanup that commits was launched: the job is not cancelled any more
  TrackedTasks maps;
  TrackedTasks reduces;
  TrackedOutputs map_outputs;
  JobTotals totals;
  policies::AcceptedTasks accepted;
  std::map<std::string, std::int64_t> failures;
  std::optional<TaskOutcome> last_failure;
  std::string last_failure_host;
  std::string cancel_reason;       // empty: not cancelled
  JobFinished end;                 // filled step by step
  std::set<std::string> trackers;  // that have its TrackerJob

  [[nodiscard]] TrackedTasks& tasks(bool is_reduce) { return is_reduce ? reduces : maps; }
};

/// Outcomes of the attempts in the heartbeat that is being handled.
struct ReportedOutcomes {
  std::string tracker;
  std::string host;  // of the TaskTracker
  std::map<TaskAttemptId, const TaskAttemptStatus*> rows;

  /// Null: the heartbeat has none of this attempt.
  [[nodiscard]] const TaskAttemptStatus* find(const TaskAttemptId& attempt) const {
    const auto row = rows.find(attempt);
    return row == rows.end() ? nullptr : row->second;
  }
};

// -- what the ends of attempts mean for their job -----------------------------------------------------
void count_launch(TrackedJob& job, const policies::ClassicLaunch& launch, Instant now);
void count_end(TrackedJob& job, const policies::AttemptEnded& ended, const ReportedOutcomes& outcomes);
void count_winner(TrackedJob& job, const policies::TaskWon& won, const ReportedOutcomes& outcomes, Instant now);
/// Time since the first launch, until all tasks have succeeded.
void update_elapsed(TrackedTasks& tasks, Instant now);
void forget_winner(TrackedJob& job, const TaskAttemptId& attempt);
/// Sets the text for the client: why the job fails. `attempts_max`: failures after which a task is given up.
void describe_failure(TrackedJob& job, const TaskAttemptId& attempt, std::int32_t attempts_max);
/// The reduces go on without the output of this map.
void give_up_map(TrackedJob& job, const TaskAttemptId& attempt);
/// The attempt is the winner of its map.
[[nodiscard]] bool is_map_winner(const TrackedJob& job, const TaskAttemptId& attempt);
/// What a setup or cleanup attempt does with the outputs of the job.
[[nodiscard]] OutputWork output_work(const TrackedJob& job, AttemptType type, bool is_commit);
/// Fills in the last message to the client.
void finish(TrackedJob& job, policies::JobRunState state);

class TrackedJobs {
public:
  TrackedJob& add(TrackedJob job);
  [[nodiscard]] JobId next_id() { return JobId{++last_}; }
  [[nodiscard]] TrackedJob* find(JobId id);
  [[nodiscard]] std::map<JobId, TrackedJob>& rows() { return jobs_; }
  /// Keeps the last message of the job, with at most 64 KiB of text, while it is among the last 100 that ended.
  void end(JobId id);
  [[nodiscard]] const JobFinished* find_ended(JobId id) const;
  /// The TaskTracker reads the completion events of these jobs, and of no others.
  void set_reader(const std::string& tracker, const std::vector<CompletionsWanted>& wanted);
  /// The TaskTracker is lost or new: it has no job.
  void forget_tracker(const std::string& tracker);
  void check_invariants() const;

private:
  std::int64_t last_ = 0;
  std::map<JobId, TrackedJob> jobs_;
  std::map<JobId, JobFinished> ended_;
  std::map<std::string, std::vector<JobId>> read_by_;  // by TaskTracker; a job may have ended
};

}  // namespace heddle::actors
