// The job of a MapReduceMaster as its client sees it, and its state machines: counts, winners, the reason of a failure.
//
//   reading --package read--> live --the job machine has ended--> over
//      +---- package bad, or cancelled ------------^
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "messages/client.hpp"
#include "model/attempt_work.hpp"
#include "policies/job_tracker/job_work.hpp"
#include "policies/map_reduce/job_counters.hpp"
#include "policies/map_reduce/map_reduce_machines.hpp"
#include "policies/stages/accepted_tasks.hpp"
#include "policies/tasks/unreachable_tasks.hpp"

namespace heddle::actors {

/// The maps or the reduces of a job.
struct RunningTasks {
  StageProgress progress;
  std::vector<std::string> winners;  // folder names by task; empty: not finished
  policies::AcceptedTasks accepted;
};

/// Output of a map that is done. It outlives the outcome of the map, because reduces that start later read it too.
struct KeptMapOutput {
  MapOutputLocation place;
  std::int64_t run_us = 0;  // run time of the map
};

/// Outputs of maps that are done, and the reduces that wait for the next completion event.
struct ReduceInputs {
  std::map<policies::MapReduceAttempt, KeptMapOutput> outputs;
  std::map<policies::MapReduceAttempt, std::int32_t> readers;  // by reduce: position of that event
  std::int32_t answered = 0;                                   // events for which answer_readers has run
};

/// Failed attempts, for the client.
struct FailedAttempts {
  std::map<std::string, std::int64_t> by_text;
  std::map<policies::MapReduceAttempt, std::string> texts;
  std::optional<TaskOutcome> last;
  std::string last_host;
  policies::UnreachableTasks<policies::MapReduceTaskId> unreachable;
};

/// The last notice about the ramp-up of reduces: some, or all of them, request containers.
enum class RampUpNotice : std::uint8_t { none, part, all };

/// What the last notices to the client said.
struct LastNotices {
  RampUpNotice ramp_up = RampUpNotice::none;
  bool uses_all_hosts = false;  // exclusions of hosts are ignored
};

struct RunningJob {
  JobId id;
  std::int32_t earlier_masters = 0;
  std::optional<policies::JobWork> work;                // none: its package is being read
  std::optional<policies::MapReduceMachines> machines;  // none: the package is read, or the application not registered
  bool has_output = false;                              // its output folders were created
  bool is_preparing = false;                            // they are being created
  std::optional<policies::MapReduceJobState> abort;     // removes the output once they are: end of the job after it
  bool is_over = false;                                 // no task runs any more; its end is reported or about to be
  std::map<policies::MapReduceAttempt, TaskOutcome> outcomes;  // of attempts that are done
  std::set<policies::MapReduceAttempt> given;                  // to their children
  ReduceInputs map_outputs;
  RunningTasks maps;
  RunningTasks reduces;
  Instant begun{};
  JobTotals totals;
  policies::JobCounters counters;  // of its attempts
  FailedAttempts failed;
  std::string cancel_reason;  // empty: not cancelled
  JobFinished end;            // filled step by step
  LastNotices reported;

  void begin(policies::JobWork made, Instant now);
  [[nodiscard]] TaskAttemptId name_of(policies::MapReduceAttempt attempt) const {
    return {id, attempt.is_reduce, attempt.index, attempt.attempt};
  }
  [[nodiscard]] RunningTasks& tasks(bool is_reduce) { return is_reduce ? reduces : maps; }
  /// Completion events of the maps from this position on; at most map_completions_max.
  [[nodiscard]] std::vector<MapCompletion> completions_from(std::int32_t from) const;
  [[nodiscard]] std::string folder_of(policies::MapReduceAttempt attempt) const;
  [[nodiscard]] std::vector<std::string> output_paths() const;
  /// The outputs with the winners.
  [[nodiscard]] std::vector<OutputWinners> outputs() const;

  void count_failure(policies::MapReduceAttempt attempt, const TaskOutcome& outcome, const std::string& host);
  void count_winner(policies::MapReduceAttempt attempt);
  /// `place`: as the allocator found it. `is_retry`: an earlier attempt of the map has failed.
  void count_place(policies::MapReduceAttempt map, policies::MapPlace place, bool is_retry);
  /// Why the job fails because of its counters; empty: it has no more than it may.
  [[nodiscard]] std::string excess_of_counters() const;
  /// Counters of the winners by "group\tname", and those of the attempts.
  [[nodiscard]] std::vector<std::pair<std::string, std::int64_t>> sum_counters() const;
  void forget_winner(policies::MapReduceTaskId task);
  /// Sets the text for the client: why the job fails.
  void describe_failure(policies::MapReduceTaskId task, std::int32_t attempts_max);
  /// As describe_failure, for a file system of a task that stays unreachable.
  void describe_unreachable(policies::MapReduceTaskId task);
  /// Fills in the last message to the client.
  void finish(JobStatus status, Instant now);

private:
  void describe_end(policies::MapReduceTaskId task, const std::string& what);
};

}  // namespace heddle::actors
