#include "policies/job_tracker/classic_task.hpp"

#include <algorithm>

namespace heddle::policies {
namespace {

constexpr std::int32_t active_attempts_max = 1;

}  // namespace

ClassicTaskState ClassicTask::state() const {
  if (is_complete()) return ClassicTaskState::complete;
  if (failed_) return ClassicTaskState::failed;
  return is_running() ? ClassicTaskState::running : ClassicTaskState::pending;
}

ClassicAttemptState ClassicTask::state_of(std::int32_t attempt) const {
  const auto row = reports_.find(attempt);
  return row == reports_.end() ? ClassicAttemptState::unreported : classic_state(row->second.state);
}

bool ClassicTask::is_commit_pending_somewhere() const {
  return std::any_of(reports_.begin(), reports_.end(),
                     [](const auto& row) { return row.second.state == TaskAttemptState::commit_pending; });
}

bool ClassicTask::is_commit_pending(std::int32_t attempt) const {
  const auto row = reports_.find(attempt);
  return row != reports_.end() && row->second.state == TaskAttemptState::commit_pending;
}

bool ClassicTask::has_run_on(HostIndex host, TrackerIndex tracker) const {
  return std::any_of(active_.begin(), active_.end(), [tracker](const auto& row) { return row.second == tracker; }) ||
         has_failed_on(host);
}

bool ClassicTask::may_be_speculated(Instant now, double average_progress, const JobRules& rules) const {
  return active_attempts() <= active_attempts_max && average_progress - progress_ >= rules.speculative_gap &&
         now - created_ >= rules.speculative_lag && ends_.completes == 0 && !is_commit_pending_somewhere();
}

AttemptReport* ClassicTask::report(std::int32_t attempt) {
  const auto row = reports_.find(attempt);
  return row == reports_.end() ? nullptr : &row->second;
}

std::optional<std::int32_t> ClassicTask::next_attempt() {
  if (numbers_.given >= active_attempts_max + attempts_max_ + ends_.kills) return std::nullopt;
  return numbers_.first + numbers_.given++;
}

void ClassicTask::start(std::int32_t attempt, TrackerIndex tracker, bool is_cleanup) {
  if (is_cleanup) cleanups_[attempt] = tracker;
  active_[attempt] = tracker;
  known_.insert(attempt);
}

bool ClassicTask::update(AttemptReport& report, bool safe_mode) {
  const std::int32_t attempt = report.attempt.attempt;
  const ClassicAttemptState before = state_of(attempt);
  switch (classic_attempt_table.at(before, report_event(report.state)).action) {
    case ClassicAttemptAction::store: break;
    case ClassicAttemptAction::kill_again: to_kill_[attempt] = true; return false;
    case ClassicAttemptAction::skip_cleanup:
    case ClassicAttemptAction::ignore: return false;
  }
  const bool is_changed = before != classic_state(report.state);
  if (report.state == TaskAttemptState::failed && safe_mode) report.state = TaskAttemptState::killed;
  if (!is_cleanup_attempt(attempt)) {
    reports_[attempt] = report;
  } else if (auto* kept = this->report(attempt)) {
    kept->state = report.state;
    kept->progress = report.progress;
    kept->cleanup_phase = report.cleanup_phase;
  }
  recompute_progress();
  return is_changed;
}

void ClassicTask::skip_cleanup(std::int32_t attempt) {
  auto* kept = report(attempt);
  if (kept != nullptr && is_unclean(kept->state))
    kept->state = kept->state == TaskAttemptState::failed_unclean ? TaskAttemptState::failed : TaskAttemptState::killed;
}

void ClassicTask::on_incomplete(std::int32_t attempt, bool job_succeeded, HostIndex host) {
  TaskAttemptState state = TaskAttemptState::failed;
  if (auto* kept = report(attempt)) {
    if (const auto asked = to_kill_.find(attempt); asked != to_kill_.end()) {
      const bool as_failed = asked->second;
      to_kill_.erase(asked);
      if (is_end(kept->state)) kept->state = as_failed ? TaskAttemptState::failed : TaskAttemptState::killed;
      else kept->state = as_failed ? TaskAttemptState::failed_unclean : TaskAttemptState::killed_unclean;
    }
    if (!is_end(kept->state) && !is_unclean(kept->state)) kept->state = TaskAttemptState::failed;
    state = kept->state;
  }
  active_.erase(attempt);
  if (!is_reduce_ && is_work() && is_complete() && successful_ == attempt && !job_succeeded) {
    --ends_.completes;
    successful_.reset();
  }
  if (known_.contains(attempt)) {
    if (state == TaskAttemptState::failed) {
      ++ends_.failures;
      failed_hosts_.insert(host);
    } else if (state == TaskAttemptState::killed) {
      ++ends_.kills;
    }
  }
  if (ends_.failures >= attempts_max_) give_up();
}

void ClassicTask::on_completed(std::int32_t attempt) {
  if (auto* kept = report(attempt)) kept->state = TaskAttemptState::succeeded;
  active_.erase(attempt);
  successful_ = attempt;
  ++ends_.completes;
  recompute_progress();
}

bool ClassicTask::should_commit(std::int32_t attempt) const {
  return !is_complete() && is_commit_pending(attempt) && to_commit_ == attempt;
}

bool ClassicTask::should_close(std::int32_t attempt, bool job_has_ended) {
  const bool is_told = close_sent_.contains(attempt);
  const bool is_pointless = reports_.contains(attempt) && (failed_ || job_has_ended);
  const bool is_kept_map = !is_reduce_ && is_work() && successful_ == attempt;
  const bool is_surplus = is_complete() && !is_kept_map;
  const bool is_late = is_commit_pending(attempt) && !should_commit(attempt);
  if (!is_told && (is_pointless || is_surplus || is_late)) {
    close_sent_.insert(attempt);
    return true;
  }
  return to_kill_.contains(attempt);
}

bool ClassicTask::request_end(std::int32_t attempt, bool as_failed) {
  const auto* kept = report(attempt);
  if (kept == nullptr) return false;
  const bool runs = kept->state == TaskAttemptState::running || kept->state == TaskAttemptState::commit_pending ||
                    (kept->cleanup_phase && is_unclean(kept->state));
  if (!runs) return false;
  const auto [row, is_new] = to_kill_.insert_or_assign(attempt, as_failed);
  return is_new;
}

void ClassicTask::give_up() {
  if (is_complete() || failed_) return;
  failed_ = true;
  recompute_progress();
}

void ClassicTask::recompute_progress() {
  if (is_complete() || failed_) {
    progress_ = is_complete() ? 1 : 0;
    return;
  }
  double best = 0;
  for (const auto& [attempt, report] : reports_) {
    if (report.state == TaskAttemptState::succeeded) {
      best = 1;
      break;
    }
    if (report.state == TaskAttemptState::commit_pending) best = progress_;
    if (report.state == TaskAttemptState::running && static_cast<double>(report.progress) >= best)
      best = static_cast<double>(report.progress);
  }
  progress_ = best;
}

}  // namespace heddle::policies
