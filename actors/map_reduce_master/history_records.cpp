#include "actors/map_reduce_master/history_records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <utility>
#include <vector>

#include "actors/map_reduce_master/history_values.hpp"

namespace heddle::actors {
namespace {

using policies::MapReduceAttempt;
using History = policies::MapReduceHistoryEvent;

AttemptType type_of_task(bool is_reduce) { return is_reduce ? AttemptType::reduce : AttemptType::map; }

const ApplicationId& application_of(const MasterTurn& turn) { return turn.state.start.attempt.application; }

history::TaskName name_in_history(const MasterTurn& turn, MapReduceAttempt subject) {
  return {application_of(turn), subject.is_reduce, subject.index};
}

history::AttemptName attempt_name(const MasterTurn& turn, MapReduceAttempt subject) {
  return {name_in_history(turn, subject), subject.attempt};
}

std::vector<std::pair<std::string, std::int64_t>> sums_of(const RunningTasks& tasks) {
  const auto& counters = tasks.accepted.counters();
  return {counters.begin(), counters.end()};
}

/// Port in "host:port"; -1 without one.
std::int32_t port_in(const std::string& address) {
  std::int32_t port = -1;
  const auto colon = address.rfind(':');
  if (colon == std::string::npos) return port;
  const auto [end, problem] = std::from_chars(address.data() + colon + 1, address.data() + address.size(), port);
  return problem == std::errc{} && end == address.data() + address.size() ? port : -1;
}

std::vector<std::string> split_hosts(const MasterTurn& turn, MapReduceAttempt subject) {
  if (subject.is_reduce) return {};
  const auto& work = *turn.state.job->work;
  const auto range = work.range_of({JobId{}, false, subject.index, 0});
  return range.splits.empty() ? std::vector<std::string>{} : range.splits.front().split.hosts;
}

/// Hadoop's name of the distance between an attempt and its split.
std::string locality_of(const MasterTurn& turn, MapReduceAttempt subject, const std::string& host) {
  const auto& racks = turn.state.start.racks;
  const auto hosts = split_hosts(turn, subject);
  if (std::find(hosts.begin(), hosts.end(), host) != hosts.end()) return "NODE_LOCAL";
  if (!subject.is_reduce && turn.state.job->work->is_on_each_host(subject.index)) return "NODE_LOCAL";
  const bool is_near = std::any_of(hosts.begin(), hosts.end(),
                                   [&](const std::string& each) { return racks.rack_of(each) == racks.rack_of(host); });
  return is_near ? "RACK_LOCAL" : "OFF_SWITCH";
}

/// An attempt that starts while another one of its task runs is a copy.
bool is_copy(const MasterTurn& turn, MapReduceAttempt subject) {
  const auto& attempts = turn.state.machines().attempts();
  for (auto row = attempts.lower_bound({subject.is_reduce, subject.index, 0});
       row != attempts.end() && row->first < subject; ++row)
    if (row->second.status() == policies::MapReduceAttemptStatus::running ||
        row->second.status() == policies::MapReduceAttemptStatus::commit_pending)
      return true;
  return false;
}

// -- the job ---------------------------------------------------------------------------------------------

history::Event job_unsuccessful(const MasterTurn& turn, history::BadEnd end) {
  auto& state = turn.state;
  const auto& job = *state.job;
  const auto& maps = state.machines().job().ended_maps();
  const auto& reduces = state.machines().job().ended_reduces();
  history::JobUnsuccessful event;
  event.job = application_of(turn);
  event.finish_time = wall_time(state, turn.now);
  event.finished_maps = job.maps.progress.finished;
  event.finished_reduces = job.reduces.progress.finished;
  event.end = end;
  event.diagnostics = job.end.text.empty() ? job.cancel_reason : job.end.text;
  event.failed_maps = maps.failed;
  event.failed_reduces = reduces.failed;
  event.killed_maps = maps.killed;
  event.killed_reduces = reduces.killed;
  return event;
}

// -- tasks -----------------------------------------------------------------------------------------------

history::Event task_started(const MasterTurn& turn, MapReduceAttempt subject) {
  std::string hosts;
  for (const auto& host : split_hosts(turn, subject)) hosts += (hosts.empty() ? "" : ",") + host;
  return history::TaskStarted{name_in_history(turn, subject), type_of_task(subject.is_reduce),
                              wall_time(turn.state, turn.now), std::move(hosts)};
}

history::Event task_finished(MasterTurn& turn, MapReduceAttempt subject) {
  auto& state = turn.state;
  history::TaskFinished event;
  event.task = name_in_history(turn, subject);
  event.type = type_of_task(subject.is_reduce);
  event.finish_time = wall_time(state, turn.now);
  const auto winner = state.machines().task(policies::task_of(subject)).successful_attempt();
  if (!winner) return event;
  event.winner = history::AttemptName{event.task, *winner};
  auto kept = state.history.counters.extract({subject.is_reduce, subject.index, *winner});
  if (!kept.empty()) event.counters = std::move(kept.mapped());
  return event;
}

history::Event task_failed(const MasterTurn& turn, MapReduceAttempt subject) {
  auto& state = turn.state;
  history::TaskFailed event;
  event.task = name_in_history(turn, subject);
  event.type = type_of_task(subject.is_reduce);
  event.finish_time = wall_time(state, turn.now);
  if (state.machines().task(policies::task_of(subject)).state() != policies::MapReduceTaskState::failed) {
    event.end = history::BadEnd::killed;
    return event;
  }
  const auto& texts = state.job->failed.texts;
  auto last = texts.lower_bound({subject.is_reduce, subject.index + 1, 0});
  if (last == texts.begin() || policies::task_of((--last)->first) != policies::task_of(subject)) return event;
  event.error = last->second;
  event.last_attempt = attempt_name(turn, last->first);
  return event;
}

// -- attempts --------------------------------------------------------------------------------------------

history::Event attempt_started(const MasterTurn& turn, MapReduceAttempt subject) {
  auto& state = turn.state;
  const auto& attempt = *state.machines().find(subject);
  const auto host = attempt.host().value_or("");
  history::AttemptStarted event;
  event.attempt = attempt_name(turn, subject);
  event.type = type_of_task(subject.is_reduce);
  event.start_time = wall_time(state, attempt.launch_time().value_or(turn.now));
  const auto* grant = state.grants.find(attempt.container());
  event.tracker = fmt::format("{}:{}", host, grant == nullptr ? -1 : port_in(grant->container.node_address));
  event.container = {state.start.attempt, attempt.container()};
  event.locality = locality_of(turn, subject, host);
  event.avataar = is_copy(turn, subject) ? "SPECULATIVE" : "VIRGIN";
  return event;
}

history::Event attempt_finished(MasterTurn& turn, MapReduceAttempt subject) {
  auto& state = turn.state;
  const auto& attempt = *state.machines().find(subject);
  const auto finish = wall_time(state, attempt.finish_time().value_or(turn.now));
  const auto host = attempt.host().value_or("");
  const std::string rack{state.start.racks.rack_of(host)};
  const auto outcome = state.job->outcomes.find(subject);
  auto counters = outcome == state.job->outcomes.end() ? history::Counters{} : history_counters(outcome->second);
  state.history.counters.insert_or_assign(subject, counters);
  state.history.reported.erase(subject);
  if (!subject.is_reduce) {
    const auto& outputs = state.job->map_outputs.outputs;
    const auto output = outputs.find(subject);
    return history::MapAttemptFinished{attempt_name(turn, subject),
                                       AttemptType::map,
                                       finish,
                                       finish,
                                       host,
                                       -1,
                                       rack,
                                       output == outputs.end() ? "map" : place_text(output->second.place),
                                       std::move(counters)};
  }
  const auto shuffled = state.history.shuffle_ends.extract(subject);
  const auto shuffle_end = shuffled.empty() ? finish : shuffled.mapped();
  return history::ReduceAttemptFinished{
      attempt_name(turn, subject), AttemptType::reduce, shuffle_end, shuffle_end, finish, host, -1, rack,
      "reduce > reduce",           std::move(counters)};
}

history::Event attempt_unsuccessful(MasterTurn& turn, MapReduceAttempt subject, history::BadEnd end) {
  auto& state = turn.state;
  state.history.counters.erase(subject);
  state.history.shuffle_ends.erase(subject);
  history::AttemptUnsuccessful event;
  event.attempt = attempt_name(turn, subject);
  event.type = type_of_task(subject.is_reduce);
  event.finish_time = wall_time(state, turn.now);
  event.host = state.machines().find(subject)->host().value_or("");
  event.rack = state.start.racks.rack_of(event.host);
  event.end = end;
  if (const auto text = state.job->failed.texts.find(subject); text != state.job->failed.texts.end())
    event.error = text->second;
  if (auto reported = state.history.reported.extract(subject); !reported.empty()) {
    TaskOutcome last;
    add_missing_counters(last, std::move(reported.mapped()));
    event.counters = history_counters(last);
  }
  return event;
}

}  // namespace

std::int64_t wall_time(const MasterState& state, Instant when) {
  return to_milliseconds(when.time_since_epoch()) + state.start.history.clock_offset_ms;
}

Instant instant_of(const MasterState& state, std::int64_t wall_ms) {
  return Instant{std::chrono::milliseconds{wall_ms - state.start.history.clock_offset_ms}};
}

std::string history_settings_path(const MasterState& state) {
  const auto& id = state.start.attempt.application;
  return fmt::format("{}/job_{}_{:04}_conf.xml", state.start.history.folder, id.cluster_start, id.number);
}

history::Event master_started(const MasterTurn& turn) {
  const auto& start = turn.state.start;
  return history::MasterStarted{start.attempt,
                                wall_time(turn.state, turn.now),
                                {start.attempt, start.history.container},
                                start.history.host,
                                -1,
                                -1};
}

history::Event job_succeeded(const MasterTurn& turn) {
  auto& state = turn.state;
  const auto& job = *state.job;
  const auto& maps = state.machines().job().ended_maps();
  const auto& reduces = state.machines().job().ended_reduces();
  history::JobSucceeded event;
  event.job = application_of(turn);
  event.finish_time = wall_time(state, turn.now);
  event.finished_maps = job.maps.progress.finished;
  event.finished_reduces = job.reduces.progress.finished;
  event.failed_maps = maps.failed;
  event.failed_reduces = reduces.failed;
  event.total_counters = history_counters("TOTAL_COUNTERS", job.sum_counters());
  event.map_counters = history_counters("MAP_COUNTERS", sums_of(job.maps));
  event.reduce_counters = history_counters("REDUCE_COUNTERS", sums_of(job.reduces));
  event.killed_maps = maps.killed;
  event.killed_reduces = reduces.killed;
  return event;
}

history::Event make_record(MasterTurn& turn, const policies::WriteHistory& effect) {
  const auto& state = turn.state;
  const auto& job = application_of(turn);
  const auto& history = state.history;
  switch (effect.event) {
    case History::job_submitted:
      return history::JobSubmitted{job,
                                   state.job->work->name(),
                                   state.start.history.user,
                                   history.submit_ms,
                                   history_settings_path(state),
                                   state.start.history.queue};
    case History::job_inited:
      return history::JobInited{job, history.launch_ms, state.job->work->tasks(false), state.job->work->tasks(true)};
    case History::job_info_changed: return history::JobTimesChanged{job, history.submit_ms, history.launch_ms};
    case History::job_finished: return job_succeeded(turn);
    case History::job_failed: return job_unsuccessful(turn, history::BadEnd::failed);
    case History::job_killed: {
      // A job that this master kills for a reason of its own, such as too many counters, has failed for its client.
      const bool is_cancelled = !state.job->cancel_reason.empty();
      return job_unsuccessful(turn, is_cancelled ? history::BadEnd::killed : history::BadEnd::failed);
    }
    case History::job_error: return job_unsuccessful(turn, history::BadEnd::error);
    case History::task_started: return task_started(turn, effect.subject);
    case History::task_finished: return task_finished(turn, effect.subject);
    case History::task_failed: return task_failed(turn, effect.subject);
    case History::attempt_started: return attempt_started(turn, effect.subject);
    case History::attempt_finished: return attempt_finished(turn, effect.subject);
    case History::attempt_failed: return attempt_unsuccessful(turn, effect.subject, history::BadEnd::failed);
    case History::attempt_killed: break;
  }
  return attempt_unsuccessful(turn, effect.subject, history::BadEnd::killed);
}

}  // namespace heddle::actors
