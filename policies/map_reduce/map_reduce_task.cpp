#include "policies/map_reduce/map_reduce_task.hpp"

#include <algorithm>

#include "model/assert.hpp"

namespace heddle::policies {

// created -schedule-> scheduled -launched-> running -succeeded-> succeeded -its map's output is gone-> scheduled
// scheduled, running -failed too often-> failed; -kill-> kill_wait -all ended-> killed

void MapReduceTask::on_schedule(MapReduceTaskEffects& effects) {
  if (state_ != MapReduceTaskState::created) return;
  state_ = MapReduceTaskState::scheduled;
  start(false, false, effects);
}

void MapReduceTask::on_recover(const MapReduceTaskRecord& record, std::int32_t master_attempt,
                               MapReduceTaskEffects& effects) {
  if (state_ != MapReduceTaskState::created) return;
  next_attempt_ = (master_attempt - 1) * 1000;
  if (!record.end) return on_schedule(effects);
  if (*record.end == MapReduceTaskState::succeeded) {
    successful_ = record.successful_attempt;
    attempts_[record.successful_attempt] = {MapReduceAttemptState::succeeded, 1};
    effects.emplace_back(AddCompletionEvent{name(record.successful_attempt), AttemptEnding::succeeded});
  }
  end(*record.end, effects);
}

void MapReduceTask::on_kill(MapReduceTaskEffects& effects) {
  if (has_ended() || state_ == MapReduceTaskState::kill_wait) return;
  if (state_ == MapReduceTaskState::created) return end(MapReduceTaskState::killed, effects);
  state_ = MapReduceTaskState::kill_wait;
  end_others(AttemptEndReason::task_killed, effects);
}

void MapReduceTask::on_speculate(MapReduceTaskEffects& effects) {
  if (state_ == MapReduceTaskState::running) start(false, true, effects);
}

void MapReduceTask::on_assigned(std::int32_t attempt) {
  if (!accepts_events_of(attempt)) return;
  Attempt& its = attempts_.at(attempt);
  if (its.state == MapReduceAttemptState::unassigned) its.state = MapReduceAttemptState::assigned;
}

void MapReduceTask::on_launched(std::int32_t attempt) {
  if (!accepts_events_of(attempt)) return;
  Attempt& its = attempts_.at(attempt);
  if (its.state != MapReduceAttemptState::commit_pending) its.state = MapReduceAttemptState::running;
  if (state_ == MapReduceTaskState::scheduled) state_ = MapReduceTaskState::running;
}

void MapReduceTask::on_progress(std::int32_t attempt, float progress) {
  if (accepts_events_of(attempt)) attempts_.at(attempt).progress = progress;
}

void MapReduceTask::on_commit_pending(std::int32_t attempt, MapReduceTaskEffects& effects) {
  if (!accepts_events_of(attempt) || state_ != MapReduceTaskState::running) return;
  attempts_.at(attempt).state = MapReduceAttemptState::commit_pending;
  if (!committing_) committing_ = attempt;
  if (committing_ != attempt)
    effects.emplace_back(EndMapReduceAttempt{name(attempt), AttemptEndReason::commits_elsewhere});
}

void MapReduceTask::on_succeeded(std::int32_t attempt, MapReduceTaskEffects& effects) {
  if (!accepts_events_of(attempt)) return;
  if (state_ == MapReduceTaskState::kill_wait) return end_while_killed(attempt, AttemptEnding::succeeded, effects);
  settle(attempt, MapReduceAttemptState::succeeded);
  if (state_ == MapReduceTaskState::succeeded) return;
  effects.emplace_back(AddCompletionEvent{name(attempt), AttemptEnding::succeeded});
  successful_ = attempt;
  end(MapReduceTaskState::succeeded, effects);
  end_others(AttemptEndReason::redundant, effects);
}

void MapReduceTask::on_failed(std::int32_t attempt, bool gives_up, MapReduceTaskEffects& effects) {
  if (state_ == MapReduceTaskState::succeeded && successful_ == attempt) {
    if (is_reduce_) return;
    run_again(effects);
  } else if (!accepts_events_of(attempt)) {
    return;
  }
  if (state_ == MapReduceTaskState::kill_wait) return end_while_killed(attempt, AttemptEnding::failed, effects);
  settle(attempt, MapReduceAttemptState::failed);
  if (state_ == MapReduceTaskState::succeeded) return;
  failed_.insert(attempt);
  if (static_cast<std::int32_t>(failed_.size()) >= attempts_max_ || gives_up) {
    effects.emplace_back(AddCompletionEvent{name(attempt), AttemptEnding::task_failed});
    end_others(AttemptEndReason::task_failed, effects);
    return end(MapReduceTaskState::failed, effects);
  }
  effects.emplace_back(AddCompletionEvent{name(attempt), AttemptEnding::failed});
  if (!has_other_with_container()) start(true, false, effects);
}

void MapReduceTask::on_killed(std::int32_t attempt, bool reschedule, MapReduceTaskEffects& effects) {
  if (state_ == MapReduceTaskState::succeeded && successful_ == attempt) {
    if (is_reduce_) return;
    run_again(effects);
  } else if (!accepts_events_of(attempt)) {
    return;
  }
  if (state_ == MapReduceTaskState::kill_wait) return end_while_killed(attempt, AttemptEnding::killed, effects);
  settle(attempt, MapReduceAttemptState::killed);
  if (state_ == MapReduceTaskState::succeeded) return;
  effects.emplace_back(AddCompletionEvent{name(attempt), AttemptEnding::killed});
  start(reschedule, false, effects);
}

std::optional<std::int32_t> MapReduceTask::representative() const {
  if (successful_) return successful_;
  std::optional<std::int32_t> best;
  float furthest = 0;
  for (const auto& [number, attempt] : attempts_) {
    if (attempt.state == MapReduceAttemptState::failed || attempt.state == MapReduceAttemptState::killed) continue;
    if (best && attempt.progress <= furthest) continue;
    best = number;
    furthest = std::max(furthest, attempt.progress);
  }
  return best;
}

float MapReduceTask::progress() const {
  const auto best = representative();
  return best ? attempts_.at(*best).progress : 0.0F;
}

void MapReduceTask::check_invariants() const {
  HEDDLE_ASSERT((state_ == MapReduceTaskState::succeeded) == successful_.has_value(),
                "only a succeeded task has a successful attempt");
  HEDDLE_ASSERT(!committing_ || attempts_.contains(*committing_), "the committing attempt is unknown");
  HEDDLE_ASSERT(static_cast<std::int32_t>(failed_.size()) <= attempts_max_, "more failed attempts than the limit");
  if (state_ == MapReduceTaskState::scheduled || state_ == MapReduceTaskState::running)
    HEDDLE_ASSERT(std::any_of(attempts_.begin(), attempts_.end(), [](const auto& row) { return !is_over(row.second); }),
                  "a live task has no live attempt");
}

// -- steps -----------------------------------------------------------------------

/// The end of an attempt is final, and so is the end of a task, except that a succeeded map may run again.
bool MapReduceTask::accepts_events_of(std::int32_t attempt) const {
  const auto row = attempts_.find(attempt);
  return row != attempts_.end() && !is_over(row->second) && state_ != MapReduceTaskState::failed &&
         state_ != MapReduceTaskState::killed;
}

/// An attempt that waits for a container must not prevent the task from being requested before others.
bool MapReduceTask::has_other_with_container() const {
  return std::any_of(attempts_.begin(), attempts_.end(), [](const auto& row) {
    return !is_over(row.second) && row.second.state != MapReduceAttemptState::unassigned;
  });
}

void MapReduceTask::start(bool reschedule, bool speculative, MapReduceTaskEffects& effects) {
  const std::int32_t number = next_attempt_++;
  attempts_[number] = {};
  effects.emplace_back(StartMapReduceAttempt{name(number), reschedule, speculative});
}

void MapReduceTask::end_others(AttemptEndReason reason, MapReduceTaskEffects& effects) {
  for (const auto& [number, attempt] : attempts_)
    if (!is_over(attempt)) effects.emplace_back(EndMapReduceAttempt{name(number), reason});
}

void MapReduceTask::end(MapReduceTaskState state, MapReduceTaskEffects& effects) {
  state_ = state;
  effects.emplace_back(NotifyTaskEnded{state});
}

void MapReduceTask::settle(std::int32_t attempt, MapReduceAttemptState state) {
  attempts_.at(attempt).state = state;
  if (state != MapReduceAttemptState::succeeded && committing_ == attempt) committing_.reset();
}

void MapReduceTask::run_again(MapReduceTaskEffects& effects) {
  successful_.reset();
  state_ = MapReduceTaskState::scheduled;
  effects.emplace_back(NotifyMapRescheduled{});
}

void MapReduceTask::end_while_killed(std::int32_t attempt, AttemptEnding ending, MapReduceTaskEffects& effects) {
  settle(attempt, ending == AttemptEnding::succeeded ? MapReduceAttemptState::succeeded
                  : ending == AttemptEnding::failed  ? MapReduceAttemptState::failed
                                                     : MapReduceAttemptState::killed);
  effects.emplace_back(AddCompletionEvent{name(attempt), ending});
  if (std::all_of(attempts_.begin(), attempts_.end(), [](const auto& row) { return is_over(row.second); }))
    end(MapReduceTaskState::killed, effects);
}

}  // namespace heddle::policies
