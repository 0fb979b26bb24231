// Everything the Driver says to executors, to the source of executors and to clients.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "actors/driver/driver.hpp"

namespace heddle::actors {
namespace {

constexpr std::int32_t splits_per_message = 2048;  // keeps a message below 1 MiB

bool continues(const TaskRange& range, const StageKey& stage, std::int32_t partition, std::int32_t attempt) {
  return range.stage == stage && range.attempt == attempt && range.first_index + range.count == partition;
}

}  // namespace

void Driver::launch(const policies::TaskSchedulerEffects& effects) {
  if (effects.launches.empty()) return;
  auto held = effects.resources.begin();  // in the order of the launches
  const auto now = tools_.clock->now();
  std::map<ExecutorId, std::vector<TaskRange>> ranges_of;
  for (const auto& launch : effects.launches) {
    auto* set = find_set(launch.set);
    auto* entry = executors_.find(launch.executor);
    HEDDLE_ASSERT(set != nullptr && entry != nullptr, "a launch of an unknown set or executor");
    entry->take(launch.cores);
    if (set->is_barrier) {
      set->work.barrier_hosts.resize(static_cast<std::size_t>(set->tasks));
      set->work.barrier_hosts[static_cast<std::size_t>(launch.partition)] = entry->host_name;
    }
    auto& ranges = ranges_of[launch.executor];
    if (ranges.empty() || !continues(ranges.back(), set->key, launch.partition, launch.attempt))
      ranges.push_back({set->key, launch.partition, 0, launch.attempt, {}});
    ranges.back().count += 1;
    if (held != effects.resources.end() && held->id == launch.id) {
      ranges.back().devices.push_back(entry->devices.take(launch.id, held->shares));
      ++held;
    }
    auto& job = jobs_.at(set->key.job);
    if (const auto* split = job.plan.split(set->root, launch.partition)) ranges.back().splits.push_back(*split);
    job.progress[set->stage].locality[static_cast<std::size_t>(launch.level)] += 1;
    job.totals.locality[static_cast<std::size_t>(launch.level)] += 1;
    if (launch.speculative)
      tell_notice_once(
          fmt::format("slow tasks of stage '{}' run a second time on other executors", job.progress[set->stage].name));
    // A task that is queued ahead waits on: it starts when its executor says so.
    if (settings_.allocation.dynamic && !launch.queued) note_started(now, launch);
  }
  last_launch_ = now;
  has_ended_starvation_ = true;
  for (auto& [executor, ranges] : ranges_of) send_ranges(executor, std::move(ranges));
}

void Driver::note_started(Instant now, const policies::TaskLaunch& launch) {
  allocation_.on_task_started(now, launch.set.stage, launch.set.attempt, launch.index, launch.executor,
                              launch.speculative);
}

void Driver::note_reported(Instant now, policies::LaunchId attempt) {
  if (!settings_.allocation.dynamic) return;
  if (const auto launch = task_scheduler_.launch_of(attempt); launch && launch->queued) note_started(now, *launch);
}

void Driver::tell_exclusion(const policies::TaskEnded& failed) {
  const auto* set = find_set(failed.set);
  const auto* entry = executors_.find(failed.executor);
  if (set == nullptr || entry == nullptr) return;
  const auto job = jobs_.find(set->key.job);
  if (job == jobs_.end()) return;
  const auto& stage = job->second.progress[set->stage].name;
  if (task_scheduler_.is_host_excluded(failed.set, entry->host, -1))
    tell_notice_once(
        fmt::format("host {} gets no more tasks of stage '{}': too many failed there", entry->host_name, stage));
  else if (task_scheduler_.is_executor_excluded(failed.set, failed.executor, -1))
    tell_notice_once(fmt::format("executor {} on {} gets no more tasks of stage '{}': too many failed there",
                                 failed.executor.value, entry->host_name, stage));
}

void Driver::note_ended(Instant now, const policies::TaskEnded& ended) {
  if (settings_.task_scheduler.exclusion && ended.outcome == policies::AttemptOutcome::exception) tell_exclusion(ended);
  if (!settings_.allocation.dynamic || ended.queued) return;
  auto reason = policies::TaskEndReason::failed;
  if (ended.outcome == policies::AttemptOutcome::success) reason = policies::TaskEndReason::success;
  if (ended.outcome == policies::AttemptOutcome::killed) reason = policies::TaskEndReason::killed;
  allocation_.on_task_ended(now, ended.set.stage, ended.set.attempt, ended.index, ended.executor, ended.speculative,
                            reason);
}

void Driver::send_ranges(ExecutorId executor, std::vector<TaskRange> ranges) {
  auto& entry = *executors_.find(executor);
  std::vector<TaskRange> tasks;
  const TaskSetRecord* to_install = nullptr;
  std::int32_t splits = 0;
  const auto tell = [&] {
    if (to_install != nullptr) self_->send(entry.handle, InstallStage{entry.epoch, to_install->work, std::move(tasks)});
    else if (!tasks.empty()) self_->send(entry.handle, LaunchTask{entry.epoch, std::move(tasks)});
    tasks.clear();
    to_install = nullptr;
    splits = 0;
  };
  for (auto& range : ranges) {
    const auto* set = find_set({range.stage.stage, range.stage.attempt});
    for (const auto& shuffle : set->work.shuffle_inputs) send_map_outputs(executor, entry, shuffle);
    if (entry.installed.insert(set->key).second) {
      tell();
      to_install = set;
    } else if (to_install != nullptr && to_install != set) {
      tell();
    }
    write_event("tasks_launched", ports::EventFields{}
                                      .add("executor", executor)
                                      .add("stage", range.stage.stage)
                                      .add("stage_attempt", range.stage.attempt)
                                      .add("first", range.first_index)
                                      .add("count", range.count)
                                      .add("attempt", range.attempt));
    splits += static_cast<std::int32_t>(range.splits.size());
    tasks.push_back(std::move(range));
    if (splits >= splits_per_message) tell();
  }
  tell();
}

/// The last word about a stage. While it is only about memory there, it waits for others of its kind, or for a
/// heartbeat.
void Driver::forget_stage(ExecutorEntry& entry, const StageKey& stage, bool is_urgent) {
  constexpr std::size_t stages_per_message = 32;
  if (entry.installed.erase(stage) == 0 || !entry.handle) return;
  entry.ended.push_back(stage);
  if (is_urgent || entry.ended.size() >= stages_per_message) tell_ended(entry);
}

void Driver::tell_ended(ExecutorEntry& entry) {
  if (!entry.ended.empty()) self_->send(entry.handle, ForgetStage{entry.epoch, std::exchange(entry.ended, {})});
}

void Driver::send_map_outputs(ExecutorId executor, const ExecutorEntry& entry, const ShuffleInput& shuffle) {
  const auto location_of = [this](ExecutorId id) {
    const auto* writer = executors_.find(id);
    return writer == nullptr ? nullptr : &writer->place;
  };
  for (auto& update : broadcast_.update(executor, entry.epoch, shuffle, stage_scheduler_.outputs(), location_of))
    std::visit([&](auto& message) { self_->send(entry.handle, std::move(message)); }, update);
}

void Driver::forget_outputs(ShuffleId shuffle) {
  broadcast_.forget_shuffle(shuffle);
  migration_.forget(shuffle);
}

void Driver::kill_attempt(const policies::KillAttempt& kill) {
  auto* entry = executors_.find(kill.executor);
  const auto* set = find_set(kill.set);
  if (entry == nullptr || !entry->handle || set == nullptr) return;
  self_->send(entry->handle,
              KillTask{entry->epoch, set->key, set->partition_of(kill.index), kill.attempt, "not needed any more"});
}

/// What is to go is offered nothing any more; its loss is told by its source.
void Driver::kill_executors(const std::vector<ExecutorId>& executors, const std::string& reason) {
  if (executors.empty() || !executor_source_) return;
  for (const auto id : executors)
    if (auto* entry = executors_.find(id)) entry->is_offered = false;
  self_->send(executor_source_, KillExecutors{executors, reason});
}

void Driver::end_excluded(Instant now, const std::vector<ExecutorId>& executors, const std::string& reason) {
  if (settings_.drain_excluded) drain_executors(now, executors, reason);
  else kill_executors(executors, reason);
}

/// They get nothing new, and go when what runs there has ended.
void Driver::drain_executors(Instant now, const std::vector<ExecutorId>& executors, const std::string& reason,
                             bool whole_host) {
  std::vector<ExecutorId> idle;
  for (const auto id : executors) {
    auto* entry = executors_.find(id);
    if (entry == nullptr || !entry->handle) continue;
    entry->is_offered = false;
    count_slots(*entry, -1);
    entry->draining = reason;
    if (entry->assigned == 0) idle.push_back(id);
    policies::TaskSchedulerEffects effects;
    task_scheduler_.on_decommission(now, id, whole_host, effects);
    carry_out(now, effects);
  }
  kill_executors(idle, reason);
}

/// Those that have begun to work since they were found idle stay.
std::vector<ExecutorId> Driver::still_idle(const std::vector<ExecutorId>& executors) {
  std::vector<ExecutorId> idle;
  for (const auto id : executors)
    if (const auto* entry = executors_.find(id);
        entry != nullptr && entry->handle && entry->is_offered && entry->assigned == 0)
      idle.push_back(id);
  return idle;
}

/// The source is told the whole wish, with the hosts where nothing may start.
void Driver::tell_wanted() {
  wanted_.excluded_hosts.clear();
  if (settings_.task_scheduler.exclusion)
    for (const auto& [name, host] : hosts_)
      if (task_scheduler_.is_host_excluded(host)) wanted_.excluded_hosts.push_back(name);
  if (executor_source_) self_->send(executor_source_, wanted_);
}

/// Exclusions come and go with failures and time; whoever starts executors hears of it once.
void Driver::tell_exclusions() {
  if (!settings_.task_scheduler.exclusion) return;
  const auto is_told = [this](const std::string& name) {
    return std::find(wanted_.excluded_hosts.begin(), wanted_.excluded_hosts.end(), name) !=
           wanted_.excluded_hosts.end();
  };
  const bool is_changed = std::any_of(hosts_.begin(), hosts_.end(), [&](const auto& item) {
    return task_scheduler_.is_host_excluded(item.second) != is_told(item.first);
  });
  if (!is_changed) return;
  for (const auto& [name, host] : hosts_)
    if (const bool is_excluded = task_scheduler_.is_host_excluded(host); is_excluded != is_told(name))
      tell_notice(fmt::format(
          "host {} {}", name,
          is_excluded ? "is excluded: too many tasks failed there" : "gets tasks again: its exclusion has expired"));
  tell_wanted();
}

void Driver::warn_of_starvation(Instant now) {
  if (has_ended_starvation_) starvation_due_.reset();
  if (!starvation_due_ || now < *starvation_due_) return;
  starvation_due_ = now + settings_.starvation_timeout;
  tell_notice("the first job has been offered no slot yet; are there executors, and have they room?");
}

void Driver::want_executors(const policies::AllocationEffects& effects) {
  for (const auto& effect : effects) {
    const auto now = tools_.clock->now();
    policies::AllocationEffects more;
    if (const auto* totals = std::get_if<policies::RequestExecutorTotals>(&effect)) {
      wanted_.profiles.clear();
      for (const auto& total : totals->profiles) wanted_.profiles.push_back(wish_of(total));
      tell_wanted();
      if (totals->needs_answer) allocation_.on_request_answered(now, true, more);
    } else if (const auto* remove = std::get_if<policies::RemoveIdleExecutors>(&effect)) {
      const auto leaving = executor_source_ ? still_idle(remove->executors) : std::vector<ExecutorId>{};
      if (remove->decommission) drain_executors(now, leaving, "idle");
      else kill_executors(leaving, "idle");
      allocation_.on_kill_answered(now, leaving, more);
    }
    want_executors(more);
  }
}

void Driver::tell_progress(JobRecord& job) {
  if (!job.client) return;
  const auto now = tools_.clock->now();
  JobProgress message;
  message.job = job.id;
  for (auto& [stage, progress] : job.progress) {
    auto now_running = progress;
    now_running.running = 0;
    for (const auto& key : job.live_sets)
      if (const auto* set = find_set(key); set != nullptr && set->stage == stage)
        if (const auto live = task_scheduler_.progress(key)) now_running.running += live->running;
    now_running.is_done = progress.is_done || now_running.finished >= now_running.tasks;
    auto& times = job.times[stage];
    if (now_running.is_done && !times.ended) times.ended = now;
    now_running.elapsed_us = (times.ended.value_or(now) - times.begun).count();
    message.stages.push_back(std::move(now_running));
  }
  message.executors = executors_.live();
  message.executors_wanted = wanted_.target_total();
  if (message.executors == 0 && wanted_.target_total() > 0) {
    message.waiting = fmt::format("no executor has registered yet; {} wanted", wanted_.target_total());
  } else if (short_of_slots_.contains(job.id)) {
    message.waiting = lack_of_slots(job);
  } else if (!job.live_sets.empty()) {
    const auto explanation = task_scheduler_.explain(now, *job.live_sets.begin());
    if (explanation.refusal != policies::TaskRefusal::none) message.waiting = explanation.text;
  }
  self_->send(job.client, std::move(message));
}

void Driver::tell_notice_once(const std::string& text) {
  constexpr std::size_t told_max = 1000;
  if (told_once_.size() < told_max && told_once_.insert(text).second) tell_notice(text);
}

void Driver::tell_notice(const std::string& text) {
  std::set<ClientActor> told;  // one has many jobs
  for (auto& [id, job] : jobs_)
    if (job.client && told.insert(job.client).second) self_->send(job.client, Notice{text});
}

}  // namespace heddle::actors
