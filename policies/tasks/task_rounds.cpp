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

}  // namespace

void TaskScheduler::apply(Instant now, const task_input::OffersMade& input, TaskSchedulerEffects& effects) {
  TaskSchedulerState& state = *state_;
  state.sweep_finished();
  const bool has_new_executor = state.register_offers(now, input.offers, effects);
  if (state.health) state.health->expire(now);
  state.find_least_cores();
  state.open_offers(input.offers);
  if (input.random != nullptr) input.random->shuffle(state.open);
  if (has_new_executor)
    for (const TaskSetSlot slot : state.pools.members())
      if (TaskSet& set = state.sets[slot]; set.is_schedulable()) {
        set.recompute_levels(state.directory);
        if (set.waits.is_blocked() && !input.is_full) state.offer_deadlines.set_now(slot, now);
      }
  // Without room nothing is launched and nothing is refused; only the look for sets that can run nowhere is left.
  if (state.open_with_room == 0 && !state.health) return;
  TaskPools::Round round{state.pools, state.sets};
  for (TaskSetSlot slot = 0; (state.open_with_room > 0 || state.health) && round.next(slot);)
    state.offer_to_set(now, slot, input.is_full, effects);
  if (!state.freed.empty()) state.look_again_at_freed(now);
}

bool TaskSchedulerState::register_offers(Instant now, std::span<const SlotOffer> offers, Effects& effects) {
  bool has_new = false;
  for (const SlotOffer& offer : offers) {
    const bool is_new = directory.note_offer(static_cast<std::int32_t>(offer.executor.value), offer.host);
    // With a core free nothing is queued there, so that what it runs and what it could run are its slots.
    const std::int32_t free = offer.free_cores / settings.task_cores;
    if (settings.adaptive && free > 0 && directory.note_slots(static_cast<std::int32_t>(offer.executor.value), free))
      has_new = true;
    if (offer.detail != nullptr) directory.executor(static_cast<std::int32_t>(offer.executor.value)).has_detail = true;
    if (!is_new) continue;
    has_new = true;
    if (!unknown_decommissions.empty())
      take_decommission_said_before(now, static_cast<std::int32_t>(offer.executor.value));
    effects.events.emplace_back(ExecutorAdded{offer.executor, offer.host});
  }
  return has_new;
}

void TaskSchedulerState::take_decommission_said_before(Instant now, std::int32_t number) {
  const auto row = std::find_if(unknown_decommissions.begin(), unknown_decommissions.end(),
                                [&](const auto& one) { return one.first == number; });
  if (row == unknown_decommissions.end()) return;
  ExecutorDirectory::Executor& going = directory.executor(number);
  going.is_decommissioned = true;
  going.host_is_decommissioned = row->second;
  directory.past(number).decommissioned_at = now;
  unknown_decommissions.erase(row);
}

void TaskSchedulerState::open_offers(std::span<const SlotOffer> given) {
  open.clear();
  open_details.clear();
  const bool may_be_excluded = health && health->excludes_anything();
  for (const SlotOffer& offer : given) {
    if (offer.free_cores < least_cores) continue;
    const auto executor = static_cast<std::int32_t>(offer.executor.value);
    if (may_be_excluded && (health->is_excluded(offer.host) || health->is_excluded(executor))) continue;
    std::int32_t detail = -1;
    if (offer.detail != nullptr) {
      detail = static_cast<std::int32_t>(open_details.size());
      open_details.push_back({offer.detail->profile, offer.detail->free});
    }
    open.push_back({{executor, offer.host, directory.rack_of(offer.host)}, offer.free_cores, detail});
  }
  open_with_room = static_cast<std::int32_t>(open.size());
}

void TaskSchedulerState::find_least_cores() {
  least_cores = settings.task_cores;
  if (sets_with_cores == 0) return;
  for (const TaskSetSlot slot : pools.members()) least_cores = std::min(least_cores, sets[slot].cores);
}

bool TaskSchedulerState::has_what_it_needs(const TaskSet& set, const OpenOffer& offer) {
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

void TaskSchedulerState::take_assigned(const OpenOffer& offer, Effects& effects) {
  take_resources(open_details[static_cast<std::size_t>(offer.detail)].free, assigning);
  effects.resources.push_back({effects.launches.back().id, assigning});
}

void TaskSchedulerState::offer_to_set(Instant now, TaskSetSlot slot, bool is_full, Effects& effects) {
  if (sets[slot].flags.is_barrier && slots_for_set(sets[slot]) < sets[slot].tasks)
    return update_deadline(now, slot, sets[slot].waits.timer(), is_full);
  const LocalityWaits::Timer before = sets[slot].waits.timer();
  PassResult all;
  const LocalityLevels levels = sets[slot].waits.levels();  // as they were when the set's turn came
  for (std::size_t i = 0; i < levels.count && open_with_room > 0; ++i) {
    bool launched = true;
    while (launched && open_with_room > 0) {
      PassResult pass;
      offer_at_level(now, slot, levels.level[i], pass, effects);
      launched = pass.launched;
      all.launched |= pass.launched;
      all.rejected |= pass.rejected;
      all.nearest = std::min(all.nearest, pass.nearest);
    }
  }
  TaskSet& set = sets[slot];
  if (set.flags.is_finished) return;  // given up at its first launch
  if (!settings.legacy_reset) {
    if (all.rejected) {
      set.flags.no_rejects_since_reset = false;
    } else if (all.launched && (is_full || set.flags.no_rejects_since_reset)) {
      set.waits.reset_timer(now, all.nearest);
      set.flags.no_rejects_since_reset = true;
    }
  }
  if (!all.launched) {
    look_for_unschedulable(now, slot, effects);
  } else {
    if (!unschedulable.empty()) {
      if (settings.fixes.unschedulable_removed)
        for (const auto& row : unschedulable) effects.events.emplace_back(UnschedulableSetRemoved{sets[row.first].key});
      else effects.events.emplace_back(UnschedulableSetRemoved{set.key});
      for (const auto& row : unschedulable) freed.push_back(row.first);
      unschedulable.clear();
    }
    if (set.flags.is_barrier) settle_placed(now, slot, effects);
    std::erase_if(open, [this](const OpenOffer& offer) { return offer.free_cores < least_cores; });
  }
  pools.note_offered(set);
  update_deadline(now, slot, before, is_full);
}

void TaskSchedulerState::update_deadline(Instant now, TaskSetSlot slot, const LocalityWaits::Timer& before,
                                         bool is_full) {
  const TaskSet& set = sets[slot];
  if (set.flags.is_barrier && !is_full) {
    // The slots of all executors may suffice.
    if (set.is_schedulable() && set.has_waiting()) offer_deadlines.set_now(slot, now);
    return;
  }
  if (!before.is_blocked && !set.waits.is_blocked()) {
    if (is_full) offer_deadlines.remove(slot);
    return;
  }
  std::optional<Instant> opens;
  if (set.is_schedulable()) opens = set.waits.next_opening(now, set.pending, set.states);
  if (is_full) {
    // Whoever may take more by now was offered, or cannot take it for another reason.
    offer_deadlines.replace(slot, opens && *opens > now ? opens : std::nullopt);
    return;
  }
  const LocalityWaits::Timer after = set.waits.timer();
  const bool has_risen = before.is_blocked && (!after.is_blocked || after.level > before.level);
  if (!has_risen && !opens) return;
  if (!has_risen && *opens > now) {
    offer_deadlines.put_off(slot, *opens, now);
  } else if (set.is_schedulable() && set.has_waiting()) {
    offer_deadlines.set_now(slot, now);
  }
}

void TaskSchedulerState::look_again_at_freed(Instant now) {
  for (const TaskSetSlot slot : freed) {
    const TaskSet& set = sets[slot];
    if (!set.is_schedulable() || set.flags.is_finished || unschedulable.contains(slot)) continue;
    if (const std::int32_t index = set.last_waiting(); index >= 0 && health && can_run_nowhere(set, index))
      offer_deadlines.set_now(slot, now);
  }
  freed.clear();
}

std::int64_t TaskSchedulerState::slots_for_set(const TaskSet& set) const {
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

/// No other list of the set gives it again until it is launched or taken back; for the wait at a level it still waits.
void TaskSchedulerState::place(OpenOffer& offer, TaskSet& set, const TaskSet::Dequeued& task) {
  set.placed.insert(task.index);
  if (!assigning.empty()) take_resources(open_details[static_cast<std::size_t>(offer.detail)].free, assigning);
  placed.push_back({static_cast<std::size_t>(&offer - open.data()), task, std::exchange(assigning, {})});
}

void TaskSchedulerState::settle_placed(Instant now, TaskSetSlot slot, Effects& effects) {
  std::vector<PlacedTask> tasks_placed = std::exchange(placed, {});
  std::sort(tasks_placed.begin(), tasks_placed.end(),
            [](const auto& a, const auto& b) { return a.task.index < b.task.index; });
  TaskSet& set = sets[slot];
  const bool is_whole = std::ssize(tasks_placed) == set.tasks;
  for (PlacedTask& one : tasks_placed) {
    OpenOffer& offer = open[one.offer];
    set.placed.erase(one.task.index);
    if (is_whole) {
      launch(now, slot, offer.place, one.task, false, effects);
      if (!one.shares.empty()) effects.resources.push_back({effects.launches.back().id, std::move(one.shares)});
      continue;
    }
    if (offer.free_cores < least_cores && offer.free_cores + set.cores >= least_cores) ++open_with_room;
    offer.free_cores += set.cores;
    for (ResourceShare& share : one.shares) share.share = -share.share;
    if (!one.shares.empty()) take_resources(open_details[static_cast<std::size_t>(offer.detail)].free, one.shares);
    add_pending(set, one.task.index);
  }
  // The legacy rule starts the wait anew with each task that is placed: the others would be passed over again for ever.
  if (!is_whole && settings.legacy_reset) abort(now, slot, SetFailure::barrier_not_placed, 0, effects);
}

void TaskSchedulerState::offer_at_level(Instant now, TaskSetSlot slot, LocalityLevel level, PassResult& result,
                                        Effects& effects) {
  TaskSet& set = sets[slot];
  const std::int32_t cores = set.cores;
  const bool fetches_ahead = set.has_host_lists();
  for (std::size_t i = 0; i < open.size(); ++i) {
    if (fetches_ahead && i + 8 < open.size()) set.fetch_entry(open[i + 8].place);
    if (fetches_ahead && i + 4 < open.size()) set.fetch_state(open[i + 4].place);
    if (open[i].free_cores >= cores) offer_slot(now, slot, open[i], level, result, effects);
  }
}

bool TaskSchedulerState::offer_slot(Instant now, TaskSetSlot slot, OpenOffer& offer, LocalityLevel level,
                                    PassResult& result, Effects& effects) {
  TaskSet& set = sets[slot];
  const bool is_excluded =
      set.exclusion && (set.exclusion->excludes(offer.place.host) || set.exclusion->excludes(offer.place.executor));
  if (set.flags.is_zombie || is_excluded) return false;
  if ((set.need || offer.detail >= 0) && !has_what_it_needs(set, offer)) return false;
  // The pass for tasks without preference does not ask the timer; node-local tasks slip through with it.
  const LocalityLevel allowed =
      level == LocalityLevel::no_pref ? level : std::min(set.allowed_level(now, level, directory), level);
  const auto task = set.dequeue(offer.place, allowed, attempts);
  if (!task) {
    if (level == LocalityLevel::any && (settings.fixes.reject_of_stale ? set.has_waiting() : set.has_pending()))
      result.rejected = true;
    return false;
  }
  if (set.flags.description_fault != DescriptionFault::none && !may_describe(now, slot, task->index, effects))
    return false;
  const LocalityLevel reported = level_of(task->source);
  set.note_taken(now, *task);
  if (settings.legacy_reset && level != LocalityLevel::no_pref) set.waits.reset_timer(now, reported);
  if (set.flags.is_barrier) {
    place(offer, set, *task);
  } else {
    launch(now, slot, offer.place, *task, false, effects);
    if (!assigning.empty() && set.need) take_assigned(offer, effects);
  }
  result.launched = true;
  result.nearest = std::min(result.nearest, reported);
  offer.free_cores -= set.cores;
  if (offer.free_cores < least_cores) --open_with_room;
  return true;
}

bool TaskSchedulerState::may_describe(Instant now, TaskSetSlot slot, std::int32_t index, Effects& effects) {
  TaskSet& set = sets[slot];
  if (set.flags.description_fault != DescriptionFault::large) {
    const bool is_missing = set.flags.description_fault == DescriptionFault::missing;
    abort(now, slot, is_missing ? SetFailure::not_describable : SetFailure::description_too_large, index, effects);
    return false;
  }
  set.flags.description_fault = DescriptionFault::none;
  set.progress.large_description = true;
  effects.events.emplace_back(LargeDescription{set.key});
  return true;
}

AttemptSlot TaskSchedulerState::launch(Instant now, TaskSetSlot slot, const OfferPlace& place,
                                       const TaskSet::Dequeued& task, bool queued, Effects& effects) {
  TaskSet& set = sets[slot];
  TaskState& state = set.states[task.index];
  const AttemptSlot at = attempts.add();
  LiveAttempt& attempt = attempts.at(at);
  attempt.launched = now;
  attempt.set = slot;
  attempt.index = task.index;
  attempt.attempt = set.states.number_attempt(task.index);
  attempt.executor = place.executor;
  attempt.host = place.host;
  attempt.level = level_of(task.source);
  attempt.speculative = task.speculative;
  attempt.queued = queued;
  attempt.next_of_task = state.first_live;
  state.first_live = at;
  ++state.copies;
  ExecutorDirectory::Executor& executor = directory.executor(place.executor);
  attempts.link_to_set(set.attempts_of_set, at);
  attempts.link_to_executor(executor.attempts, at);
  ++executor.known_attempts;
  if (settings.adaptive && !task.speculative)
    set.waits.payoff()->on_begin(attempt.level <= LocalityLevel::node, place.host, task.index, now);
  if (queued) {
    ++set.counts.queued;
  } else {
    ++set.counts.running;
    pools.change_running(set.standing.pool, 1);
  }
  set.progress.speculative += task.speculative ? 1 : 0;
  ++set.progress.launched[static_cast<std::size_t>(
      task.source == PendingSource::without_preference ? LocalityLevel::no_pref : attempt.level)];
  effects.launches.push_back(launch_of(attempt));
  return at;
}

TaskLaunch TaskSchedulerState::launch_of(const LiveAttempt& attempt) const {
  const TaskSet& set = sets[attempt.set];
  TaskLaunch told;
  told.id = attempt.id;
  told.set = set.key;
  told.index = attempt.index;
  told.partition = set.partitions.partition_of(attempt.index);
  told.attempt = attempt.attempt;
  told.executor = ExecutorId{attempt.executor};
  told.level = attempt.level;
  told.speculative = attempt.speculative;
  told.queued = attempt.queued;
  told.cores = set.cores;
  return told;
}

// -- sets that can run nowhere ---------------------------------------------------

bool TaskSchedulerState::can_run_nowhere(const TaskSet& set, std::int32_t index) const {
  const TaskSetExclusion& exclusion = *set.exclusion;
  for (std::size_t number = 0; number < directory.hosts().size(); ++number) {
    const ExecutorDirectory::Host& host = directory.hosts()[number];
    if (!host.is_known) continue;
    const HostId id{static_cast<std::int32_t>(number)};
    if (health->is_excluded(id) || exclusion.excludes(id) || exclusion.excludes(id, index)) continue;
    const bool all_excluded = std::all_of(host.executors.begin(), host.executors.end(), [&](std::int32_t executor) {
      return health->is_excluded(executor) || exclusion.excludes(executor) || exclusion.excludes(executor, index);
    });
    if (!all_excluded) return false;
  }
  return true;
}

void TaskSchedulerState::look_for_unschedulable(Instant now, TaskSetSlot slot, Effects& effects) {
  TaskSet& set = sets[slot];
  if (!health || directory.known_hosts() == 0) return;
  // Nothing is excluded: every known executor will do.
  if (!health->excludes_anything() && !set.exclusion->excludes_anything()) return;
  const std::int32_t index = set.last_waiting();
  if (index < 0 || !can_run_nowhere(set, index)) return;
  const bool is_waiting = unschedulable.contains(slot);
  if (const std::int32_t idle = idle_executor(*this); idle >= 0) {
    if (is_waiting) return;
    effects.events.emplace_back(KillExcludedExecutor{ExecutorId{idle}, true});
  } else if (settings.dynamic_allocation) {
    if (is_waiting) return;
    effects.events.emplace_back(UnschedulableSetAdded{set.key});
  } else {
    abort(now, slot, SetFailure::excluded_everywhere, index, effects);
    return;
  }
  AbortTimer& timer = abort_timers[slot];
  const Instant expiry = now + settings.unschedulable_timeout;
  if (timer.order == 0 || timer.expiry != expiry) timer = {expiry, ++timers_set};
  unschedulable.insert_or_assign(slot, Unschedulable{expiry, index, false, timer.order});
}

// -- queueing ahead --------------------------------------------------------------

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
    // What a task needs beside cores is handed out with the slot that it runs in.
    if (set.need || record->has_detail) continue;
    if (set.cores > 1 || set.flags.is_barrier) {
      if (set.has_waiting()) return;  // nothing behind it takes the cores that it waits for
      continue;
    }
    // The timer is asked but stays where it is.
    const LocalityWaits::Timer timer = set.waits.timer();
    const LocalityLevel allowed = set.allowed_level(now, LocalityLevel::any, state.directory);
    set.waits.restore(timer);
    for (std::size_t i = 0; i <= static_cast<std::size_t>(allowed); ++i) {
      const auto source = static_cast<PendingSource>(i);
      std::int32_t taken = 0;
      while (taken < input.max_count) {
        const auto index = set.dequeue_from(source, place, state.attempts);
        if (!index) break;
        if (set.flags.description_fault != DescriptionFault::none && !state.may_describe(now, slot, *index, effects))
          return;
        set.note_taken(now, {*index, source, false});
        state.launch(now, slot, place, {*index, source, false}, true, effects);
        ++taken;
      }
      if (taken == 0) continue;
      // The level of others may have been emptied.
      if (set.waits.is_blocked() && set.waits.next_opening(now, set.pending, set.states) == now && set.has_waiting())
        state.offer_deadlines.set_now(slot, now);
      return;
    }
  }
}

}  // namespace heddle::policies
