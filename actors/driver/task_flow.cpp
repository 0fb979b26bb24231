#include "actors/driver/task_flow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "actors/driver/attempt_counts.hpp"
#include "actors/driver/executor_flow.hpp"
#include "actors/driver/job_flow.hpp"
#include "actors/driver/map_output_flow.hpp"
#include "actors/driver/offer_flow.hpp"
#include "actors/driver/stage_flow.hpp"
#include "model/assert.hpp"
#include "policies/tasks/queue_ahead.hpp"

namespace heddle::actors {
namespace {

/// Bytes of an attempt's result that the Driver keeps: text and counters, like Spark's accumulators. Outputs and map
/// outputs stay on disk, and stderr is in the executor's log.
std::int64_t result_bytes(const TaskOutcome& outcome) {
  auto bytes = outcome.text.size();
  for (const auto& [name, count] : outcome.counters) bytes += name.size() + sizeof(count);
  return static_cast<std::int64_t>(bytes);
}

policies::AttemptStatus to_attempt_status(const TaskOutcome& outcome, bool has_progress) {
  policies::AttemptStatus status;
  status.state = policies::AttemptState::failed;
  switch (outcome.state) {
    case TaskState::running: status.state = policies::AttemptState::running; break;
    case TaskState::finished:
      status.state = policies::AttemptState::finished;
      status.result_bytes = result_bytes(outcome);
      if (has_progress) status.progress = policies::AttemptProgress{outcome.records_read, Duration{outcome.run_us}};
      break;
    case TaskState::killed: status.state = policies::AttemptState::killed; break;
    case TaskState::failed:
      status.state = policies::AttemptState::failed;
      status.failure = outcome.failure == FailureKind::fetch_failed ? policies::AttemptFailure::fetch_failed
                                                                    : policies::AttemptFailure::exception;
      break;
  }
  return status;
}

bool compares_rates(const DriverState& state) {
  const auto& rules = state.settings.task_scheduler.speculation;
  return rules && rules->efficiency;
}

/// False for what no executor sends: such a range is ignored.
bool is_sound(const FinishedRange& range, const TaskSetRecord& set) {
  const auto count = static_cast<std::size_t>(range.count);
  return are_partitions(range.first_index, range.count) && range.count <= set.tasks && range.start_us.size() == count &&
         range.run_us.size() == count;
}

// -- launches --------------------------------------------------------------------------------------

bool continues(const TaskRange& range, const StageKey& stage, std::int32_t partition, std::int32_t attempt) {
  return range.stage == stage && range.attempt == attempt && range.first_index + range.count == partition;
}

void record_start(Turn& turn, const policies::TaskLaunch& launch) {
  turn.state.allocation.apply(
      turn.now, allocation_input::TaskStarted{launch.set.stage, launch.set.attempt, launch.index, launch.executor,
                                              launch.speculative});
}

/// Packs task ranges for one executor into messages: LoadStage for the first tasks of a stage, then LaunchTask.
class RangeMessages {
public:
  RangeMessages(Turn& turn, ExecutorId executor, Epoch epoch) : turn_{turn}, executor_{executor}, epoch_{epoch} {}

  void install(const TaskSetRecord& set) {
    flush();
    to_install_ = &set;
  }
  void add(const TaskSetRecord& set, TaskRange range) {
    if (to_install_ != nullptr && to_install_ != &set) flush();
    splits_ += range.splits.size();
    tasks_.push_back(std::move(range));
    if (splits_ >= splits_per_message) flush();
  }
  void flush() {
    if (to_install_ != nullptr) turn_.post(executor_, LoadStage{epoch_, to_install_->work, std::move(tasks_)});
    else if (!tasks_.empty()) turn_.post(executor_, LaunchTask{epoch_, std::move(tasks_)});
    tasks_.clear();
    to_install_ = nullptr;
    splits_ = 0;
  }

private:
  static constexpr std::size_t splits_per_message = 2048;  // keeps a message below 1 MiB
  Turn& turn_;
  ExecutorId executor_;
  Epoch epoch_;
  std::vector<TaskRange> tasks_;
  const TaskSetRecord* to_install_ = nullptr;
  std::size_t splits_ = 0;
};

void post_ranges(Turn& turn, ExecutorId executor, std::vector<TaskRange> ranges) {
  auto& entry = *turn.state.executors.find(executor);
  RangeMessages messages{turn, executor, entry.epoch};
  for (auto& range : ranges) {
    const auto* set = turn.state.jobs.find_set({range.stage.stage, range.stage.attempt});
    for (const auto& shuffle : set->work.shuffle_inputs) send_map_outputs(turn, executor, entry.epoch, shuffle);
    if (entry.installed.insert(set->key).second) messages.install(*set);
    turn.write_event("tasks_launched", ports::EventFields{}
                                           .add("executor", executor)
                                           .add("stage", range.stage.stage)
                                           .add("stage_attempt", range.stage.attempt)
                                           .add("first", range.first_index)
                                           .add("count", range.count)
                                           .add("attempt", range.attempt));
    messages.add(*set, std::move(range));
  }
  messages.flush();
}

// -- ended task attempts -------------------------------------------------------------------------------

void count_failure(JobRecord& job, const TaskSetRecord& set, const TaskOutcome& outcome) {
  job.progress[set.stage].failed_attempts += 1;
  job.totals.failed_attempts += 1;
  job.failures[outcome.text.substr(0, 200)] += 1;
}

void count_lost_attempt(Turn& turn, TaskSetRecord& set, const ExecutorEntry* entry, const std::string& loss) {
  TaskOutcome outcome;
  outcome.state = TaskState::failed;
  outcome.text = fmt::format("its executor was lost: {}", loss.empty() ? "the connection to it broke" : loss);
  set.last_failure = outcome;
  set.last_failure_place = entry == nullptr ? std::string{} : entry->host_name;
  if (auto* job = turn.state.jobs.job_of(set)) count_failure(*job, set, outcome);
}

void notify_of_exclusion(Turn& turn, const policies::TaskEnded& failed) {
  auto& state = turn.state;
  const auto* set = state.jobs.find_set(failed.set);
  const auto* entry = state.executors.find(failed.executor);
  auto* job = set == nullptr ? nullptr : state.jobs.job_of(*set);
  if (job == nullptr || entry == nullptr) return;
  const auto& stage = job->progress[set->stage].name;
  if (state.task_scheduler->is_host_excluded(failed.set, entry->host, -1))
    turn.notify_clients_once(
        fmt::format("host {} gets no more tasks of stage '{}': too many failed there", entry->host_name, stage));
  else if (state.task_scheduler->is_executor_excluded(failed.set, failed.executor, -1))
    turn.notify_clients_once(fmt::format("executor {} on {} gets no more tasks of stage '{}': too many failed there",
                                         failed.executor.value, entry->host_name, stage));
}

/// Reports the end of the attempt to dynamic allocation, unless the attempt never ran.
void record_end(Turn& turn, const policies::TaskEnded& ended) {
  const auto& settings = turn.state.settings;
  if (settings.task_scheduler.exclusion && ended.outcome == policies::AttemptOutcome::exception)
    notify_of_exclusion(turn, ended);
  if (!settings.allocation.dynamic || ended.queued) return;
  auto reason = policies::TaskEndReason::failed;
  if (ended.outcome == policies::AttemptOutcome::success) reason = policies::TaskEndReason::success;
  if (ended.outcome == policies::AttemptOutcome::killed) reason = policies::TaskEndReason::killed;
  turn.state.allocation.apply(turn.now, allocation_input::TaskStopped{ended.set.stage, ended.set.attempt, ended.index,
                                                                      ended.executor, ended.speculative, reason});
}

void release_slot(Turn& turn, const policies::TaskEnded& ended) {
  auto* entry = turn.state.executors.find(ended.executor);
  if (entry == nullptr || ended.outcome == policies::AttemptOutcome::resubmitted) return;
  entry->release(ended.cores);
  entry->devices.release(ended.id);
  if (entry->is_live()) turn.state.rounds.add(ended.executor);
  if (entry->has_drained()) kill_executors(turn, {ended.executor}, entry->drain_reason);
}

/// Counts a finished task and registers its result: an output file or a map output.
void record_success(Turn& turn, const policies::TaskEnded& ended, TaskSetRecord& set, const TaskOutcome* outcome,
                    policies::StageEffects& effects) {
  auto& state = turn.state;
  auto* job = state.jobs.job_of(set);
  set.finished += 1;
  const bool is_skipped = job != nullptr && job->map_reduce.skipped_maps.contains({set.stage, ended.partition});
  const auto shuffle = set.work.shuffle_output ? set.work.shuffle_output->shuffle : ShuffleId{};
  if (job != nullptr) {
    job->progress[set.stage].finished += 1;
    job->accepted.accept({set.stage, shuffle}, ended.partition, outcome, job->totals);
    if (const auto& rules = set.work.map_reduce; rules && job->accepted.user_counters() > rules->counters_max)
      turn.effects.push(FailJob{job->id, JobStatus::failed, excess_of_counters(*rules)});
    if (const auto winners = job->winners.find(set.stage);
        set.kind == policies::TaskSetKind::result && winners != job->winners.end() && !is_skipped)
      winners->second[static_cast<std::size_t>(ended.partition)] =
          ports::task_attempt_name(set.key, ended.partition, ended.attempt);
  }
  policies::MapStatusLocation place;
  if (const auto* entry = state.executors.find(ended.executor)) place = {ended.executor, entry->host};
  std::vector<std::int64_t> no_output;
  std::span<const std::int64_t> sizes;
  if (outcome != nullptr) sizes = outcome->partition_bytes;
  if (set.work.shuffle_output && is_skipped) {
    no_output.resize(static_cast<std::size_t>(set.work.shuffle_output->partitions));
    sizes = no_output;
    state.broadcast.skip(shuffle, ended.partition);
  }
  if (set.work.shuffle_output && job != nullptr) state.broadcast.mark_changed(shuffle);
  state.stage_scheduler.apply(
      turn.now, stage_input::TaskSucceeded{ended.set.stage, ended.set.attempt, ended.partition, place, sizes}, effects);
  if (set.work.shuffle_output && !is_skipped && state.migration.is_leaving(place.host))
    migrate_output(turn, shuffle, ended.partition, place);
}

/// The executor that wrote the missing map output, and its host; none if the output has moved since the fetch.
policies::MapStatusLocation fetch_source(const DriverState& state, const TaskOutcome& outcome) {
  if (outcome.failed_map < 0) return {};
  const auto known = state.stage_scheduler->outputs().place(outcome.failed_shuffle, outcome.failed_map);
  const auto place = location_of_outputs(state, known.executor);
  return place && *place == outcome.failed_at ? known : policies::MapStatusLocation{};
}

/// Reports the missing map output to the StageScheduler, unless it has moved since the fetch.
void report_fetch_failure(Turn& turn, const policies::TaskEnded& ended, const TaskSetRecord& set,
                          const TaskOutcome* outcome, policies::StageEffects& effects) {
  auto& state = turn.state;
  policies::MapStatusLocation place;
  ShuffleId shuffle;
  std::int32_t map = -1;
  if (outcome != nullptr) {
    shuffle = outcome->failed_shuffle;
    map = outcome->failed_map;
    place = fetch_source(state, *outcome);
    if (state.jobs.job_of(set) != nullptr) state.broadcast.mark_changed(shuffle);
  }
  state.stage_scheduler.apply(
      turn.now, stage_input::FetchFailed{ended.set.stage, ended.set.attempt, ended.partition, shuffle, map, place},
      effects);
  update_exclusions(turn);  // with heddle.exclusion.on_fetch_failure the serving host may be excluded now
}

/// On the first failed task of a barrier stage attempt, marks the attempt failed; its other results are ignored.
void mark_barrier_failed(Turn& turn, TaskSetRecord& set, const policies::TaskEnded& ended) {
  auto* job = turn.state.jobs.job_of(set);
  if (!set.is_barrier || set.has_failed || job == nullptr) return;
  set.has_failed = true;
  const bool has_text = set.last_failure.state == TaskState::failed;
  job->barrier.failure =
      fmt::format("barrier stage '{}' failed: its task {} failed or was lost{}{}", set.work.name, ended.partition,
                  has_text ? fmt::format(", on {}: {}", set.last_failure_place, set.last_failure.text) : std::string{},
                  set.kind == policies::TaskSetKind::result ? "; a result stage is not run again" : "");
  job->barrier.outcome = set.last_failure;
  auto& finished = job->progress[set.stage].finished;
  finished = std::max(0, finished - set.finished);  // all tasks run again
}

void end_task(Turn& turn, const policies::TaskEnded& ended, const TaskEffects& cause) {
  auto& state = turn.state;
  release_slot(turn, ended);
  record_end(turn, ended);
  auto* set = state.jobs.find_set(ended.set);
  if (set == nullptr) return;
  if (auto* job = state.jobs.job_of(*set)) count_end(*job, *set, ended);
  policies::StageEffects effects;
  switch (ended.outcome) {
    case policies::AttemptOutcome::success:
      if (!set->has_failed) record_success(turn, ended, *set, cause.outcome, effects);
      break;
    case policies::AttemptOutcome::resubmitted:
      if (auto* job = state.jobs.job_of(*set)) job->progress[set->stage].finished -= 1;
      mark_barrier_failed(turn, *set, ended);
      if (set->is_barrier)
        state.stage_scheduler.apply(turn.now, stage_input::BarrierFailed{ended.set.stage, ended.set.attempt}, effects);
      state.stage_scheduler.apply(
          turn.now, stage_input::TaskResubmitted{ended.set.stage, ended.set.attempt, ended.partition}, effects);
      break;
    case policies::AttemptOutcome::fetch_failed:
      mark_barrier_failed(turn, *set, ended);
      report_fetch_failure(turn, ended, *set, cause.outcome, effects);
      break;
    case policies::AttemptOutcome::executor_lost_by_application:
      count_lost_attempt(turn, *set, state.executors.find(ended.executor), cause.loss);
      [[fallthrough]];
    default:
      mark_barrier_failed(turn, *set, ended);
      if (set->is_barrier)
        state.stage_scheduler.apply(turn.now, stage_input::BarrierFailed{ended.set.stage, ended.set.attempt}, effects);
      else
        state.stage_scheduler.apply(
            turn.now, stage_input::TaskFailed{ended.set.stage, ended.set.attempt, ended.partition}, effects);
      break;
  }
  turn.effects.push(std::move(effects));
}

void finish_set(Turn& turn, policies::TaskSetKey key) {
  if (auto* set = turn.state.jobs.find_set(key)) {
    set->is_live = false;
    if (auto* job = turn.state.jobs.job_of(*set)) job->live_sets.erase(key);
    else forget_set(turn, key, true);
  }
  abort_stopped_jobs(turn);
  update_exclusions(turn);  // failures of an ended set count for the whole application
}

void kill_attempt(Turn& turn, const policies::KillAttempt& kill) {
  const auto* entry = turn.state.executors.find(kill.executor);
  const auto* set = turn.state.jobs.find_set(kill.set);
  if (entry == nullptr || !entry->is_live() || set == nullptr) return;
  turn.post(kill.executor, KillTask{entry->epoch, set->key, set->partition_of(kill.index), kill.attempt,
                                    "no longer needed: another attempt of the task succeeded, or its stage ended"});
}

}  // namespace

// -- status updates --------------------------------------------------------------------------------

bool begin_status_update(Turn& turn, const StatusUpdate& message) {
  auto* entry = turn.state.executors.current(message.executor, message.epoch);
  if (entry == nullptr) turn.write_event("stale_status_update", ports::EventFields{}.add("executor", message.executor));
  else entry->last_heard = turn.now;
  return entry != nullptr;
}

void apply_task_progress(Turn& turn, const std::vector<RunningTask>& running) {
  auto& state = turn.state;
  if (!compares_rates(state)) return;
  policies::TaskSchedulerEffects effects;
  for (const auto& task : running) {
    const policies::TaskSetKey key{task.stage.stage, task.stage.attempt};
    const auto* set = state.jobs.find_set(key);
    if (set == nullptr) continue;
    const auto launch = state.task_scheduler->find_attempt(key, set->index_of(task.index), task.attempt);
    if (launch.is_none()) continue;
    policies::AttemptStatus status;
    status.state = policies::AttemptState::running;
    status.progress = policies::AttemptProgress{task.records, Duration{task.run_us}};
    record_running(turn, launch);
    task_input::apply_attempt_status(state.task_scheduler, turn.now, launch, status, effects);
  }
  turn.effects.push(std::move(effects));
}

void finish_range(Turn& turn, ExecutorId executor, const FinishedRange& range) {
  auto& state = turn.state;
  auto& entry = *state.executors.find(executor);
  const policies::TaskSetKey key{range.stage.stage, range.stage.attempt};
  const auto* set = state.jobs.find_set(key);
  if (set == nullptr || !is_sound(range, *set)) return;
  std::int64_t total_us = 0;
  for (const auto run_us : range.run_us) total_us += run_us;
  entry.task_us = policies::average_task_us(entry.task_us, static_cast<double>(total_us) / range.count);
  if (state.settings.application_attempt > 0)
    turn.write_event("tasks_finished", ports::EventFields{}
                                           .add("stage", range.stage.stage)
                                           .add("stage_attempt", range.stage.attempt)
                                           .add("first", range.first_index)
                                           .add("count", range.count)
                                           .add("attempt", range.attempt)
                                           .add("epoch", entry.epoch)
                                           .add_column("start_us", range.start_us)
                                           .add_column("run_us", range.run_us));
  policies::TaskSchedulerEffects effects;
  policies::AttemptStatus finished;
  for (std::int32_t i = 0; i < range.count; ++i) {
    const auto launch = state.task_scheduler->find_attempt(key, set->index_of(range.first_index + i), range.attempt);
    if (launch.is_none()) continue;
    record_running(turn, launch);
    if (compares_rates(state))
      finished.progress = policies::AttemptProgress{0, Duration{range.run_us[static_cast<std::size_t>(i)]}};
    task_input::apply_attempt_status(state.task_scheduler, turn.now, launch, finished, effects);
  }
  turn.effects.push(std::move(effects));
}

void apply_status(Turn& turn, ExecutorId executor, const TaskStatus& status) {
  auto& state = turn.state;
  auto& entry = *state.executors.find(executor);
  const policies::TaskSetKey key{status.stage.stage, status.stage.attempt};
  auto* set = state.jobs.find_set(key);
  if (set == nullptr) return;
  const auto launch = state.task_scheduler->find_attempt(key, set->index_of(status.index), status.attempt);
  if (launch.is_none()) return;
  const auto& outcome = status.outcome;
  turn.write_event("task_status", ports::EventFields{}
                                      .add("stage", key.stage)
                                      .add("stage_attempt", key.attempt)
                                      .add("index", status.index)
                                      .add("attempt", status.attempt)
                                      .add("executor", executor)
                                      .add("state", static_cast<int>(outcome.state))
                                      .add("failure", static_cast<int>(outcome.failure))
                                      .add("exit_code", outcome.exit_code)
                                      .add("start_us", outcome.start_us)
                                      .add("run_us", outcome.run_us));
  if (outcome.state == TaskState::finished)
    entry.task_us = policies::average_task_us(entry.task_us, static_cast<double>(outcome.run_us));
  bool is_skipped = false;
  bool is_forgiven = false;
  bool is_unreachable = false;
  if (outcome.state == TaskState::failed) {
    is_forgiven = forgives(*set, status.index, outcome);
    is_unreachable = stays_unreachable(*set, status.index, outcome);
    set->last_failure = outcome;
    set->last_failure_place = entry.host_name;
    if (auto* job = state.jobs.job_of(*set)) {
      count_failure(*job, *set, outcome);
      is_skipped = !is_forgiven && let_fail(*job, *set, status.index, state.settings.task_scheduler.max_failures);
    }
  }
  record_running(turn, launch);
  auto attempt_status = to_attempt_status(is_skipped ? TaskOutcome{} : outcome, compares_rates(state));
  if (is_forgiven) attempt_status.failure = policies::AttemptFailure::commit_denied;  // fails without being counted
  if (is_unreachable && !is_skipped) attempt_status.failure = policies::AttemptFailure::unreachable;
  if (attempt_status.failure == policies::AttemptFailure::fetch_failed) {
    const auto source = fetch_source(state, outcome);
    attempt_status.source_executor = source.executor;
    attempt_status.source_host = source.host;
  }
  TaskEffects effects{{}, is_skipped ? nullptr : &outcome, {}};
  task_input::apply_attempt_status(state.task_scheduler, turn.now, launch, attempt_status, effects.decided);
  turn.effects.push(std::move(effects));
}

void record_running(Turn& turn, policies::LaunchId attempt) {
  if (!turn.state.settings.allocation.dynamic) return;
  if (const auto launch = turn.state.task_scheduler->launch_of(attempt); launch && launch->queued)
    record_start(turn, *launch);
}

// -- effects of the TaskScheduler --------------------------------------------------------------------

void apply(Turn& turn, const policies::TaskSchedulerEffect& effect, const TaskEffects& cause) {
  auto& state = turn.state;
  if (const auto* ended = std::get_if<policies::TaskEnded>(&effect)) {
    end_task(turn, *ended, cause);
  } else if (const auto* failed = std::get_if<policies::TaskSetFailed>(&effect)) {
    describe_failure(turn, *failed);
    policies::StageEffects effects;
    state.stage_scheduler.apply(turn.now, stage_input::SetGivenUp{failed->set.stage, failed->set.attempt}, effects);
    turn.effects.push(std::move(effects));
  } else if (const auto* large = std::get_if<policies::LargeTaskBinary>(&effect)) {
    warn_of_large_task_binary(turn, *large);
  } else if (const auto* kill = std::get_if<policies::KillAttempt>(&effect)) {
    kill_attempt(turn, *kill);
  } else if (const auto* finished = std::get_if<policies::TaskSetFinished>(&effect)) {
    finish_set(turn, finished->set);
  } else if (std::holds_alternative<policies::ReviveOffersWanted>(effect)) {
    request_full_round(turn);
  } else if (const auto* copy = std::get_if<policies::SpeculativeTaskSubmitted>(&effect)) {
    state.allocation.apply(turn.now, allocation_input::CopySubmitted{copy->set.stage, copy->set.attempt, copy->index});
  } else if (const auto* stuck = std::get_if<policies::UnschedulableSetAdded>(&effect)) {
    state.allocation.apply(turn.now, allocation_input::SetUnschedulable{stuck->set.stage, stuck->set.attempt});
  } else if (const auto* freed = std::get_if<policies::UnschedulableSetRemoved>(&effect)) {
    state.allocation.apply(turn.now, allocation_input::SetSchedulable{freed->set.stage, freed->set.attempt});
  } else if (const auto* excluded = std::get_if<policies::KillExcludedExecutor>(&effect)) {
    if (excluded->idle)
      kill_executors(turn, {excluded->executor},
                     "it is idle and excluded for the waiting tasks; another executor replaces it");
    else end_excluded(turn, {excluded->executor}, "it is excluded after failures");
  } else if (const auto* host = std::get_if<policies::KillExcludedHost>(&effect)) {
    end_excluded(turn, state.executors.live_on(host->host), "its node is excluded after failures");
  }
}

void launch_tasks(Turn& turn, const TaskEffects& effects) {
  auto& state = turn.state;
  auto held = effects.decided.resources.begin();  // in the order of the launches
  std::map<ExecutorId, std::vector<TaskRange>> ranges_of;
  for (const auto& launch : effects.decided.launches) {
    auto* set = state.jobs.find_set(launch.set);
    auto* entry = state.executors.find(launch.executor);
    HEDDLE_ASSERT(set != nullptr && entry != nullptr, "a launch of an unknown set or executor");
    entry->assign(launch.cores);
    if (set->is_barrier) {
      set->work.barrier_hosts.resize(static_cast<std::size_t>(set->tasks));
      set->work.barrier_hosts[static_cast<std::size_t>(launch.partition)] = entry->host_name;
    }
    auto& ranges = ranges_of[launch.executor];
    if (ranges.empty() || !continues(ranges.back(), set->key, launch.partition, launch.attempt))
      ranges.push_back({set->key, launch.partition, 0, launch.attempt, {}});
    ranges.back().count += 1;
    if (held != effects.decided.resources.end() && held->id == launch.id) {
      ranges.back().devices.push_back(entry->devices.assign(launch.id, held->shares));
      ++held;
    }
    auto& job = state.jobs.all().at(set->key.job);
    if (const auto* split = job.plan.split(set->root, launch.partition)) ranges.back().splits.push_back(*split);
    job.progress[set->stage].locality[static_cast<std::size_t>(launch.level)] += 1;
    job.totals.locality[static_cast<std::size_t>(launch.level)] += 1;
    count_launch(job, *set, launch, 1);
    if (launch.speculative)
      turn.notify_clients_once(
          fmt::format("slow tasks of stage '{}' run a second time on other executors", job.progress[set->stage].name));
    // A queued task starts when its executor reports so.
    if (state.settings.allocation.dynamic && !launch.queued) record_start(turn, launch);
  }
  state.rounds.on_launched();
  for (auto& [executor, ranges] : ranges_of) post_ranges(turn, executor, std::move(ranges));
}

}  // namespace heddle::actors
