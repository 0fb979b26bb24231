#include "policies/job_tracker/classic_task.hpp"

#include <algorithm>
#include <utility>

namespace heddle::policies {
namespace {

constexpr std::int32_t active_attempts_max = 1;

/// -1: the attempt does not run any more. `active`: attempts of the task that run.
void set_tracker(ClassicAttempt& attempt, TrackerIndex tracker, std::int32_t& active) {
  active -= attempt.is_active() ? 1 : 0;
  attempt.tracker = tracker;
  active += attempt.is_active() ? 1 : 0;
}

}  // namespace

ClassicTaskState ClassicTask::state() const {
  if (is_complete()) return ClassicTaskState::complete;
  if (failed_) return ClassicTaskState::failed;
  return is_running() ? ClassicTaskState::running : ClassicTaskState::pending;
}

ClassicAttemptState ClassicTask::state_of(std::int32_t attempt) const {
  const auto& report = known(attempt).report;
  return report ? classic_state(report->state) : ClassicAttemptState::unreported;
}

const ClassicAttempt& ClassicTask::known(std::int32_t attempt) const {
  static constexpr ClassicAttempt unknown{};
  const auto row =
      std::find_if(attempts_.begin(), attempts_.end(), [attempt](const auto& each) { return each.number == attempt; });
  return row == attempts_.end() ? unknown : *row;
}

ClassicAttempt& ClassicTask::add_known(std::int32_t attempt) {
  const auto row =
      std::find_if(attempts_.begin(), attempts_.end(), [attempt](const auto& each) { return each.number >= attempt; });
  if (row != attempts_.end() && row->number == attempt) return *row;
  const auto added = attempts_.emplace(row);
  added->number = attempt;
  return *added;
}

bool ClassicTask::is_commit_pending_somewhere() const {
  return std::any_of(attempts_.begin(), attempts_.end(),
                     [](const auto& each) { return each.is_in(TaskAttemptState::commit_pending); });
}

bool ClassicTask::has_run_on(HostIndex host, TrackerIndex tracker) const {
  return has_failed_on(host) || std::any_of(attempts_.begin(), attempts_.end(),
                                            [tracker](const auto& each) { return each.tracker == tracker; });
}

bool ClassicTask::may_be_speculated(Instant now, double average_progress, const JobRules& rules) const {
  return active_attempts() <= active_attempts_max && average_progress - progress_ >= rules.speculative_gap &&
         now - created_ >= rules.speculative_lag && ends_.completes == 0 && !is_commit_pending_somewhere();
}

AttemptReport* ClassicTask::report(std::int32_t attempt) {
  for (auto& each : attempts_)
    if (each.number == attempt && each.report) return &*each.report;
  return nullptr;
}

std::optional<std::int32_t> ClassicTask::next_attempt() {
  if (numbers_.given >= active_attempts_max + attempts_max_ + ends_.kills) return std::nullopt;
  return numbers_.first + numbers_.given++;
}

void ClassicTask::start(std::int32_t attempt, TrackerIndex tracker, bool is_cleanup) {
  auto& started = add_known(attempt);
  started.is_cleanup = started.is_cleanup || is_cleanup;
  set_tracker(started, tracker, ends_.active);
  started.was_started = true;
}

bool ClassicTask::update(AttemptReport& report, bool safe_mode) {
  const std::int32_t attempt = report.attempt.attempt;
  const ClassicAttemptState before = state_of(attempt);
  switch (classic_attempt_table.at(before, report_event(report.state)).action) {
    case ClassicAttemptAction::store: break;
    case ClassicAttemptAction::kill_again: add_known(attempt).kill = true; return false;
    case ClassicAttemptAction::skip_cleanup:
    case ClassicAttemptAction::ignore: return false;
  }
  const bool is_changed = before != classic_state(report.state);
  if (report.state == TaskAttemptState::failed && safe_mode) report.state = TaskAttemptState::killed;
  if (!is_cleanup_attempt(attempt)) {
    add_known(attempt).report = report;
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
    if (const auto as_failed = std::exchange(add_known(attempt).kill, std::nullopt)) {
      if (is_end(kept->state)) kept->state = *as_failed ? TaskAttemptState::failed : TaskAttemptState::killed;
      else kept->state = *as_failed ? TaskAttemptState::failed_unclean : TaskAttemptState::killed_unclean;
    }
    if (!is_end(kept->state) && !is_unclean(kept->state)) kept->state = TaskAttemptState::failed;
    state = kept->state;
  }
  set_tracker(add_known(attempt), -1, ends_.active);
  if (!is_reduce_ && is_work() && is_complete() && successful_ == attempt && !job_succeeded) {
    --ends_.completes;
    successful_.reset();
  }
  if (known(attempt).was_started) {
    if (state == TaskAttemptState::failed) {
      ++ends_.failures;
      if (!has_failed_on(host)) failed_hosts_.push_back(host);
    } else if (state == TaskAttemptState::killed) {
      ++ends_.kills;
    }
  }
  if (ends_.failures >= attempts_max_) give_up();
}

void ClassicTask::on_completed(std::int32_t attempt) {
  if (auto* kept = report(attempt)) kept->state = TaskAttemptState::succeeded;
  set_tracker(add_known(attempt), -1, ends_.active);
  successful_ = attempt;
  ++ends_.completes;
  recompute_progress();
}

bool ClassicTask::should_commit(std::int32_t attempt) const {
  return !is_complete() && known(attempt).is_in(TaskAttemptState::commit_pending) && to_commit_ == attempt;
}

bool ClassicTask::should_close(std::int32_t attempt, bool job_has_ended) {
  auto& told = add_known(attempt);
  const bool is_pointless = told.report && (failed_ || job_has_ended);
  const bool is_kept_map = !is_reduce_ && is_work() && successful_ == attempt;
  const bool is_surplus = is_complete() && !is_kept_map;
  const bool is_late = told.is_in(TaskAttemptState::commit_pending) && !should_commit(attempt);
  if (!told.is_told_to_close && (is_pointless || is_surplus || is_late)) return told.is_told_to_close = true;
  return told.kill.has_value();
}

bool ClassicTask::request_end(std::int32_t attempt, bool as_failed) {
  const auto* kept = report(attempt);
  if (kept == nullptr) return false;
  const bool runs = kept->state == TaskAttemptState::running || kept->state == TaskAttemptState::commit_pending ||
                    (kept->cleanup_phase && is_unclean(kept->state));
  if (!runs) return false;
  return !std::exchange(add_known(attempt).kill, as_failed).has_value();
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
  for (const auto& attempt : attempts_) {
    if (attempt.is_in(TaskAttemptState::succeeded)) {
      best = 1;
      break;
    }
    if (attempt.is_in(TaskAttemptState::commit_pending)) best = progress_;
    if (attempt.is_in(TaskAttemptState::running) && static_cast<double>(attempt.report->progress) >= best)
      best = static_cast<double>(attempt.report->progress);
  }
  progress_ = best;
}

}  // namespace heddle::policies
