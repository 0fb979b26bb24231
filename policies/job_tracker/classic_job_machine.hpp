// State of a classic job: Hadoop's run state with the marks that the job fails or is killed. The table of transitions
// and its drawing are in classic_job_table.hpp.
#pragma once

#include "policies/job_tracker/classic_job_table.hpp"
#include "policies/job_tracker/job_queue_effects.hpp"

namespace heddle::policies {

class ClassicJobMachine {
public:
  /// Until the job cleanup has ended, that of a job that fails or is killed stays.
  [[nodiscard]] JobRunState run_state() const { return run_state_; }
  [[nodiscard]] bool has_ended() const { return run_state_ > JobRunState::running; }
  [[nodiscard]] bool fails() const { return fails_; }
  [[nodiscard]] bool is_stopping() const { return fails_ || is_killed_; }
  [[nodiscard]] ClassicJobState state() const {
    switch (run_state_) {
      case JobRunState::succeeded: return ClassicJobState::succeeded;
      case JobRunState::failed: return ClassicJobState::failed;
      case JobRunState::killed: return ClassicJobState::killed;
      case JobRunState::prep:
      case JobRunState::running: break;
    }
    if (fails_) return ClassicJobState::failing;
    if (is_killed_) return ClassicJobState::killing;
    return run_state_ == JobRunState::running ? ClassicJobState::running : ClassicJobState::prep;
  }
  /// How the job ends once its tasks have ended.
  [[nodiscard]] JobRunState ending() const {
    if (fails_) return JobRunState::failed;
    return is_killed_ ? JobRunState::killed : JobRunState::succeeded;
  }
  void start() { run_state_ = JobRunState::running; }
  /// False if it was marked before, or has ended.
  bool mark(JobRunState how) {
    bool& flag = how == JobRunState::failed ? fails_ : is_killed_;
    if (has_ended() || flag) return false;
    flag = true;
    return true;
  }
  void end(JobRunState how) { run_state_ = how; }

private:
  JobRunState run_state_ = JobRunState::prep;
  bool fails_ = false;
  bool is_killed_ = false;
};

}  // namespace heddle::policies
