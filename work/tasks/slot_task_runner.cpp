#include "work/tasks/slot_task_runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "work/commands/process_tree.hpp"
#include "work/tasks/slot.hpp"

namespace heddle::work {

SlotTaskRunner::SlotTaskRunner(SlotTaskRunnerSettings settings, const FunctionRegistry& functions,
                               ports::ShuffleFetch& fetch, const ports::Clock& clock)
    : settings_{std::move(settings)},
      functions_{functions},
      clock_{clock},
      shipped_{*settings_.files, settings_.work_directory + "/shipped"} {
  for (std::int32_t i = 0; i < std::max(settings_.slots, 1); ++i) {
    slots_.push_back(std::make_unique<Slot>());
    slots_.back()->execution = std::make_unique<TaskExecution>(settings_, fetch, locations_, shipped_);
  }
}

SlotTaskRunner::~SlotTaskRunner() { stop(); }

Result<Done> SlotTaskRunner::make_threads() {
  std::size_t made = 0;
  try {
    const std::lock_guard lock{mutex_};
    if (is_stopping_ || slots_.front()->thread.joinable()) return Done{};
    become_subreaper();
    for (; made < slots_.size(); ++made)
      slots_[made]->thread = std::thread{[this, one = slots_[made].get()] { run_slot(*one); }};
    if (settings_.has_reporter) reporter_ = std::thread{[this] { run_reporter(); }};
  } catch (const std::system_error& fault) {
    stop();
    return Error{
        Errc::io,
        fmt::format(
            "cannot start the thread of task slot {} of {}: {}; use fewer slots, or raise the limits of processes "
            "(ulimit -u) and memory (ulimit -v)",
            std::min(made + 1, slots_.size()), slots_.size(), fault.code().message())};
  }
  return Done{};
}

void SlotTaskRunner::start(OnReports on_reports) {
  {
    const std::lock_guard lock{mutex_};
    if (is_stopping_) return;  // a session can end before its executor starts
    on_reports_ = std::move(on_reports);
  }
  if (auto made = make_threads(); !made) throw std::runtime_error{made.error().text};
}

void SlotTaskRunner::load_stage(std::shared_ptr<const StageProgram> work) {
  auto state = std::make_shared<InstalledStage>();
  state->functions = find_functions(*work, functions_);
  if (const auto fault = fault_of(*work); !fault.empty())
    state->functions.missing = fmt::format("the executor got a stage that it cannot run: {}", fault);
  state->work = std::move(work);
  const std::lock_guard lock{mutex_};
  const StageKey key = state->work->key;
  stages_[key] = std::move(state);
}

void SlotTaskRunner::unload_stage(const StageKey& stage) {
  const std::lock_guard lock{mutex_};
  if (const auto found = stages_.find(stage); found != stages_.end()) {
    const auto state = std::move(found->second);
    stages_.erase(found);
    for (const auto& input : state->work->shuffle_inputs)
      if (!is_read(input.shuffle)) locations_.erase(input.shuffle);
  }
  for (auto& range : queue_) {
    if (range->range.stage == stage) range->retract(range->range.count);
  }
}

void SlotTaskRunner::set_locations(std::shared_ptr<const ports::ShuffleLocations> locations) {
  locations_.set(std::move(locations));
}

void SlotTaskRunner::run(TaskRange range) {
  if (const auto fault = fault_of(range); !fault.empty())
    return refuse(range, fmt::format("the executor got a launch message that it cannot use: {}", fault));
  auto queued = std::make_shared<QueuedRange>();
  queued->window = QueuedRange::pack(0, static_cast<std::uint32_t>(range.count));
  queued->range = std::move(range);
  bool is_single = queued->range.count == 1;
  {
    const std::lock_guard lock{mutex_};
    const auto stage = stages_.find(queued->range.stage);
    if (stage != stages_.end()) {
      queued->stage = stage->second;
      queue_.push_back(queued);
    }
  }
  if (!queued->stage) return refuse(queued->range, "the executor got a task of a stage that it has not loaded");
  if (is_single) work_available_.notify_one();
  else work_available_.notify_all();
}

std::vector<TaskRange> SlotTaskRunner::retract(std::int32_t count) {
  std::vector<TaskRange> result;
  const std::lock_guard lock{mutex_};
  for (auto range = queue_.rbegin(); range != queue_.rend() && count > 0; ++range) {
    const auto [first, taken] = (*range)->retract(count);
    if (taken == 0) continue;
    count -= taken;
    TaskRange part;
    part.stage = (*range)->range.stage;
    part.first_index = (*range)->range.first_index + first;
    part.count = taken;
    part.attempt = (*range)->range.attempt;
    const auto& splits = (*range)->range.splits;
    if (!splits.empty()) part.splits.assign(splits.begin() + first, splits.begin() + first + taken);
    const auto& devices = (*range)->range.devices;
    if (!devices.empty()) part.devices.assign(devices.begin() + first, devices.begin() + first + taken);
    result.push_back(std::move(part));
  }
  return result;
}

void SlotTaskRunner::kill(const StageKey& stage, std::int32_t index, std::int32_t attempt, const std::string& reason) {
  std::vector<ports::TaskReport> reports;
  {
    const std::lock_guard lock{mutex_};
    if (kill_running(stage, index, attempt, reason)) return;
    const auto mark = [&](QueuedRange& range) {
      const std::int32_t offset = index - range.range.first_index;
      if (range.range.stage != stage || range.range.attempt != attempt || offset < 0 || offset >= range.range.count)
        return;
      range.kill_reason = reason;
      auto& is_reported = range.killed[offset];
      range.has_killed = true;
      // Either this code sees the claim, or the claiming slot sees the entry.
      const auto window = range.window.load();
      const auto at = static_cast<std::uint32_t>(offset);
      if (at >= QueuedRange::begin_of(window) && at < QueuedRange::end_of(window) && !is_reported) {
        is_reported = true;
        reports.push_back(killed_report(range, offset, reason));
      }
    };
    for (const auto& range : queue_) mark(*range);
    // A range leaves the queue with its last claim, before that attempt starts: slots still refer to it.
    for (const auto& slot : slots_)
      if (slot->source) mark(*slot->source);
  }
  if (!reports.empty()) on_reports_(std::move(reports));
}

void SlotTaskRunner::drop_all(const std::string& reason) {
  const std::lock_guard lock{mutex_};
  const auto drop = [&reason](QueuedRange& range) {
    range.retract(range.range.count);
    // Claimed attempts that have not started are skipped without a report.
    for (std::int32_t offset = 0; offset < range.range.count; ++offset) range.killed[offset] = true;
    range.kill_reason = reason;
    range.has_killed = true;
  };
  for (const auto& range : queue_) drop(*range);
  for (auto& slot : slots_) {
    if (slot->source) drop(*slot->source);
    const std::lock_guard one{slot->mutex};
    if (!slot->range) continue;
    slot->kill_reason = reason;
    slot->execution->kill();
  }
}

std::vector<RunningTask> SlotTaskRunner::running() {
  std::vector<RunningTask> found;
  const auto now_us = clock_.now().time_since_epoch().count();
  for (const auto& slot : slots_) {
    const std::lock_guard lock{slot->mutex};
    if (!slot->range) continue;
    const auto records = slot->execution->records_read();
    if (records == 0) continue;
    const auto& range = slot->range->range;
    found.push_back({range.stage, range.first_index + slot->offset, range.attempt, records, now_us - slot->start_us});
  }
  return found;
}

void SlotTaskRunner::stop() {
  {
    const std::lock_guard lock{mutex_};
    if (is_stopping_) return;
    is_stopping_ = true;
    for (auto& range : queue_) range->retract(range->range.count);
  }
  work_available_.notify_all();
  stopped_.notify_all();
  for (auto& slot : slots_) {
    const std::lock_guard lock{slot->mutex};
    if (slot->range) slot->execution->kill();
  }
  wake_reporter();
  for (auto& slot : slots_) {
    if (slot->thread.joinable()) slot->thread.join();
  }
  if (reporter_.joinable()) reporter_.join();
  // Processes that changed their session and environment, so that no task could find them.
  kill_orphans();
}

bool SlotTaskRunner::is_read(ShuffleId shuffle) const {
  return std::any_of(stages_.begin(), stages_.end(), [&](const auto& stage) {
    const auto& inputs = stage.second->work->shuffle_inputs;
    return std::any_of(inputs.begin(), inputs.end(), [&](const auto& input) { return input.shuffle == shuffle; });
  });
}

void SlotTaskRunner::refuse(const TaskRange& range, const std::string& text) {
  const bool has_tasks = are_partitions(range.first_index, range.count);
  std::vector<ports::TaskReport> reports(static_cast<std::size_t>(has_tasks ? range.count : 1));
  for (std::size_t i = 0; i < reports.size(); ++i) {
    auto& report = reports[i];
    report.stage = range.stage;
    report.index = std::max(range.first_index, 0) + static_cast<std::int32_t>(i);
    report.attempt = range.attempt;
    report.outcome.state = TaskState::failed;
    report.outcome.failure = FailureKind::internal;
    report.outcome.text = text;
  }
  on_reports_(std::move(reports));
}

template <class Act>
bool SlotTaskRunner::with_slot_of(const StageKey& stage, std::int32_t index, std::int32_t attempt, const Act& act) {
  for (auto& slot : slots_) {
    const std::lock_guard lock{slot->mutex};
    if (!slot->range || slot->range->range.stage != stage || slot->range->range.attempt != attempt) continue;
    if (slot->range->range.first_index + slot->offset != index) continue;
    act(*slot);
    return true;
  }
  return false;
}

bool SlotTaskRunner::kill_running(const StageKey& stage, std::int32_t index, std::int32_t attempt,
                                  const std::string& reason) {
  return with_slot_of(stage, index, attempt, [&reason](Slot& slot) {
    slot.kill_reason = reason;
    slot.execution->kill();
  });
}

void SlotTaskRunner::add_sign() {
  for (auto& slot : slots_) {
    const std::lock_guard lock{slot->mutex};
    if (slot->range) slot->execution->add_sign();
  }
}

std::optional<ports::TaskProgress> SlotTaskRunner::progress(const StageKey& stage, std::int32_t index,
                                                            std::int32_t attempt) {
  std::optional<ports::TaskProgress> found;
  with_slot_of(stage, index, attempt, [&found](Slot& slot) { found = slot.execution->progress(); });
  return found;
}

}  // namespace heddle::work
