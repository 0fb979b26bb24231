#include "policies/tasks/task_scheduler.hpp"

#include <algorithm>

#include "model/assert.hpp"
#include "model/due_heap.hpp"
#include "policies/tasks/task_scheduler_state.hpp"
#include "policies/tasks/task_speculation.hpp"

namespace heddle::policies {

TaskScheduler::TaskScheduler(TaskSchedulerSettings settings)
    : state_{std::make_unique<TaskSchedulerState>(std::move(settings))} {
  HEDDLE_ASSERT(state_->settings.task_cores > 0, "task_cores");
}
TaskScheduler::TaskScheduler(const TaskScheduler& other)
    : state_{std::make_unique<TaskSchedulerState>(*other.state_)} {}
TaskScheduler::TaskScheduler(TaskScheduler&& other) noexcept = default;
TaskScheduler& TaskScheduler::operator=(TaskScheduler other) noexcept {
  state_.swap(other.state_);
  return *this;
}
TaskScheduler::~TaskScheduler() = default;

void TaskScheduler::apply(Instant, const task_input::HostIntroduced& input) {
  state_->directory.introduce_host(input.host, input.name, input.rack);
}

void TaskScheduler::apply(Instant, const task_input::ExecutorIntroduced& input) {
  state_->directory.introduce_executor(input.executor, input.name);
}

// -- inputs --------------------------------------------------------------------

void TaskScheduler::apply(Instant now, const task_input::TaskSetSubmitted& input, TaskSchedulerEffects& effects) {
  sweep_finished(*state_);
  const TaskSetSlot slot = make_set(*state_, now, input.set);
  auto& of_stage = state_->by_stage[input.set.key.stage];
  for (const auto& row : of_stage) state_->sets[row.second].flags.is_zombie = true;
  of_stage.insert_or_assign(input.set.key.attempt, slot);
  state_->pools.add(slot, state_->sets);
  effects.events.emplace_back(ReviveOffersWanted{});
}

void TaskScheduler::apply(Instant now, const task_input::PartitionFinished& input, TaskSchedulerEffects& effects) {
  const auto row = state_->by_stage.find(input.stage);
  if (row == state_->by_stage.end()) return;
  const std::map<std::int32_t, TaskSetSlot> attempts = row->second;  // copy: a finished set leaves the table
  for (const auto& [attempt, slot] : attempts) {
    TaskSet& set = state_->sets[slot];
    if (set.flags.is_zombie) continue;
    const std::int32_t index = set.partitions.index_of(input.partition);
    if (index < 0 || set.states[index].is_successful) continue;
    set.states[index].is_successful = true;
    set.states.clear_failures(index);
    if (LocalityPayoff* payoff = set.waits.payoff()) payoff->on_taken(index);
    // Its locality level may be empty now, or no executor may be able to run the last waiting task.
    if (set.waits.is_blocked() || state_->health) state_->offer_deadlines.set_now(slot, now);
    if (++set.counts.successful == set.tasks) set.flags.is_zombie = true;
    maybe_finish(*state_, now, slot, effects);
  }
}

void TaskScheduler::apply(Instant, const task_input::OutputMoved& input) {
  const auto row = state_->by_stage.find(input.stage);
  if (row == state_->by_stage.end()) return;
  for (const auto& attempt : row->second) {
    TaskSet& set = state_->sets[attempt.second];
    if (set.kind != TaskSetKind::map) continue;
    if (const std::int32_t index = set.partitions.index_of(input.partition); index >= 0)
      set.outputs.moved_to.insert_or_assign(index, input.host);
  }
}

void TaskScheduler::apply(Instant now, const task_input::StageKilled& input, TaskSchedulerEffects& effects) {
  const auto row = state_->by_stage.find(input.stage);
  if (row == state_->by_stage.end()) return;
  const std::map<std::int32_t, TaskSetSlot> attempts = row->second;
  for (const auto& [attempt, slot] : attempts) {
    TaskSet& set = state_->sets[slot];
    set.flags.is_zombie = true;
    for (AttemptSlot at = set.attempts_of_set.first; at != no_attempt; at = state_->attempts.at(at).next_of_set) {
      const LiveAttempt& live = state_->attempts.at(at);
      effects.events.emplace_back(KillAttempt{live.id, set.key, live.index, live.attempt, ExecutorId{live.executor}});
    }
    maybe_finish(*state_, now, slot, effects);
  }
}

void TaskScheduler::apply(Instant now, const task_input::SpeculationDue&, TaskSchedulerEffects& effects) {
  if (!state_->settings.speculation) return;
  bool found = false;
  for (const TaskSetSlot slot : state_->pools.members()) {
    TaskSet& set = state_->sets[slot];
    if (!check_speculation(now, set, state_->settings, state_->attempts, state_->directory, effects)) continue;
    state_->pools.mark_waiting(set);
    found = true;
  }
  if (found) effects.events.emplace_back(ReviveOffersWanted{});
}

std::optional<Instant> TaskScheduler::next_due() const {
  return earlier(earlier(state_->offer_deadlines.next_due(), next_exclusion_expiry(*state_)),
                 state_->unschedulable.next_due());
}

void TaskScheduler::apply(Instant now, const task_input::TimePassed&, TaskSchedulerEffects& effects) {
  for (const UnschedulableSets::Due& due : state_->unschedulable.take_due(now))
    abort_set(*state_, now, due.slot, SetFailure::excluded_everywhere, due.index, effects);
  bool is_round_due = state_->offer_deadlines.take_due(now);
  if (const auto expiry = next_exclusion_expiry(*state_); expiry && *expiry <= now) {
    state_->reported_expiry = state_->health->next_expiry();
    is_round_due = true;
  }
  if (is_round_due) effects.events.emplace_back(ReviveOffersWanted{});
}

void TaskScheduler::apply(Instant now, const task_input::OffersMade& input, TaskSchedulerEffects& effects) {
  TaskSchedulerState& state = *state_;
  sweep_finished(state);
  const bool has_new_executor = register_offers(state, now, input.offers, effects);
  if (state.health) state.health->expire(now);
  if (input.is_full) state.round.is_partly_placed = false;
  state.round.find_least_cores(state);
  state.round.open_offers(state, input.offers);
  if (input.random != nullptr) input.random->shuffle(state.round.open);
  if (has_new_executor)
    for (const TaskSetSlot slot : state.pools.members())
      if (TaskSet& set = state.sets[slot]; set.is_schedulable()) {
        set.recompute_levels(state.directory);
        if (set.waits.is_blocked() && !input.is_full) state.offer_deadlines.set_now(slot, now);
      }
  // Without free cores nothing is launched or refused. Only the check for unschedulable sets is left.
  if (state.round.open_with_room == 0 && !state.health) return;
  const std::size_t launches = effects.launches.size();
  TaskPools::Round round{state.pools, state.sets};
  for (TaskSetSlot slot = 0; (state.round.open_with_room > 0 || state.health) && round.next(slot);)
    state.round.offer_to_set(state, now, slot, input.is_full, effects);
  // A barrier set that gets slots for only some of its tasks causes further rounds too.
  if (state.round.needs_unschedulable_check())
    state.round.schedule_unschedulable_check(state, now, effects.launches.size() > launches);
}

void TaskScheduler::apply(Instant now, const task_input::TasksWantedAhead& input, TaskSchedulerEffects& effects) {
  TaskSchedulerState& state = *state_;
  const auto number = static_cast<std::int32_t>(input.executor.value);
  const ExecutorDirectory::Executor* record = state.directory.find_executor(number);
  if (record == nullptr || !record->is_known || record->is_decommissioned || input.max_count <= 0) return;
  const OfferPlace place{number, record->host, state.directory.rack_of(record->host)};
  if (state.health && (state.health->is_excluded(place.host) || state.health->is_excluded(number))) return;
  TaskPools::Round round{state.pools, state.sets};
  for (TaskSetSlot slot = 0; round.next(slot);) {
    TaskSet& set = state.sets[slot];
    if (set.exclusion && (set.exclusion->excludes(place.host) || set.exclusion->excludes(number))) continue;
    // A task with resources besides cores gets their addresses with its slot, so it cannot be queued ahead.
    if (set.need || record->has_detail) continue;
    if (set.cores > 1 || set.flags.is_barrier) {
      if (set.has_waiting()) return;  // later sets must not take the cores that this set waits for
      continue;
    }
    // Reads the level and restores the timer.
    const LocalityWaits::Timer timer = set.waits.timer();
    const LocalityLevel allowed = set.allowed_level(now, LocalityLevel::any, state.directory);
    set.waits.restore(timer);
    for (std::size_t i = 0; i <= static_cast<std::size_t>(allowed); ++i) {
      const auto source = static_cast<PendingSource>(i);
      std::int32_t taken = 0;
      while (taken < input.max_count) {
        const auto index = set.dequeue_from(source, place, state.attempts);
        if (!index) break;
        if (set.flags.task_binary_error != TaskBinaryError::none &&
            !check_task_binary(state, now, slot, *index, effects))
          return;
        set.record_dequeue(now, {*index, source, false});
        launch(state, now, slot, place, {*index, source, false}, true, effects);
        ++taken;
      }
      if (taken == 0) continue;
      // A level of another set may be empty now.
      if (set.waits.is_blocked() && set.waits.next_opening(now, set.pending, set.states) == now && set.has_waiting())
        state.offer_deadlines.set_now(slot, now);
      return;
    }
  }
}

bool TaskScheduler::apply(Instant now, const task_input::AttemptReported& input, TaskSchedulerEffects& effects) {
  return report_attempt(*state_, now, input.attempt,
                        {input.state, input.failure, input.source_executor, input.source_host}, effects);
}

bool TaskScheduler::apply(Instant now, const task_input::AttemptMeasured& input, TaskSchedulerEffects& effects) {
  AttemptStatus status{input.state, AttemptFailure::unknown, {}, {}};
  if (input.run_us >= 0) status.progress = {input.records, Duration{input.run_us}};
  status.result_bytes = input.result_bytes;
  return report_attempt(*state_, now, input.attempt, status, effects);
}

void TaskScheduler::apply(Instant now, const task_input::ExecutorGone& input, TaskSchedulerEffects& effects) {
  TaskSchedulerState& state = *state_;
  const auto number = static_cast<std::int32_t>(input.executor.value);
  const ExecutorDirectory::Executor* record = state.directory.find_executor(number);
  if (record == nullptr || !record->has_host) return;
  const bool was_known = record->is_known;
  remove_executor(state, now, number, input.reason, effects);
  if (!was_known) {
    // The loss reason has arrived. No other input reports that its tasks wait again.
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

bool TaskScheduler::apply(Instant, const task_input::AttemptRetracted& input) {
  TaskSchedulerState& state = *state_;
  const AttemptSlot slot = state.attempts.find(input.attempt);
  if (slot == no_attempt || !state.attempts.at(slot).queued || !state.attempts.at(slot).known) return false;
  // The end of a set that launches nothing may depend on this attempt.
  if (state.sets[state.attempts.at(slot).set].flags.is_zombie) return false;
  const LiveAttempt attempt = end_attempt(state, slot);
  TaskSet& set = state.sets[attempt.set];
  --set.states[attempt.index].copies;
  if (!set.states[attempt.index].is_successful) add_pending(state, set, attempt.index);
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

// -- sets ----------------------------------------------------------------------

TaskSetSlot make_set(TaskSchedulerState& state, Instant now, const TaskSetDescription& description) {
  TaskSet made{now, description, state.settings, state.directory, state.locality_history};
  made.standing.pool = state.pools.pool_for(description.pool);
  made.origin.order = state.next_order++;
  if (made.cores != state.settings.task_cores) ++state.sets_with_cores;
  if (state.free_sets.empty()) {
    state.sets.push_back(std::move(made));
    return static_cast<TaskSetSlot>(state.sets.size() - 1);
  }
  const TaskSetSlot slot = state.free_sets.back();
  state.free_sets.pop_back();
  made.origin.life = state.sets[slot].origin.life + 1;
  state.sets[slot] = std::move(made);
  return slot;
}

TaskSetSlot slot_of(const TaskSchedulerState& state, TaskSetKey key) {
  if (const auto stage = state.by_stage.find(key.stage); stage != state.by_stage.end())
    if (const auto attempt = stage->second.find(key.attempt); attempt != stage->second.end()) return attempt->second;
  for (auto slot = state.finished_sets.rbegin(); slot != state.finished_sets.rend(); ++slot)
    if (state.sets[*slot].key == key) return *slot;
  return no_set;
}

const TaskSet* find_set(const TaskSchedulerState& state, TaskSetKey key) {
  const TaskSetSlot slot = slot_of(state, key);
  return slot == no_set ? nullptr : &state.sets[slot];
}

void maybe_finish(TaskSchedulerState& state, Instant now, TaskSetSlot slot, TaskSchedulerEffects& effects) {
  TaskSet& set = state.sets[slot];
  if (!set.flags.is_zombie || set.attempts_of_set.first != no_attempt) return;
  if (!set.flags.is_finished) {
    set.flags.is_finished = true;
    const auto stage = state.by_stage.find(set.key.stage);
    if (stage != state.by_stage.end()) {
      stage->second.erase(set.key.attempt);  // also if the same attempt was submitted again: Spark removes by key
      if (stage->second.empty()) state.by_stage.erase(stage);
    }
    if (set.cores != state.settings.task_cores) --state.sets_with_cores;
    state.pools.remove(slot, state.sets);
    state.offer_deadlines.remove(slot);
    state.finished_sets.push_back(slot);
    effects.events.emplace_back(TaskSetFinished{set.key});
  }
  if (set.counts.successful != set.tasks || !state.health) return;
  state.health->on_set_succeeded(now, *set.exclusion, effects);
  if (!state.health->excludes_anything()) return;
  // Other sets may be unschedulable now.
  for (const TaskSetSlot other : state.pools.members())
    if (state.sets[other].is_schedulable()) return state.offer_deadlines.set_now(other, now);
}

void abort_set(TaskSchedulerState& state, Instant now, TaskSetSlot slot, SetFailure failure, std::int32_t index,
               TaskSchedulerEffects& effects) {
  effects.events.emplace_back(TaskSetFailed{state.sets[slot].key, failure, index, state.sets[slot].counts.results,
                                            state.sets[slot].counts.result_bytes});
  state.sets[slot].flags.is_zombie = true;
  maybe_finish(state, now, slot, effects);
}

std::optional<Instant> next_exclusion_expiry(const TaskSchedulerState& state) {
  if (!state.health || state.health->next_expiry() == Instant::max() ||
      state.reported_expiry == state.health->next_expiry())
    return std::nullopt;
  if (!state.pools.has_waiting()) return std::nullopt;  // the round after a submission removes expired exclusions
  return state.health->next_expiry() + Duration{1};
}

void sweep_finished(TaskSchedulerState& state) {
  std::erase_if(state.finished_sets, [&](TaskSetSlot slot) {
    if (state.unschedulable.contains(slot)) return false;
    const std::uint32_t life = state.sets[slot].origin.life;
    state.sets[slot].release();
    state.sets[slot].origin.life = life;
    state.unschedulable.remove_timer(slot);
    state.free_sets.push_back(slot);
    return true;
  });
}

}  // namespace heddle::policies
