// Ends of attempts: success, failure with its reason, loss of the executor.
#include <algorithm>

#include "model/assert.hpp"
#include "policies/tasks/task_scheduler_state.hpp"

namespace heddle::policies {
namespace {

struct Failing {
  AttemptOutcome outcome = AttemptOutcome::unknown;
  bool not_serializable = false;
  bool output_exists = false;
  bool is_unreachable = false;
  std::int32_t source_executor = -1;
  HostId source_host;
};

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
    case AttemptFailure::output_exists:
    case AttemptFailure::unreachable: return AttemptOutcome::exception;
    case AttemptFailure::fetch_failed: return AttemptOutcome::fetch_failed;
    case AttemptFailure::result_lost: return AttemptOutcome::result_lost;
    case AttemptFailure::commit_denied: return AttemptOutcome::commit_denied;
  }
  return AttemptOutcome::unknown;
}

void report_ended(const TaskSet& set, const LiveAttempt& attempt, AttemptOutcome outcome,
                  TaskSchedulerEffects& effects) {
  TaskEnded event;
  event.id = attempt.id;
  event.set = set.key;
  event.index = attempt.index;
  event.partition = set.partitions.partition_of(attempt.index);
  event.attempt = attempt.attempt;
  event.executor = ExecutorId{attempt.executor};
  event.outcome = outcome;
  event.speculative = attempt.speculative;
  event.queued = attempt.queued;
  event.cores = set.cores;
  effects.events.emplace_back(event);
}

void start_running(TaskSchedulerState& state, AttemptSlot slot) {
  LiveAttempt& attempt = state.attempts.at(slot);
  if (!attempt.queued) return;
  attempt.queued = false;
  TaskSet& set = state.sets[attempt.set];
  --set.counts.queued;
  ++set.counts.running;
  state.pools.change_running(set.standing.pool, 1);
}

void record_map_attempt(TaskSchedulerState& state, const TaskSet& set, const LiveAttempt& attempt) {
  // With a shuffle service the output is lost only if the executor is decommissioned, which is not known yet.
  if (set.kind != TaskSetKind::map || attempt.killed_by_other) return;
  ExecutorDirectory::ExecutorPast& executor = state.directory.past(attempt.executor);
  if (executor.ended_maps.size() >= executor.ended_maps_limit) {
    std::erase_if(executor.ended_maps, [&](const EndedMapAttempt& ended) {
      return state.sets[ended.set].origin.life != ended.set_life || state.sets[ended.set].flags.is_zombie;
    });
    executor.ended_maps_limit = std::max<std::size_t>(64, executor.ended_maps.size() * 2);
  }
  executor.ended_maps.push_back({attempt.id, attempt.set, set.origin.life, attempt.index, attempt.attempt});
}

void count_attempt_failure(TaskSchedulerState& state, Instant now, TaskSetSlot slot, const LiveAttempt& attempt,
                           TaskSchedulerEffects& effects) {
  TaskSet& set = state.sets[slot];
  // Exclude before the task is pending again. Otherwise the same executor could take it at once.
  if (set.exclusion) set.exclusion->on_failure(now, attempt.host, attempt.executor, attempt.index);
  set.states.count_failure(attempt.index);
  if (set.states.failures_of(attempt.index) >= state.settings.max_failures)
    abort_set(state, now, slot, SetFailure::too_many_failures, attempt.index, effects);
}

/// True if the attempt's task has to run again.
bool fail_attempt(TaskSchedulerState& state, Instant now, AttemptSlot slot, const Failing& failing,
                  TaskSchedulerEffects& effects) {
  const LiveAttempt attempt = end_attempt(state, slot);
  TaskSet& set = state.sets[attempt.set];
  TaskState& task = set.states[attempt.index];
  --task.copies;
  ++set.progress.failures;
  if (state.settings.speculation) set.copies.record_failure_on(attempt.index, attempt.host);
  if (!set.flags.is_zombie) record_map_attempt(state, set, attempt);
  if (failing.outcome == AttemptOutcome::fetch_failed) {
    if (!task.is_successful) {
      task.is_successful = true;
      ++set.counts.successful;
    }
    set.flags.is_zombie = true;
    if (state.health && failing.source_executor >= 0)
      state.health->on_fetch_failure(now, failing.source_host, failing.source_executor, effects);
  }
  if (set.flags.is_barrier) set.flags.is_zombie = true;  // the whole stage runs again
  report_ended(set, attempt, failing.outcome, effects);
  if (failing.not_serializable || failing.output_exists) {
    abort_set(state, now, attempt.set,
              failing.not_serializable ? SetFailure::not_serializable : SetFailure::output_exists, attempt.index,
              effects);
    return false;
  }
  if (failing.is_unreachable && !set.flags.is_zombie && !task.is_successful) {
    abort_set(state, now, attempt.set, SetFailure::unreachable, attempt.index, effects);
    return false;
  }
  if (!set.flags.is_zombie && counts(failing.outcome)) {
    count_attempt_failure(state, now, attempt.set, attempt, effects);
    if (set.states.failures_of(attempt.index) >= state.settings.max_failures) return false;
  }
  if (!task.is_successful) add_pending(state, set, attempt.index);
  maybe_finish(state, now, attempt.set, effects);
  return !set.flags.is_zombie && !task.is_successful;
}

/// True if the result is within the limit. Otherwise aborts the set, and the attempt counts as killed (TSM-17).
bool accept_result(TaskSchedulerState& state, Instant now, AttemptSlot slot, std::int64_t bytes,
                   TaskSchedulerEffects& effects) {
  const TaskSetSlot set_slot = state.attempts.at(slot).set;
  TaskSet& set = state.sets[set_slot];
  set.counts.results += 1;
  set.counts.result_bytes += std::min(std::max<std::int64_t>(bytes, 0), INT64_MAX - set.counts.result_bytes);
  if (set.kind == TaskSetKind::map || state.settings.result_bytes_max <= 0 ||
      set.counts.result_bytes <= state.settings.result_bytes_max)
    return true;
  abort_set(state, now, set_slot, SetFailure::results_too_large, state.attempts.at(slot).index, effects);
  Failing failing;
  failing.outcome = AttemptOutcome::killed;
  fail_attempt(state, now, slot, failing, effects);
  return false;
}

void resubmit_lost_maps(TaskSchedulerState& state, std::int32_t number, TaskSetSlot slot,
                        const std::vector<EndedMapAttempt>& ended, LossReason reason, TaskSchedulerEffects& effects) {
  TaskSet& set = state.sets[slot];
  if (set.kind != TaskSetKind::map || set.flags.is_zombie) return;
  // Attempts that ended on the executor count until the end of the set, since the executor may register again with its
  // id.
  const bool has_ended_here =
      std::any_of(ended.begin(), ended.end(), [&](const EndedMapAttempt& one) { return one.set == slot; });
  if (!has_ended_here && !set.outputs.ended_on_lost.contains(number)) return;
  std::vector<EndedMapAttempt>& all = set.outputs.ended_on_lost[number];
  std::copy_if(ended.begin(), ended.end(), std::back_inserter(all),
               [&](const EndedMapAttempt& one) { return one.set == slot; });
  std::sort(all.begin(), all.end(), [](const EndedMapAttempt& a, const EndedMapAttempt& b) { return a.id < b.id; });
  if (reason.kind != LossKind::decommissioned && state.settings.shuffle_service) return;
  const HostId host = state.directory.executor(number).host;
  for (const EndedMapAttempt& one : all) {
    TaskState& task = set.states[one.index];
    if (!task.is_successful || (reason.kind == LossKind::decommissioned && set.outputs.has_left(one.index, host)))
      continue;
    task.is_successful = false;
    if (task.copies > 0 || !state.settings.fixes.copies_below_zero) --task.copies;
    --set.counts.successful;
    if (state.settings.speculation) set.copies.record_lost_output(one.index);
    add_pending(state, set, one.index);
    LiveAttempt gone;
    gone.id = one.id;
    gone.index = one.index;
    gone.attempt = one.attempt;
    report_ended(set, gone, AttemptOutcome::resubmitted, effects);
  }
}

/// Whether the tasks of an executor lost in this way can count as failed.
bool counts_blame(LossKind kind) {
  switch (kind) {
    case LossKind::exited:
    case LossKind::process_lost:
    case LossKind::node_lost:
    case LossKind::start_failed: return true;
    case LossKind::killed:
    case LossKind::pending:
    case LossKind::decommissioned: break;
  }
  return false;
}

void fail_on_lost_executor(TaskSchedulerState& state, Instant now, TaskSetSlot slot, std::int32_t number,
                           LossReason reason, TaskSchedulerEffects& effects) {
  std::vector<AttemptSlot> lost;
  for (AttemptSlot at = state.directory.executor(number).attempts.first; at != no_attempt;
       at = state.attempts.at(at).next_on_executor)
    if (state.attempts.at(at).set == slot) lost.push_back(at);
  for (const AttemptSlot at : lost) {
    const LiveAttempt& attempt = state.attempts.at(at);
    // An attempt that did not report `running` is not to blame, such as one that was queued ahead.
    const bool by_application = counts_blame(reason.kind) && reason.by_application && !attempt.launching;
    Failing failing;
    failing.outcome = by_application ? AttemptOutcome::executor_lost_by_application : AttemptOutcome::executor_lost;
    fail_attempt(state, now, at, failing, effects);
  }
}

}  // namespace

LiveAttempt end_attempt(TaskSchedulerState& state, AttemptSlot slot) {
  const LiveAttempt attempt = state.attempts.at(slot);
  TaskSet& set = state.sets[attempt.set];
  ExecutorDirectory::Executor& executor = state.directory.executor(attempt.executor);
  if (state.settings.speculation) set.copies.rates().remove(attempt.id);
  if (state.settings.adaptive && !attempt.speculative)
    set.waits.payoff()->on_end(attempt.level <= LocalityLevel::node, attempt.host, attempt.index, attempt.launched);
  state.attempts.unlink_from_set(set.attempts_of_set, slot);
  state.attempts.unlink_from_executor(executor.attempts, slot);
  AttemptSlot* link = &set.states[attempt.index].first_live;
  while (*link != slot) link = &state.attempts.at(*link).next_of_task;
  *link = attempt.next_of_task;
  if (attempt.known && executor.is_known) --executor.known_attempts;
  if (attempt.queued) {
    --set.counts.queued;
  } else {
    --set.counts.running;
    state.pools.change_running(set.standing.pool, -1);
  }
  state.attempts.remove(slot);
  return attempt;
}

void succeed_attempt(TaskSchedulerState& state, Instant now, AttemptSlot slot, TaskSchedulerEffects& effects) {
  const TaskSetSlot set_slot = state.attempts.at(slot).set;
  TaskSet& set = state.sets[set_slot];
  TaskState& task = set.states[state.attempts.at(slot).index];
  if (task.is_successful && state.attempts.at(slot).killed_by_other) {
    // The attempt finished although it was killed. Its result is dropped.
    Failing failing;
    failing.outcome = AttemptOutcome::killed;
    fail_attempt(state, now, slot, failing, effects);
    return;
  }
  const LiveAttempt attempt = end_attempt(state, slot);
  if (state.settings.adaptive && !attempt.speculative)
    set.record_success(attempt.level, attempt.index, now - attempt.launched, state.locality_history);
  if (state.settings.speculation) {
    set.copies.on_duration(now - attempt.launched);
    set.copies.record_success_on(attempt.index, attempt.host, set.kind, set.states.size());
  }
  for (AttemptSlot other = task.first_live; other != no_attempt; other = state.attempts.at(other).next_of_task) {
    LiveAttempt& loser = state.attempts.at(other);
    loser.killed_by_other = true;
    effects.events.emplace_back(KillAttempt{loser.id, set.key, loser.index, loser.attempt, ExecutorId{loser.executor}});
  }
  if (!task.is_successful) {
    task.is_successful = true;
    set.states.clear_failures(attempt.index);
    if (++set.counts.successful == set.tasks) set.flags.is_zombie = true;
  }
  if (!set.flags.is_zombie) record_map_attempt(state, set, attempt);
  if (set.kind == TaskSetKind::map) set.outputs.moved_to.erase(attempt.index);
  report_ended(set, attempt, AttemptOutcome::success, effects);
  maybe_finish(state, now, set_slot, effects);
}

bool report_attempt(TaskSchedulerState& state, Instant now, LaunchId id, const AttemptStatus& status,
                    TaskSchedulerEffects& effects) {
  const AttemptSlot slot = state.attempts.find(id);
  if (slot == no_attempt || !state.attempts.at(slot).known) return false;
  start_running(state, slot);
  const TaskSetSlot set_slot = state.attempts.at(slot).set;
  const std::int32_t index = state.attempts.at(slot).index;
  if (state.settings.speculation && status.progress)
    state.sets[set_slot].copies.rates().record(id, *status.progress, status.state == AttemptState::finished);
  switch (status.state) {
    case AttemptState::running: state.attempts.at(slot).launching = false; return true;
    case AttemptState::finished:
      if (accept_result(state, now, slot, status.result_bytes, effects)) succeed_attempt(state, now, slot, effects);
      return true;
    case AttemptState::lost: {
      const std::int32_t executor = state.attempts.at(slot).executor;
      remove_executor(state, now, executor, {LossKind::process_lost, true}, effects);
      const TaskSet& set = state.sets[set_slot];
      if (!set.flags.is_zombie && !set.states[index].is_successful) effects.events.emplace_back(ReviveOffersWanted{});
      effects.events.emplace_back(ExecutorLost{ExecutorId{executor}});
      effects.events.emplace_back(ReviveOffersWanted{});
      return true;
    }
    case AttemptState::failed:
    case AttemptState::killed: break;
  }
  Failing failing;
  failing.outcome = outcome_of(status);
  if (status.state == AttemptState::failed) {
    failing.not_serializable = status.failure == AttemptFailure::not_serializable;
    failing.output_exists = status.failure == AttemptFailure::output_exists;
    failing.is_unreachable = status.failure == AttemptFailure::unreachable;
    failing.source_executor = static_cast<std::int32_t>(status.source_executor.value);
    failing.source_host = status.source_host;
  }
  if (fail_attempt(state, now, slot, failing, effects)) effects.events.emplace_back(ReviveOffersWanted{});
  return true;
}

// -- loss of executors -----------------------------------------------------------

void remove_executor(TaskSchedulerState& state, Instant now, std::int32_t number, LossReason reason,
                     TaskSchedulerEffects& effects) {
  if (const auto* going = state.directory.find_executor(number); going != nullptr && going->is_decommissioned) {
    state.removed_decommissioned.emplace_back(number, state.directory.decommission_state(number));
    while (state.removed_decommissioned.size() >
           static_cast<std::size_t>(std::max(state.settings.decommissioned_retained, 0)))
      state.removed_decommissioned.pop_front();
  }
  state.directory.remove(number);
  ExecutorDirectory::Executor& record = state.directory.executor(number);
  for (AttemptSlot slot = record.attempts.first; slot != no_attempt; slot = state.attempts.at(slot).next_on_executor)
    state.attempts.at(slot).known = false;
  if (reason.kind != LossKind::pending) {
    record.has_host = false;
    std::vector<EndedMapAttempt> ended;
    ended.swap(state.directory.past(number).ended_maps);
    std::erase_if(ended, [&](const EndedMapAttempt& one) { return state.sets[one.set].origin.life != one.set_life; });
    for (const TaskSetSlot slot : state.pools.members()) {
      resubmit_lost_maps(state, number, slot, ended, reason, effects);
      fail_on_lost_executor(state, now, slot, number, reason, effects);
      state.sets[slot].recompute_levels(state.directory);
    }
  }
  if (state.health) state.health->on_executor_removed(number);
}

}  // namespace heddle::policies
