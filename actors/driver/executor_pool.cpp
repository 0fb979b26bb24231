#include "actors/driver/executor_pool.hpp"

#include <algorithm>

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
  deadlines_.set(registration.executor, deadline_of(added));
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

void ExecutorPool::disconnect(ExecutorId id, Instant loss_due) {
  auto& entry = entries_.at(id);
  enter(entry, ExecutorPhase::disconnected);
  entry.loss_due = loss_due;
  deadlines_.set(id, deadline_of(entry));
}

void ExecutorPool::lose(ExecutorId id, JobId next_job) {
  auto& entry = entries_.at(id);
  count_slots(entry, -1);
  enter(entry, ExecutorPhase::lost);
  entry.loss_due.reset();
  entry.lost_before = next_job;
  deadlines_.remove(id);
  --live_;
  const auto on_node = live_on_node_.find(entry.place.node);
  on_node->second.erase(id);
  if (on_node->second.empty()) live_on_node_.erase(on_node);
  lost_.emplace_back(next_job, id);
}

void ExecutorPool::expire_disconnected(Instant now) {
  for (auto& [id, entry] : entries_) {
    if (entry.phase != ExecutorPhase::disconnected) continue;
    entry.loss_due = now;
    deadlines_.set(id, deadline_of(entry));
  }
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

bool ExecutorPool::is_silent(const ExecutorEntry& entry, Instant now) const {
  return entry.last_heard + silence_max_ < now;  // a silence of exactly silence_max_ is allowed
}

Instant ExecutorPool::deadline_of(const ExecutorEntry& entry) const {
  const Instant silent = entry.last_heard + silence_max_ + Duration{1};
  return entry.loss_due ? std::min(silent, *entry.loss_due) : silent;
}

/// The deadline, rounded down to a grid unless that instant has passed: executors share checks, so that their number in
/// one silence limit does not grow with the number of executors.
Instant ExecutorPool::next_check_of(const ExecutorEntry& entry, Instant now) const {
  constexpr std::int64_t checks_per_limit = 16;
  const Duration grid = std::max(silence_max_ / checks_per_limit, Duration{1});
  const Instant due = deadline_of(entry);
  const Instant shared = due - due.time_since_epoch() % grid;
  return shared > now ? shared : due;
}

ExecutorPool::Overdue ExecutorPool::take_overdue(Instant now) {
  Overdue found;
  while (const auto id = deadlines_.take_due(now)) {
    const auto& entry = entries_.at(*id);
    if (deadline_of(entry) <= now) found.all.push_back(*id);
    else deadlines_.set(*id, next_check_of(entry, now));  // it was heard since
  }
  std::sort(found.all.begin(), found.all.end());
  for (const auto id : found.all) (is_silent(entries_.at(id), now) ? found.silent : found.disconnected).push_back(id);
  return found;
}

}  // namespace heddle::actors
