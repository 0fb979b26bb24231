#include "actors/map_reduce_master/history_flow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "actors/map_reduce_master/history_records.hpp"
#include "actors/map_reduce_master/job_flow.hpp"
#include "policies/job_tracker/job_settings.hpp"

namespace heddle::actors {
namespace {

using policies::MapReduceAttempt;
using policies::MapReduceTaskId;

void notify_user(MasterTurn& turn, std::string text) {
  turn.effects.push_back(ReportToJobClient{Notice{std::move(text)}});
}

/// Without a history the job goes on.
void give_up_history(MasterTurn& turn, const std::string& text) {
  turn.state.history.phase = HistoryPhase::over;
  turn.state.history.recorded.clear();
  turn.state.history.reported.clear();
  turn.write_event("job_history_ended", ports::EventFields{}.add("job", turn.state.job->id).add("text", text));
}

ports::JobHistoryFile history_file(const MasterState& state) {
  const auto& start = state.start.history;
  const auto& work = *state.job->work;
  ports::JobHistoryFile file{state.start.attempt.application, start.format,  start.folder, start.user, work.name(),
                             state.history.submit_ms,         start.settings};
  policies::add_job_settings(file.settings, work, start.user, start.queue);
  return file;
}

/// Notice of a later application attempt once the recorded tasks have ended again. `recorded`: their number.
std::string describe_recovery(MasterState& state, std::int32_t recorded) {
  const auto attempt = state.start.attempt.attempt;
  const auto all = state.job->work->tasks(false) + state.job->work->tasks(true);
  const auto& job = state.machines().job();
  const auto kept = job.ended_maps().succeeded + job.ended_reduces().succeeded;
  const auto& fault = state.recovery.fault;
  const std::string why = fault.empty() ? "" : ": " + fault;
  if (kept < recorded)
    return fmt::format("attempt {} keeps {} of {} tasks of the job; the outputs of {} finished task{} are gone{}",
                       attempt, kept, all, recorded - kept, recorded - kept == 1 ? "" : "s", why);
  if (kept > 0) return fmt::format("attempt {} keeps {} of {} tasks of the job{}", attempt, kept, all, why);
  return fmt::format("attempt {} runs all tasks of the job: {}", attempt,
                     fault.empty() ? "the job history has no finished task" : fault);
}

/// A history can be damaged: attempts of this master must have numbers of their own.
bool is_usable(const MasterState& state, const RecordedTask& task) {
  const auto& work = *state.job->work;
  const auto is_earlier = [first = first_attempt_of(state)](const RecordedTaskAttempt& each) {
    return each.attempt >= 0 && each.attempt < first;
  };
  if (task.task < 0 || task.task >= work.tasks(task.is_reduce)) return false;
  if (!std::all_of(task.attempts.begin(), task.attempts.end(), is_earlier)) return false;
  // Without its place no reduce can fetch the output of a map.
  return task.is_reduce || !work.has_reduces() || task.place;
}

void keep_recorded_tasks(MasterTurn& turn, const HistoryOpened& message) {
  auto& state = turn.state;
  for (const auto& task : message.tasks)
    if (is_usable(state, task)) state.recovery.tasks.insert_or_assign(MapReduceTaskId{task.is_reduce, task.task}, task);
  turn.write_event("map_reduce_job_recovered",
                   ports::EventFields{}.add("job", message.job).add("tasks", state.recovery.tasks.size()));
}

bool is_in_output(const MasterState& state, MapReduceTaskId task) {
  return task.is_reduce || !state.job->work->has_reduces();
}

std::string folder_of_winner(const MasterState& state, const RecordedTask& task) {
  return state.job->folder_of({task.is_reduce, task.task, task.winner});
}

std::optional<policies::MapReduceAttemptState> end_of(TaskAttemptState state) {
  switch (state) {
    case TaskAttemptState::succeeded: return policies::MapReduceAttemptState::succeeded;
    case TaskAttemptState::failed:
    case TaskAttemptState::failed_unclean: return policies::MapReduceAttemptState::failed;
    case TaskAttemptState::killed:
    case TaskAttemptState::killed_unclean: return policies::MapReduceAttemptState::killed;
    case TaskAttemptState::running:
    case TaskAttemptState::commit_pending: break;
  }
  return std::nullopt;
}

policies::map_reduce_task_input::Recovered recovered_input(const MasterState& state, const RecordedTask& task) {
  policies::map_reduce_task_input::Recovered input;
  for (const auto& each : task.attempts) {
    policies::RecordedAttempt attempt{{task.is_reduce, task.task, each.attempt}, end_of(each.end), each.host, {}, {}};
    if (each.start_ms > 0) attempt.start = instant_of(state, each.start_ms);
    if (each.finish_ms > 0) attempt.finish = instant_of(state, each.finish_ms);
    input.attempts.push_back(std::move(attempt));
  }
  return input;
}

/// The history has no run times: from start to finish of the winner; 0: unknown.
std::int64_t recorded_run_us(const RecordedTask& task) {
  for (const auto& each : task.attempts)
    if (each.attempt == task.winner && each.start_ms > 0 && each.finish_ms > each.start_ms)
      return Duration{std::chrono::milliseconds{each.finish_ms - each.start_ms}}.count();
  return 0;
}

/// While recorded tasks end again, the history already has their events, except for attempts that are now killed.
bool is_written(const MasterState& state, const policies::WriteHistory& effect) {
  const bool is_of_job = effect.event < policies::MapReduceHistoryEvent::task_started;
  if (!state.recovery.is_replaying || is_of_job) return false;
  const auto task = state.recovery.tasks.find(policies::task_of(effect.subject));
  if (task == state.recovery.tasks.end()) return false;
  if (effect.event != policies::MapReduceHistoryEvent::attempt_killed) return true;
  return std::any_of(task->second.attempts.begin(), task->second.attempts.end(), [&](const auto& each) {
    return each.attempt == effect.subject.attempt && each.end == TaskAttemptState::killed;
  });
}

}  // namespace

// -- opening and closing -------------------------------------------------------------------------------------

bool open_history(MasterTurn& turn) {
  auto& state = turn.state;
  auto& history = state.history;
  if (history.phase != HistoryPhase::none) return history.phase != HistoryPhase::reading;
  history.submit_ms = history.launch_ms = wall_time(state, turn.now);
  if (state.ports.history == nullptr || state.start.history.folder.empty()) {
    history.phase = HistoryPhase::over;
    return true;
  }
  const bool resumes = state.job->earlier_masters > 0;
  history.phase = resumes ? HistoryPhase::reading : HistoryPhase::open;
  turn.effects.push_back(OpenHistory{state.job->id, history_file(state), resumes});
  if (!resumes) history.recorded.push_back(master_started(turn));
  return !resumes;
}

void handle_history_opened(MasterTurn& turn, const HistoryOpened& message) {
  auto& state = turn.state;
  auto& history = state.history;
  const bool is_reading = history.phase == HistoryPhase::reading;
  if (!state.job || state.job->id != message.job || (!is_reading && history.phase != HistoryPhase::open))
    return turn.write_event("stale_history_opened");
  if (!message.is_open) {
    give_up_history(turn, message.text);
    notify_user(turn, "no job history is written: " + message.text);
  }
  if (!is_reading) return;
  if (message.is_open) {
    history.phase = HistoryPhase::open;
    if (message.submit_ms > 0) history.submit_ms = message.submit_ms;
    if (message.launch_ms > 0) history.launch_ms = message.launch_ms;
    if (message.end) return end_as_recorded(turn, *message.end);
    history.recorded.push_back(master_started(turn));
  }
  keep_recorded_tasks(turn, message);
  state.recovery.fault = message.text;
  state.recovery.is_announced = false;
  start_job_if_ready(turn);
}

void handle_history_ended(MasterTurn& turn, const HistoryEnded& message) {
  auto& state = turn.state;
  const bool is_closing = state.history.phase == HistoryPhase::closing;
  if (!state.job || state.job->id != message.job || (message.is_closed && !is_closing))
    return turn.write_event("stale_history_ended");
  if (!message.text.empty()) notify_user(turn, message.text);
  if (is_closing && !message.is_closed) return;  // the answer to the request to close it follows
  if (state.history.phase != HistoryPhase::over) give_up_history(turn, message.text);
  if (is_closing) report_job_end(turn);
}

bool close_history(MasterTurn& turn) {
  auto& history = turn.state.history;
  if (history.phase != HistoryPhase::open) return false;
  flush_history(turn);
  history.phase = HistoryPhase::closing;
  turn.effects.push_back(CloseHistory{turn.state.job->id});
  return true;
}

// -- events --------------------------------------------------------------------------------------------------

void record_history(MasterTurn& turn, const policies::WriteHistory& effect) {
  auto& state = turn.state;
  if (state.history.phase == HistoryPhase::open && !is_written(state, effect))
    state.history.recorded.push_back(make_record(turn, effect));
}

void keep_reported_counters(MasterTurn& turn, MapReduceAttempt attempt, const AttemptCounters& counters) {
  auto& state = turn.state;
  const auto& rules = state.job->work->program(attempt.is_reduce).map_reduce;
  if (state.history.phase == HistoryPhase::open)
    update_counters(state.history.reported[attempt], counters, rules ? rules->counters_max : 0);
}

void record_shuffle_end(MasterTurn& turn, MapReduceAttempt reduce) {
  auto& history = turn.state.history;
  if (history.phase == HistoryPhase::open) history.shuffle_ends.try_emplace(reduce, wall_time(turn.state, turn.now));
}

void flush_history(MasterTurn& turn) {
  auto& history = turn.state.history;
  if (history.phase != HistoryPhase::open || history.recorded.empty()) return;
  turn.effects.push_back(AppendHistory{turn.state.job->id, std::exchange(history.recorded, {})});
}

void sync_history(MasterTurn& turn) {
  if (turn.state.history.phase != HistoryPhase::open) return;
  flush_history(turn);
  turn.effects.push_back(SyncHistory{turn.state.job->id});
}

// -- earlier application attempts ------------------------------------------------------------------------------

std::int32_t first_attempt_of(const MasterState& state) {
  constexpr std::int32_t attempts_per_master = 1000;  // as in Hadoop
  return (state.start.attempt.attempt - 1) * attempts_per_master;
}

std::vector<std::string> recorded_folders(const MasterState& state) {
  std::vector<std::string> folders;
  for (const auto& [id, task] : state.recovery.tasks)
    if (is_in_output(state, id)) folders.push_back(folder_of_winner(state, task));
  return folders;
}

void replay_recorded_tasks(MasterTurn& turn, const std::vector<std::string>& kept) {
  auto& state = turn.state;
  auto& job = *state.job;
  const auto recorded = static_cast<std::int32_t>(state.recovery.tasks.size());
  const std::set<std::string> folders(kept.begin(), kept.end());
  std::map<MapReduceTaskId, policies::map_reduce_task_input::Recovered> inputs;
  for (const auto& [id, task] : state.recovery.tasks) {
    auto input = recovered_input(state, task);
    input.adopts_output = is_in_output(state, id);
    input.adoption_fails = input.adopts_output && !folders.contains(folder_of_winner(state, task));
    inputs.emplace(id, std::move(input));
    const MapReduceAttempt winner{id.is_reduce, id.index, task.winner};
    job.outcomes.insert_or_assign(winner, task.outcome);
    if (task.place) job.map_outputs.outputs.insert_or_assign(winner, KeptMapOutput{*task.place, recorded_run_us(task)});
  }
  state.machines().recover(std::move(inputs));
  state.recovery.is_replaying = true;
  state.machines().apply(turn.now,
                         policies::map_reduce_job_input::Signal{policies::MapReduceJobEvent::setup_completed});
  settle_machines(turn);
  state.recovery.is_replaying = false;
  state.recovery.tasks.clear();
  const auto& ended = state.machines().job();
  state.allocator->on_job_progress(ended.ended_maps().all(), ended.ended_reduces().all());
  const auto nodes = std::exchange(state.recovery.early_nodes, {});
  if (!nodes.empty() && state.has_machines()) {
    state.machines().apply(turn.now, policies::map_reduce_job_input::NodesUpdated{nodes});
    settle_machines(turn);
  }
  if (!std::exchange(state.recovery.is_announced, true)) notify_user(turn, describe_recovery(state, recorded));
}

void count_recorded_tasks(MasterTurn& turn) {
  auto& state = turn.state;
  auto& job = *state.job;
  for (const auto& [id, task] : state.recovery.tasks) {
    using enum policies::MapReduceJobCounter;
    for (const auto& attempt : task.attempts) {
      job.counters.add(policies::counter_of(id.is_reduce, total_launched_maps), 1);
      if (attempt.end == TaskAttemptState::failed)
        job.counters.add(policies::counter_of(id.is_reduce, num_failed_maps), 1);
      if (attempt.end == TaskAttemptState::killed)
        job.counters.add(policies::counter_of(id.is_reduce, num_killed_maps), 1);
    }
    const MapReduceAttempt winner{id.is_reduce, id.index, task.winner};
    job.outcomes.insert_or_assign(winner, task.outcome);
    job.count_winner(winner);
  }
  if (state.history.phase == HistoryPhase::open) state.history.recorded.push_back(job_succeeded(turn));
}

}  // namespace heddle::actors
