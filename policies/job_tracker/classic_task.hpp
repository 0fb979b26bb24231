// One task of a classic MapReduce job with its attempts: reports, failures, and which attempts may run or commit or
// must be killed. After Hadoop 1.2's TaskInProgress; progress is double, as there.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/attempt_work.hpp"
#include "model/job_package.hpp"
#include "model/time.hpp"
#include "policies/job_tracker/classic_attempt_table.hpp"
#include "policies/job_tracker/classic_task_table.hpp"

namespace heddle::policies {

/// Numbers of trackers, hosts and racks, in order of addition.
using TrackerIndex = std::int32_t;
using HostIndex = std::int32_t;

/// A tracker's report of an attempt, and the stored copy of it.
struct AttemptReport {
  TaskAttemptId attempt;
  TaskAttemptState state = TaskAttemptState::running;
  float progress = 0;
  std::int64_t output = -1;    // bytes of a finished map; -1: unknown
  bool cleanup_phase = false;  // it is the cleanup of a failed or killed attempt
  TrackerIndex tracker = -1;
  AttemptEndCause cause = AttemptEndCause::reported;  // of an end
};

/// Marks of the scheduler on an attempt.
struct AttemptMarks {
  TrackerIndex listed_by = -1;         // the tracker that has it in its list; -1: reports of it are ignored
  std::optional<Instant> unconfirmed;  // launched then, and not reported yet
};

/// One attempt of a task.
struct ClassicAttempt {
  std::int32_t number = 0;
  TrackerIndex tracker = -1;  // where it runs; -1: it does not run
  bool was_started = false;
  bool is_cleanup = false;  // it is the cleanup of the attempt with its number
  bool is_told_to_close = false;
  std::optional<bool> kill;             // it must end: true as a failure
  std::optional<AttemptReport> report;  // the last one that was stored
  AttemptMarks marks;

  [[nodiscard]] bool is_active() const { return tracker >= 0; }
  [[nodiscard]] bool is_in(TaskAttemptState state) const { return report && report->state == state; }
};

enum class ClassicTaskKind : std::uint8_t { work, job_setup, job_cleanup };

class ClassicTask {
public:
  /// `first_attempt`: number of its first attempt.
  ClassicTask(ClassicTaskKind kind, bool is_reduce, std::int32_t number, std::int32_t attempts_max,
              std::int32_t first_attempt, Instant created)
      : kind_{kind},
        is_reduce_{is_reduce},
        number_{number},
        attempts_max_{attempts_max},
        numbers_{first_attempt},
        created_{created} {}

  [[nodiscard]] Instant created() const { return created_; }
  [[nodiscard]] ClassicTaskKind kind() const { return kind_; }
  [[nodiscard]] bool is_work() const { return kind_ == ClassicTaskKind::work; }
  [[nodiscard]] bool is_reduce() const { return is_reduce_; }
  [[nodiscard]] std::int32_t number() const { return number_; }
  /// Complete and failed, if a late success followed the failure: complete.
  [[nodiscard]] ClassicTaskState state() const;
  [[nodiscard]] ClassicAttemptState state_of(std::int32_t attempt) const;
  [[nodiscard]] bool is_running() const { return active_attempts() > 0; }
  [[nodiscard]] bool is_complete() const { return ends_.completes > 0; }
  [[nodiscard]] bool is_failed() const { return failed_; }
  [[nodiscard]] bool is_runnable() const { return !failed_ && ends_.completes == 0; }
  [[nodiscard]] bool is_attempt_active(std::int32_t attempt) const { return known(attempt).is_active(); }
  [[nodiscard]] bool is_cleanup_attempt(std::int32_t attempt) const { return known(attempt).is_cleanup; }
  [[nodiscard]] bool is_end_asked(std::int32_t attempt) const { return known(attempt).kill.has_value(); }
  [[nodiscard]] bool is_commit_pending_somewhere() const;
  [[nodiscard]] std::int32_t active_attempts() const { return ends_.active; }
  [[nodiscard]] std::int32_t failures() const { return ends_.failures; }
  [[nodiscard]] double progress() const { return progress_; }
  [[nodiscard]] std::size_t failed_hosts() const { return failed_hosts_.size(); }
  [[nodiscard]] bool has_failed_on(HostIndex host) const {
    return std::find(failed_hosts_.begin(), failed_hosts_.end(), host) != failed_hosts_.end();
  }
  [[nodiscard]] bool has_run_on(HostIndex host, TrackerIndex tracker) const;
  /// `rules`: of its job.
  [[nodiscard]] bool may_be_speculated(Instant now, double average_progress, const JobRules& rules) const;
  /// One without any facts if there is none.
  [[nodiscard]] const ClassicAttempt& known(std::int32_t attempt) const;
  [[nodiscard]] AttemptMarks& marks(std::int32_t attempt) { return add_known(attempt).marks; }
  /// By number.
  [[nodiscard]] const std::vector<ClassicAttempt>& attempts() const { return attempts_; }
  [[nodiscard]] AttemptReport* report(std::int32_t attempt);

  /// Number of the next attempt; none if the limit is reached.
  [[nodiscard]] std::optional<std::int32_t> next_attempt();
  void start(std::int32_t attempt, TrackerIndex tracker, bool is_cleanup);
  /// Stores a report; true if the attempt's state changed. `safe_mode` turns a failure into a kill.
  bool update(AttemptReport& report, bool safe_mode);
  /// An unclean attempt gets no cleanup.
  void skip_cleanup(std::int32_t attempt);
  /// An attempt ended without success: updates its stored state and the task's failures.
  void on_incomplete(std::int32_t attempt, bool job_succeeded, HostIndex host);
  void on_completed(std::int32_t attempt);
  void choose_commit(std::int32_t attempt) { to_commit_ = attempt; }
  [[nodiscard]] bool should_commit(std::int32_t attempt) const;
  /// True once per attempt that must be killed, or each time if a user requested it.
  [[nodiscard]] bool should_close(std::int32_t attempt, bool job_has_ended);
  /// A user requests the end of the attempt. False if it does not run or was requested before.
  bool request_end(std::int32_t attempt, bool as_failed);
  void give_up();

  std::vector<HostIndex> hosts;  // hosts of a map's split, in order
  std::int64_t split_length = 0;

private:
  /// Number of attempts that run, and of the others by kind of end. Searches of waiting tasks read only these, because
  /// most of their time is that of reading memory.
  struct Ends {
    std::int32_t failures = 0;
    std::int32_t kills = 0;
    std::int32_t completes = 0;
    std::int32_t active = 0;
  };
  struct AttemptNumbers {
    std::int32_t first = 0;
    std::int32_t given = 0;  // how many
  };
  void recompute_progress();
  [[nodiscard]] ClassicAttempt& add_known(std::int32_t attempt);

  ClassicTaskKind kind_;
  bool is_reduce_;
  std::int32_t number_;
  std::int32_t attempts_max_;
  AttemptNumbers numbers_;
  Instant created_;
  Ends ends_;
  bool failed_ = false;
  double progress_ = 0;
  std::optional<std::int32_t> successful_;
  std::optional<std::int32_t> to_commit_;
  std::vector<ClassicAttempt> attempts_;  // by number
  std::vector<HostIndex> failed_hosts_;   // each once
};

}  // namespace heddle::policies
