// Everything the Driver says to executors, to the source of executors and to clients.
#include <fmt/format.h>

#include <algorithm>

#include "actors/driver/driver.hpp"

namespace heddle::actors {
namespace {

constexpr std::int32_t splits_per_message = 2048;  // keeps a message below 1 MiB
constexpr std::int32_t maps_per_message = 65'536;

bool continues(const TaskRange& range, const StageKey& stage, std::int32_t partition, std::int32_t attempt) {
  return range.stage == stage && range.attempt == attempt && range.first_index + range.count == partition;
}

}  // namespace

void Driver::launch(const std::vector<policies::TaskLaunch>& launches) {
  if (launches.empty()) return;
  const auto now = tools_.clock->now();
  std::map<ExecutorId, std::vector<TaskRange>> ranges_of;
  for (const auto& launch : launches) {
    auto* set = find_set(launch.set);
    auto* entry = executors_.find(launch.executor);
    HEDDLE_ASSERT(set != nullptr && entry != nullptr, "a launch of an unknown set or executor");
    entry->assigned += 1;
    auto& ranges = ranges_of[launch.executor];
    if (ranges.empty() || !continues(ranges.back(), set->key, launch.partition, launch.attempt))
      ranges.push_back({set->key, launch.partition, 0, launch.attempt, {}});
    ranges.back().count += 1;
    auto& job = jobs_.at(set->key.job);
    if (const auto* split = job.plan.split(set->root, launch.partition)) ranges.back().splits.push_back(*split);
    job.progress[set->stage].locality[static_cast<std::size_t>(launch.level)] += 1;
    job.totals.locality[static_cast<std::size_t>(launch.level)] += 1;
    if (settings_.allocation.dynamic)
      allocation_.on_task_started(now, launch.set.stage, launch.set.attempt, launch.index, launch.executor, launch.speculative);
  }
  last_launch_ = now;
  for (auto& [executor, ranges] : ranges_of) send_ranges(executor, std::move(ranges));
}

void Driver::send_ranges(ExecutorId executor, std::vector<TaskRange> ranges) {
  auto& entry = *executors_.find(executor);
  for (const auto& range : ranges) install(entry, *find_set({range.stage.stage, range.stage.attempt}));
  LaunchTask message{entry.epoch, {}};
  std::int32_t splits = 0;
  for (auto& range : ranges) {
    write_event("tasks_launched", ports::EventFields{}
                                      .add("executor", executor)
                                      .add("stage", range.stage.stage)
                                      .add("stage_attempt", range.stage.attempt)
                                      .add("first", range.first_index)
                                      .add("count", range.count)
                                      .add("attempt", range.attempt));
    splits += static_cast<std::int32_t>(range.splits.size());
    message.tasks.push_back(std::move(range));
    if (splits < splits_per_message) continue;
    self_->send(entry.handle, std::move(message));
    message = LaunchTask{entry.epoch, {}};
    splits = 0;
  }
  if (!message.tasks.empty()) self_->send(entry.handle, std::move(message));
}

void Driver::install(ExecutorEntry& entry, const TaskSetRecord& set) {
  for (const auto& shuffle : set.work.shuffle_inputs) tell_outputs(entry, shuffle);
  if (entry.installed.insert(set.key).second) self_->send(entry.handle, InstallStage{entry.epoch, set.work});
}

void Driver::tell_outputs(ExecutorEntry& entry, const ShuffleInput& shuffle) {
  const auto version = outputs_version_[shuffle.shuffle];
  const auto [told, is_new] = entry.outputs_told.try_emplace(shuffle.shuffle, version);
  if (!is_new && told->second == version) return;
  told->second = version;
  const auto& outputs = stage_scheduler_.outputs();
  for (std::int32_t first = 0; first < shuffle.maps || first == 0; first += maps_per_message) {
    MapOutputs message{entry.epoch, shuffle.shuffle, shuffle.maps, first, {}, {}};
    std::map<ExecutorId, std::int32_t> index_of;
    for (std::int32_t map = first; map < std::min(shuffle.maps, first + maps_per_message); ++map) {
      const auto place = outputs.place(shuffle.shuffle, map);
      const auto* writer = executors_.find(place.executor);
      if (place.is_none() || writer == nullptr) {
        message.place_of_map.push_back(-1);
        continue;
      }
      const auto [index, first_seen] = index_of.try_emplace(place.executor, static_cast<std::int32_t>(message.places.size()));
      if (first_seen) message.places.push_back(writer->place);
      message.place_of_map.push_back(index->second);
    }
    self_->send(entry.handle, std::move(message));
  }
}

void Driver::kill_attempt(const policies::KillAttempt& kill) {
  auto* entry = executors_.find(kill.executor);
  const auto* set = find_set(kill.set);
  if (entry == nullptr || !entry->handle || set == nullptr) return;
  self_->send(entry->handle, KillTask{entry->epoch, set->key, set->partition_of(kill.index), kill.attempt, "not needed any more"});
}

void Driver::want_executors(const policies::AllocationEffects& effects) {
  for (const auto& effect : effects) {
    const auto now = tools_.clock->now();
    policies::AllocationEffects more;
    if (const auto* totals = std::get_if<policies::RequestExecutorTotals>(&effect)) {
      for (const auto& profile : totals->profiles) {
        wanted_.target_total = profile.total;
        wanted_.locality_tasks = profile.locality_tasks;
        wanted_.hosts.clear();
        for (const auto& host : profile.hosts)
          wanted_.hosts.emplace_back(host_names_[static_cast<std::size_t>(host.host.value)], host.tasks);
      }
      if (executor_source_) self_->send(executor_source_, wanted_);
      if (totals->needs_answer) allocation_.on_request_answered(now, true, more);
    } else if (const auto* remove = std::get_if<policies::RemoveIdleExecutors>(&effect)) {
      if (executor_source_) self_->send(executor_source_, KillExecutors{remove->executors, "idle"});
      allocation_.on_kill_answered(now, executor_source_ ? remove->executors : std::vector<ExecutorId>{}, more);
    }
    want_executors(more);
  }
}

void Driver::tell_progress(JobRecord& job) {
  if (!job.client) return;
  JobProgress message;
  message.job = job.id;
  for (auto& [stage, progress] : job.progress) {
    auto now_running = progress;
    now_running.running = 0;
    for (const auto& key : job.live_sets)
      if (const auto* set = find_set(key); set != nullptr && set->stage == stage)
        if (const auto live = task_scheduler_.progress(key)) now_running.running += live->running;
    now_running.is_done = progress.is_done || now_running.finished >= now_running.tasks;
    message.stages.push_back(std::move(now_running));
  }
  message.executors = executors_.live();
  message.executors_wanted = wanted_.target_total;
  const auto now = tools_.clock->now();
  if (message.executors == 0 && wanted_.target_total > 0) {
    message.waiting = fmt::format("no executor has registered yet; {} wanted", wanted_.target_total);
  } else if (!job.live_sets.empty()) {
    const auto explanation = task_scheduler_.explain(now, *job.live_sets.begin());
    if (explanation.refusal != policies::TaskRefusal::none) message.waiting = explanation.text;
  }
  self_->send(job.client, std::move(message));
}

void Driver::tell_notice(const std::string& text) {
  for (auto& [id, job] : jobs_)
    if (job.client) self_->send(job.client, Notice{text});
}

}  // namespace heddle::actors
