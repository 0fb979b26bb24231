// The jobs of a JobTracker, and what the ends of their attempts mean for their clients: counts, totals, winners, the
// reason of a failure. Tables of a live job cost its tasks; of an ended one its report stays (ended_jobs.hpp).
//
//   reading --submission ready--> live --ClassicJobEnded--> (removed)
//      +------ unusable, or cancelled --------------------------^
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "actors/job_tracker/completion_list.hpp"
#include "messages/client.hpp"
#include "model/attempt_work.hpp"
#include "policies/job_tracker/job_queue_scheduler.hpp"
#include "policies/job_tracker/job_work.hpp"
#include "policies/map_reduce/job_counters.hpp"
#include "policies/stages/accepted_tasks.hpp"
#include "policies/tasks/unreachable_tasks.hpp"

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

struct LaunchedAttempt {
  Instant at{};
  std::string tracker;
  std::string host;
  std::string locality;  // Hadoop's word, such as "NODE_LOCAL"
  bool is_speculative = false;
};

/// Attempts of a job: Hadoop's counters of them, and those that run. Setup and cleanup attempts run too.
struct TrackedAttempts {
  policies::JobCounters counters;
  std::map<TaskAttemptId, LaunchedAttempt> launched;    // without a reported end
  std::map<std::string, std::int64_t> reduce_counters;  // sums of the winners among the reduces
  std::int32_t unsuccessful_maps = 0;                   // that failed or were killed
  std::int32_t unsuccessful_reduces = 0;
};

struct TrackedFailures {
  std::map<std::string, std::int64_t> texts;
  std::optional<TaskOutcome> last;
  std::string last_host;
  bool must_fail = false;  // the JobTracker has failed the job: its cleanup removes the outputs
  policies::UnreachableTasks<std::pair<bool, std::int32_t>> unreachable;  // by kind and number, setup and cleanup too
};

/// Where a job comes from. A recovered job ran, or may have run, under an earlier JobTracker.
struct JobOrigin {
  std::string user;
  std::string package_file;
  std::int64_t request = 0;              // of its client
  std::int64_t submit_time = 0;          // milliseconds since 1970
  bool is_stored = false;                // or it cannot be: then its end follows
  bool is_accepted = false;              // JobAccepted was sent
  bool is_recovered = false;             // its outputs are not set up again
  std::int32_t application_attempt = 1;  // of its outputs
  std::int32_t first_attempt = 0;        // number of the first attempt of each task
};

/// Decisions whose rule and numbers the client got: each once.
struct ReportedDecisions {
  bool load_factor = false;
  bool locality = false;
  bool slow_start = false;
};

struct TrackedJob {
  JobId id;
  ApplicationId application;
  std::string token;
  JobRules rules;
  JobOrigin origin;
  bool has_client = false;
  std::optional<policies::JobWork> work;  // none: its submission is being stored or read
  bool is_set_up = false;                 // its output folders may exist
  bool is_committing = false;             // a job cleanup that commits was launched: the job is not cancelled any more
  TrackedTasks maps;
  TrackedTasks reduces;
  TrackedOutputs map_outputs;
  JobTotals totals;
  policies::AcceptedTasks accepted;
  TrackedAttempts attempts;
  TrackedFailures failures;
  ReportedDecisions reported;
  std::string cancel_reason;                 // empty: not cancelled
  JobFinished end;                           // filled step by step
  std::unordered_set<std::string> trackers;  // that have its TrackerJob

  [[nodiscard]] TrackedTasks& tasks(bool is_reduce) { return is_reduce ? reduces : maps; }
};

/// Outcomes of the attempts in the heartbeat that is being handled.
struct ReportedOutcomes {
  std::string tracker;
  std::vector<const TaskAttemptStatus*> rows;  // by attempt

  /// Null: the heartbeat has none of this attempt.
  [[nodiscard]] const TaskAttemptStatus* find(const TaskAttemptId& attempt) const {
    const auto row =
        std::lower_bound(rows.begin(), rows.end(), attempt,
                         [](const auto* each, const TaskAttemptId& wanted) { return each->attempt < wanted; });
    return row == rows.end() || (*row)->attempt != attempt ? nullptr : *row;
  }
};

// -- what the ends of attempts mean for their job -----------------------------------------------------
/// `tracker`, `host`: where it runs.
void count_launch(TrackedJob& job, const policies::ClassicLaunch& launch, const std::string& tracker,
                  const std::string& host, Instant now);
void count_end(TrackedJob& job, const policies::AttemptEnded& ended, const ReportedOutcomes& outcomes, Instant now);
void count_winner(TrackedJob& job, const policies::TaskWon& won, const ReportedOutcomes& outcomes, Instant now);
/// Time since the first launch, until all tasks have succeeded.
void update_elapsed(TrackedTasks& tasks, Instant now);
void forget_winner(TrackedJob& job, const TaskAttemptId& attempt);
/// Sets the text for the client: why the job fails. `attempts_max`: failures after which a task is given up.
void describe_failure(TrackedJob& job, const TaskAttemptId& attempt, std::int32_t attempts_max);
/// True if the attempt failed because of a file system that stays unreachable, so that another attempt is of no use.
[[nodiscard]] bool stays_unreachable(TrackedJob& job, const policies::AttemptEnded& ended,
                                     const ReportedOutcomes& outcomes);
/// As describe_failure, for such an attempt.
void describe_unreachable(TrackedJob& job, const TaskAttemptId& attempt);
/// Why the job has more counters than it may have; empty if it does not.
[[nodiscard]] std::string excess_of_counters(const TrackedJob& job);
/// Counts the task as failed for good. The reduces go on without the output of a map.
void give_up_task(TrackedJob& job, const TaskAttemptId& attempt);
/// An attempt of its task has succeeded.
[[nodiscard]] bool has_winner(TrackedJob& job, const TaskAttemptId& attempt);
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
  /// Later jobs have greater ids.
  void begin_after(JobId id) { last_ = std::max(last_, id.value); }
  [[nodiscard]] TrackedJob* find(JobId id);
  /// The job that was submitted with this package file; null if there is none.
  [[nodiscard]] TrackedJob* find_package(const std::string& file);
  [[nodiscard]] std::map<JobId, TrackedJob>& rows() { return jobs_; }
  void remove(JobId id) { jobs_.erase(id); }
  /// The TaskTracker reads the completion events of these jobs, and of no others.
  void set_reader(const std::string& tracker, const std::vector<CompletionsWanted>& wanted);
  /// The TaskTracker is lost or new: it has no job.
  void forget_tracker(const std::string& tracker);
  void check_invariants() const;

private:
  std::int64_t last_ = 0;
  std::map<JobId, TrackedJob> jobs_;
  std::unordered_map<std::string, std::vector<JobId>> read_by_;  // by TaskTracker; a job may have ended
};

}  // namespace heddle::actors
