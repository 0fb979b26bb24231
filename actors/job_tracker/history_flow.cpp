#include "actors/job_tracker/history_flow.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "actors/job_tracker/decision_texts.hpp"
#include "actors/job_tracker/history_values.hpp"
#include "model/java_number.hpp"
#include "policies/job_tracker/job_settings.hpp"

namespace heddle::actors {
namespace {

bool has_history(const TrackingState& state, const TrackedJob& job) {
  return state.ports.history != nullptr && !state.settings.history.folder.empty() && job.work.has_value();
}

std::int64_t wall_ms(const TrackingTurn& turn, Instant at) {
  return to_milliseconds(at.time_since_epoch()) + turn.state.settings.wall_offset_ms;
}

/// Lines of two successes and two launches in one heartbeat.
constexpr std::size_t usual_lines = 8;

/// The effect that takes the next line of the job: lines of one job that follow each other share one.
WriteHistory& lines_of(TrackingTurn& turn, const TrackedJob& job) {
  auto* last = turn.effects.empty() ? nullptr : std::get_if<WriteHistory>(&turn.effects.back());
  if (last != nullptr && last->job == job.id && !last->waits) return *last;
  auto& added = std::get<WriteHistory>(turn.effects.emplace_back(WriteHistory{job.id, job.application}));
  added.events.reserve(usual_lines);
  return added;
}

/// Adds a line, which the caller fills in before it adds another one.
template <class Line>
Line& add_line(TrackingTurn& turn, const TrackedJob& job) {
  return std::get<Line>(lines_of(turn, job).events.emplace_back(std::in_place_type<Line>));
}

void write_start(TrackingTurn& turn, const TrackedJob& job, const TaskAttemptId& attempt,
                 const LaunchedAttempt& launched) {
  auto& line = add_line<history::AttemptStarted>(turn, job);
  line.attempt = attempt_name(job, attempt);
  line.type = type_of(job, attempt);
  line.start_time = wall_ms(turn, launched.at);
  line.tracker = launched.tracker;
  line.locality = launched.locality;
  line.avataar = launched.is_speculative ? "SPECULATIVE" : "VIRGIN";
}

template <class Finished>
Finished& add_finished(TrackingTurn& turn, const TrackedJob& job, const TaskAttemptId& attempt,
                       const LaunchedAttempt& launched) {
  auto& line = add_line<Finished>(turn, job);
  line.attempt = attempt_name(job, attempt);
  line.type = type_of(job, attempt);
  line.finish_time = wall_ms(turn, turn.now);
  line.host = launched.host;
  line.state = state_text(job, attempt);
  return line;
}

void write_finish(TrackingTurn& turn, const TrackedJob& job, const TaskAttemptId& attempt,
                  const LaunchedAttempt& launched, const TaskAttemptStatus* reported) {
  switch (type_of(job, attempt)) {
    case AttemptType::map: {
      auto& line = add_finished<history::MapAttemptFinished>(turn, job, attempt, launched);
      line.map_finish_time = line.finish_time;
      return;
    }
    case AttemptType::reduce: {
      auto& line = add_finished<history::ReduceAttemptFinished>(turn, job, attempt, launched);
      const bool is_known = reported != nullptr && reported->shuffle_ms >= 0;
      const auto copied = wall_ms(turn, launched.at) + (is_known ? reported->shuffle_ms : 0);
      // The runs are merged while the reduce reads them, so the sort ends with the copies.
      line.shuffle_finish_time = line.sort_finish_time =
          is_known ? std::min(copied, line.finish_time) : line.finish_time;
      return;
    }
    default: add_finished<history::OtherAttemptFinished>(turn, job, attempt, launched);
  }
}

ports::JobHistoryFile history_file(const TrackingState& state, const TrackedJob& job, const std::string& name) {
  const auto& start = state.settings.history;
  ports::JobHistoryFile file{
      job.application, ports::JobHistoryFormat::classic, start.folder, job.origin.user, name, job.origin.submit_time,
      start.settings};
  if (!job.work) return file;
  policies::add_job_settings(file.settings, *job.work, job.origin.user, start.queue);
  add_rule_settings(file.settings, job.rules);
  return file;
}

history::JobSubmitted submitted_line(const TrackingState& state, const TrackedJob& job, const std::string& name) {
  return {job.application, name, job.origin.user, job.origin.submit_time, {}, state.settings.history.queue};
}

history::BadEnd bad_end(TaskAttemptState state) {
  const bool has_failed = state == TaskAttemptState::failed || state == TaskAttemptState::failed_unclean;
  return has_failed ? history::BadEnd::failed : history::BadEnd::killed;
}

}  // namespace

void begin_history(TrackingTurn& turn, const TrackedJob& job) {
  const auto& state = turn.state;
  if (!has_history(state, job)) return;
  const auto& name = job.work->name();
  turn.effects.push_back(BeginHistory{job.id, history_file(state, job, name), submitted_line(state, job, name)});
  add_line<history::JobPriorityChanged>(turn, job) = {job.application, priority_name(job.rules.priority)};
  add_line<history::JobInited>(turn, job) = {job.application, wall_ms(turn, turn.now), job.work->tasks(false),
                                             job.work->tasks(true)};
}

void end_earlier_history(TrackingTurn& turn, const TrackedJob& job, const std::string& name) {
  const auto& state = turn.state;
  if (state.ports.history == nullptr || state.settings.history.folder.empty()) return;
  history::JobSucceeded end;
  end.job = job.application;
  end.finish_time = wall_ms(turn, turn.now);
  turn.effects.push_back(
      EndEarlierHistory{job.id, history_file(state, job, name), submitted_line(state, job, name), std::move(end)});
}

void record_set_up(TrackingTurn& turn, const TrackedJob& job) {
  if (has_history(turn.state, job)) add_line<history::JobStatusChanged>(turn, job) = {job.application, "RUNNING"};
}

void record_launch(TrackingTurn& turn, const TrackedJob& job, const policies::ClassicLaunch& launch) {
  const bool is_first = launch.attempt.attempt == job.origin.first_attempt;
  if (!has_history(turn.state, job) || !is_first || launch.type == AttemptType::task_cleanup) return;
  auto& line = add_line<history::TaskStarted>(turn, job);
  line.task = attempt_name(job, launch.attempt).task;
  line.type = launch.type;
  line.start_time = wall_ms(turn, turn.now);
  const auto* found = launch.type == AttemptType::map ? job.work->split(launch.attempt.task) : nullptr;
  if (found == nullptr) return;
  for (const auto& host : found->split.hosts) {
    if (!line.split_locations.empty()) line.split_locations += ',';
    line.split_locations += host;
  }
}

void record_attempt_end(TrackingTurn& turn, const TrackedJob& job, const policies::AttemptEnded& ended,
                        const ReportedOutcomes& outcomes) {
  if (!has_history(turn.state, job)) return;
  const auto* reported = outcomes.find(ended.attempt);
  // A success that is lost has its start in the history already.
  if (const auto launched = job.attempts.launched.find(ended.attempt); launched != job.attempts.launched.end())
    write_start(turn, job, ended.attempt, launched->second);
  auto& line = add_line<history::AttemptUnsuccessful>(turn, job);
  line.attempt = attempt_name(job, ended.attempt);
  line.type = type_of(job, ended.attempt);
  line.finish_time = wall_ms(turn, turn.now);
  line.host = ended.host;
  line.end = bad_end(ended.state);
  line.error = reported == nullptr ? end_text(ended.cause) : reported->outcome->text;
}

void record_success(TrackingTurn& turn, const TrackedJob& job, const TaskAttemptId& attempt,
                    const ReportedOutcomes& outcomes) {
  if (!has_history(turn.state, job)) return;
  const auto* reported = outcomes.find(attempt);
  const auto row = job.attempts.launched.find(attempt);
  LaunchedAttempt unknown;
  unknown.at = turn.now;
  const auto& launched = row == job.attempts.launched.end() ? unknown : row->second;
  write_start(turn, job, attempt, launched);
  write_finish(turn, job, attempt, launched, reported);
  auto& line = add_line<history::TaskFinished>(turn, job);
  line.task = attempt_name(job, attempt).task;
  line.type = type_of(job, attempt);
  line.finish_time = wall_ms(turn, turn.now);
  line.winner = attempt_name(job, attempt);
  if (reported == nullptr || (reported->outcome->task_counters.empty() && reported->outcome->counters.empty())) return;
  auto& lines = lines_of(turn, job);
  lines.counts.push_back({lines.events.size() - 2, {reported->outcome->task_counters, reported->outcome->counters}});
}

void record_task_failure(TrackingTurn& turn, const TrackedJob& job, const TaskAttemptId& attempt) {
  if (!has_history(turn.state, job)) return;
  auto& line = add_line<history::TaskFailed>(turn, job);
  line.task = attempt_name(job, attempt).task;
  line.type = type_of(job, attempt);
  line.finish_time = wall_ms(turn, turn.now);
  if (job.failures.last) line.error = job.failures.last->text;
  line.last_attempt = attempt_name(job, attempt);
}

void record_job_end(TrackingTurn& turn, const TrackedJob& job) {
  if (!has_history(turn.state, job)) return;
  const auto& attempts = job.attempts;
  if (job.end.status == JobStatus::succeeded) {
    auto& line = add_line<history::JobSucceeded>(turn, job);
    line.job = job.application;
    line.finish_time = wall_ms(turn, turn.now);
    line.finished_maps = job.maps.progress.finished;
    line.finished_reduces = job.reduces.progress.finished;
    line.failed_maps = attempts.unsuccessful_maps;
    line.failed_reduces = attempts.unsuccessful_reduces;
    auto of_maps = job.accepted.counters();
    for (const auto& [name, count] : attempts.reduce_counters)
      of_maps[name] = java::wrap_add(of_maps[name], java::wrap_mul(std::int64_t{-1}, count));
    std::erase_if(of_maps, [](const auto& counter) { return counter.second == 0; });
    line.map_counters = classic_counters("MAP_COUNTERS", {of_maps.begin(), of_maps.end()});
    line.reduce_counters =
        classic_counters("REDUCE_COUNTERS", {attempts.reduce_counters.begin(), attempts.reduce_counters.end()});
    std::vector<std::pair<std::string, std::int64_t>> totals{job.accepted.counters().begin(),
                                                             job.accepted.counters().end()};
    attempts.counters.add_to(totals);
    line.total_counters = classic_counters("TOTAL_COUNTERS", totals);
  } else {
    auto& line = add_line<history::JobUnsuccessful>(turn, job);
    line.job = job.application;
    line.finish_time = wall_ms(turn, turn.now);
    line.finished_maps = job.maps.progress.finished;
    line.finished_reduces = job.reduces.progress.finished;
    line.end = job.end.status == JobStatus::cancelled ? history::BadEnd::killed : history::BadEnd::failed;
    line.diagnostics = job.end.text;
  }
  std::get<WriteHistory>(turn.effects.back()).closes = true;
}

bool sync_history(TrackingTurn& turn, const TrackedJob& job, const std::string& tracker) {
  if (!has_history(turn.state, job)) return false;
  WriteHistory effect{job.id, job.application};
  effect.waits = true;
  effect.tracker = tracker;
  turn.effects.push_back(std::move(effect));
  turn.state.unsynced.insert_or_assign(tracker, job.id);
  return true;
}

void handle_history_written(TrackingTurn& turn, const HistoryWritten& message) {
  auto& state = turn.state;
  if (!message.text.empty()) {
    turn.write_event("job_history_ended", ports::EventFields{}.add("job", message.job).add("text", message.text));
    if (const auto* job = state.jobs.find(message.job); job != nullptr && job->has_client)
      turn.effects.push_back(SendToJobClient{message.job, Notice{message.text}});
  }
  const auto waiting = state.unsynced.find(message.tracker);
  if (waiting == state.unsynced.end() || waiting->second != message.job) return;
  state.unsynced.erase(waiting);
  turn.effects.push_back(SendToTracker{message.tracker, state.responses.at(message.tracker)});
}

}  // namespace heddle::actors
