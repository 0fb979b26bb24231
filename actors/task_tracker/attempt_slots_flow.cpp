#include "actors/task_tracker/attempt_slots_flow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>
#include <variant>

#include "actors/task_tracker/heartbeat_flow.hpp"
#include "actors/task_tracker/memory_flow.hpp"
#include "model/container_end.hpp"
#include "runtime/secret.hpp"

namespace heddle::actors {
namespace {

TaskOutcome failed_outcome(std::string text) {
  TaskOutcome outcome;
  outcome.state = TaskState::failed;
  outcome.failure = FailureKind::internal;
  outcome.text = std::move(text);
  return outcome;
}

/// An attempt of a map or a reduce that did not succeed needs a task cleanup; a setup or cleanup does not, and a task
/// cleanup that failed is not repeated.
TaskAttemptState failed_state(const SlotAttempt& attempt, bool was_killed) {
  if (attempt.launch.type == AttemptType::task_cleanup)
    return attempt.launch.state == TaskAttemptState::failed_unclean ? TaskAttemptState::failed
                                                                    : TaskAttemptState::killed;
  if (attempt.is_work()) return was_killed ? TaskAttemptState::killed_unclean : TaskAttemptState::failed_unclean;
  return was_killed ? TaskAttemptState::killed : TaskAttemptState::failed;
}

void record_end(SlotTurn& turn, const SlotAttempt& attempt) {
  turn.write_event("slot_attempt_ended", ports::EventFields{}
                                             .add("attempt", to_string(attempt.launch.attempt))
                                             .add("state", static_cast<int>(attempt.status.state)));
}

/// Only a child whose attempt succeeded runs another one, as in Hadoop.
bool may_run_more(SlotState& state, const HostedChild& child, const SlotAttempt& attempt) {
  const auto* job = state.slots.find_job(child.attempt.job);
  if (job == nullptr || attempt.status.state != TaskAttemptState::succeeded) return false;
  const auto limit = job->job.tasks_per_process;
  return limit < 0 || child.tasks < limit;
}

void end_attempt(SlotTurn& turn, SlotAttempt& attempt, TaskAttemptState state, TaskOutcome outcome) {
  auto& slots = turn.state.slots;
  slots.end(attempt, state, std::move(outcome));
  record_end(turn, attempt);
  if (auto* child = slots.find_child(attempt.child)) {
    const bool is_reused = may_run_more(turn.state, *child, attempt);
    child->phase = is_reused ? HostedPhase::idle : HostedPhase::leaving;
    if (is_reused) slots.dues.remove(child->number);
    else slots.dues.set(child->number, turn.now + turn.state.settings.kill_wait);
  }
  start_waiting(turn);
  beat_on_change(turn);
}

void fail_attempt(SlotTurn& turn, SlotAttempt& attempt, TaskOutcome outcome) {
  const bool was_killed = !attempt.kill_reason.empty();
  add_missing_counters(outcome, std::move(attempt.reported));
  if (was_killed) {
    outcome.state = TaskState::killed;
    outcome.failure = FailureKind::killed;
    outcome.text = attempt.kill_reason;
  }
  end_attempt(turn, attempt, failed_state(attempt, was_killed), std::move(outcome));
}

/// It has run nothing, so nothing is cleaned up.
void end_waiting(SlotTurn& turn, SlotAttempt& attempt) {
  auto outcome = failed_outcome(attempt.kill_reason);
  outcome.state = TaskState::killed;
  outcome.failure = FailureKind::killed;
  end_attempt(turn, attempt, attempt.is_work() ? TaskAttemptState::killed : failed_state(attempt, true),
              std::move(outcome));
}

void stop_child(SlotTurn& turn, HostedChild& child) {
  child.phase = HostedPhase::leaving;
  turn.state.slots.dues.remove(child.number);
  if (child.process == 0 || std::exchange(child.is_stopping, true)) return;
  turn.effects.push_back(StopChild{child.process});
}

/// An idle child exits.
void dismiss_child(SlotTurn& turn, HostedChild& child, const std::string& reason) {
  child.phase = HostedPhase::leaving;
  turn.state.slots.dues.set(child.number, turn.now + turn.state.settings.kill_wait);
  if (std::exchange(child.waits_for_task, false)) turn.effects.push_back(SendToChild{child.number, LeaveChild{reason}});
}

/// What the attempt runs; null for a setup or cleanup.
const StageProgram* program_of(AttemptSlots& slots, const SlotAttempt& attempt) {
  const auto& id = attempt.launch.attempt;
  const auto& programs = slots.find_job(id.job)->job.programs;
  const std::size_t kind = id.is_reduce && programs.size() > 1 ? 1 : 0;
  return attempt.is_work() && kind < programs.size() ? &programs[kind] : nullptr;
}

/// The child has asked for an attempt, and gets it.
void give_attempt(SlotTurn& turn, HostedChild& child, const SlotAttempt& attempt) {
  auto& slots = turn.state.slots;
  child.phase = HostedPhase::running;
  child.tasks += 1;
  child.waits_for_task = false;
  slots.dues.set(child.number, turn.now + turn.state.settings.attempt_timeout);
  RunAttempt run{attempt.launch, {}};
  if (const auto* program = program_of(slots, attempt)) run.program = *program;
  turn.effects.push_back(SendToChild{child.number, std::move(run)});
}

void forget_files_if_unused(SlotTurn& turn, const ApplicationId& application) {
  auto& slots = turn.state.slots;
  if (slots.has_children_of(application)) return;
  for (const auto& [id, hosted] : slots.jobs())
    if (hosted.job.application == application) return;
  turn.state.ports.files->forget(application);
}

void remove_child(SlotTurn& turn, const HostedChild& ended) {
  const HostedChild child = ended;
  turn.state.slots.remove_child(child.number);
  turn.effects.push_back(DropChild{child.number});
  forget_files_if_unused(turn, child.application);
  if (turn.state.slots.children().empty()) continue_without_children(turn);
}

Result<ports::LaunchContext> child_context(const SlotState& state, const HostedChild& child, const HostedJob& job) {
  const auto& settings = state.settings;
  if (job.directory.empty()) return Error{Errc::io, "the folder of its job could not be created"};
  const auto logs = state.ports.files->log_directory(child.application, ContainerId{child.number});
  if (!logs) return Error{Errc::io, "its log folder cannot be created: " + logs.error().text};
  LaunchSpec spec;
  spec.settings = settings.child_settings;
  spec.log_directory = settings.log_directory;
  spec.cluster = state.ports.transport_key.name;
  spec.cluster_secret = state.ports.transport_key.secret;
  spec.container.container = ContainerId{child.number};
  spec.container.attempt = {child.application, 1};
  spec.container.node = state.node;
  spec.container.node_epoch = Epoch{settings.incarnation};
  spec.container.host = settings.host;
  spec.container.slowness_percent = settings.slowness_percent;
  spec.container.shuffle_address = state.ports.files->shuffle_address();
  spec.container.directory = job.directory;
  spec.container.token = child.token;
  spec.role = TaskChildLaunch{state.ports.address, child.number, settings.owner};
  ports::LaunchContext context;
  context.arguments = {settings.program};
  context.spec = std::move(spec);
  context.environment = {{"HEDDLE_NODE_HOST", settings.host}};  // commands of tasks inherit it
  context.standard_output = *logs + "/stdout";
  context.standard_error = *logs + "/stderr";
  context.log_bytes_max = settings.limits.log_bytes_max;
  return context;
}

/// A slot is free for the attempt.
void start_attempt(SlotTurn& turn, SlotAttempt& attempt) {
  auto& slots = turn.state.slots;
  const auto& id = attempt.launch.attempt;
  const auto& job = *slots.find_job(id.job);
  slots.give_child(attempt, job.job);
  attempt.launched = turn.now;
  auto& child = *slots.find_child(attempt.child);
  if (child.phase == HostedPhase::idle) {
    if (child.waits_for_task) return give_attempt(turn, child, attempt);
    child.phase = HostedPhase::starting;
    return slots.dues.set(child.number, turn.now + turn.state.settings.child_start_wait);
  }
  if (auto* other = slots.find_idle(id.job, id.is_reduce, false))
    dismiss_child(turn, *other, "another job needs its place");
  const auto context = child_context(turn.state, child, job);
  if (!context) {
    fail_attempt(turn, attempt, failed_outcome("its child could not be started: " + context.error().text));
    return remove_child(turn, child);
  }
  slots.dues.set(child.number, turn.now + turn.state.settings.child_start_wait);
  turn.effects.push_back(StartChild{child.number, *context});
}

/// The child and its running attempt, if the message is about that; otherwise the child gets a command to exit.
SlotAttempt* current_attempt(SlotTurn& turn, std::int64_t number, const TaskAttemptId& attempt) {
  auto* child = turn.state.slots.find_child(number);
  auto* current = child == nullptr || child->phase != HostedPhase::running || child->attempt != attempt
                      ? nullptr
                      : turn.state.slots.attempt_of(*child);
  if (current != nullptr) return current;
  turn.write_event("stale_attempt", ports::EventFields{}.add("attempt", to_string(attempt)).add("child", number));
  turn.effects.push_back(AnswerChild{LeaveChild{"the TaskTracker does not run this attempt any more"}});
  return nullptr;
}

/// Answers the child once there are events that it does not have.
void send_completions(SlotTurn& turn, HostedChild& child, const HostedJob& job) {
  const auto known = static_cast<std::int32_t>(job.completions.size());
  if (!child.waits_from || *child.waits_from < 0 || *child.waits_from >= known) return;
  const std::int32_t from = *std::exchange(child.waits_from, std::nullopt);
  const auto count = std::min(map_completions_max, static_cast<std::size_t>(known - from));
  const auto first = job.completions.begin() + from;
  turn.effects.push_back(SendToChild{
      child.number, MapCompletions{child.attempt, from, {first, first + static_cast<std::ptrdiff_t>(count)}}});
}

}  // namespace

// -- jobs and launches -----------------------------------------------------------------------------------

void add_job(SlotTurn& turn, const TrackerJob& job) {
  const auto directory = turn.state.ports.files->admit(job.application, job.token);
  turn.state.slots.jobs().insert_or_assign(job.job, HostedJob{job, directory ? *directory : std::string{}});
}

void launch_attempt(SlotTurn& turn, const AttemptLaunch& launch) {
  auto& slots = turn.state.slots;
  if (slots.find_job(launch.attempt.job) == nullptr)
    return turn.write_event("launch_of_unknown_job", ports::EventFields{}.add("job", launch.attempt.job));
  slots.add(launch);
}

void start_waiting(SlotTurn& turn) {
  const auto& settings = turn.state.settings;
  while (auto* attempt = turn.state.slots.next_waiting(settings.map_slots, settings.reduce_slots))
    start_attempt(turn, *attempt);
}

void handle_child_started(SlotTurn& turn, std::int64_t number, const Result<std::int64_t>& process) {
  auto& slots = turn.state.slots;
  auto* child = slots.find_child(number);
  if (child == nullptr) return;
  auto* attempt = slots.attempt_of(*child);
  if (!process) {
    if (attempt != nullptr)
      fail_attempt(turn, *attempt, failed_outcome("its child could not be started: " + process.error().text));
    return remove_child(turn, *child);
  }
  slots.set_process(*child, *process);
  turn.write_event("child_started",
                   ports::EventFields{}.add("child", number).add("attempt", to_string(child->attempt)));
  watch_memory(turn);
  if (attempt == nullptr) stop_child(turn, *child);  // the job ended meanwhile
}

// -- messages of children ----------------------------------------------------------------------------------

void refuse_stranger(SlotTurn& turn, std::int64_t child) {
  turn.write_event("foreign_child", ports::EventFields{}.add("child", child));
  turn.effects.push_back(AnswerChild{LeaveChild{"the TaskTracker does not know this child"}});
}

void handle_get_task(SlotTurn& turn, const GetTask& message) {
  auto& slots = turn.state.slots;
  auto* child = slots.find_child(message.child);
  if (child == nullptr || !runtime::is_same_secret(message.secret, child->token))
    return refuse_stranger(turn, message.child);
  if (child->phase == HostedPhase::idle) {
    child->waits_for_task = true;
    return;
  }
  auto* attempt = slots.attempt_of(*child);
  if (attempt == nullptr || child->phase != HostedPhase::starting || !attempt->kill_reason.empty())
    return turn.effects.push_back(AnswerChild{LeaveChild{"no attempt is left for this child"}});
  turn.effects.push_back(AddChild{child->number});
  give_attempt(turn, *child, *attempt);
}

void handle_attempt_progress(SlotTurn& turn, const AttemptProgress& message) {
  auto* attempt = current_attempt(turn, message.child, message.attempt);
  if (attempt == nullptr) return;
  const bool is_share = message.progress >= 0 && message.progress <= 1;  // false for NaN too
  attempt->status.progress = is_share ? message.progress : 0;
  if (message.phase == TaskPhase::reduce && attempt->status.shuffle_ms < 0)
    attempt->status.shuffle_ms = to_milliseconds(turn.now - attempt->launched);
  const auto* program = program_of(turn.state.slots, *attempt);
  const bool has_rules = program != nullptr && program->map_reduce;
  update_counters(attempt->reported, message.counters, has_rules ? program->map_reduce->counters_max : 0);
  if (!message.status.empty())
    turn.write_event("attempt_status",
                     ports::EventFields{}.add("attempt", to_string(message.attempt)).add("text", message.status));
  // While it is being killed the deadline is that of the kill.
  if (message.is_alive && attempt->kill_reason.empty())
    turn.state.slots.dues.set(message.child, turn.now + turn.state.settings.attempt_timeout);
}

void handle_commit_pending(SlotTurn& turn, const CommitPending& message) {
  auto* attempt = current_attempt(turn, message.child, message.attempt);
  if (attempt == nullptr || attempt->status.state != TaskAttemptState::running) return;
  // Its work ended before the kill reached it; it waits for an answer.
  if (!attempt->kill_reason.empty())
    return turn.effects.push_back(SendToChild{message.child, KillAttempt{message.attempt, attempt->kill_reason}});
  attempt->status.state = TaskAttemptState::commit_pending;
  attempt->status.progress = 1;
  beat_on_change(turn);
}

void handle_attempt_done(SlotTurn& turn, const AttemptDone& message) {
  auto* attempt = current_attempt(turn, message.child, message.attempt);
  if (attempt == nullptr) return;
  const bool is_cleanup = attempt->launch.type == AttemptType::task_cleanup;
  const bool was_killed = !attempt->kill_reason.empty();
  if (was_killed && !is_cleanup) return fail_attempt(turn, *attempt, message.outcome);
  attempt->status.place = message.place;
  end_attempt(turn, *attempt, is_cleanup ? failed_state(*attempt, false) : TaskAttemptState::succeeded,
              message.outcome);
}

void handle_attempt_failed(SlotTurn& turn, const AttemptFailed& message) {
  if (auto* attempt = current_attempt(turn, message.child, message.attempt))
    fail_attempt(turn, *attempt, message.outcome);
}

void handle_get_map_completions(SlotTurn& turn, const GetMapCompletions& message) {
  auto* attempt = current_attempt(turn, message.child, message.attempt);
  if (attempt == nullptr) return;
  auto& child = *turn.state.slots.find_child(message.child);
  child.waits_from = message.from;
  send_completions(turn, child, *turn.state.slots.find_job(message.attempt.job));
}

void add_completions(SlotTurn& turn, const JobCompletions& news) {
  auto& slots = turn.state.slots;
  auto* job = slots.find_job(news.job);
  if (job == nullptr || news.from != std::ssize(job->completions)) return;
  job->completions.insert(job->completions.end(), news.rows.begin(), news.rows.end());
  for (auto& [number, child] : slots.children())
    if (child.attempt.job == news.job && child.phase == HostedPhase::running) send_completions(turn, child, *job);
}

void handle_fetch_failed(SlotTurn& turn, const FetchFailed& message) {
  if (current_attempt(turn, message.child, message.attempt) == nullptr) return;
  turn.state.failed_fetches.push_back(message.map);
}

// -- ends --------------------------------------------------------------------------------------------------

void kill_attempt(SlotTurn& turn, const TaskAttemptId& id, const std::string& reason) {
  auto& slots = turn.state.slots;
  auto* attempt = slots.find(id);
  if (attempt == nullptr || attempt->has_ended || !attempt->kill_reason.empty()) return;
  attempt->kill_reason = reason;
  if (attempt->is_waiting()) return end_waiting(turn, *attempt);
  auto& child = *slots.find_child(attempt->child);
  turn.write_event("slot_attempt_killed", ports::EventFields{}.add("attempt", to_string(id)).add("reason", reason));
  if (child.phase != HostedPhase::running || !attempt->is_work()) return stop_child(turn, child);
  turn.effects.push_back(SendToChild{child.number, KillAttempt{id, reason}});
  slots.dues.set(child.number, turn.now + turn.state.settings.kill_wait);
}

void kill_for_space(SlotTurn& turn) {
  if (const auto victim = turn.state.slots.least_advanced())
    kill_attempt(turn, *victim, "too little disk space is left on " + turn.state.settings.host);
}

void permit_commit(SlotTurn& turn, const TaskAttemptId& id) {
  auto* attempt = turn.state.slots.find(id);
  if (attempt == nullptr || attempt->has_ended || attempt->status.state != TaskAttemptState::commit_pending ||
      !attempt->kill_reason.empty())
    return;
  turn.effects.push_back(SendToChild{attempt->child, CommitAttempt{id}});
}

void drop_job(SlotTurn& turn, JobId id) {
  auto& slots = turn.state.slots;
  const auto row = slots.jobs().find(id);
  for (const auto& attempt : slots.attempts_of(id)) {
    if (auto* child = slots.find_child(slots.find(attempt)->child);
        child != nullptr && slots.attempt_of(*child) != nullptr)
      stop_child(turn, *child);
    slots.remove(attempt);
  }
  for (auto& [number, child] : slots.children())
    if (child.phase == HostedPhase::idle && child.attempt.job == id) dismiss_child(turn, child, "its job has ended");
  if (row == slots.jobs().end()) return;
  const ApplicationId application = row->second.job.application;
  slots.jobs().erase(row);
  forget_files_if_unused(turn, application);
}

void drop_all_jobs(SlotTurn& turn) {
  std::vector<JobId> jobs;
  for (const auto& [id, job] : turn.state.slots.jobs()) jobs.push_back(id);
  for (const auto id : jobs) drop_job(turn, id);
  for (auto& [number, child] : turn.state.slots.children()) stop_child(turn, child);
}

void handle_overdue_child(SlotTurn& turn, std::int64_t number) {
  auto& state = turn.state;
  auto* child = state.slots.find_child(number);
  if (child == nullptr) return;
  auto* attempt = state.slots.attempt_of(*child);
  if (attempt != nullptr && attempt->kill_reason.empty()) {
    const bool has_started = child->phase == HostedPhase::running;
    const auto wait = has_started ? state.settings.attempt_timeout : state.settings.child_start_wait;
    fail_attempt(
        turn, *attempt,
        failed_outcome(fmt::format("its child did not {} for {:g} s", has_started ? "report progress" : "connect",
                                   std::chrono::duration<double>{wait}.count())));
  }
  stop_child(turn, *child);
}

void end_child(SlotTurn& turn, HostedChild& child, const std::string& why) {
  if (auto* attempt = turn.state.slots.attempt_of(child); attempt != nullptr && attempt->kill_reason.empty())
    fail_attempt(turn, *attempt, failed_outcome(why));
  stop_child(turn, child);
}

void handle_child_exit(SlotTurn& turn, const ProcessEnded& message) {
  auto& slots = turn.state.slots;
  const auto* child = slots.find_process(message.process);
  if (child == nullptr)
    return turn.write_event("stale_process_ended", ports::EventFields{}.add("process", message.process));
  turn.write_event("child_exited",
                   ports::EventFields{}.add("child", child->number).add("exit_code", message.end.exit_code));
  if (auto* attempt = slots.attempt_of(*child)) {
    auto outcome =
        failed_outcome("its child process ended before it: " + describe(ContainerEnd{0, {}, message.end, {}}));
    outcome.exit_code = message.end.exit_code;
    fail_attempt(turn, *attempt, std::move(outcome));
  }
  remove_child(turn, *child);
}

}  // namespace heddle::actors
