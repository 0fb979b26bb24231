// Questions to the task scheduler, and its invariants.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "model/assert.hpp"
#include "policies/tasks/task_scheduler_state.hpp"

namespace heddle::policies {

LaunchId TaskScheduler::find_attempt(TaskSetKey key, std::int32_t index, std::int32_t attempt) const {
  const TaskSet* set = find_set(*state_, key);
  if (set == nullptr || index < 0 || index >= set->tasks) return LaunchId{};
  for (AttemptSlot slot = set->states[index].first_live; slot != no_attempt;
       slot = state_->attempts.at(slot).next_of_task)
    if (state_->attempts.at(slot).attempt == attempt) return state_->attempts.at(slot).id;
  return LaunchId{};
}

std::optional<TaskLaunch> TaskScheduler::launch_of(LaunchId id) const {
  const AttemptSlot slot = state_->attempts.find(id);
  if (slot == no_attempt) return std::nullopt;
  return launch_effect_of(*state_, state_->attempts.at(slot));
}

std::optional<TaskSetProgress> TaskScheduler::progress(TaskSetKey key) const {
  const TaskSet* set = find_set(*state_, key);
  if (set == nullptr) return std::nullopt;
  TaskSetProgress progress = set->progress;
  progress.running = set->counts.running;
  progress.queued = set->counts.queued;
  progress.successful = set->counts.successful;
  progress.zombie = set->flags.is_zombie;
  progress.finished = set->flags.is_finished;
  return progress;
}

std::vector<TaskSetKey> TaskScheduler::task_sets() const {
  std::vector<TaskSetKey> keys;
  for (const auto& stage : state_->by_stage)
    for (const auto& attempt : stage.second) keys.push_back(state_->sets[attempt.second].key);
  return keys;
}

std::vector<LocalityLevel> TaskScheduler::locality_levels(TaskSetKey key) const {
  const TaskSet* set = find_set(*state_, key);
  if (set == nullptr) return {};
  const LocalityLevels& levels = set->waits.levels();
  return {levels.level.begin(), levels.level.begin() + static_cast<std::ptrdiff_t>(levels.count)};
}

bool TaskScheduler::is_executor_excluded(ExecutorId executor) const {
  return state_->health && state_->health->is_excluded(static_cast<std::int32_t>(executor.value));
}

bool TaskScheduler::needs_revival() const {
  return (state_->settings.adaptive || state_->round.is_partly_placed) && state_->pools.has_waiting();
}

std::uint64_t TaskScheduler::host_exclusion_changes() const {
  return state_->health ? state_->health->host_changes() : 0;
}

bool TaskScheduler::is_host_excluded(HostId host) const { return state_->health && state_->health->is_excluded(host); }

bool TaskScheduler::is_executor_excluded(TaskSetKey key, ExecutorId executor, std::int32_t index) const {
  const TaskSet* set = find_set(*state_, key);
  if (set == nullptr || !set->exclusion) return false;
  const auto number = static_cast<std::int32_t>(executor.value);
  return index < 0 ? set->exclusion->excludes(number) : set->exclusion->excludes(number, index);
}

bool TaskScheduler::is_host_excluded(TaskSetKey key, HostId host, std::int32_t index) const {
  const TaskSet* set = find_set(*state_, key);
  if (set == nullptr || !set->exclusion) return false;
  return index < 0 ? set->exclusion->excludes(host) : set->exclusion->excludes(host, index);
}

// -- why a set launches nothing --------------------------------------------------

namespace {

std::string to_text(const TaskSetExplanation& why) {
  const std::string held = why.holder.empty() ? std::string{} : ": " + why.holder;
  switch (why.refusal) {
    case TaskRefusal::none: return "takes the next free task slot";
    case TaskRefusal::unknown_set: return "no such task set, or it is finished";
    case TaskRefusal::zombie:
      return "the task set launches no more tasks: it was aborted, replaced by a newer attempt, or is finished";
    case TaskRefusal::nothing_pending: return "every unfinished task has an attempt";
    case TaskRefusal::no_executor: return "no executor is registered";
    case TaskRefusal::no_free_slot: return "waits for a task slot" + held;
    case TaskRefusal::waiting_for_locality:
      return std::string{"waits for a task slot at locality level "} + to_string(why.allowed) + held;
    case TaskRefusal::excluded:
      return "a task may run on none of the registered executors: failures exclude all of them" + held;
    case TaskRefusal::behind_other_sets: return "earlier stages took the free task slots" + held;
    case TaskRefusal::no_free_resource:
      return "the last round left cores free, but not the other resources of a task" + held;
    case TaskRefusal::no_room_for_all:
      return "a barrier stage starts all of its tasks at once; the last round left task slots for " + why.holder;
  }
  return {};
}

/// A list of names for a message: the first few, and the number of the rest.
class NameList {
public:
  void add(const std::string& name) {
    if (++count_ <= 3) text_ += (text_.empty() ? "" : ", ") + name;
  }
  [[nodiscard]] std::string text() const {
    return count_ <= 3 ? text_ : text_ + " and " + std::to_string(count_ - 3) + " more";
  }

private:
  std::string text_;
  std::size_t count_ = 0;
};

std::string stage_name(StageId stage) { return "stage " + std::to_string(stage.value); }

/// What users_text() says of them: "3 of 4 are in use by stage 1" or "3 of 4 running attempts are of stage 1".
struct UseWords {
  const char* noun;
  const char* state;
  const char* preposition;
};
constexpr UseWords slots_in_use{"", " in use", " by "};
constexpr UseWords attempts_of_stages{" running attempts", "", " of "};

/// The stages with running attempts, the largest first. Empty if no attempt runs.
/// Example: "3 of 4 are in use by stage 1, 1 by this stage".
std::string users_text(const TaskSchedulerState& state, const TaskSet& own, const UseWords& words) {
  std::vector<std::pair<std::int32_t, StageId>> users;
  std::int32_t total = 0;
  for (const auto& [stage, attempts] : state.by_stage) {
    std::int32_t running = 0;
    for (const auto& [attempt, slot] : attempts) running += state.sets[slot].counts.running;
    if (running > 0) users.emplace_back(running, stage);
    total += running;
  }
  std::stable_sort(users.begin(), users.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  constexpr std::size_t named_max = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(users.size(), named_max); ++i) {
    const auto [running, stage] = users[i];
    text += (i == 0 ? "" : ", ") + std::to_string(running);
    if (i == 0) text += " of " + std::to_string(total) + words.noun + (running == 1 ? " is" : " are") + words.state;
    text += words.preposition + (stage == own.key.stage ? std::string{"this stage"} : stage_name(stage));
  }
  if (const auto others = users.size() - std::min(users.size(), named_max); others > 0)
    text += std::string{", the rest"} + words.preposition + std::to_string(others) + " other stage" +
            (others == 1 ? "" : "s");
  return text;
}

std::string name_of(const ExecutorDirectory& directory, HostId id) {
  const ExecutorDirectory::Host* host = directory.find_host(id);
  return host == nullptr || host->name.empty() ? "host " + std::to_string(id.value) : host->name;
}

/// The first set before this one in pool order with a waiting task; no_set if none.
TaskSetSlot set_ahead_of(const TaskSchedulerState& state, TaskSetSlot slot) {
  TaskPools::Round order{state.pools, state.sets};
  for (TaskSetSlot next = no_set; order.next(next) && next != slot;)
    if (state.sets[next].has_waiting()) return next;
  return no_set;
}

void explain_set(const TaskSchedulerState& state, Instant now, TaskSetSlot slot, TaskSetExplanation& why) {
  const TaskSet& set = state.sets[slot];
  const LocalityWaits::Outlook outlook = set.waits.outlook(now);
  why.allowed = outlook.level;
  why.index = set.last_waiting();
  NameList names;
  if (set.flags.is_zombie) {
    why.refusal = TaskRefusal::zombie;
  } else if (why.index < 0) {
    why.refusal = TaskRefusal::nothing_pending;
  } else if (state.directory.known_hosts() == 0) {
    why.refusal = TaskRefusal::no_executor;
    why.after_rounds = 1;
  } else if (state.health && can_run_nowhere(state, set, why.index)) {
    why.refusal = TaskRefusal::excluded;
    for (std::size_t number = 0; number < state.directory.hosts().size(); ++number)
      if (state.directory.hosts()[number].is_known)
        names.add(name_of(state.directory, HostId{static_cast<std::int32_t>(number)}));
    if (const auto given_up = state.unschedulable.rows().find(slot); given_up != state.unschedulable.rows().end())
      why.retry_at = given_up->second.expiry;
  } else if (state.round.open_with_room == 0) {
    const TaskSetSlot ahead = set_ahead_of(state, slot);
    why.refusal = ahead == no_set ? TaskRefusal::no_free_slot : TaskRefusal::behind_other_sets;
    if (ahead == no_set) names.add(users_text(state, set, slots_in_use));
    else names.add(stage_name(state.sets[ahead].key.stage));
    why.after_rounds = 1;
  } else if (set.flags.is_barrier && state.round.slots_for_set(set) < set.tasks) {
    why.refusal = TaskRefusal::no_room_for_all;
    names.add(std::to_string(state.round.slots_for_set(set)) + " of " + std::to_string(set.tasks));
    why.after_rounds = 1;
  } else if (set.need && !state.round.has_needed_resources(set)) {
    why.refusal = TaskRefusal::no_free_resource;
    names.add(users_text(state, set, attempts_of_stages));
    why.after_rounds = 1;
  } else if (outlook.level != LocalityLevel::any) {
    why.refusal = TaskRefusal::waiting_for_locality;
    why.retry_at = outlook.opens_next;
    for (const PreferredLocation& place : set.places_of(why.index)) names.add(name_of(state.directory, place.host));
  }
  why.holder = names.text();
}

}  // namespace

TaskSetExplanation TaskScheduler::explain(Instant now, TaskSetKey key) const {
  TaskSetExplanation explanation;
  const TaskSetSlot slot = slot_of(*state_, key);
  if (slot == no_set) explanation.refusal = TaskRefusal::unknown_set;
  else explain_set(*state_, now, slot, explanation);
  explanation.text = to_text(explanation);
  return explanation;
}

std::optional<DecommissionState> TaskScheduler::decommission_state(ExecutorId executor) const {
  const auto number = static_cast<std::int32_t>(executor.value);
  const ExecutorDirectory::Executor* record = state_->directory.find_executor(number);
  if (record != nullptr && record->is_decommissioned) return state_->directory.decommission_state(number);
  for (auto row = state_->removed_decommissioned.rbegin(); row != state_->removed_decommissioned.rend(); ++row)
    if (row->first == number) return row->second;
  return std::nullopt;
}

// -- invariants --------------------------------------------------------------------

namespace {

void check_set(const TaskSet& set, TaskSetSlot slot, const AttemptTable& attempts) {
  std::int32_t running = 0;
  std::int32_t queued = 0;
  std::size_t measured = 0;
  LaunchId before;
  for (AttemptSlot at = set.attempts_of_set.first; at != no_attempt; at = attempts.at(at).next_of_set) {
    const LiveAttempt& attempt = attempts.at(at);
    HEDDLE_ASSERT(attempt.set == slot && before < attempt.id, set.origin.name + ": attempts out of order");
    HEDDLE_ASSERT(attempts.find(attempt.id) == at, set.origin.name + ": attempt not found by its id");
    AttemptSlot of_task = set.states[attempt.index].first_live;
    while (of_task != no_attempt && of_task != at) of_task = attempts.at(of_task).next_of_task;
    HEDDLE_ASSERT(of_task == at, set.origin.name + ": task without a link to its attempt");
    HEDDLE_ASSERT(attempt.attempt < set.states.attempts_of(attempt.index), set.origin.name + ": attempt number");
    before = attempt.id;
    measured += set.copies.rates().contains(attempt.id) ? 1U : 0U;
    ++(attempt.queued ? queued : running);
  }
  HEDDLE_ASSERT(running == set.counts.running && queued == set.counts.queued, set.origin.name + ": running attempts");
  HEDDLE_ASSERT(measured == set.copies.rates().size(), set.origin.name + ": read rate of an ended attempt");
  HEDDLE_ASSERT(set.states.count_successful() == set.counts.successful, set.origin.name + ": successful tasks");
  HEDDLE_ASSERT(set.counts.successful < set.tasks || set.flags.is_zombie || set.tasks == 0,
                set.origin.name + ": finished, but no zombie");
}

}  // namespace

void TaskScheduler::check_invariants() const {
  const TaskSchedulerState& state = *state_;
  std::size_t live = 0;
  for (std::uint32_t number = 0; number < state.pools.pools().size(); ++number) {
    const Pool& pool = state.pools.pools()[number];
    std::int32_t running = 0;
    std::int32_t waiting = 0;
    for (const TaskSetSlot slot : pool.members) {
      check_set(state.sets[slot], slot, state.attempts);
      running += state.sets[slot].counts.running;
      waiting += state.sets[slot].standing.may_wait ? 1 : 0;
      HEDDLE_ASSERT(state.sets[slot].standing.may_wait || !state.sets[slot].is_schedulable(),
                    state.sets[slot].origin.name + " has waiting tasks, but is in no round");
      live += static_cast<std::size_t>(state.sets[slot].counts.running + state.sets[slot].counts.queued);
    }
    HEDDLE_ASSERT(waiting == state.pools.waiting(number), pool.settings.name + ": members with waiting tasks");
    HEDDLE_ASSERT(running == state.pools.running(number), pool.settings.name + ": running attempts of a pool");
    HEDDLE_ASSERT(pool.members.size() == pool.fifo_order.size(), pool.settings.name + ": members");
  }
  HEDDLE_ASSERT(live == state.attempts.size(), "live attempts without a task set");
  const auto& executors = state.directory.executors();
  for (std::size_t number = 0; number < executors.size(); ++number) {
    std::int32_t known = 0;
    for (AttemptSlot at = executors[number].attempts.first; at != no_attempt;
         at = state.attempts.at(at).next_on_executor) {
      HEDDLE_ASSERT(static_cast<std::size_t>(state.attempts.at(at).executor) == number,
                    "attempt on the wrong executor");
      known += state.attempts.at(at).known ? 1 : 0;
      --live;
    }
    HEDDLE_ASSERT(known == executors[number].known_attempts, "attempts of executor " + std::to_string(number));
    HEDDLE_ASSERT(!executors[number].is_known || executors[number].has_host,
                  "executor without host " + std::to_string(number));
  }
  HEDDLE_ASSERT(live == 0, "live attempts without an executor");
}

}  // namespace heddle::policies
