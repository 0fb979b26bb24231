#include "actors/map_reduce_master/job_flow.hpp"

#include <fmt/format.h>

#include <utility>
#include <variant>

#include "actors/map_reduce_master/child_flow.hpp"
#include "actors/map_reduce_master/decision_texts.hpp"
#include "actors/map_reduce_master/history_flow.hpp"
#include "actors/map_reduce_master/request_flow.hpp"
#include "actors/map_reduce_master/speculation_flow.hpp"

namespace heddle::actors {
namespace {

using policies::MapReduceJobEvent;
using policies::MapReduceJobState;

void put_job(MasterTurn& turn, const policies::map_reduce_job_input::Input& input) {
  if (turn.state.has_machines()) turn.state.machines().apply(turn.now, input);
}

void put_job(MasterTurn& turn, MapReduceJobEvent event) {
  put_job(turn, policies::map_reduce_job_input::Signal{event});
}

void mark_progress(MasterTurn& turn) {
  auto& due = turn.state.progress_due;
  if (!due) due = turn.now + turn.state.start.progress_interval;
}

/// Why no task runs, and the rule; empty if one does.
std::string waiting_text(const MasterState& state) {
  if (!state.job->work) return "its package is being read: 0 of its tasks are known (rule JB-8)";
  if (!state.job->has_output) {
    const auto maps = state.job->work->tasks(false);
    const auto* step = state.allocator ? "its output is being set up" : "the application is not registered yet";
    return fmt::format("{}: {} map{} for it (rule JB-8)", step, maps, maps == 1 ? " waits" : "s wait");
  }
  const auto counts = state.allocator->counts();
  if (counts.assigned_maps + counts.assigned_reduces > 0) return {};
  const bool is_map = counts.scheduled_maps > 0;
  const auto wanted = is_map ? counts.scheduled_maps : counts.scheduled_reduces;
  if (wanted == 0) return {};
  const auto& container = is_map ? state.start.map : state.start.reduce;
  return fmt::format("waits for a container: {} of {} MiB and {} core{} are requested (rule CA-4)", wanted,
                     container.memory_mib, container.cores, container.cores == 1 ? "" : "s");
}

void send_progress(MasterTurn& turn) {
  auto& job = *turn.state.job;
  JobProgress message;
  message.job = job.id;
  if (job.work && turn.state.allocator) {
    const auto counts = turn.state.allocator->counts();
    job.maps.progress.running = counts.assigned_maps;
    job.reduces.progress.running = counts.assigned_reduces;
    for (const bool is_reduce : {false, true}) {
      if (is_reduce && !job.work->has_reduces()) break;
      auto& progress = job.tasks(is_reduce).progress;
      if (!progress.is_done) progress.elapsed_us = (turn.now - job.begun).count();
      message.stages.push_back(progress);
    }
    message.executors = counts.assigned_maps + counts.assigned_reduces;
    message.executors_wanted = message.executors + counts.scheduled_maps + counts.scheduled_reduces;
  }
  message.waiting = waiting_text(turn.state);
  turn.effects.push_back(ReportToJobClient{std::move(message)});
}

/// Ends the application once the end of the job is in its history.
void end_job(MasterTurn& turn, JobStatus status) {
  auto& job = *turn.state.job;
  if (job.is_over) return;
  job.finish(status, turn.now);
  if (job.work) send_progress(turn);
  job.is_over = true;
  turn.write_event("map_reduce_job_ended",
                   ports::EventFields{}.add("job", job.id).add("status", static_cast<int>(job.end.status)));
  if (!close_history(turn)) report_job_end(turn);
}

void refuse_job(MasterTurn& turn, const std::string& text) {
  turn.state.job->end.text = text;
  end_job(turn, JobStatus::failed);
}

void start_reading(MasterTurn& turn, JobPackage package) {
  auto& job = *turn.state.job;
  auto work = policies::JobWork::make(job.id, turn.state.start.attempt.application, std::move(package), "yarn");
  if (!work) return refuse_job(turn, work.error().text);
  job.begin(std::move(*work), turn.now);
  start_job_if_ready(turn);
}

void abort_output(MasterTurn& turn, MapReduceJobState final_state) {
  auto& job = *turn.state.job;
  job.abort = final_state;
  if (job.is_preparing) return;
  if (job.has_output) turn.effects.push_back(RemoveOutputs{job.id, job.output_paths()});
  else put_job(turn, policies::map_reduce_job_input::AbortCompleted{final_state});
}

void commit_winners(MasterTurn& turn) {
  sync_history(turn);
  turn.effects.push_back(CommitWinners{turn.state.job->id, turn.state.job->outputs()});
}

// -- effects of the state machines -------------------------------------------------------------------------

struct MachineEffect {
  MasterTurn& turn;

  /// Routed by the machines.
  template <class Effect>
  void operator()(const Effect&) const {}

  void operator()(const policies::ChangeContainerNeed& effect) const {
    // A rise comes with the request of an attempt.
    if (effect.change < 0)
      report_to_speculator(turn, policies::speculator_input::ContainersNeeded{effect.task.is_reduce, effect.change});
  }
  void operator()(const policies::NotifyAttemptStarted& effect) const {
    report_to_speculator(turn, policies::speculator_input::AttemptLaunched{effect.attempt});
  }
  void operator()(const policies::NotifyAttemptStatus& effect) const {
    report_to_speculator(turn, policies::speculator_input::AttemptReported{effect.attempt, effect.progress});
  }
  void operator()(const policies::RequestTaskContainer& effect) const {
    auto& state = turn.state;
    report_to_speculator(turn, policies::speculator_input::AttemptRequested{effect.attempt});
    policies::MapReduceEffects decided;
    if (effect.attempt.is_reduce)
      state.allocator->on_reduce_request(effect.attempt, state.start.reduce, effect.earlier_failed, decided);
    else
      state.allocator->on_map_request(turn.now, effect.attempt, state.start.map, effect.hosts, effect.earlier_failed,
                                      decided);
    apply_allocations(turn, decided);
    ask_soon(turn);
  }
  void operator()(const policies::DeallocateTaskContainer& effect) const {
    turn.state.allocator->on_deallocate(effect.attempt);
    ask_soon(turn);
  }
  void operator()(const policies::CountHostFailure& effect) const {
    const auto before = turn.state.allocator->exclusion();
    turn.state.allocator->on_attempt_failed(effect.host);
    report_exclusion(turn, before, effect.host);
  }
  void operator()(const policies::LaunchTaskContainer& effect) const {
    launch_child(turn, effect.attempt, effect.container);
  }
  void operator()(const policies::CleanUpTaskContainer& effect) const {
    stop_child(turn, effect.attempt, effect.container);
  }
  void operator()(const policies::UpdateChildWatch& effect) const {
    auto& watches = turn.state.watches;
    const auto& start = turn.state.start;
    switch (effect.change) {
      case policies::ChildWatch::expect_child: break;
      case policies::ChildWatch::watch_child:
        watches.life.set(effect.attempt, turn.now + start.task_timeout);
        watches.unreported.set(effect.attempt, turn.now + start.stuck_timeout);
        break;
      case policies::ChildWatch::forget_child:
        watches.life.remove(effect.attempt);
        watches.unreported.remove(effect.attempt);
        break;
      case policies::ChildWatch::watch_exit: watches.exit.set(effect.attempt, turn.now + start.exit_timeout); break;
      case policies::ChildWatch::forget_exit: watches.exit.remove(effect.attempt); break;
    }
  }
  void operator()(const policies::SetUpJobOutput&) const {
    auto& job = *turn.state.job;
    job.is_preparing = true;
    turn.effects.push_back(
        SetUpOutputs{job.id, job.output_paths(), job.earlier_masters > 0, recorded_folders(turn.state)});
  }
  void operator()(const policies::CommitJobOutput&) const {
    // The last task can be the one that fails the job: then its output is removed instead.
    if (turn.state.machines().job().state() != MapReduceJobState::committing) return;
    if (turn.state.may_commit(turn.now)) return commit_winners(turn);
    turn.state.commit_window.job_waits = true;
    turn.write_event("commit_waits", ports::EventFields{}.add("job", turn.state.job->id));
  }
  void operator()(const policies::AbortJobOutput& effect) const { abort_output(turn, effect.final_state); }
  void operator()(const policies::WriteHistory& effect) const { record_history(turn, effect); }
  void operator()(const policies::AbortTaskOutput& effect) const {
    if (!effect.is_answered) return;  // of an earlier application attempt, whose folders are removed already
    const auto& job = *turn.state.job;
    turn.effects.push_back(
        RemoveAttemptOutput{job.name_of(effect.attempt), job.output_paths(), job.folder_of(effect.attempt)});
  }
  void operator()(const policies::UpdateJobCounters& effect) const {
    auto& job = *turn.state.job;
    for (const auto& each : effect.increments) {
      job.counters.add(each.counter, each.amount);
      const bool is_reduce = each.counter == policies::MapReduceJobCounter::num_failed_reduces;
      if (!is_reduce && each.counter != policies::MapReduceJobCounter::num_failed_maps) continue;
      job.tasks(is_reduce).progress.failed_attempts += static_cast<std::int32_t>(each.amount);
      job.totals.failed_attempts += each.amount;
    }
  }
  void operator()(const policies::NotifyTaskEnded& effect) const {
    auto& job = *turn.state.job;
    mark_progress(turn);
    const auto& rules = turn.state.start.machines;
    if (effect.state == policies::MapReduceTaskState::failed) {
      if (!effect.fails_job) return;  // the job may end for another reason
      return job.describe_failure(effect.task,
                                  (effect.task.is_reduce ? rules.reduce_task : rules.map_task).attempts_max);
    }
    const auto winner = turn.state.machines().task(effect.task).successful_attempt();
    if (effect.state != policies::MapReduceTaskState::succeeded || !winner) return;
    job.count_winner({effect.task.is_reduce, effect.task.index, *winner});
    const auto state = turn.state.machines().job().state();
    if (state != MapReduceJobState::running && state != MapReduceJobState::committing) return;
    if (auto excess = job.excess_of_counters(); !excess.empty()) {
      job.end.text = std::move(excess);
      put_job(turn, MapReduceJobEvent::kill);
    }
  }
  void operator()(const policies::NotifyMapRescheduled& effect) const {
    turn.state.job->forget_winner(effect.task);
    turn.effects.push_back(ReportToJobClient{Notice{to_string(effect.task) + " runs again: its output was lost"}});
  }
  void operator()(const policies::EndMapReduceJob& effect) const {
    auto& job = *turn.state.job;
    const auto& errors = turn.state.machines().errors();
    if (effect.state == MapReduceJobState::error && job.end.text.empty() && !errors.empty())
      job.end.text = "internal error: " + errors.front();
    end_job(turn, effect.state == MapReduceJobState::succeeded ? JobStatus::succeeded : JobStatus::failed);
  }
};

/// Decisions of the allocator.
struct Allocation {
  MasterTurn& turn;

  void operator()(const policies::AssignContainer& effect) const {
    auto& state = turn.state;
    auto* grant = state.grants.find(effect.container);
    if (grant == nullptr) return;
    const GrantedContainer granted = grant->container;
    state.grants.set_occupant(effect.container, effect.attempt);
    const bool has_hosts = !effect.attempt.is_reduce && state.job->work->has_hosts(effect.attempt.index);
    const std::size_t level = !has_hosts                                 ? 2
                              : effect.place == policies::MapPlace::node ? 1
                              : effect.place == policies::MapPlace::rack ? 3
                                                                         : 4;
    state.job->tasks(effect.attempt.is_reduce).progress.locality[level] += 1;
    state.job->totals.locality[level] += 1;
    if (!effect.attempt.is_reduce)
      state.job->count_place(effect.attempt, effect.place,
                             granted.priority == static_cast<std::int32_t>(policies::MapReducePriority::failed_map));
    put(turn, effect.attempt,
        policies::map_reduce_attempt_input::Assigned{effect.container, granted.host, granted.resource});
    mark_progress(turn);
  }
  void operator()(const policies::NotifyContainerEnded& effect) const {
    if (effect.killed) put(turn, effect.attempt, policies::map_reduce_attempt_input::Killed{});
    else put(turn, effect.attempt, policies::MapReduceAttemptEvent::container_completed);
  }
  /// Rule and numbers.
  [[nodiscard]] std::string reason_of(const policies::KillMapReduceAttempt& effect) const {
    if (effect.reason == policies::AttemptKillReason::unusable_node) return " (rule CA-14)";
    if (effect.reason != policies::AttemptKillReason::ramp_down) return {};
    const auto& allocator = *turn.state.allocator;
    return ": " + preemption_text(allocator.reduce_input().load, allocator.counts().preempting,
                                  turn.state.machines().find(effect.attempt)->progress());
  }
  void operator()(const policies::KillMapReduceAttempt& effect) const {
    const auto* machine = turn.state.machines().find(effect.attempt);
    // A victim is chosen again with each answer until its container has ended (CA-25).
    if (machine != nullptr && machine->status() == policies::MapReduceAttemptStatus::running)
      turn.effects.push_back(ReportToJobClient{Notice{
          fmt::format("{}: {}{}", to_string(effect.attempt), diagnostic_text(effect.reason), reason_of(effect))}});
    put(turn, effect.attempt, policies::map_reduce_attempt_input::Killed{effect.reschedule});
  }
  void operator()(const policies::NotifyUpdatedNodes&) const {}  // handled with the answer
  void operator()(const policies::KillJob& effect) const {
    turn.state.job->end.text =
        fmt::format("a {} needs a container of {} MiB and {} cores, but the largest is {} MiB and {} cores",
                    effect.is_reduce ? "reduce" : "map", effect.wanted.memory_mib, effect.wanted.cores,
                    effect.container_max.memory_mib, effect.container_max.cores);
    put_job(turn, MapReduceJobEvent::kill);
  }
};

}  // namespace

// -- submission ----------------------------------------------------------------------------------------------

void submit_to_master(MasterTurn& turn, const SubmitJob& message, bool has_client) {
  auto& state = turn.state;
  if (state.job || state.end) {
    if (!has_client) return;
    JobFinished refusal;
    refusal.job = JobId{message.request + 1};
    refusal.text = "a MapReduceMaster runs one job; submit another application";
    turn.effects.push_back(AnswerSubmitter{JobAccepted{message.request, refusal.job}});
    turn.effects.push_back(AnswerSubmitter{std::move(refusal)});
    return;
  }
  auto& job = state.job.emplace();
  job.id = JobId{1};
  job.end.job = job.id;
  job.begun = turn.now;
  job.earlier_masters = message.earlier_drivers;
  job.totals.locality.assign(5, 0);
  turn.write_event("map_reduce_job_submitted", ports::EventFields{}.add("job", job.id));
  if (has_client) {
    turn.effects.push_back(AdoptJobClient{});
    turn.effects.push_back(AnswerSubmitter{JobAccepted{message.request, job.id}});
  }
  if (message.package_file.empty()) start_reading(turn, message.package);
  else turn.effects.push_back(ReadMasterPackage{job.id, message.package_file});
}

void use_package(MasterTurn& turn, const PackageRead& message) {
  auto& job = turn.state.job;
  if (!job || job->id != message.job || job->work || job->is_over) return turn.write_event("stale_package_read");
  if (!message.text.empty()) return refuse_job(turn, message.text);
  start_reading(turn, message.package);
}

void start_job_if_ready(MasterTurn& turn) {
  auto& state = turn.state;
  if (!state.registered || !state.job || !state.job->work || state.job->machines || state.job->is_over) return;
  if (!open_history(turn)) return;
  auto& job = *state.job;
  if (const auto named = job.work->map_memory_mib(); named > 0) state.start.map.memory_mib = named;
  if (const auto named = job.work->reduce_memory_mib(); named > 0) state.start.reduce.memory_mib = named;
  auto settings = state.start.machines;
  settings.job.maps = job.work->tasks(false);
  settings.job.reduces = job.work->tasks(true);
  settings.job.kills_rescheduled_maps = true;
  settings.map_task.first_attempt = settings.reduce_task.first_attempt = first_attempt_of(state);
  settings.hosts = job.work->hosts();
  auto of_allocator = state.start.allocator;
  of_allocator.total_maps = settings.job.maps;
  of_allocator.total_reduces = settings.job.reduces;
  of_allocator.mends_requests = true;
  state.allocator.emplace(of_allocator, state.start.racks);
  state.allocator->on_registered(state.registered->maximum, state.registered->counted);
  if (settings.map_task.is_speculative || settings.reduce_task.is_speculative) {
    auto of_speculator = state.start.speculator;
    of_speculator.maps = settings.job.maps;
    of_speculator.reduces = settings.job.reduces;
    of_speculator.speculates_maps = settings.map_task.is_speculative;
    of_speculator.speculates_reduces = settings.reduce_task.is_speculative;
    state.speculation.speculator.emplace(of_speculator);
  }
  job.machines.emplace(std::move(settings));
  turn.write_event("map_reduce_job_started", ports::EventFields{}
                                                 .add("job", job.id)
                                                 .add("maps", job.work->tasks(false))
                                                 .add("reduces", job.work->tasks(true)));
  put_job(turn, policies::map_reduce_job_input::Initialized{});
  put_job(turn, MapReduceJobEvent::start);
  if (!job.cancel_reason.empty()) put_job(turn, MapReduceJobEvent::kill);
  mark_progress(turn);
}

void cancel_master_job(MasterTurn& turn, const CancelJob& message) {
  auto& state = turn.state;
  if (!state.job || state.job->id != message.job || state.job->is_over || !state.job->cancel_reason.empty()) return;
  auto& job = *state.job;
  // A commit is not stopped: it ends soon.
  if (state.has_machines() && state.machines().job().state() == MapReduceJobState::committing) return;
  job.cancel_reason = message.reason.empty() ? "cancelled" : message.reason;
  turn.write_event("map_reduce_job_cancelled", ports::EventFields{}.add("job", job.id));
  if (state.has_machines()) put_job(turn, MapReduceJobEvent::kill);
  // An earlier master has left an output, which the job removes once it has started.
  else if (job.earlier_masters == 0) end_job(turn, JobStatus::cancelled);
}

// -- outputs ---------------------------------------------------------------------------------------------------

void handle_outputs_prepared(MasterTurn& turn, const OutputPrepared& message) {
  auto& state = turn.state;
  if (!state.has_machines() || !state.job->is_preparing) return turn.write_event("stale_output_prepared");
  auto& job = *state.job;
  job.is_preparing = false;
  job.has_output = message.found == OutputFound::ready;
  // Cancelled meanwhile: the output is removed, but not one whose commit was decided.
  if (job.abort && message.found != OutputFound::committed) return abort_output(turn, *job.abort);
  switch (message.found) {
    case OutputFound::ready: return replay_recorded_tasks(turn, message.kept);
    case OutputFound::refused:
      job.end.text = message.text;
      job.end.failure = message.failure;
      return put_job(turn, MapReduceJobEvent::setup_failed);
    case OutputFound::committed:
      turn.effects.push_back(ReportToJobClient{
          Notice{"the MapReduceMaster of an earlier attempt had decided to commit the output; it is complete now"}});
      count_recorded_tasks(turn);
      return end_job(turn, JobStatus::succeeded);
  }
}

void commit_waiting_job(MasterTurn& turn) {
  auto& state = turn.state;
  if (!std::exchange(state.commit_window.job_waits, false) || !state.has_machines()) return;
  if (state.machines().job().state() == MapReduceJobState::committing) commit_winners(turn);
}

void handle_outputs_committed(MasterTurn& turn, const JobCommitted& message) {
  auto& state = turn.state;
  if (!state.has_machines()) return turn.write_event("stale_job_committed");
  auto& job = *state.job;
  if (job.abort) {
    if (message.failure != FailureKind::none)
      turn.effects.push_back(ReportToJobClient{Notice{"the incomplete output could not be removed: " + message.text}});
    return put_job(turn, policies::map_reduce_job_input::AbortCompleted{*job.abort});
  }
  if (message.failure == FailureKind::none) {
    if (!message.text.empty()) turn.effects.push_back(ReportToJobClient{Notice{message.text}});
    return put_job(turn, MapReduceJobEvent::commit_completed);
  }
  job.end.text = message.text;
  job.end.failure = message.failure;
  put_job(turn, MapReduceJobEvent::commit_failed);
}

void handle_attempt_output_removed(MasterTurn& turn, const AttemptOutputRemoved& message) {
  const auto& id = message.attempt;
  if (!message.text.empty())
    turn.write_event("attempt_output_not_removed",
                     ports::EventFields{}.add("attempt", to_string(id)).add("reason", message.text));
  put(turn, {id.is_reduce, id.task, id.attempt}, policies::MapReduceAttemptEvent::cleanup_done);
}

void run_job_deadlines(MasterTurn& turn) {
  auto& state = turn.state;
  if (state.has_machines())
    if (const auto due = state.machines().job().next_due(); due && *due <= turn.now)
      put_job(turn, MapReduceJobEvent::fail_wait_timedout);
  if (!state.progress_due || turn.now < *state.progress_due) return;
  state.progress_due.reset();
  if (state.job && !state.job->is_over) send_progress(turn);
}

// -- for the other flows -----------------------------------------------------------------------------------------

void put(MasterTurn& turn, policies::MapReduceAttempt attempt, const policies::map_reduce_attempt_input::Input& input) {
  if (turn.state.has_machines() && turn.state.machines().find(attempt) != nullptr)
    turn.state.machines().apply(turn.now, attempt, input);
}

void put(MasterTurn& turn, policies::MapReduceAttempt attempt, policies::MapReduceAttemptEvent event) {
  put(turn, attempt, policies::map_reduce_attempt_input::Signal{event});
}

void end_as_recorded(MasterTurn& turn, const RecordedEnd& recorded) {
  auto& job = *turn.state.job;
  job.end.text = recorded.text;
  if (recorded.is_cancelled) job.cancel_reason = recorded.text.empty() ? "cancelled" : recorded.text;
  turn.effects.push_back(
      ReportToJobClient{Notice{"the MapReduceMaster of an earlier attempt had ended the job before it was lost"}});
  end_job(turn, JobStatus::failed);
}

void report_job_end(MasterTurn& turn) {
  const auto& end = turn.state.job->end;
  turn.effects.push_back(ReportToJobClient{end});
  end_application(turn, end.status == JobStatus::succeeded, end.text);
}

void apply_allocations(MasterTurn& turn, const policies::MapReduceEffects& effects) {
  for (const auto& effect : effects) std::visit(Allocation{turn}, effect);
}

void settle_machines(MasterTurn& turn) {
  auto& state = turn.state;
  while (state.job && state.job->machines) {
    for (const auto& change : state.machines().take_changes())
      turn.write_event("map_reduce_state",
                       ports::EventFields{}.add("subject", change.subject).add("state", std::string{change.state}));
    const auto effects = state.machines().take_outside();
    report_ends_to_speculator(turn);
    if (effects.empty()) return answer_readers(turn);
    for (const auto& effect : effects)
      if (!state.job->is_over) std::visit(MachineEffect{turn}, effect);
  }
}

}  // namespace heddle::actors
