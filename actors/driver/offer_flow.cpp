#include "actors/driver/offer_flow.hpp"

#include <algorithm>

#include "actors/driver/attempt_counts.hpp"
#include "actors/driver/executor_flow.hpp"
#include "actors/driver/job_flow.hpp"
#include "actors/driver/task_flow.hpp"
#include "model/due_heap.hpp"
#include "policies/tasks/queue_ahead.hpp"

namespace heddle::actors {
namespace {

void revive_soon(Turn& turn) {
  if (turn.state.rounds.claim()) turn.effects.push(ReviveSoon{});
}

void arm_tick(Turn& turn) { turn.effects.push(ArmTick{}); }

/// Queues tasks behind the running ones of an executor that would otherwise wait for the next round.
void queue_ahead(Turn& turn) {
  auto& state = turn.state;
  if (state.settings.queue_ahead == 0) return;
  auto& offers = state.rounds.offers();
  // In order of ids, the lowest ids would always get the last tasks of a set.
  if (state.settings.shuffles_offers) state.random.shuffle(offers);
  policies::TaskSchedulerEffects effects;
  for (const auto& offer : offers) {
    const auto* entry = state.executors.find(offer.executor);
    if (entry == nullptr || !entry->is_live()) continue;
    const auto count = policies::tasks_to_queue(
        {state.settings.queue_ahead, entry->cores, entry->assigned, entry->wide, entry->task_us});
    if (count > 0) state.task_scheduler.apply(turn.now, task_input::TasksWantedAhead{offer.executor, count}, effects);
  }
  if (!effects.launches.empty()) state.rounds.revive_later(turn.now);
  turn.effects.push(std::move(effects));
}

/// Asks for queued tasks back while another executor is idle.
void request_retraction(Turn& turn) {
  auto& executors = turn.state.executors;
  const bool has_queued = std::any_of(executors.begin(), executors.end(), [](const auto& item) {
    return item.second.is_live() && item.second.assigned > item.second.cores;
  });
  if (!has_queued) return;
  turn.state.rounds.revive_later(turn.now);
  const bool has_idle = std::any_of(executors.begin(), executors.end(), [](const auto& item) {
    return item.second.is_active() && item.second.assigned < item.second.cores;
  });
  if (!has_idle) return;
  for (auto& [id, entry] : executors) {
    const auto queued = entry.assigned - entry.cores;
    if (!entry.is_live() || queued <= 0 || entry.is_retraction_pending) continue;
    entry.is_retraction_pending = true;
    turn.post(id, RetractTasks{entry.epoch, (queued + 1) / 2});
  }
}

void run_round(Turn& turn) {
  auto& state = turn.state;
  const bool is_full = state.rounds.begin(state.executors);
  const auto& offers = state.rounds.offers();
  if (offers.empty()) return;
  if (!state.jobs.is_empty()) state.rounds.on_offered();
  policies::TaskSchedulerEffects effects;
  state.task_scheduler.apply(
      turn.now, task_input::OffersMade{offers, is_full, state.settings.shuffles_offers ? &state.random : nullptr},
      effects);
  if (state.task_scheduler->needs_revival()) state.rounds.revive_later(turn.now);
  turn.effects.push(std::move(effects));
  turn.effects.push(Step{queue_ahead});
  if (is_full) turn.effects.push(Step{request_retraction});
}

// -- steps of a tick -----------------------------------------------------------------------------

void advance_stages(Turn& turn) {
  policies::StageEffects effects;
  turn.state.stage_scheduler.apply(turn.now, stage_input::TimePassed{}, effects);
  turn.effects.push(std::move(effects));
}

void advance_tasks(Turn& turn) {
  auto& state = turn.state;
  policies::TaskSchedulerEffects effects;
  state.task_scheduler.apply(turn.now, task_input::TimePassed{}, effects);
  if (state.rounds.poll_speculation_due(turn.now))
    state.task_scheduler.apply(turn.now, task_input::SpeculationDue{}, effects);
  turn.effects.push(std::move(effects));
}

void advance_allocation(Turn& turn) {
  auto& state = turn.state;
  if (!state.settings.allocation.dynamic) return;
  policies::AllocationEffects effects;
  state.allocation.apply(turn.now, allocation_input::PollDue{}, effects);
  turn.effects.push(std::move(effects));
}

void warn_of_starvation(Turn& turn) {
  if (turn.state.rounds.poll_starvation_due(turn.now))
    turn.notify_clients(
        "the first job has got no task slot yet; check that executors are registered and have free cores");
}

void revive_in_time(Turn& turn) {
  if (turn.state.rounds.poll_revive_due(turn.now)) request_full_round(turn);
}

void report_in_time(Turn& turn) {
  if (!turn.state.reports.poll_due(turn.now)) return;
  for (auto& [id, job] : turn.state.jobs.all()) report_progress(turn, job);
}

void start_waiting_jobs_in_time(Turn& turn) {
  if (!turn.state.gate.is_open()) start_waiting_jobs(turn);
}

}  // namespace

void request_full_round(Turn& turn) {
  turn.state.rounds.add_all();
  revive_soon(turn);
}

void apply(Turn& turn, const OfferExecutor& step) {
  turn.state.rounds.add(step.executor);
  revive_soon(turn);
}

void revive_offers(Turn& turn) {
  auto& state = turn.state;
  state.rounds.arrived();
  if (!state.events->has_room()) {  // the event log has a backlog: launch nothing until it is written
    if (state.rounds.claim()) turn.effects.push(ReviveSoon{true});
    return;
  }
  run_round(turn);
  turn.effects.push(Step{update_exclusions});
  turn.effects.push(Step{arm_tick});
}

void handle_tasks_retracted(Turn& turn, const TasksRetracted& message) {
  auto& state = turn.state;
  auto* entry = state.executors.current(message.executor, message.epoch);
  if (entry == nullptr) return;
  entry->is_retraction_pending = false;
  policies::TaskSchedulerEffects effects;
  for (const auto& range : message.tasks) {
    const policies::TaskSetKey key{range.stage.stage, range.stage.attempt};
    const auto* set = state.jobs.find_set(key);
    if (set == nullptr || !are_partitions(range.first_index, range.count) || range.count > set->tasks) continue;
    for (std::int32_t i = 0; i < range.count; ++i) {
      const auto launch = state.task_scheduler->find_attempt(key, set->index_of(range.first_index + i), range.attempt);
      if (launch.is_none()) continue;
      const auto launched = *state.task_scheduler->launch_of(launch);
      if (state.task_scheduler.apply(turn.now, task_input::AttemptRetracted{launch})) {
        entry->release(launched.cores);
        if (auto* job = state.jobs.job_of(*set)) count_launch(*job, *set, launched, -1);
        continue;
      }
      // The attempt was reported as running or its set was killed, but the executor has not started it. It ends as
      // killed, which is not a failure.
      record_running(turn, launch);
      task_input::apply_attempt_status(state.task_scheduler, turn.now, launch,
                                       {policies::AttemptState::killed, {}, {}, {}}, effects);
    }
  }
  turn.effects.push(std::move(effects));
  turn.effects.push(Step{request_full_round});
}

void run_tick(Turn& turn) {
  for (auto* step : {advance_stages, advance_tasks, advance_allocation, update_exclusions, warn_of_starvation,
                     lose_overdue_executors, kill_executors_of_leaving_hosts, revive_in_time, report_in_time,
                     abort_stopped_jobs, start_waiting_jobs_in_time, check_barrier_slots_in_time, arm_tick})
    turn.effects.push(Step{step});
}

void start_allocation(Turn& turn) {
  policies::AllocationEffects effects;
  turn.state.allocation.apply(turn.now, allocation_input::Started{}, effects);
  turn.effects.push(std::move(effects));
}

std::optional<Instant> next_due(DriverState& state) {
  std::optional<Instant> next;
  const auto consider = [&next](std::optional<Instant> due) { next = earlier(next, due); };
  consider(state.stage_scheduler->next_due());
  consider(state.task_scheduler->next_due());
  if (state.settings.allocation.dynamic) consider(state.allocation->next_due());
  consider(state.executors.next_due());
  consider(state.migration.next_due());
  if (!state.jobs.is_empty()) {
    consider(state.rounds.next_due());
    consider(state.reports.next_due());
    consider(state.jobs.next_due());
    consider(state.gate.next_due());
  }
  return next;
}

}  // namespace heddle::actors
