#include "actors/job_tracker/tracker_flow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "actors/job_tracker/decision_texts.hpp"
#include "actors/job_tracker/history_flow.hpp"
#include "actors/job_tracker/job_flow.hpp"

namespace heddle::actors {
namespace {

constexpr std::int32_t slots_max = 4'096;

void refuse_tracker(TrackingTurn& turn, const TrackerHeartbeat& message, const std::string& reason) {
  turn.write_event("tracker_refused", ports::EventFields{}.add("tracker", message.tracker).add("reason", reason));
  turn.effects.push_back(AnswerTracker{TrackerRefused{message.incarnation, reason}});
}

/// Why the TaskTracker cannot be used; empty if it can.
std::string fault_of(const TrackerHeartbeat& message, const std::string& build_id) {
  if (!build_id.empty() && message.build_id != build_id)
    return fmt::format("it runs build {}, the JobTracker build {}", message.build_id, build_id);
  const auto fits = [](std::int32_t slots) { return slots >= 0 && slots <= slots_max; };
  if (message.tracker.empty() || message.host.empty()) return "it has no name or no host";
  return fits(message.map_slots) && fits(message.reduce_slots) ? "" : "its number of slots is out of range";
}

/// Bytes that a finished map wrote; -1: unknown.
std::int64_t output_of(const TaskAttemptStatus& status) {
  if (!status.outcome || status.state != TaskAttemptState::succeeded) return -1;
  return status.outcome->bytes_written + status.outcome->bytes_shuffled_out;
}

ReportedOutcomes outcomes_of(const TrackerHeartbeat& message) {
  ReportedOutcomes outcomes{message.tracker, {}};
  for (const auto& status : message.attempts)
    if (status.outcome) outcomes.rows.push_back(&status);
  std::stable_sort(outcomes.rows.begin(), outcomes.rows.end(),
                   [](const auto* a, const auto* b) { return a->attempt < b->attempt; });
  return outcomes;
}

policies::TrackerReport report_of(const TrackerHeartbeat& message) {
  policies::TrackerReport report;
  report.tracker = message.tracker;
  report.free_space = message.free_space;
  report.accepts_tasks = message.accepts_tasks;
  report.reports.reserve(message.attempts.size());
  for (const auto& status : message.attempts)
    report.reports.push_back({status.attempt, status.state, std::clamp(status.progress, 0.0F, 1.0F), output_of(status),
                              status.is_cleanup, -1});
  return report;
}

std::string speculation_text(const policies::ClassicLaunch& launch, const std::string& tracker) {
  return fmt::format("{} {} gets a second attempt, on {}: its progress is {:.0f} %, the average {:.0f} % (rule SP-1)",
                     launch.attempt.is_reduce ? "reduce" : "map", launch.attempt.task, tracker, 100 * launch.progress,
                     100 * launch.average_progress);
}

/// Reports rules and numbers of the launch to the client.
void report_launch(TrackingTurn& turn, TrackedJob& job, const policies::ClassicLaunch& launch,
                   const std::string& tracker) {
  const auto& scheduled = turn.state.scheduler.jobs().at(job.id);
  if (launch.speculative) notify_client(turn, job, speculation_text(launch, tracker));
  const auto& maps = scheduled.counts(false);
  if (launch.type == AttemptType::reduce)
    notify_once(turn, job, job.reported.slow_start, [&] {
      return slow_start_text({scheduled.maps(), maps.finished + maps.failed, scheduled.slow_start_maps()});
    });
  if (launch.share && maps.running < scheduled.maps() - maps.finished - maps.failed)
    notify_once(turn, job, job.reported.load_factor, [&] { return load_factor_text(*launch.share, tracker); });
}

/// `host`: of the TaskTracker.
void add_launch(TrackingTurn& turn, const std::string& tracker, const std::string& host,
                const policies::ClassicLaunch& launch, HeartbeatResponse& response) {
  auto* job = turn.state.jobs.find(launch.attempt.job);
  if (job == nullptr) return;
  const auto& work = *job->work;
  if (job->trackers.insert(tracker).second) {
    auto programs = work.programs();
    for (auto& program : programs) program.application_attempt = job->origin.application_attempt;
    response.jobs.push_back({job->id, job->application, job->token, std::move(programs), job->rules.tasks_per_process});
  }
  record_launch(turn, *job, launch);
  count_launch(*job, launch, tracker, host, turn.now);
  report_launch(turn, *job, launch, tracker);
  const bool is_commit = launch.is_commit && !job->failures.must_fail;
  job->is_committing = job->is_committing || is_commit;
  auto& message =
      response.launches.emplace_back(AttemptLaunch{launch.attempt, launch.type, launch.reduce_slot, launch.state});
  message.output = output_work(*job, launch.type, is_commit);
  if (launch.type == AttemptType::map || launch.type == AttemptType::reduce || launch.type == AttemptType::task_cleanup)
    message.range = work.range_of(launch.attempt);
  turn.write_event("classic_attempt_launched", ports::EventFields{}
                                                   .add("attempt", to_string(launch.attempt))
                                                   .add("type", static_cast<int>(launch.type))
                                                   .add("tracker", tracker));
}

/// The completion events that the TaskTracker wants: of the jobs of its running reduces.
void add_completions(TrackingState& state, const TrackerHeartbeat& message, HeartbeatResponse& response) {
  state.jobs.set_reader(message.tracker, message.completions);
  for (const auto& wanted : message.completions) {
    const auto* job = state.jobs.find(wanted.job);
    if (job == nullptr) continue;
    if (auto rows = job->map_outputs.completions.rows_from(wanted.from); !rows.empty())
      response.completions.push_back({wanted.job, wanted.from, std::move(rows)});
  }
}

/// The scheduler's commands, and "ended" for jobs in the heartbeat that the JobTracker does not know.
HeartbeatResponse make_response(TrackingTurn& turn, const TrackerHeartbeat& message, policies::TrackerOrders orders) {
  auto& state = turn.state;
  HeartbeatResponse response;
  response.incarnation = message.incarnation;
  response.response_id = state.contacts.response_id(message.tracker);
  const auto& cluster = state.scheduler.cluster();
  response.node = NodeId{orders.tracker};
  response.interval_ms = to_milliseconds(state.scheduler.heartbeat_interval());
  response.launches.reserve(orders.launches.size());
  for (const auto& launch : orders.launches)
    add_launch(turn, message.tracker, cluster.host_name(cluster.host_of_tracker(orders.tracker)), launch, response);
  response.kills = std::move(orders.kills);
  response.ended_jobs = std::move(orders.ended_jobs);
  for (const auto& status : message.attempts)
    if (state.jobs.find(status.attempt.job) == nullptr) response.ended_jobs.push_back(status.attempt.job);
  std::sort(response.ended_jobs.begin(), response.ended_jobs.end());
  response.ended_jobs.erase(std::unique(response.ended_jobs.begin(), response.ended_jobs.end()),
                            response.ended_jobs.end());
  response.commits = std::move(orders.commits);
  add_completions(state, message, response);
  return response;
}

void add_tracker(TrackingTurn& turn, const TrackerHeartbeat& message) {
  auto& state = turn.state;
  state.unsynced.erase(message.tracker);
  state.jobs.forget_tracker(message.tracker);
  state.scheduler.on_tracker(turn.now, message.tracker, message.host, message.rack, message.map_slots,
                             message.reduce_slots);
  turn.effects.push_back(AddTracker{message.tracker});
  turn.write_event("tracker_registered", ports::EventFields{}
                                             .add("tracker", message.tracker)
                                             .add("map_slots", message.map_slots)
                                             .add("reduce_slots", message.reduce_slots));
  apply_decisions(turn, {});
}

/// Maps that have finished or failed for good. A finished map that runs again is one of them no more.
std::int32_t ended_maps(const TrackingState& state, JobId job) {
  const auto& counts = state.scheduler.jobs().at(job).counts(false);
  return counts.finished + counts.failed;
}

std::int32_t ended_maps(const TrackingState& state) {
  std::int32_t ended = 0;
  for (const auto& [id, job] : state.scheduler.jobs()) ended += ended_maps(state, id);
  return ended;
}

void lose_map_output(TrackingTurn& turn, const TrackedJob& job, const TaskAttemptId& map) {
  const auto ended = ended_maps(turn.state, job.id);
  turn.state.scheduler.on_map_output_lost(turn.now, map);
  if (ended_maps(turn.state, job.id) < ended)
    notify_client(turn, job, fmt::format("map {} runs again: its output was lost (rule JS-5)", map.task));
}

/// JS-5: a map attempt fails after at least 3 notices about its output, as many as half of the running reduces or more.
void fail_unfetched_maps(TrackingTurn& turn, const TrackerHeartbeat& message) {
  constexpr std::int32_t failures_min = 3;
  for (const auto& map : message.failed_fetches) {
    auto* job = turn.state.jobs.find(map.job);
    if (job == nullptr || !is_map_winner(*job, map)) continue;
    turn.write_event("map_output_unfetched", ports::EventFields{}.add("attempt", to_string(map)));
    const std::int32_t failures = ++job->map_outputs.fetch_failures[map];
    const std::int32_t reduces = turn.state.scheduler.jobs().at(job->id).counts(true).running;
    if (failures >= failures_min && 2 * failures >= reduces) lose_map_output(turn, *job, map);
  }
}

void answer_heartbeat(TrackingTurn& turn, const TrackerHeartbeat& message) {
  auto& state = turn.state;
  const auto outcomes = outcomes_of(message);
  auto orders = state.scheduler.on_heartbeat(turn.now, report_of(message));
  fail_unfetched_maps(turn, message);
  // Before the answer is made: launches need the winners of this heartbeat, and jobs that ended do not run.
  apply_decisions(turn, outcomes);
  auto response = make_response(turn, message, std::move(orders));
  // A copy, because the response before it has most of the memory that this one needs.
  state.responses[message.tracker] = response;
  for (const auto& launch : response.launches)
    if (launch.output.is_commit && sync_history(turn, *state.jobs.find(launch.attempt.job), message.tracker)) return;
  turn.effects.emplace_back(AnswerTracker{std::move(response)});
}

}  // namespace

void handle_tracker_heartbeat(TrackingTurn& turn, const TrackerHeartbeat& message) {
  auto& state = turn.state;
  if (const auto fault = fault_of(message, state.settings.build_id); !fault.empty())
    return refuse_tracker(turn, message, fault);
  switch (state.contacts.on_heartbeat(turn.now, message.tracker, message.incarnation, message.is_initial_contact,
                                      message.response_id)) {
    case policies::TrackerContact::stale: return refuse_tracker(turn, message, "a later TaskTracker has its name");
    case policies::TrackerContact::unknown:
      turn.write_event("tracker_unknown", ports::EventFields{}.add("tracker", message.tracker));
      turn.effects.push_back(AnswerTracker{ReinitialiseTracker{message.incarnation}});
      return;
    case policies::TrackerContact::repeated:
      turn.write_event("heartbeat_repeated", ports::EventFields{}.add("tracker", message.tracker));
      if (message.is_initial_contact) turn.effects.push_back(AddTracker{message.tracker});  // by a new connection
      if (state.unsynced.contains(message.tracker)) return;
      turn.effects.push_back(AnswerTracker{state.responses[message.tracker]});
      return;
    case policies::TrackerContact::first: add_tracker(turn, message); break;
    case policies::TrackerContact::next: break;
  }
  answer_heartbeat(turn, message);
}

void lose_tracker(TrackingTurn& turn, const std::string& tracker, const std::string& reason) {
  auto& state = turn.state;
  turn.write_event("tracker_lost", ports::EventFields{}.add("tracker", tracker).add("reason", reason));
  turn.effects.push_back(DropTracker{tracker});
  const auto& cluster = state.scheduler.cluster();
  const auto index = cluster.find_tracker(tracker);
  const std::size_t runs = index < 0 ? 0 : cluster.trackers().at(index).runs.size();
  const auto ended = ended_maps(state);
  state.contacts.on_lost(tracker);
  state.responses.erase(tracker);
  state.unsynced.erase(tracker);
  state.jobs.forget_tracker(tracker);
  state.scheduler.on_tracker_lost(turn.now, tracker);
  notify_clients(turn, lost_tracker_text(tracker, reason, runs, ended - ended_maps(state)));
  apply_decisions(turn, {});
}

void run_job_tracker_tick(TrackingTurn& turn) {
  while (const auto tracker = turn.state.contacts.take_silent(turn.now))
    lose_tracker(turn, *tracker, "it sent no heartbeat in time");
  turn.state.scheduler.on_time(turn.now);
  turn.state.ended.retire(turn.now);
  apply_decisions(turn, {});
  send_progress_if_due(turn);
}

}  // namespace heddle::actors
