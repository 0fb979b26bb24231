#include "policies/tasks/task_scheduler.hpp"

#include <algorithm>

#include "model/assert.hpp"
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

// -- events --------------------------------------------------------------------

void TaskScheduler::apply(Instant now, const task_input::TaskSetSubmitted& input, TaskSchedulerEffects& effects) {
  state_->sweep_finished();
  const TaskSetSlot slot = state_->make_set(now, input.set);
  auto& of_stage = state_->by_stage[input.set.key.stage];
  for (const auto& row : of_stage) state_->sets[row.second].flags.is_zombie = true;
  of_stage.insert_or_assign(input.set.key.attempt, slot);
  state_->pools.add(slot, state_->sets);
  effects.events.emplace_back(ReviveOffersWanted{});
}

void TaskScheduler::apply(Instant now, const task_input::PartitionFinished& input, TaskSchedulerEffects& effects) {
  const auto row = state_->by_stage.find(input.stage);
  if (row == state_->by_stage.end()) return;
  const std::map<std::int32_t, TaskSetSlot> attempts = row->second;  // finishing changes the table
  for (const auto& [attempt, slot] : attempts) {
    TaskSet& set = state_->sets[slot];
    if (set.flags.is_zombie) continue;
    const std::int32_t index = set.partitions.index_of(input.partition);
    if (index < 0 || set.states[index].is_successful) continue;
    set.states[index].is_successful = true;
    set.states.forget_failures(index);
    if (LocalityPayoff* payoff = set.waits.payoff()) payoff->on_taken(index);
    if (set.waits.is_blocked()) state_->offer_deadlines.set_now(slot, now);  // its level may be empty now
    if (++set.counts.successful == set.tasks) set.flags.is_zombie = true;
    state_->maybe_finish(now, slot, effects);
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
    state_->maybe_finish(now, slot, effects);
  }
}

void TaskScheduler::apply(Instant now, const task_input::SpeculationDue&, TaskSchedulerEffects& effects) {
  if (!state_->settings.speculation) return;
  bool found = false;
  for (const TaskSetSlot slot : state_->pools.members()) {
    TaskSet& set = state_->sets[slot];
    if (!check_speculation(now, set, state_->settings, state_->attempts, state_->directory, effects)) continue;
    state_->pools.note_waiting(set);
    found = true;
  }
  if (found) effects.events.emplace_back(ReviveOffersWanted{});
}

std::optional<Instant> TaskScheduler::next_due() const {
  std::optional<Instant> due = state_->offer_deadlines.next_due();
  if (const auto expiry = state_->next_exclusion_expiry(); expiry && (!due || *expiry < *due)) due = expiry;
  for (const auto& row : state_->unschedulable)
    if (!row.second.has_fired && (!due || row.second.expiry < *due)) due = row.second.expiry;
  return due;
}

void TaskScheduler::apply(Instant now, const task_input::TimePassed&, TaskSchedulerEffects& effects) {
  struct Due {
    Instant expiry;
    std::uint64_t order;
    TaskSetSlot slot;
    auto operator<=>(const Due&) const = default;
  };
  std::vector<Due> due;
  for (const auto& [slot, row] : state_->unschedulable)
    if (!row.has_fired && row.expiry <= now) due.push_back({row.expiry, row.order, slot});
  std::sort(due.begin(), due.end());
  for (const Due& row : due) {
    TaskSchedulerState::Unschedulable& waiting = state_->unschedulable.at(row.slot);
    waiting.has_fired = true;
    state_->abort(now, row.slot, SetFailure::excluded_everywhere, waiting.index, effects);
  }
  bool is_round_due = state_->offer_deadlines.take_due(now);
  if (const auto expiry = state_->next_exclusion_expiry(); expiry && *expiry <= now) {
    state_->expiry_told = state_->health->next_expiry();
    is_round_due = true;
  }
  if (is_round_due) effects.events.emplace_back(ReviveOffersWanted{});
}

std::optional<Instant> TaskSchedulerState::next_exclusion_expiry() const {
  if (!health || health->next_expiry() == Instant::max() || expiry_told == health->next_expiry()) return std::nullopt;
  if (!pools.has_waiting()) return std::nullopt;  // the round that follows a submission lets go of what has expired
  return health->next_expiry() + Duration{1};
}

// -- sets ----------------------------------------------------------------------

TaskSetSlot TaskSchedulerState::make_set(Instant now, const TaskSetDescription& description) {
  TaskSet made{now, description, settings, directory, locality_history};
  made.standing.pool = pools.pool_for(description.pool);
  made.origin.order = next_order++;
  if (made.cores != settings.task_cores) ++sets_with_cores;
  if (free_sets.empty()) {
    sets.push_back(std::move(made));
    return static_cast<TaskSetSlot>(sets.size() - 1);
  }
  const TaskSetSlot slot = free_sets.back();
  free_sets.pop_back();
  made.origin.life = sets[slot].origin.life + 1;
  sets[slot] = std::move(made);
  return slot;
}

TaskSetSlot TaskSchedulerState::slot_of(TaskSetKey key) const {
  if (const auto stage = by_stage.find(key.stage); stage != by_stage.end())
    if (const auto attempt = stage->second.find(key.attempt); attempt != stage->second.end()) return attempt->second;
  for (auto slot = finished_sets.rbegin(); slot != finished_sets.rend(); ++slot)
    if (sets[*slot].key == key) return *slot;
  return no_set;
}

const TaskSet* TaskSchedulerState::find_set(TaskSetKey key) const {
  const TaskSetSlot slot = slot_of(key);
  return slot == no_set ? nullptr : &sets[slot];
}

void TaskSchedulerState::maybe_finish(Instant now, TaskSetSlot slot, Effects& effects) {
  TaskSet& set = sets[slot];
  if (!set.flags.is_zombie || set.attempts_of_set.first != no_attempt) return;
  if (!set.flags.is_finished) {
    set.flags.is_finished = true;
    const auto stage = by_stage.find(set.key.stage);
    if (stage != by_stage.end()) {
      stage->second.erase(set.key.attempt);  // also where the same attempt was submitted again: Spark forgets by key
      if (stage->second.empty()) by_stage.erase(stage);
    }
    if (set.cores != settings.task_cores) --sets_with_cores;
    pools.remove(slot, sets);
    offer_deadlines.remove(slot);
    finished_sets.push_back(slot);
    effects.events.emplace_back(TaskSetFinished{set.key});
  }
  if (set.counts.successful == set.tasks && health) health->on_set_succeeded(now, *set.exclusion, effects);
}

void TaskSchedulerState::abort(Instant now, TaskSetSlot slot, SetFailure failure, std::int32_t index,
                               Effects& effects) {
  effects.events.emplace_back(
      TaskSetFailed{sets[slot].key, failure, index, sets[slot].counts.results, sets[slot].counts.result_bytes});
  sets[slot].flags.is_zombie = true;
  maybe_finish(now, slot, effects);
}

void TaskSchedulerState::sweep_finished() {
  std::erase_if(finished_sets, [this](TaskSetSlot slot) {
    if (unschedulable.contains(slot)) return false;
    const std::uint32_t life = sets[slot].origin.life;
    sets[slot].release();
    sets[slot].origin.life = life;
    abort_timers.erase(slot);
    free_sets.push_back(slot);
    return true;
  });
}

}  // namespace heddle::policies
