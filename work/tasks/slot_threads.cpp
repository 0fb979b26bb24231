// Thread functions of SlotTaskRunner: slots claim and execute attempts, the reporter sends their reports.
#include <algorithm>
#include <chrono>
#include <exception>
#include <iterator>
#include <utility>

#include "work/tasks/slot.hpp"
#include "work/tasks/slot_task_runner.hpp"

namespace heddle::work {

void SlotTaskRunner::run_slot(Slot& slot) {
  std::shared_ptr<QueuedRange> range;
  bool is_first = true;
  std::int64_t now_us = 0;
  while (true) {
    std::int32_t offset = range ? range->claim() : -1;
    if (offset < 0) {
      const bool waited = next_range(slot, range);
      if (!range) return;
      is_first = is_first || waited;
      continue;
    }
    // Consecutive tasks share one clock reading: the end of one is the start of the next.
    if (is_first) now_us = clock_.now().time_since_epoch().count();
    is_first = false;
    now_us = run_attempt(slot, range, offset, now_us);
  }
}

std::int64_t SlotTaskRunner::run_attempt(Slot& slot, const std::shared_ptr<QueuedRange>& range, std::int32_t offset,
                                         std::int64_t start_us) {
  slot.execution->prepare();
  {
    const std::lock_guard lock{slot.mutex};
    slot.range = range;
    slot.offset = offset;
    slot.start_us = start_us;
    slot.is_reported_running = false;
  }
  ports::TaskReport report = report_of(*range, offset);
  // stop() kills an attempt that it sees in the slot; otherwise this thread sees the flag.
  const bool is_skipped = is_stopping() || (range->has_killed.load() && was_killed(*range, offset, report));
  std::int64_t end_us = start_us;
  if (!is_skipped) {
    if (is_reporter_asleep_.load()) wake_reporter();
    execute(slot, *range, offset, report);
    end_us = clock_.now().time_since_epoch().count();
    if (settings_.slowness > 1.0) end_us = simulate_slowness(start_us, end_us);
  }
  report.outcome.start_us = start_us;
  report.outcome.run_us = end_us - start_us;
  std::size_t waiting = 0;
  {
    const std::lock_guard lock{slot.mutex};
    if (report.outcome.state == TaskState::killed && report.outcome.text.empty())
      report.outcome.text = slot.kill_reason;
    slot.range.reset();
    // kill() may have reported the attempt already.
    if (!is_skipped || !report.outcome.text.empty()) slot.reports.push_back(std::move(report));
    waiting = slot.reports.size();
  }
  if (waiting >= static_cast<std::size_t>(settings_.reports_max)) flush(slot);
  return end_us;
}

void SlotTaskRunner::execute(Slot& slot, const QueuedRange& range, std::int32_t offset, ports::TaskReport& report) {
  const auto& splits = range.range.splits;
  const auto& devices = range.range.devices;
  const auto place = static_cast<std::size_t>(offset);
  const TaskAttempt attempt{range.stage->work.get(),
                            &range.stage->functions,
                            report.index,
                            report.attempt,
                            splits.empty() ? nullptr : &splits[place],
                            devices.empty() ? nullptr : &devices[place]};
  try {
    slot.execution->execute(attempt, report.outcome);
  } catch (const std::exception& fault) {
    report.outcome.state = TaskState::failed;
    report.outcome.failure = FailureKind::internal;
    report.outcome.text = std::string{"the executor could not run the task: "} + fault.what();
  }
}

bool SlotTaskRunner::was_killed(QueuedRange& range, std::int32_t offset, ports::TaskReport& report) {
  const std::lock_guard lock{mutex_};
  const auto found = range.killed.find(offset);
  if (found == range.killed.end()) return false;
  if (!found->second) report = killed_report(range, offset, range.kill_reason.empty() ? "killed" : range.kill_reason);
  found->second = true;
  return true;
}

std::int64_t SlotTaskRunner::simulate_slowness(std::int64_t start_us, std::int64_t end_us) {
  const auto longer = static_cast<std::int64_t>(static_cast<double>(end_us - start_us) * (settings_.slowness - 1.0));
  std::unique_lock lock{mutex_};
  stopped_.wait_for(lock, std::chrono::microseconds{longer}, [this] { return is_stopping_.load(); });
  return clock_.now().time_since_epoch().count();
}

bool SlotTaskRunner::next_range(Slot& slot, std::shared_ptr<QueuedRange>& range) {
  range.reset();
  std::unique_lock lock{mutex_};
  const auto find = [&] {
    while (!queue_.empty() && queue_.front()->is_empty()) queue_.pop_front();
    if (!queue_.empty()) range = queue_.front();
    return range != nullptr || is_stopping_;
  };
  if (find()) {
    if (is_stopping_) range.reset();
    slot.source = range;
    return false;
  }
  slot.source.reset();
  lock.unlock();
  flush(slot);
  lock.lock();
  work_available_.wait(lock, find);
  if (is_stopping_) range.reset();
  slot.source = range;
  return true;
}

void SlotTaskRunner::flush(Slot& slot) {
  const std::lock_guard order{slot.flush};
  std::vector<ports::TaskReport> reports;
  {
    const std::lock_guard lock{slot.mutex};
    reports.swap(slot.reports);
    slot.reports.reserve(std::min<std::size_t>(reports.size(), static_cast<std::size_t>(settings_.reports_max)));
  }
  if (!reports.empty() && !is_stopping()) on_reports_(std::move(reports));
}

bool SlotTaskRunner::flush_all() {
  std::vector<std::unique_lock<std::mutex>> orders;
  std::vector<ports::TaskReport> reports;
  bool is_active = false;
  for (auto& slot : slots_) {
    orders.emplace_back(slot->flush);
    const std::lock_guard lock{slot->mutex};
    // Tasks that came and went between two looks count too: the next ones would each have to wake this thread.
    is_active = is_active || !slot->reports.empty() || slot->start_us != slot->seen_start_us;
    slot->seen_start_us = slot->start_us;
    reports.insert(reports.end(), std::make_move_iterator(slot->reports.begin()),
                   std::make_move_iterator(slot->reports.end()));
    slot->reports.clear();
    if (!slot->range || slot->is_reported_running) continue;
    is_active = true;
    if (clock_.now().time_since_epoch().count() - slot->start_us < settings_.report_interval_us) continue;
    slot->is_reported_running = true;
    reports.push_back(report_of(*slot->range, slot->offset));
    reports.back().outcome.state = TaskState::running;
    reports.back().outcome.start_us = slot->start_us;
  }
  if (!reports.empty() && !is_stopping()) on_reports_(std::move(reports));
  return is_active;
}

void SlotTaskRunner::report_wait(const std::string& text) {
  constexpr std::int64_t interval_us = 10'000'000;
  const auto now_us = clock_.now().time_since_epoch().count();
  auto due_us = next_wait_us_.load();
  if (now_us < due_us) return;
  for (auto& slot : slots_) {
    const std::lock_guard order{slot->flush};  // the end of the attempt is sent later
    std::vector<ports::TaskReport> reports;
    {
      const std::lock_guard lock{slot->mutex};
      if (!slot->range) continue;
      reports.push_back(report_of(*slot->range, slot->offset));
      reports.back().outcome.start_us = slot->start_us;
    }
    reports.back().outcome.state = TaskState::running;
    reports.back().outcome.text = text;
    const bool is_first = next_wait_us_.compare_exchange_strong(due_us, now_us + interval_us);
    if (is_first && !is_stopping()) on_reports_(std::move(reports));
    return;
  }
}

void SlotTaskRunner::wake_reporter() {
  {
    const std::lock_guard lock{reporter_mutex_};
    is_reporter_asleep_ = false;
  }
  reporter_woken_.notify_one();
}

std::chrono::microseconds reporter_pause(std::chrono::microseconds interval, bool has_queued, int quiet_looks) {
  constexpr int pauses_with_queue = 4;
  constexpr int doublings_max = 3;
  return interval * (has_queued ? pauses_with_queue : 1 << std::clamp(quiet_looks, 0, doublings_max));
}

std::chrono::microseconds SlotTaskRunner::pause(int quiet_looks) {
  const std::lock_guard lock{mutex_};
  const bool has_queued =
      std::any_of(queue_.begin(), queue_.end(), [](const auto& range) { return !range->is_empty(); });
  return reporter_pause(std::chrono::microseconds{settings_.report_interval_us}, has_queued, quiet_looks);
}

void SlotTaskRunner::run_reporter() {
  constexpr int quiet_looks_max = 8;
  int quiet_looks = 0;
  while (!is_stopping()) {
    quiet_looks = flush_all() ? 0 : quiet_looks + 1;
    const auto until_next = pause(quiet_looks);
    std::unique_lock lock{reporter_mutex_};
    if (quiet_looks >= quiet_looks_max) {
      sleep_until_woken(lock);
      quiet_looks = 0;
    }
    // Also after a wake-up: the task that has just begun is reported only if it takes long.
    reporter_woken_.wait_for(lock, until_next, [this] { return is_stopping_.load(); });
  }
}

void SlotTaskRunner::sleep_until_woken(std::unique_lock<std::mutex>& lock) {
  is_reporter_asleep_ = true;
  lock.unlock();
  // A task that began before the line above did not wake anybody.
  bool is_busy = false;
  for (auto& slot : slots_) {
    const std::lock_guard one{slot->mutex};
    is_busy = is_busy || (slot->range && !slot->is_reported_running) || !slot->reports.empty();
  }
  lock.lock();
  if (!is_busy) reporter_woken_.wait(lock, [this] { return !is_reporter_asleep_.load() || is_stopping_.load(); });
  is_reporter_asleep_ = false;
}

}  // namespace heddle::work
