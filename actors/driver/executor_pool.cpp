#include "actors/driver/executor_pool.hpp"

#include "model/assert.hpp"

namespace heddle::actors {
namespace {

bool is_legal(ExecutorPhase from, ExecutorPhase to) {
  switch (to) {
    case ExecutorPhase::active: return false;  // a new entry only
    case ExecutorPhase::draining: return from == ExecutorPhase::active;
    case ExecutorPhase::killed: return from == ExecutorPhase::active || from == ExecutorPhase::draining;
    case ExecutorPhase::disconnected: return from != ExecutorPhase::lost && from != ExecutorPhase::disconnected;
    case ExecutorPhase::lost: return from != ExecutorPhase::lost;
  }
  return false;
}

}  // namespace

void ExecutorPool::enter(ExecutorEntry& entry, ExecutorPhase next) {
  HEDDLE_ASSERT(is_legal(entry.phase, next), "illegal transition between executor phases");
  entry.phase = next;
}

ExecutorEntry& ExecutorPool::add(const RegisterExecutor& registration, HostId host, Instant now) {
  ExecutorEntry entry;
  entry.epoch = Epoch{next_epoch_++};
  entry.host_name = registration.host;
  entry.host = host;
  entry.cores = registration.cores;
  entry.devices = ExecutorDevices{needs_, registration.devices, registration.profile};
  entry.place = registration.shuffle_place;
  entry.last_heard = now;
  ++live_;
  live_on_node_[entry.place.node].insert(registration.executor);
  auto& added = entries_.insert_or_assign(registration.executor, std::move(entry)).first->second;
  count_slots(added, 1);
  check_at(now + silence_max_ + Duration{1});  // a silence of exactly silence_max_ is allowed
  return added;
}

ExecutorEntry* ExecutorPool::find(ExecutorId id) {
  const auto position = entries_.find(id);
  return position == entries_.end() ? nullptr : &position->second;
}

ExecutorEntry* ExecutorPool::current(ExecutorId id, Epoch epoch) {
  auto* entry = find(id);
  return entry != nullptr && entry->is_live() && entry->epoch == epoch ? entry : nullptr;
}

bool ExecutorPool::is_live(ExecutorId id) const {
  const auto* entry = find(id);
  return entry != nullptr && entry->is_live();
}

const ExecutorEntry* ExecutorPool::first_live_on(NodeId node) const {
  const auto live = live_on_node_.find(node);
  return live == live_on_node_.end() ? nullptr : find(*live->second.begin());
}

std::vector<ExecutorId> ExecutorPool::live_on(HostId host) const {
  std::vector<ExecutorId> found;
  for (const auto& [id, entry] : entries_)
    if (entry.is_live() && entry.host == host) found.push_back(id);
  return found;
}

// -- phases ------------------------------------------------------------------------

void ExecutorPool::drain(ExecutorEntry& entry, const std::string& reason) {
  count_slots(entry, -1);
  entry.drain_reason = reason;
  if (entry.is_active()) enter(entry, ExecutorPhase::draining);
}

void ExecutorPool::kill(ExecutorEntry& entry) {
  if (entry.is_active() || entry.phase == ExecutorPhase::draining) enter(entry, ExecutorPhase::killed);
}

void ExecutorPool::disconnect(ExecutorEntry& entry, Instant loss_due) {
  enter(entry, ExecutorPhase::disconnected);
  entry.loss_due = loss_due;
  check_at(loss_due);
}

void ExecutorPool::lose(ExecutorId id, JobId next_job) {
  auto& entry = entries_.at(id);
  count_slots(entry, -1);
  enter(entry, ExecutorPhase::lost);
  entry.loss_due.reset();
  entry.lost_before = next_job;
  --live_;
  const auto on_node = live_on_node_.find(entry.place.node);
  on_node->second.erase(id);
  if (on_node->second.empty()) live_on_node_.erase(on_node);
  lost_.emplace_back(next_job, id);
}

void ExecutorPool::expire_disconnected(Instant now) {
  for (auto& [id, entry] : entries_)
    if (entry.phase == ExecutorPhase::disconnected) entry.loss_due = now;
  check_at(now);
}

/// Job ids ascend: a job submitted after the loss has no map output on the lost executor.
std::vector<ExecutorId> ExecutorPool::forget_lost(std::optional<JobId> first_job) {
  std::vector<ExecutorId> forgotten;
  while (!lost_.empty() && (!first_job || *first_job >= lost_.front().first)) {
    const auto [before, id] = lost_.front();
    lost_.pop_front();
    const auto* entry = find(id);
    if (entry == nullptr || entry->is_live() || entry->lost_before != before) continue;
    entries_.erase(id);
    forgotten.push_back(id);
  }
  return forgotten;
}

void ExecutorPool::mark_removed(ExecutorId id) {
  constexpr std::size_t removed_max = 10'000;
  removed_.insert(id);
  if (removed_.size() > removed_max) removed_.erase(removed_.begin());  // ids ascend: begin() is the oldest
}

// -- task slots ----------------------------------------------------------------------

std::int64_t ExecutorPool::slots_for(std::int32_t task_cores) {
  const auto [total, is_new] = slots_by_task_cores_.try_emplace(task_cores, 0);
  if (is_new)
    for (const auto& [id, entry] : entries_)
      if (entry.counts_slots()) total->second += entry.devices.slots(needs_, entry.cores, task_cores);
  return total->second;
}

void ExecutorPool::count_slots(const ExecutorEntry& entry, std::int32_t sign) {
  if (!entry.counts_slots()) return;
  for (auto& [task_cores, total] : slots_by_task_cores_)
    total += sign * entry.devices.slots(needs_, entry.cores, task_cores);
}

void ExecutorPool::forget_task_times() {
  for (auto& [id, entry] : entries_) entry.task_us = -1;
}

// -- silence -----------------------------------------------------------------------------

void ExecutorPool::check_at(Instant when) {
  if (!silence_due_ || when < *silence_due_) silence_due_ = when;
}

ExecutorPool::Overdue ExecutorPool::overdue(Instant now) const {
  Overdue found;
  if (!silence_due_ || now < *silence_due_) return found;
  for (const auto& [id, entry] : entries_) {
    const bool is_silent = entry.last_heard + silence_max_ < now;
    if (!entry.is_live() || !(is_silent || (entry.loss_due && *entry.loss_due <= now))) continue;
    found.all.push_back(id);
    (is_silent ? found.silent : found.disconnected).push_back(id);
  }
  return found;
}

void ExecutorPool::renew_deadline() {
  silence_due_.reset();
  for (const auto& [id, entry] : entries_) {
    if (!entry.is_live()) continue;
    check_at(entry.last_heard + silence_max_ + Duration{1});
    if (entry.loss_due) check_at(*entry.loss_due);
  }
}

}  // namespace heddle::actors
