// The Driver's rounds: who is offered, what is queued ahead of free slots and taken back.
#include <algorithm>

#include "actors/driver/driver.hpp"

namespace heddle::actors {
namespace {

constexpr double queued_ahead_us = 10'000;  // of measured task time
constexpr std::int32_t queued_ahead_max = 4096;
constexpr double least_task_us = 0.5;

}  // namespace

// -- rounds --------------------------------------------------------------------------

void Driver::request_round(ExecutorId executor) {
  dirty_.insert(executor);
  raise_round();
}

void Driver::request_full_round() {
  is_full_round_due_ = true;
  raise_round();
}

void Driver::raise_round() {
  if (is_round_due_) return;
  is_round_due_ = true;
  self_->send(DriverActor{self_}, ReviveOffers{});
}

void Driver::on_revive_offers() {
  is_round_due_ = false;
  const auto now = tools_.clock->now();
  if (!tools_.events->has_room()) {  // the log is behind: nothing is launched until it has caught up
    is_round_due_ = true;
    self_->delayed_send(self_, std::chrono::milliseconds{1}, ReviveOffers{});
    return;
  }
  run_round(now);
  arm_tick(now);
}

void Driver::run_round(Instant now) {
  offers_.clear();
  const bool is_full = is_full_round_due_;
  const auto offer = [this](ExecutorId id, const ExecutorEntry& entry) {
    if (entry.handle && entry.is_offered)
      offers_.push_back({id, entry.host, std::max(0, entry.cores - entry.assigned), entry.devices.offered()});
  };
  if (is_full) {
    for (const auto& [id, entry] : executors_) offer(id, entry);
  } else {
    for (const auto id : dirty_)
      if (const auto* entry = executors_.find(id)) offer(id, *entry);
  }
  is_full_round_due_ = false;
  dirty_.clear();
  if (offers_.empty()) return;
  if (!settings_.fix_starvation_until_launch && !jobs_.empty()) has_ended_starvation_ = true;
  policies::TaskSchedulerEffects effects;
  task_scheduler_.on_offers(now, offers_, is_full, settings_.shuffles_offers ? &tools_.random : nullptr, effects);
  carry_out(now, effects);
  queue_ahead(now);
  if (is_full) ask_for_retraction();
}

void Driver::queue_ahead(Instant now) {
  if (settings_.queue_ahead == 0) return;
  policies::TaskSchedulerEffects effects;
  if (settings_.shuffles_offers)
    tools_.random.shuffle(offers_);  // else the lowest ids would get the last tasks of each set
  for (const auto& offer : offers_) {
    auto* entry = executors_.find(offer.executor);
    // A wide task leaves slot threads idle, which would start at once what should wait.
    if (entry == nullptr || !entry->handle || entry->assigned < entry->cores || entry->wide > 0) continue;
    std::int32_t room = settings_.queue_ahead;
    if (room < 0) {
      if (entry->task_us < 0) continue;
      room = static_cast<std::int32_t>(
          std::min<double>(queued_ahead_max, queued_ahead_us * entry->cores / std::max(entry->task_us, least_task_us)));
    }
    const auto queued = entry->assigned - entry->cores;
    if (queued * 2 < room) task_scheduler_.queue_ahead(now, offer.executor, room - queued, effects);
  }
  if (!effects.launches.empty() || !effects.events.empty()) carry_out(now, effects);
}

void Driver::ask_for_retraction() {
  const bool has_idle = std::any_of(executors_.begin(), executors_.end(), [](const auto& item) {
    return item.second.handle && item.second.is_offered && item.second.assigned < item.second.cores;
  });
  if (!has_idle) return;
  for (auto& [id, entry] : executors_) {
    const auto queued = entry.assigned - entry.cores;
    if (!entry.handle || queued <= 0 || entry.retract_asked) continue;
    entry.retract_asked = true;
    self_->send(entry.handle, RetractTasks{entry.epoch, (queued + 1) / 2});
  }
}

void Driver::on_tasks_retracted(const TasksRetracted& message) {
  auto* entry = executors_.current(message.executor, message.epoch);
  if (entry == nullptr) return;
  entry->retract_asked = false;
  const auto now = tools_.clock->now();
  policies::TaskSchedulerEffects effects;
  for (const auto& range : message.tasks) {
    const policies::TaskSetKey key{range.stage.stage, range.stage.attempt};
    const auto* set = find_set(key);
    if (set == nullptr) continue;
    for (std::int32_t i = 0; i < range.count; ++i) {
      const auto launch = task_scheduler_.find_attempt(key, set->index_of(range.first_index + i), range.attempt);
      if (launch.is_none()) continue;
      const auto cores = task_scheduler_.launch_of(launch)->cores;
      if (task_scheduler_.retract(now, launch)) {
        entry->release(cores);
        continue;
      }
      // It was known as running already, or its set was given up, and the executor gave it back: it ends without a
      // failure.
      note_reported(now, launch);
      task_scheduler_.on_status(now, launch, {policies::AttemptState::killed, {}, {}, {}}, effects);
    }
  }
  carry_out(now, effects);
  request_full_round();
}

}  // namespace heddle::actors
