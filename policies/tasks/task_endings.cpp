// How attempts end: success, failure with its reason, the loss of their executor; and queued ones that are taken back.
#include <algorithm>

#include "model/assert.hpp"
#include "policies/tasks/task_scheduler_state.hpp"

namespace heddle::policies {
namespace {

bool counts(AttemptOutcome outcome) {
  return outcome == AttemptOutcome::exception || outcome == AttemptOutcome::result_lost ||
         outcome == AttemptOutcome::unknown || outcome == AttemptOutcome::executor_lost_by_application;
}

AttemptOutcome outcome_of(const AttemptStatus& status) {
  if (status.state == AttemptState::killed) return AttemptOutcome::killed;
  switch (status.failure) {
    case AttemptFailure::unknown: return AttemptOutcome::unknown;
    case AttemptFailure::exception:
    case AttemptFailure::not_serializable:
    case AttemptFailure::output_exists: return AttemptOutcome::exception;
    case AttemptFailure::fetch_failed: return AttemptOutcome::fetch_failed;
    case AttemptFailure::result_lost: return AttemptOutcome::result_lost;
    case AttemptFailure::commit_denied: return AttemptOutcome::commit_denied;
  }
  return AttemptOutcome::unknown;
}

bool report(TaskSchedulerState& state, Instant now, LaunchId id, const AttemptStatus& status,
            TaskSchedulerEffects& effects) {
  const AttemptSlot slot = state.attempts.find(id);
  if (slot == no_attempt || !state.attempts.at(slot).known) return false;
  state.start_running(slot);
  const TaskSetSlot set_slot = state.attempts.at(slot).set;
  const std::int32_t index = state.attempts.at(slot).index;
  if (state.settings.speculation && status.progress)
    state.sets[set_slot].copies.rates().note(id, *status.progress, status.state == AttemptState::finished);
  switch (status.state) {
    case AttemptState::running: state.attempts.at(slot).launching = false; return true;
    case AttemptState::finished:
      if (state.take_result(now, slot, status.result_bytes, effects)) state.succeed(now, slot, effects);
      return true;
    case AttemptState::lost: {
      const std::int32_t executor = state.attempts.at(slot).executor;
      state.remove_executor(now, executor, {LossKind::process_lost, true}, effects);
      const TaskSet& set = state.sets[set_slot];
      if (!set.flags.is_zombie && !set.states[index].is_successful) effects.events.emplace_back(ReviveOffersWanted{});
      effects.events.emplace_back(ExecutorLost{ExecutorId{executor}});
      effects.events.emplace_back(ReviveOffersWanted{});
      return true;
    }
    case AttemptState::failed:
    case AttemptState::killed: break;
  }
  TaskSchedulerState::Failing failing;
  failing.outcome = outcome_of(status);
  if (status.state == AttemptState::failed) {
    failing.not_serializable = status.failure == AttemptFailure::not_serializable;
    failing.output_exists = status.failure == AttemptFailure::output_exists;
    failing.source_executor = static_cast<std::int32_t>(status.source_executor.value);
    failing.source_host = status.source_host;
  }
  if (state.fail(now, slot, failing, effects)) effects.events.emplace_back(ReviveOffersWanted{});
  return true;
}

}  // namespace

bool TaskScheduler::apply(Instant now, const task_input::AttemptReported& input, TaskSchedulerEffects& effects) {
  return report(*state_, now, input.attempt, {input.state, input.failure, input.source_executor, input.source_host},
                effects);
}

bool TaskScheduler::apply(Instant now, const task_input::AttemptMeasured& input, TaskSchedulerEffects& effects) {
  AttemptStatus status{input.state, AttemptFailure::unknown, {}, {}};
  if (input.run_us >= 0) status.progress = {input.records, Duration{input.run_us}};
  status.result_bytes = input.result_bytes;
  return report(*state_, now, input.attempt, status, effects);
}

void TaskSchedulerState::tell_ended(const TaskSet& set, const LiveAttempt& attempt, AttemptOutcome outcome,
                                    Effects& effects) const {
  TaskEnded told;
  told.id = attempt.id;
  told.set = set.key;
  told.index = attempt.index;
  told.partition = set.partitions.partition_of(attempt.index);
  told.attempt = attempt.attempt;
  told.executor = ExecutorId{attempt.executor};
  told.outcome = outcome;
  told.speculative = attempt.speculative;
  told.queued = attempt.queued;
  told.cores = set.cores;
  effects.events.emplace_back(told);
}

void TaskSchedulerState::start_running(AttemptSlot slot) {
  LiveAttempt& attempt = attempts.at(slot);
  if (!attempt.queued) return;
  attempt.queued = false;
  TaskSet& set = sets[attempt.set];
  --set.counts.queued;
  ++set.counts.running;
  pools.change_running(set.standing.pool, 1);
}

LiveAttempt TaskSchedulerState::end_attempt(AttemptSlot slot) {
  const LiveAttempt attempt = attempts.at(slot);
  TaskSet& set = sets[attempt.set];
  ExecutorDirectory::Executor& executor = directory.executor(attempt.executor);
  if (settings.speculation) set.copies.rates().forget(attempt.id);
  if (settings.adaptive && !attempt.speculative)
    set.waits.payoff()->on_end(attempt.level <= LocalityLevel::node, attempt.host, attempt.index, attempt.launched);
  attempts.unlink_from_set(set.attempts_of_set, slot);
  attempts.unlink_from_executor(executor.attempts, slot);
  AttemptSlot* link = &set.states[attempt.index].first_live;
  while (*link != slot) link = &attempts.at(*link).next_of_task;
  *link = attempt.next_of_task;
  if (attempt.known && executor.is_known) --executor.known_attempts;
  if (attempt.queued) {
    --set.counts.queued;
  } else {
    --set.counts.running;
    pools.change_running(set.standing.pool, -1);
  }
  attempts.remove(slot);
  return attempt;
}

void TaskSchedulerState::remember_map(const TaskSet& set, const LiveAttempt& attempt) {
  // With a shuffle service the output goes only when the executor is decommissioned, but that is known only then.
  if (set.kind != TaskSetKind::map || attempt.killed_by_other) return;
  ExecutorDirectory::ExecutorPast& executor = directory.past(attempt.executor);
  if (executor.ended_maps.size() >= executor.ended_maps_limit) {
    std::erase_if(executor.ended_maps, [this](const EndedMapAttempt& ended) {
      return sets[ended.set].origin.life != ended.set_life || sets[ended.set].flags.is_zombie;
    });
    executor.ended_maps_limit = std::max<std::size_t>(64, executor.ended_maps.size() * 2);
  }
  executor.ended_maps.push_back({attempt.id, attempt.set, set.origin.life, attempt.index, attempt.attempt});
}

bool TaskSchedulerState::take_result(Instant now, AttemptSlot slot, std::int64_t bytes, Effects& effects) {
  const TaskSetSlot set_slot = attempts.at(slot).set;
  TaskSet& set = sets[set_slot];
  set.counts.results += 1;
  set.counts.result_bytes += std::min(std::max<std::int64_t>(bytes, 0), INT64_MAX - set.counts.result_bytes);
  if (set.kind == TaskSetKind::map || settings.result_bytes_max <= 0 ||
      set.counts.result_bytes <= settings.result_bytes_max)
    return true;
  abort(now, set_slot, SetFailure::results_too_large, attempts.at(slot).index, effects);
  Failing failing;
  failing.outcome = AttemptOutcome::killed;
  fail(now, slot, failing, effects);
  return false;
}

void TaskSchedulerState::succeed(Instant now, AttemptSlot slot, Effects& effects) {
  const TaskSetSlot set_slot = attempts.at(slot).set;
  TaskSet& set = sets[set_slot];
  TaskState& task = set.states[attempts.at(slot).index];
  if (task.is_successful && attempts.at(slot).killed_by_other) {
    // It finished although it was told to die: its result is not wanted.
    Failing failing;
    failing.outcome = AttemptOutcome::killed;
    fail(now, slot, failing, effects);
    return;
  }
  const LiveAttempt attempt = end_attempt(slot);
  if (settings.adaptive && !attempt.speculative)
    set.note_success(attempt.level, attempt.index, now - attempt.launched, locality_history);
  if (settings.speculation) {
    set.copies.on_duration(now - attempt.launched);
    set.copies.note_succeeded_on(attempt.index, attempt.host, set.kind, set.states.size());
  }
  for (AttemptSlot other = task.first_live; other != no_attempt; other = attempts.at(other).next_of_task) {
    LiveAttempt& loser = attempts.at(other);
    loser.killed_by_other = true;
    effects.events.emplace_back(KillAttempt{loser.id, set.key, loser.index, loser.attempt, ExecutorId{loser.executor}});
  }
  if (!task.is_successful) {
    task.is_successful = true;
    set.states.forget_failures(attempt.index);
    if (++set.counts.successful == set.tasks) set.flags.is_zombie = true;
  }
  if (!set.flags.is_zombie) remember_map(set, attempt);
  if (set.kind == TaskSetKind::map) set.outputs.moved_to.erase(attempt.index);
  tell_ended(set, attempt, AttemptOutcome::success, effects);
  maybe_finish(now, set_slot, effects);
}

bool TaskSchedulerState::fail(Instant now, AttemptSlot slot, const Failing& failing, Effects& effects) {
  const LiveAttempt attempt = end_attempt(slot);
  TaskSet& set = sets[attempt.set];
  TaskState& task = set.states[attempt.index];
  --task.copies;
  ++set.progress.failures;
  if (settings.speculation) set.copies.note_failed_on(attempt.index, attempt.host);
  if (!set.flags.is_zombie) remember_map(set, attempt);
  if (failing.outcome == AttemptOutcome::fetch_failed) {
    if (!task.is_successful) {
      task.is_successful = true;
      ++set.counts.successful;
    }
    set.flags.is_zombie = true;
    if (health && failing.source_executor >= 0)
      health->on_fetch_failure(now, failing.source_host, failing.source_executor, effects);
  }
  if (set.flags.is_barrier) set.flags.is_zombie = true;  // the stage runs again, whole
  tell_ended(set, attempt, failing.outcome, effects);
  if (failing.not_serializable || failing.output_exists) {
    abort(now, attempt.set, failing.not_serializable ? SetFailure::not_serializable : SetFailure::output_exists,
          attempt.index, effects);
    return false;
  }
  if (!set.flags.is_zombie && counts(failing.outcome)) {
    count_failure(now, attempt.set, attempt, effects);
    if (set.states.failures_of(attempt.index) >= settings.max_failures) return false;
  }
  if (!task.is_successful) add_pending(set, attempt.index);
  maybe_finish(now, attempt.set, effects);
  return !set.flags.is_zombie && !task.is_successful;
}

void TaskSchedulerState::count_failure(Instant now, TaskSetSlot slot, const LiveAttempt& attempt, Effects& effects) {
  TaskSet& set = sets[slot];
  // Excluded before it is pending again: otherwise the same executor could take it at once.
  if (set.exclusion) set.exclusion->on_failure(now, attempt.host, attempt.executor, attempt.index);
  set.states.count_failure(attempt.index);
  if (set.states.failures_of(attempt.index) >= settings.max_failures)
    abort(now, slot, SetFailure::too_many_failures, attempt.index, effects);
}

// -- loss of executors -----------------------------------------------------------

void TaskScheduler::apply(Instant now, const task_input::ExecutorGone& input, TaskSchedulerEffects& effects) {
  TaskSchedulerState& state = *state_;
  const auto number = static_cast<std::int32_t>(input.executor.value);
  const ExecutorDirectory::Executor* record = state.directory.find_executor(number);
  if (record == nullptr || !record->has_host) return;
  const bool was_known = record->is_known;
  state.remove_executor(now, number, input.reason, effects);
  if (!was_known) {
    // The reason has come; nothing else says that its tasks wait again.
    for (const TaskSetSlot slot : state.pools.members())
      if (state.sets[slot].is_schedulable()) state.offer_deadlines.set_now(slot, now);
    return;
  }
  effects.events.emplace_back(ExecutorLost{input.executor});
  effects.events.emplace_back(ReviveOffersWanted{});
}

void TaskScheduler::apply(Instant now, const task_input::ExecutorDecommissioned& input, TaskSchedulerEffects& effects) {
  TaskSchedulerState& state = *state_;
  const auto number = static_cast<std::int32_t>(input.executor.value);
  const ExecutorDirectory::Executor* record = state.directory.find_executor(number);
  if (record != nullptr && record->has_host) {
    ExecutorDirectory::Executor& going = state.directory.executor(number);
    going.is_decommissioned = true;
    going.host_is_decommissioned = input.whole_host;
    state.directory.past(number).decommissioned_at = now;
  } else if (state.settings.unknown_decommissions_retained > 0 && (record == nullptr || !record->is_known)) {
    std::erase_if(state.unknown_decommissions, [&](const auto& row) { return row.first == number; });
    state.unknown_decommissions.emplace_back(number, input.whole_host);
    while (state.unknown_decommissions.size() > static_cast<std::size_t>(state.settings.unknown_decommissions_retained))
      state.unknown_decommissions.pop_front();
  }
  for (const TaskSetSlot slot : state.pools.members()) state.sets[slot].recompute_levels(state.directory);
  effects.events.emplace_back(ReviveOffersWanted{});
}

void TaskSchedulerState::remove_executor(Instant now, std::int32_t number, LossReason reason, Effects& effects) {
  if (const auto* going = directory.find_executor(number); going != nullptr && going->is_decommissioned) {
    gone_decommissioned.emplace_back(number, directory.decommission_state(number));
    while (gone_decommissioned.size() > static_cast<std::size_t>(std::max(settings.decommissioned_retained, 0)))
      gone_decommissioned.pop_front();
  }
  directory.remove(number);
  ExecutorDirectory::Executor& record = directory.executor(number);
  for (AttemptSlot slot = record.attempts.first; slot != no_attempt; slot = attempts.at(slot).next_on_executor)
    attempts.at(slot).known = false;
  if (reason.kind != LossKind::pending) {
    record.has_host = false;
    std::vector<EndedMapAttempt> ended;
    ended.swap(directory.past(number).ended_maps);
    std::erase_if(ended, [this](const EndedMapAttempt& one) { return sets[one.set].origin.life != one.set_life; });
    for (const TaskSetSlot slot : pools.members()) {
      resubmit_lost_maps(number, slot, ended, reason, effects);
      fail_on_lost_executor(now, slot, number, reason, effects);
      sets[slot].recompute_levels(directory);
    }
  }
  if (health) health->on_executor_removed(number);
}

void TaskSchedulerState::resubmit_lost_maps(std::int32_t number, TaskSetSlot slot,
                                            const std::vector<EndedMapAttempt>& ended, LossReason reason,
                                            Effects& effects) {
  TaskSet& set = sets[slot];
  if (set.kind != TaskSetKind::map || set.flags.is_zombie) return;
  // What ended there counts for the rest of the set's life: the executor may come back under its id and be lost again.
  const bool has_ended_here =
      std::any_of(ended.begin(), ended.end(), [&](const EndedMapAttempt& one) { return one.set == slot; });
  if (!has_ended_here && !set.outputs.ended_on_lost.contains(number)) return;
  std::vector<EndedMapAttempt>& all = set.outputs.ended_on_lost[number];
  std::copy_if(ended.begin(), ended.end(), std::back_inserter(all),
               [&](const EndedMapAttempt& one) { return one.set == slot; });
  std::sort(all.begin(), all.end(), [](const EndedMapAttempt& a, const EndedMapAttempt& b) { return a.id < b.id; });
  if (reason.kind != LossKind::decommissioned && settings.shuffle_service) return;
  const HostId host = directory.executor(number).host;
  for (const EndedMapAttempt& one : all) {
    TaskState& task = set.states[one.index];
    if (!task.is_successful || (reason.kind == LossKind::decommissioned && set.outputs.has_left(one.index, host)))
      continue;
    task.is_successful = false;
    if (task.copies > 0 || !settings.fixes.copies_below_zero) --task.copies;
    --set.counts.successful;
    if (settings.speculation) set.copies.note_output_lost(one.index);
    add_pending(set, one.index);
    LiveAttempt gone;
    gone.id = one.id;
    gone.index = one.index;
    gone.attempt = one.attempt;
    tell_ended(set, gone, AttemptOutcome::resubmitted, effects);
  }
}

void TaskSchedulerState::fail_on_lost_executor(Instant now, TaskSetSlot slot, std::int32_t number, LossReason reason,
                                               Effects& effects) {
  std::vector<AttemptSlot> lost;
  for (AttemptSlot at = directory.executor(number).attempts.first; at != no_attempt;
       at = attempts.at(at).next_on_executor)
    if (attempts.at(at).set == slot) lost.push_back(at);
  for (const AttemptSlot at : lost) {
    const LiveAttempt& attempt = attempts.at(at);
    // An attempt that never said `running` did no harm; that includes one that was queued ahead.
    const bool has_cause = reason.kind == LossKind::exited || reason.kind == LossKind::process_lost;
    const bool by_application = has_cause && reason.by_application && !attempt.launching;
    Failing failing;
    failing.outcome = by_application ? AttemptOutcome::executor_lost_by_application : AttemptOutcome::executor_lost;
    fail(now, at, failing, effects);
  }
}

// -- queued ahead ----------------------------------------------------------------

bool TaskScheduler::apply(Instant, const task_input::AttemptRetracted& input) {
  TaskSchedulerState& state = *state_;
  const AttemptSlot slot = state.attempts.find(input.attempt);
  if (slot == no_attempt || !state.attempts.at(slot).queued || !state.attempts.at(slot).known) return false;
  // The end of a set that launches nothing any more may hang on this attempt.
  if (state.sets[state.attempts.at(slot).set].flags.is_zombie) return false;
  const LiveAttempt attempt = state.end_attempt(slot);
  TaskSet& set = state.sets[attempt.set];
  --set.states[attempt.index].copies;
  if (!set.states[attempt.index].is_successful) state.add_pending(set, attempt.index);
  return true;
}

std::vector<LaunchId> TaskScheduler::queued_on(ExecutorId executor) const {
  std::vector<LaunchId> queued;
  const ExecutorDirectory::Executor* record =
      state_->directory.find_executor(static_cast<std::int32_t>(executor.value));
  if (record == nullptr) return queued;
  for (AttemptSlot slot = record->attempts.first; slot != no_attempt; slot = state_->attempts.at(slot).next_on_executor)
    if (state_->attempts.at(slot).queued) queued.push_back(state_->attempts.at(slot).id);
  return queued;
}

}  // namespace heddle::policies
