#include "actors/map_reduce_master/child_flow.hpp"

#include <utility>

#include "actors/map_reduce_master/history_flow.hpp"
#include "actors/map_reduce_master/job_flow.hpp"
#include "actors/map_reduce_master/request_flow.hpp"
#include "actors/map_reduce_master/speculation_flow.hpp"
#include "runtime/secret.hpp"

namespace heddle::actors {
namespace {

using policies::MapReduceAttempt;
using policies::MapReduceAttemptEvent;
using policies::MapReduceAttemptState;
using TaskGrant = policies::Grant<MapReduceAttempt>;

constexpr const char* stopped_by_master = "the MapReduceMaster stopped it";

/// State of an attempt; `created` for an unknown one.
MapReduceAttemptState state_of(const MasterTurn& turn, MapReduceAttempt attempt) {
  if (!turn.state.has_machines()) return MapReduceAttemptState::created;
  const auto* machine = turn.state.job->machines->find(attempt);
  return machine == nullptr ? MapReduceAttemptState::created : machine->state();
}

bool is_running(const MasterTurn& turn, MapReduceAttempt attempt) {
  const auto state = state_of(turn, attempt);
  return state == MapReduceAttemptState::running || state == MapReduceAttemptState::commit_pending;
}

void start_container(MasterTurn& turn, TaskGrant& grant) {
  auto& state = turn.state;
  const auto& granted = grant.container;
  grant.is_start_answered = false;
  ContainerLaunch how{state.start.child_settings, state.start.log_directory,
                      TaskChildLaunch{state.start.address, granted.container.value, state.start.owner}};
  turn.effects.push_back(
      SendToContainerHost{granted.node_address, StartContainer{granted.container, state.start.attempt, granted.resource,
                                                               state.registered->token, std::move(how)}});
  turn.write_event("task_child_starting", ports::EventFields{}
                                              .add("container", granted.container)
                                              .add("attempt", to_string(state.job->name_of(*grant.occupant))));
}

/// The attempt runs once its container does.
void mark_launched(MasterTurn& turn, TaskGrant& grant) {
  grant.is_start_answered = true;
  if (grant.occupant && state_of(turn, *grant.occupant) == MapReduceAttemptState::assigned)
    put(turn, *grant.occupant, MapReduceAttemptEvent::container_launched);
}

void fail_start(MasterTurn& turn, TaskGrant& grant, const std::string& text) {
  grant.is_start_answered = true;
  const auto attempt = *grant.occupant;
  turn.write_event("task_child_start_failed",
                   ports::EventFields{}.add("container", grant.container.container).add("reason", text));
  if (state_of(turn, attempt) != MapReduceAttemptState::assigned) return;
  TaskOutcome outcome;
  outcome.state = TaskState::failed;
  outcome.failure = FailureKind::internal;
  outcome.text = "its container was not started: " + text;
  turn.state.job->count_failure(attempt, outcome, grant.container.host);
  put(turn, attempt, MapReduceAttemptEvent::container_launch_failed);
}

/// The job counts the reduces that copy map outputs (JB-5).
void observe_copying(MasterTurn& turn, MapReduceAttempt attempt, bool copies) {
  auto& state = turn.state;
  if (attempt.is_reduce && state.has_machines())
    state.machines().apply(turn.now, policies::map_reduce_job_input::CopyObserved{attempt, copies});
}

void dismiss(MasterTurn& turn, std::string reason) {
  turn.effects.push_back(DismissChild{LeaveChild{std::move(reason)}});
}

/// The grant of a child that reports about its attempt; null: the report is stale, and the child gets LeaveChild.
TaskGrant* reporter(MasterTurn& turn, std::int64_t child, const TaskAttemptId& attempt) {
  auto* grant = turn.state.grants.find(ContainerId{child});
  const bool is_current = grant != nullptr && grant->occupant && turn.state.has_machines() &&
                          turn.state.job->name_of(*grant->occupant) == attempt && is_running(turn, *grant->occupant);
  if (is_current) {
    turn.state.watches.unreported.remove(*grant->occupant);
    return grant;
  }
  turn.write_event("stale_task_child_report",
                   ports::EventFields{}.add("child", child).add("attempt", to_string(attempt)));
  dismiss(turn, "the MapReduceMaster does not run this attempt any more");
  return nullptr;
}

void time_out(MasterTurn& turn, MapReduceAttempt attempt, std::string text) {
  if (!is_running(turn, attempt)) return;
  TaskOutcome outcome;
  outcome.state = TaskState::failed;
  outcome.failure = FailureKind::internal;
  outcome.text = std::move(text);
  const auto* grant = turn.state.grants.find_occupant(attempt);
  turn.state.job->count_failure(attempt, outcome, grant == nullptr ? "a lost host" : grant->container.host);
  put(turn, attempt, MapReduceAttemptEvent::timed_out);
}

/// The job may succeed without some maps, or without some reduces: a task is given up after all its attempts only.
bool tolerates_failures(const MasterTurn& turn, policies::MapReduceTaskId task) {
  const auto& rules = turn.state.start.machines.job;
  return (task.is_reduce ? rules.reduce_failures_percent : rules.map_failures_percent) > 0;
}

/// Another attempt would wait for the file system too, so the job ends.
void end_unreachable_job(MasterTurn& turn, policies::MapReduceTaskId task) {
  auto& machines = turn.state.machines();
  if (machines.job().state() != policies::MapReduceJobState::running || machines.task(task).successful_attempt())
    return;
  turn.state.job->describe_unreachable(task);
  machines.apply(turn.now, policies::map_reduce_job_input::Signal{policies::MapReduceJobEvent::kill});
}

RunAttempt run_attempt(const RunningJob& job, MapReduceAttempt attempt, std::int32_t application_attempt) {
  RunAttempt message;
  message.launch.attempt = job.name_of(attempt);
  message.launch.type = attempt.is_reduce ? AttemptType::reduce : AttemptType::map;
  message.launch.range = job.work->range_of(message.launch.attempt);
  message.program = job.work->program(attempt.is_reduce);
  message.program.application_attempt = application_attempt;
  return message;
}

std::int32_t known_completions(const RunningJob& job) {
  return static_cast<std::int32_t>(job.machines->job().completion_events().of_maps().size());
}

/// To a reduce, from this position on.
void send_completions(MasterTurn& turn, const TaskGrant& grant, std::int32_t from) {
  const auto& job = *turn.state.job;
  turn.effects.push_back(SendToTaskChild{
      grant.container.container, MapCompletions{job.name_of(*grant.occupant), from, job.completions_from(from)}});
}

}  // namespace

// -- containers ----------------------------------------------------------------------------------------------

void launch_child(MasterTurn& turn, MapReduceAttempt attempt, ContainerId container) {
  auto* grant = turn.state.grants.find(container);
  if (grant == nullptr || grant->occupant != attempt) return;
  auto& nodes = turn.state.nodes;
  const std::string address = grant->container.node_address;
  if (nodes.is_open(address)) return start_container(turn, *grant);
  if (nodes.wait_for(address, container)) turn.effects.push_back(ConnectNode{address});
}

void stop_child(MasterTurn& turn, MapReduceAttempt attempt, ContainerId container) {
  auto& state = turn.state;
  auto* grant = state.grants.find(container);
  if (grant == nullptr) return put(turn, attempt, MapReduceAttemptEvent::container_cleaned);  // it has ended
  grant->killed = stopped_by_master;
  const auto& address = grant->container.node_address;
  if (state.nodes.is_open(address)) {
    turn.effects.push_back(SendToContainerHost{
        address, StopContainer{container, container_exit_status::killed_by_application_master, stopped_by_master}});
    return;
  }
  state.stops.push_back(container);
  ask_soon(turn);
}

void forget_container(MasterTurn& turn, ContainerId container) {
  auto& state = turn.state;
  const auto* grant = state.grants.find(container);
  if (grant == nullptr) return;
  const auto attempt = grant->occupant;
  const bool is_stopped = grant->killed.has_value();
  state.grants.remove(container);
  turn.effects.push_back(ForgetTaskChild{container});
  if (attempt) observe_copying(turn, *attempt, false);
  if (attempt && state.job) state.job->map_outputs.readers.erase(*attempt);
  if (attempt && is_stopped) put(turn, *attempt, MapReduceAttemptEvent::container_cleaned);
}

void handle_container_started(MasterTurn& turn, const ContainerStarted& message) {
  auto* grant = turn.state.grants.find(message.container);
  if (grant == nullptr || grant->is_start_answered)
    return turn.write_event("stale_container_started", ports::EventFields{}.add("container", message.container));
  mark_launched(turn, *grant);
}

void handle_container_not_started(MasterTurn& turn, const ContainerNotStarted& message) {
  auto* grant = turn.state.grants.find(message.container);
  if (grant == nullptr || grant->is_start_answered || !grant->occupant)
    return turn.write_event("stale_container_not_started", ports::EventFields{}.add("container", message.container));
  fail_start(turn, *grant, message.text);
}

void node_connected(MasterTurn& turn, const std::string& address) {
  for (const ContainerId container : turn.state.nodes.open(address)) {
    auto* grant = turn.state.grants.find(container);
    if (grant != nullptr && grant->occupant && !grant->killed) start_container(turn, *grant);
  }
}

void node_unreachable(MasterTurn& turn, const std::string& address) {
  for (const ContainerId container : turn.state.nodes.drop(address))
    if (auto* grant = turn.state.grants.find(container); grant != nullptr && grant->occupant)
      fail_start(turn, *grant, "the NodeManager at " + address + " cannot be reached");
}

/// The ResourceManager stops the containers that were to be stopped there.
void node_disconnected(MasterTurn& turn, const std::string& address) {
  auto& state = turn.state;
  state.nodes.drop(address);
  for (const auto& [container, grant] : state.grants.rows())
    if (grant.container.node_address == address && grant.killed) state.stops.push_back(container);
  if (!state.stops.empty()) ask_soon(turn);
}

// -- task children -----------------------------------------------------------------------------------------------

void give_task(MasterTurn& turn, const GetTask& message) {
  auto& state = turn.state;
  auto* grant = state.grants.find(ContainerId{message.child});
  const bool is_known = state.registered && runtime::is_same_secret(message.secret, state.registered->token) &&
                        grant != nullptr && grant->occupant;
  if (!is_known) {
    turn.write_event("task_child_refused", ports::EventFields{}.add("child", message.child));
    return dismiss(turn, "the MapReduceMaster does not know this task child");
  }
  const auto attempt = *grant->occupant;
  if (!grant->is_start_answered) mark_launched(turn, *grant);  // GetTask may arrive before ContainerStarted
  settle_machines(turn);
  if (state_of(turn, attempt) != MapReduceAttemptState::running || state.job->given.contains(attempt))
    return dismiss(turn, "no attempt follows");
  state.job->given.insert(attempt);
  const ContainerId container{message.child};
  observe_copying(turn, attempt, true);
  turn.effects.push_back(AdoptChild{container});
  turn.effects.push_back(SendToTaskChild{container, run_attempt(*state.job, attempt, state.start.attempt.attempt)});
}

void handle_progress(MasterTurn& turn, const AttemptProgress& message) {
  auto* grant = reporter(turn, message.child, message.attempt);
  if (grant == nullptr) return;
  if (!message.status.empty())
    turn.write_event("attempt_status",
                     ports::EventFields{}.add("attempt", to_string(message.attempt)).add("text", message.status));
  if (message.is_alive) turn.state.watches.life.set(*grant->occupant, turn.now + turn.state.start.task_timeout);
  const bool is_share = message.progress >= 0 && message.progress <= 1;  // false for NaN too
  const float progress = is_share ? message.progress : 0;
  turn.state.allocator->on_attempt_progress(*grant->occupant, progress);
  keep_reported_counters(turn, *grant->occupant, message.counters);
  if (message.phase == TaskPhase::reduce) {
    observe_copying(turn, *grant->occupant, false);
    record_shuffle_end(turn, *grant->occupant);
  }
  put(turn, *grant->occupant, policies::map_reduce_attempt_input::Updated{progress, {}});
}

void handle_commit_pending(MasterTurn& turn, const CommitPending& message) {
  auto* grant = reporter(turn, message.child, message.attempt);
  if (grant == nullptr) return;
  const auto attempt = *grant->occupant;
  put(turn, attempt, MapReduceAttemptEvent::commit_pending);
  report_to_speculator(turn, policies::speculator_input::AttemptStateChanged{
                                 attempt, policies::speculator_input::State::commit_pending});
  // Another attempt that commits has made the task kill this one.
  if (turn.state.machines().task(policies::task_of(attempt)).committing_attempt() != attempt.attempt) return;
  if (!turn.state.may_commit(turn.now)) {
    turn.state.commit_window.attempts.emplace_back(ContainerId{message.child}, message.attempt);
    return turn.write_event("commit_waits", ports::EventFields{}.add("attempt", to_string(message.attempt)));
  }
  turn.effects.push_back(SendToTaskChild{ContainerId{message.child}, CommitAttempt{message.attempt}});
}

void permit_waiting_commits(MasterTurn& turn) {
  auto& state = turn.state;
  for (const auto& [container, attempt] : std::exchange(state.commit_window.attempts, {})) {
    const auto* grant = state.grants.find(container);
    if (grant == nullptr || !grant->occupant || !state.has_machines()) continue;
    // Another attempt commits, if this one has ended meanwhile.
    const auto& task = state.machines().task(policies::task_of(*grant->occupant));
    if (task.committing_attempt() == grant->occupant->attempt)
      turn.effects.push_back(SendToTaskChild{container, CommitAttempt{attempt}});
  }
}

void handle_done(MasterTurn& turn, const AttemptDone& message) {
  auto* grant = reporter(turn, message.child, message.attempt);
  if (grant == nullptr) return;
  turn.state.job->outcomes.insert_or_assign(*grant->occupant, message.outcome);
  if (message.place)
    turn.state.job->map_outputs.outputs.insert_or_assign(*grant->occupant,
                                                         KeptMapOutput{*message.place, message.outcome.run_us});
  put(turn, *grant->occupant, MapReduceAttemptEvent::done);
}

void handle_failed(MasterTurn& turn, const AttemptFailed& message) {
  auto* grant = reporter(turn, message.child, message.attempt);
  if (grant == nullptr) return;
  const auto attempt = *grant->occupant;
  auto& job = *turn.state.job;
  job.count_failure(attempt, message.outcome, grant->container.host);
  keep_reported_counters(turn, attempt, {message.outcome.task_counters, message.outcome.counters});
  put(turn, attempt, MapReduceAttemptEvent::failmsg);
  const auto task = policies::task_of(attempt);
  if (message.outcome.failure == FailureKind::unreachable && !tolerates_failures(turn, task) &&
      job.failed.unreachable.stays_unreachable(task, Duration{message.outcome.run_us}))
    end_unreachable_job(turn, task);
}

void handle_get_map_completions(MasterTurn& turn, const GetMapCompletions& message) {
  auto* grant = reporter(turn, message.child, message.attempt);
  if (grant == nullptr || !grant->occupant->is_reduce || message.from < 0) return;
  auto& job = *turn.state.job;
  auto& readers = job.map_outputs.readers;
  readers.erase(*grant->occupant);
  if (message.from < known_completions(job)) send_completions(turn, *grant, message.from);
  else readers.emplace(*grant->occupant, message.from);
}

void handle_fetch_failed(MasterTurn& turn, const FetchFailed& message) {
  const auto* grant = reporter(turn, message.child, message.attempt);
  const auto& map = message.map;
  if (grant == nullptr || map.is_reduce || map.job != turn.state.job->id ||
      turn.state.machines().find({false, map.task, map.attempt}) == nullptr)
    return;
  turn.write_event("map_output_unfetched", ports::EventFields{}.add("attempt", to_string(map)));
  const auto reduce = *grant->occupant;
  const float progress = turn.state.machines().find(reduce)->progress();
  put(turn, reduce, policies::map_reduce_attempt_input::Updated{progress, {{false, map.task, map.attempt}}});
}

void answer_readers(MasterTurn& turn) {
  auto& job = *turn.state.job;
  auto& readers = job.map_outputs.readers;
  const auto known = known_completions(job);
  // After each message; most of them bring no event.
  if (std::exchange(job.map_outputs.answered, known) == known) return;
  for (auto reader = readers.begin(); reader != readers.end();) {
    const auto [reduce, from] = *reader;
    const auto* grant = turn.state.grants.find_occupant(reduce);
    if (grant != nullptr && from >= known) {
      ++reader;
      continue;
    }
    if (grant != nullptr) send_completions(turn, *grant, from);
    reader = readers.erase(reader);
  }
}

void run_child_deadlines(MasterTurn& turn) {
  auto& watches = turn.state.watches;
  const auto& start = turn.state.start;
  while (const auto attempt = watches.life.take_due(turn.now))
    time_out(turn, *attempt, "no sign of life for " + std::to_string(to_milliseconds(start.task_timeout)) + " ms");
  while (const auto attempt = watches.unreported.take_due(turn.now))
    time_out(turn, *attempt,
             "no report since its start " + std::to_string(to_milliseconds(start.stuck_timeout)) + " ms ago");
  while (const auto attempt = watches.exit.take_due(turn.now)) put(turn, *attempt, MapReduceAttemptEvent::timed_out);
}

}  // namespace heddle::actors
