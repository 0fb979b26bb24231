// Offer rounds: which free slot gets which task.
//
//   offers ─ known? ─ excluded? ─ shuffle ─▶ open offers ──▶ set ─▶ level ─▶ pass ─▶ pass … ─▶ next level … ─▶ next set
//                                                            (pool order)    (until a pass launches nothing)
#include <algorithm>
#include <iterator>
#include <utility>

#include "model/assert.hpp"
#include "policies/tasks/task_scheduler_state.hpp"

namespace heddle::policies {
namespace {

std::int32_t idle_executor(const TaskSchedulerState& state) {
  const auto& executors = state.directory.executors();
  for (std::size_t number = 0; number < executors.size(); ++number)
    if (executors[number].is_known && executors[number].known_attempts == 0) return static_cast<std::int32_t>(number);
  return -1;
}

void apply_early_decommission(TaskSchedulerState& state, Instant now, std::int32_t number) {
  const auto row = std::find_if(state.unknown_decommissions.begin(), state.unknown_decommissions.end(),
                                [&](const auto& one) { return one.first == number; });
  if (row == state.unknown_decommissions.end()) return;
  ExecutorDirectory::Executor& going = state.directory.executor(number);
  going.is_decommissioned = true;
  going.host_is_decommissioned = row->second;
  state.directory.past(number).decommissioned_at = now;
  state.unknown_decommissions.erase(row);
}

}  // namespace

bool register_offers(TaskSchedulerState& state, Instant now, std::span<const SlotOffer> offers,
                     TaskSchedulerEffects& effects) {
  bool has_new = false;
  for (const SlotOffer& offer : offers) {
    const bool is_new = state.directory.record_offer(static_cast<std::int32_t>(offer.executor.value), offer.host);
    // An executor with a free core has no queued tasks, so its slots are its running tasks and its free cores.
    const std::int32_t free = offer.free_cores / state.settings.task_cores;
    if (state.settings.adaptive && free > 0 &&
        state.directory.record_slots(static_cast<std::int32_t>(offer.executor.value), free))
      has_new = true;
    if (offer.detail != nullptr)
      state.directory.executor(static_cast<std::int32_t>(offer.executor.value)).has_detail = true;
    if (!is_new) continue;
    has_new = true;
    if (!state.unknown_decommissions.empty())
      apply_early_decommission(state, now, static_cast<std::int32_t>(offer.executor.value));
    effects.events.emplace_back(ExecutorAdded{offer.executor, offer.host});
  }
  return has_new;
}

void OfferRound::open_offers(const TaskSchedulerState& state, std::span<const SlotOffer> given) {
  open.clear();
  open_details.clear();
  const bool may_be_excluded = state.health && state.health->excludes_anything();
  for (const SlotOffer& offer : given) {
    if (offer.free_cores < least_cores) continue;
    const auto executor = static_cast<std::int32_t>(offer.executor.value);
    if (may_be_excluded && (state.health->is_excluded(offer.host) || state.health->is_excluded(executor))) continue;
    std::int32_t detail = -1;
    if (offer.detail != nullptr) {
      detail = static_cast<std::int32_t>(open_details.size());
      open_details.push_back({offer.detail->profile, offer.detail->free});
    }
    open.push_back({{executor, offer.host, state.directory.rack_of(offer.host)}, offer.free_cores, detail});
  }
  open_with_room = static_cast<std::int32_t>(open.size());
}

void OfferRound::find_least_cores(const TaskSchedulerState& state) {
  least_cores = state.settings.task_cores;
  if (state.sets_with_cores == 0) return;
  for (const TaskSetSlot slot : state.pools.members()) least_cores = std::min(least_cores, state.sets[slot].cores);
}

bool OfferRound::has_needed_resources(const TaskSet& set, const OpenOffer& offer) {
  assigning.clear();
  if (!set.need && offer.detail < 0) return true;
  const TaskNeed plain;
  const TaskNeed& need = set.need ? *set.need : plain;
  if (offer.detail < 0) return may_run_on(need, ProfileId{0}) && need.resources.empty();
  const OpenDetail& detail = open_details[static_cast<std::size_t>(offer.detail)];
  if (!may_run_on(need, detail.profile)) return false;
  auto shares = assign_resources(detail.free, need.resources);
  if (!shares) return false;
  assigning = std::move(*shares);
  return true;
}

bool OfferRound::has_needed_resources(const TaskSet& set) const {
  return std::any_of(open.begin(), open.end(), [&](const OpenOffer& offer) {
    if (offer.free_cores < set.cores || offer.detail < 0) return false;
    const OpenDetail& detail = open_details[static_cast<std::size_t>(offer.detail)];
    return may_run_on(*set.need, detail.profile) && assign_resources(detail.free, set.need->resources).has_value();
  });
}

void OfferRound::use_assigned(const OpenOffer& offer, TaskSchedulerEffects& effects) {
  acquire_resources(open_details[static_cast<std::size_t>(offer.detail)].free, assigning);
  effects.resources.push_back({effects.launches.back().id, assigning});
}

void OfferRound::offer_to_set(TaskSchedulerState& state, Instant now, TaskSetSlot slot, bool is_full,
                              TaskSchedulerEffects& effects) {
  if (state.sets[slot].flags.is_barrier && slots_for_set(state.sets[slot]) < state.sets[slot].tasks)
    return update_deadline(state, now, slot, state.sets[slot].waits.timer(), is_full);
  const LocalityWaits::Timer before = state.sets[slot].waits.timer();
  PassResult all;
  const LocalityLevels levels = state.sets[slot].waits.levels();  // copy: a launch may change the levels
  for (std::size_t i = 0; i < levels.count && open_with_room > 0; ++i) {
    bool launched = true;
    while (launched && open_with_room > 0) {
      PassResult pass;
      offer_at_level(state, now, slot, levels.level[i], pass, effects);
      launched = pass.launched;
      all.launched |= pass.launched;
      all.rejected |= pass.rejected;
      all.nearest = std::min(all.nearest, pass.nearest);
    }
  }
  TaskSet& set = state.sets[slot];
  if (set.flags.is_finished) return;  // aborted at its first launch
  if (!state.settings.legacy_reset) {
    if (all.rejected) {
      set.flags.no_rejects_since_reset = false;
    } else if (all.launched && (is_full || set.flags.no_rejects_since_reset)) {
      set.waits.reset_timer(now, all.nearest);
      set.flags.no_rejects_since_reset = true;
    }
  }
  if (!all.launched) {
    find_unschedulable(state, now, slot, effects);
  } else {
    if (!state.unschedulable.empty()) {
      if (state.settings.fixes.unschedulable_removed)
        for (const auto& row : state.unschedulable.rows())
          effects.events.emplace_back(UnschedulableSetRemoved{state.sets[row.first].key});
      else effects.events.emplace_back(UnschedulableSetRemoved{set.key});
      for (const auto& row : state.unschedulable.rows()) unchecked_sets.push_back(row.first);
      state.unschedulable.clear();
    }
    if (state.health && (state.health->excludes_anything() || set.exclusion->excludes_anything()))
      unchecked_sets.push_back(slot);
    if (set.flags.is_barrier) launch_or_revert_placed(state, now, slot, effects);
    std::erase_if(open, [&](const OpenOffer& offer) { return offer.free_cores < least_cores; });
  }
  state.pools.mark_offered(set);
  if (before.is_blocked || set.waits.is_blocked() || set.flags.is_barrier || is_full)
    update_deadline(state, now, slot, before, is_full);
}

void update_deadline(TaskSchedulerState& state, Instant now, TaskSetSlot slot, const LocalityWaits::Timer& before,
                     bool is_full) {
  const TaskSet& set = state.sets[slot];
  if (set.flags.is_barrier && !is_full) {
    // The free slots of all executors together may be enough.
    if (set.is_schedulable() && set.has_waiting()) state.offer_deadlines.set_now(slot, now);
    return;
  }
  if (!before.is_blocked && !set.waits.is_blocked()) {
    if (is_full) state.offer_deadlines.remove(slot);
    return;
  }
  std::optional<Instant> opens;
  if (set.is_schedulable()) opens = set.waits.next_opening(now, set.pending, set.states);
  if (is_full) {
    // Executors that may take more by now were offered, or were refused for another reason.
    state.offer_deadlines.replace(slot, opens && *opens > now ? opens : std::nullopt);
    return;
  }
  const LocalityWaits::Timer after = set.waits.timer();
  const bool has_risen = before.is_blocked && (!after.is_blocked || after.level > before.level);
  if (!has_risen && !opens) return;
  if (!has_risen && *opens > now) {
    state.offer_deadlines.postpone(slot, *opens, now);
  } else if (set.is_schedulable() && set.has_waiting()) {
    state.offer_deadlines.set_now(slot, now);
  }
}

void OfferRound::schedule_unschedulable_check(TaskSchedulerState& state, Instant now, bool has_launched) {
  for (const TaskSetSlot slot : unchecked_sets) {
    const TaskSet& set = state.sets[slot];
    if (!has_launched || !set.is_schedulable() || set.flags.is_finished || state.unschedulable.contains(slot)) continue;
    if (const std::int32_t index = set.last_waiting(); index >= 0 && state.health && can_run_nowhere(state, set, index))
      state.offer_deadlines.set_now(slot, now);
  }
  unchecked_sets.clear();
}

std::int64_t OfferRound::slots_for_set(const TaskSet& set) const {
  const TaskNeed plain;
  const TaskNeed& need = set.need ? *set.need : plain;
  std::int64_t slots = 0;
  for (const OpenOffer& offer : open) {
    const OpenDetail* detail = offer.detail < 0 ? nullptr : &open_details[static_cast<std::size_t>(offer.detail)];
    if (may_run_on(need, detail == nullptr ? ProfileId{0} : detail->profile))
      slots += slots_for(offer.free_cores, detail == nullptr ? FreeShares{} : detail->free, set.cores, need.resources);
  }
  return slots;
}

/// No other list of the set returns the task until it is launched or reverted. For the locality waits it still waits.
void OfferRound::place(OpenOffer& offer, TaskSet& set, const TaskSet::Dequeued& task) {
  set.placed.insert(task.index);
  if (!assigning.empty()) acquire_resources(open_details[static_cast<std::size_t>(offer.detail)].free, assigning);
  placed.push_back({static_cast<std::size_t>(&offer - open.data()), task, std::exchange(assigning, {})});
}

void OfferRound::launch_or_revert_placed(TaskSchedulerState& state, Instant now, TaskSetSlot slot,
                                         TaskSchedulerEffects& effects) {
  std::vector<PlacedTask> tasks_placed = std::exchange(placed, {});
  std::sort(tasks_placed.begin(), tasks_placed.end(),
            [](const auto& a, const auto& b) { return a.task.index < b.task.index; });
  TaskSet& set = state.sets[slot];
  const bool is_whole = std::ssize(tasks_placed) == set.tasks;
  if (!is_whole) is_partly_placed = true;
  for (PlacedTask& one : tasks_placed) {
    OpenOffer& offer = open[one.offer];
    set.placed.erase(one.task.index);
    if (is_whole) {
      launch(state, now, slot, offer.place, one.task, false, effects);
      if (!one.shares.empty()) effects.resources.push_back({effects.launches.back().id, std::move(one.shares)});
      continue;
    }
    if (offer.free_cores < least_cores && offer.free_cores + set.cores >= least_cores) ++open_with_room;
    offer.free_cores += set.cores;
    for (ResourceShare& share : one.shares) share.share = -share.share;
    if (!one.shares.empty()) acquire_resources(open_details[static_cast<std::size_t>(offer.detail)].free, one.shares);
    add_pending(state, set, one.task.index);
  }
  // The legacy rule resets the wait with each placed task, so that the other tasks would be refused forever.
  if (!is_whole && state.settings.legacy_reset) abort_set(state, now, slot, SetFailure::barrier_not_placed, 0, effects);
}

void OfferRound::offer_at_level(TaskSchedulerState& state, Instant now, TaskSetSlot slot, LocalityLevel level,
                                PassResult& result, TaskSchedulerEffects& effects) {
  TaskSet& set = state.sets[slot];
  const std::int32_t cores = set.cores;
  const bool fetches_ahead = set.has_host_lists();
  for (std::size_t i = 0; i < open.size(); ++i) {
    if (fetches_ahead && i + 8 < open.size()) set.fetch_entry(open[i + 8].place);
    if (fetches_ahead && i + 4 < open.size()) set.fetch_state(open[i + 4].place);
    if (open[i].free_cores >= cores) offer_slot(state, now, slot, open[i], level, result, effects);
  }
}

bool OfferRound::offer_slot(TaskSchedulerState& state, Instant now, TaskSetSlot slot, OpenOffer& offer,
                            LocalityLevel level, PassResult& result, TaskSchedulerEffects& effects) {
  TaskSet& set = state.sets[slot];
  const bool is_excluded =
      set.exclusion && (set.exclusion->excludes(offer.place.host) || set.exclusion->excludes(offer.place.executor));
  if (set.flags.is_zombie || is_excluded) return false;
  if ((set.need || offer.detail >= 0) && !has_needed_resources(set, offer)) return false;
  // The pass for tasks without preference ignores the timer. It may also launch node-local tasks, as in Spark.
  const LocalityLevel allowed =
      level == LocalityLevel::no_pref ? level : std::min(set.allowed_level(now, level, state.directory), level);
  const auto task = set.dequeue(offer.place, allowed, state.attempts);
  if (!task) {
    if (allowed < level) set.waits.record_refusal();
    if (level == LocalityLevel::any && (state.settings.fixes.reject_of_stale ? set.has_waiting() : set.has_pending()))
      result.rejected = true;
    return false;
  }
  if (set.flags.task_binary_error != TaskBinaryError::none &&
      !check_task_binary(state, now, slot, task->index, effects))
    return false;
  const LocalityLevel reported = level_of(task->source);
  set.record_dequeue(now, *task);
  if (state.settings.legacy_reset && level != LocalityLevel::no_pref) set.waits.reset_timer(now, reported);
  if (set.flags.is_barrier) {
    place(offer, set, *task);
  } else {
    launch(state, now, slot, offer.place, *task, false, effects);
    if (!assigning.empty() && set.need) use_assigned(offer, effects);
  }
  result.launched = true;
  result.nearest = std::min(result.nearest, reported);
  offer.free_cores -= set.cores;
  if (offer.free_cores < least_cores) --open_with_room;
  return true;
}

bool check_task_binary(TaskSchedulerState& state, Instant now, TaskSetSlot slot, std::int32_t index,
                       TaskSchedulerEffects& effects) {
  TaskSet& set = state.sets[slot];
  if (set.flags.task_binary_error != TaskBinaryError::large) {
    const bool is_missing = set.flags.task_binary_error == TaskBinaryError::missing;
    abort_set(state, now, slot, is_missing ? SetFailure::no_task_binary : SetFailure::task_binary_too_large, index,
              effects);
    return false;
  }
  set.flags.task_binary_error = TaskBinaryError::none;
  set.progress.large_task_binary = true;
  effects.events.emplace_back(LargeTaskBinary{set.key});
  return true;
}

AttemptSlot launch(TaskSchedulerState& state, Instant now, TaskSetSlot slot, const OfferPlace& place,
                   const TaskSet::Dequeued& task, bool queued, TaskSchedulerEffects& effects) {
  TaskSet& set = state.sets[slot];
  TaskState& of_task = set.states[task.index];
  const AttemptSlot at = state.attempts.add();
  LiveAttempt& attempt = state.attempts.at(at);
  attempt.launched = now;
  attempt.set = slot;
  attempt.index = task.index;
  attempt.attempt = set.states.number_attempt(task.index);
  attempt.executor = place.executor;
  attempt.host = place.host;
  attempt.level = level_of(task.source);
  attempt.speculative = task.speculative;
  attempt.queued = queued;
  attempt.next_of_task = of_task.first_live;
  of_task.first_live = at;
  ++of_task.copies;
  ExecutorDirectory::Executor& executor = state.directory.executor(place.executor);
  state.attempts.link_to_set(set.attempts_of_set, at);
  state.attempts.link_to_executor(executor.attempts, at);
  ++executor.known_attempts;
  if (state.settings.adaptive && !task.speculative)
    set.waits.payoff()->on_begin(attempt.level <= LocalityLevel::node, place.host, task.index, now);
  if (queued) {
    ++set.counts.queued;
  } else {
    ++set.counts.running;
    state.pools.change_running(set.standing.pool, 1);
  }
  set.progress.speculative += task.speculative ? 1 : 0;
  ++set.progress.launched[static_cast<std::size_t>(
      task.source == PendingSource::without_preference ? LocalityLevel::no_pref : attempt.level)];
  effects.launches.push_back(launch_effect_of(state, attempt));
  return at;
}

TaskLaunch launch_effect_of(const TaskSchedulerState& state, const LiveAttempt& attempt) {
  const TaskSet& set = state.sets[attempt.set];
  TaskLaunch result;
  result.id = attempt.id;
  result.set = set.key;
  result.index = attempt.index;
  result.partition = set.partitions.partition_of(attempt.index);
  result.attempt = attempt.attempt;
  result.executor = ExecutorId{attempt.executor};
  result.level = attempt.level;
  result.speculative = attempt.speculative;
  result.queued = attempt.queued;
  result.cores = set.cores;
  return result;
}

// -- unschedulable sets ----------------------------------------------------------

bool can_run_nowhere(const TaskSchedulerState& state, const TaskSet& set, std::int32_t index) {
  const TaskSetExclusion& exclusion = *set.exclusion;
  for (std::size_t number = 0; number < state.directory.hosts().size(); ++number) {
    const ExecutorDirectory::Host& host = state.directory.hosts()[number];
    if (!host.is_known) continue;
    const HostId id{static_cast<std::int32_t>(number)};
    if (state.health->is_excluded(id) || exclusion.excludes(id) || exclusion.excludes(id, index)) continue;
    const bool all_excluded = std::all_of(host.executors.begin(), host.executors.end(), [&](std::int32_t executor) {
      return state.health->is_excluded(executor) || exclusion.excludes(executor) || exclusion.excludes(executor, index);
    });
    if (!all_excluded) return false;
  }
  return true;
}

void find_unschedulable(TaskSchedulerState& state, Instant now, TaskSetSlot slot, TaskSchedulerEffects& effects) {
  TaskSet& set = state.sets[slot];
  if (!state.health || state.directory.known_hosts() == 0) return;
  // Without exclusions every known executor may run the task.
  if (!state.health->excludes_anything() && !set.exclusion->excludes_anything()) return;
  const std::int32_t index = set.last_waiting();
  if (index < 0 || !can_run_nowhere(state, set, index)) return;
  const bool is_waiting = state.unschedulable.contains(slot);
  if (const std::int32_t idle = idle_executor(state); idle >= 0) {
    if (is_waiting) return;
    effects.events.emplace_back(KillExcludedExecutor{ExecutorId{idle}, true});
  } else if (state.settings.dynamic_allocation) {
    if (is_waiting) return;
    effects.events.emplace_back(UnschedulableSetAdded{set.key});
  } else {
    abort_set(state, now, slot, SetFailure::excluded_everywhere, index, effects);
    return;
  }
  state.unschedulable.add(slot, now + state.settings.unschedulable_timeout, index);
}

}  // namespace heddle::policies
