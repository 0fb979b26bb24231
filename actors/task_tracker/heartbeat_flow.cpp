#include "actors/task_tracker/heartbeat_flow.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "actors/task_tracker/attempt_slots_flow.hpp"
#include "actors/task_tracker/memory_flow.hpp"

namespace heddle::actors {
namespace {

void send_pending(SlotTurn& turn) {
  auto& state = turn.state;
  turn.effects.push_back(SendToJobTracker{*state.pending});
  state.heartbeat_due = turn.now + state.settings.answer_wait;
}

std::optional<std::int64_t> free_space(const SlotState& state) {
  const std::int64_t bytes = state.ports.free_bytes ? state.ports.free_bytes() : -1;
  return bytes < 0 ? std::nullopt : std::optional{bytes};
}

void send_heartbeat(SlotTurn& turn) {
  auto& state = turn.state;
  if (!state.is_connected || state.phase == TrackerPhase::reinitialising || state.phase == TrackerPhase::leaving)
    return;
  if (state.pending) {
    state.requests_heartbeat = true;
    return;
  }
  const auto& settings = state.settings;
  TrackerHeartbeat heartbeat;
  heartbeat.tracker = settings.name;
  heartbeat.incarnation = settings.incarnation;
  heartbeat.host = settings.host;
  heartbeat.rack = settings.rack;
  heartbeat.build_id = settings.build_id;
  heartbeat.map_slots = settings.map_slots;
  heartbeat.reduce_slots = settings.reduce_slots;
  if (const auto free = free_space(state)) {
    heartbeat.free_space = *free;
    heartbeat.accepts_tasks = *free >= std::max(settings.limits.start_space_min, settings.limits.kill_space_min);
  }
  heartbeat.is_initial_contact = state.phase == TrackerPhase::starting;
  heartbeat.response_id = heartbeat.is_initial_contact ? -1 : state.response_id;
  heartbeat.attempts = state.slots.statuses();
  heartbeat.completions = state.slots.completions_wanted();
  heartbeat.failed_fetches = std::exchange(state.failed_fetches, {});
  state.requests_heartbeat = false;
  state.pending = std::move(heartbeat);
  send_pending(turn);
}

/// The reports of these ends have arrived: the JobTracker keeps them.
void remove_reported_ends(SlotState& state, const TrackerHeartbeat& reported) {
  for (const auto& status : reported.attempts) {
    const auto* attempt = state.slots.find(status.attempt);
    if (attempt != nullptr && attempt->has_ended && status.outcome) state.slots.remove(status.attempt);
  }
}

/// A new reduce needs the completion events of its job, or more of them wait than one response has room for.
bool knows_too_little(const SlotState& state, const HeartbeatResponse& message) {
  if (!state.settings.beat_on_change) return false;
  const auto is_reduce = [](const AttemptLaunch& launch) { return launch.type == AttemptType::reduce; };
  const auto is_full = [](const JobCompletions& news) { return news.rows.size() >= map_completions_max; };
  return std::any_of(message.launches.begin(), message.launches.end(), is_reduce) ||
         std::any_of(message.completions.begin(), message.completions.end(), is_full);
}

void stop_and_leave(SlotTurn& turn) {
  auto& state = turn.state;
  state.phase = TrackerPhase::leaving;
  state.heartbeat_due.reset();
  drop_all_jobs(turn);
  if (state.slots.children().empty()) continue_without_children(turn);
}

}  // namespace

// -- the JobTracker --------------------------------------------------------------------------------------

void find_job_tracker(SlotTurn& turn) { turn.effects.push_back(FindJobTracker{}); }

void job_tracker_connected(SlotTurn& turn) {
  turn.state.is_connected = true;
  if (turn.state.pending) send_pending(turn);
  else send_heartbeat(turn);
}

void job_tracker_unreachable(SlotTurn& turn) {
  turn.write_event("job_tracker_unreachable");
  stop_and_leave(turn);
}

void lose_job_tracker(SlotTurn& turn) {
  auto& state = turn.state;
  turn.write_event("job_tracker_lost");
  state.is_connected = false;
  state.heartbeat_due.reset();
  if (state.phase != TrackerPhase::leaving) find_job_tracker(turn);
}

void reinitialise_tracker(SlotTurn& turn, const ReinitialiseTracker& message) {
  auto& state = turn.state;
  if (message.incarnation != state.settings.incarnation || !state.pending || state.phase != TrackerPhase::known)
    return turn.write_event("stale_reinitialise_tracker");
  turn.write_event("tracker_reinitialised");
  state.phase = TrackerPhase::reinitialising;
  state.pending.reset();
  state.requests_heartbeat = false;
  state.heartbeat_due.reset();
  drop_all_jobs(turn);
  if (state.slots.children().empty()) continue_without_children(turn);
}

void continue_without_children(SlotTurn& turn) {
  auto& state = turn.state;
  if (state.phase == TrackerPhase::leaving) return turn.effects.push_back(LeaveSlots{});
  if (state.phase != TrackerPhase::reinitialising) return;
  state.phase = TrackerPhase::starting;
  state.response_id = -1;
  send_heartbeat(turn);
}

void leave_refused_tracker(SlotTurn& turn, const TrackerRefused& message) {
  if (message.incarnation != turn.state.settings.incarnation) return turn.write_event("stale_tracker_refused");
  turn.write_event("tracker_refused", ports::EventFields{}.add("reason", message.reason));
  stop_and_leave(turn);
}

// -- heartbeats ------------------------------------------------------------------------------------------

void handle_heartbeat_response(SlotTurn& turn, const HeartbeatResponse& message) {
  auto& state = turn.state;
  const auto expected = state.pending && state.pending->is_initial_contact ? 1 : state.response_id + 1;
  if (!state.pending || message.incarnation != state.settings.incarnation || message.response_id != expected)
    return turn.write_event("stale_heartbeat_response", ports::EventFields{}.add("response_id", message.response_id));
  state.phase = TrackerPhase::known;
  state.response_id = message.response_id;
  state.node = message.node;
  state.interval = std::chrono::milliseconds{message.interval_ms};
  remove_reported_ends(state, *state.pending);
  for (const auto& job : message.jobs) add_job(turn, job);
  for (const auto& launch : message.launches) launch_attempt(turn, launch);
  for (const auto& attempt : message.kills) kill_attempt(turn, attempt, "the JobTracker ended it");
  for (const auto job : message.ended_jobs) drop_job(turn, job);
  start_waiting(turn);
  for (const auto& attempt : message.commits) permit_commit(turn, attempt);
  for (const auto& news : message.completions) add_completions(turn, news);
  // One answer has at most one map of another rack, one reduce or one setup, so more work may wait for free slots.
  const bool may_get_more = state.settings.beat_on_change && !message.launches.empty() &&
                            state.slots.has_free_slot(state.settings.map_slots, state.settings.reduce_slots);
  // Until here the heartbeat counted as pending, so that a change above did not send the next one too early.
  state.pending.reset();
  state.heartbeat_due = turn.now + state.interval;
  if (std::exchange(state.requests_heartbeat, false) || may_get_more || knows_too_little(state, message))
    send_heartbeat(turn);
}

void send_heartbeat_soon(SlotTurn& turn) { send_heartbeat(turn); }

void beat_on_change(SlotTurn& turn) {
  if (turn.state.settings.beat_on_change) send_heartbeat(turn);
}

void run_task_tracker_tick(SlotTurn& turn) {
  auto& state = turn.state;
  while (const auto child = state.slots.dues.take_due(turn.now)) handle_overdue_child(turn, *child);
  measure_memory_if_due(turn);
  if (!state.heartbeat_due || turn.now < *state.heartbeat_due) return;
  state.heartbeat_due.reset();
  if (!state.is_connected) return;
  if (const auto free = free_space(state); free && *free < state.settings.limits.kill_space_min) kill_for_space(turn);
  if (state.pending) {
    turn.write_event("heartbeat_sent_again");
    send_pending(turn);
  } else {
    send_heartbeat(turn);
  }
}

}  // namespace heddle::actors
