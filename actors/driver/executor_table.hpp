// What the Driver knows of its executors that decides nothing: handles, epochs, slots in use, stages sent to each.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "actors/driver/executor_devices.hpp"
#include "messages/executor.hpp"
#include "model/time.hpp"
#include "policies/tasks/types/task_place.hpp"

namespace heddle::actors {

struct ExecutorEntry {
  ExecutorActor handle;
  Epoch epoch;
  std::string host_name;
  policies::HostId host;
  std::int32_t cores = 1;
  std::int32_t assigned = 0;  // cores of attempts that were sent and have not ended
  std::int32_t wide = 0;      // of them, attempts that take more than one core
  ExecutorDevices devices;
  MapOutputLocation place;  // of its map outputs
  Instant last_heard;
  bool is_offered = true;           // false once its connection broke
  std::optional<Instant> loss_due;  // when it counts as lost without a reason
  JobId lost_before;                // lost: no job from this one on knows its map outputs
  std::set<StageKey> installed;     // stages it was told of
  std::vector<StageKey> ended;      // of them, what it may forget and was not told yet
  bool retract_asked = false;
  std::string draining;  // not empty: it goes once nothing runs there, and why
  double task_us = -1;   // measured, of what it runs now; below 0: not known

  /// It lives, and gets new tasks.
  [[nodiscard]] bool has_place() const { return handle && draining.empty(); }
  void take(std::int32_t task_cores) {
    assigned += task_cores;
    wide += task_cores > 1 ? 1 : 0;
  }
  void release(std::int32_t task_cores) {
    assigned -= task_cores;
    wide -= task_cores > 1 ? 1 : 0;
  }
};

/// Executors by id. Entries of lost ones stay while map outputs may still name them, without a handle.
class ExecutorTable {
public:
  /// Precondition: `entry` has a handle, and what is known of this id has none.
  ExecutorEntry& add(ExecutorId id, ExecutorEntry entry) {
    ++live_;
    return entries_.insert_or_assign(id, std::move(entry)).first->second;
  }
  void retire(ExecutorEntry& entry) {
    entry.handle = nullptr;
    --live_;
  }
  [[nodiscard]] ExecutorEntry* find(ExecutorId id) {
    const auto position = entries_.find(id);
    return position == entries_.end() ? nullptr : &position->second;
  }
  /// The live entry of this epoch; null if the executor is gone or has another life.
  [[nodiscard]] ExecutorEntry* current(ExecutorId id, Epoch epoch) {
    auto* entry = find(id);
    return entry != nullptr && entry->handle && entry->epoch == epoch ? entry : nullptr;
  }
  void forget(ExecutorId id) { entries_.erase(id); }
  [[nodiscard]] std::vector<ExecutorId> live_on(policies::HostId host) const {
    std::vector<ExecutorId> there;
    for (const auto& [id, entry] : entries_)
      if (entry.handle && entry.host == host) there.push_back(id);
    return there;
  }
  [[nodiscard]] std::int32_t live() const { return live_; }
  [[nodiscard]] auto begin() { return entries_.begin(); }
  [[nodiscard]] auto end() { return entries_.end(); }

private:
  std::map<ExecutorId, ExecutorEntry> entries_;
  std::int32_t live_ = 0;  // with a handle
};

}  // namespace heddle::actors
