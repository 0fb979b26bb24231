// The Driver's executors: the phase of each, its free task slots, and the deadline after which it counts as lost.
// A plain class: no actor, no clock.
//
//   active --drain--> draining --kill--> killed
//     |'------------kill--------------------^
//     |
//   active, draining, killed --connection broke--> disconnected
//   any live phase --removed, silent too long--> lost --registers again--> active (a new entry with a new epoch)
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "actors/driver/executor_devices.hpp"
#include "messages/driver.hpp"
#include "model/time.hpp"
#include "policies/tasks/types/task_place.hpp"

namespace heddle::actors {

/// Only an active executor gets tasks. All phases but `lost` are live: the Driver can send to the executor.
enum class ExecutorPhase : std::uint8_t { active, draining, killed, disconnected, lost };

struct ExecutorEntry {
  ExecutorPhase phase = ExecutorPhase::active;
  Epoch epoch;
  std::string host_name;
  policies::HostId host;
  std::int32_t cores = 1;
  std::int32_t assigned = 0;  // cores of attempts that were sent and have not ended
  std::int32_t wide = 0;      // attempts that take more than one core
  ExecutorDevices devices;
  MapOutputLocation place;  // of its map outputs
  Instant last_heard;
  std::string drain_reason;         // not empty: it is killed once it runs nothing, whatever its phase
  std::optional<Instant> loss_due;  // phase disconnected: when it counts as lost without a reason
  JobId lost_before;                // phase lost: jobs from this one on have no map output there
  std::set<StageKey> installed;     // stages that were sent to it
  std::vector<StageKey> ended;      // installed stages that it may forget and was not told yet
  bool is_retraction_pending = false;
  double task_us = -1;  // average run time of its current tasks; below 0: not measured

  [[nodiscard]] bool is_live() const { return phase != ExecutorPhase::lost; }
  [[nodiscard]] bool is_active() const { return phase == ExecutorPhase::active; }
  /// It has to be killed now, because it runs nothing more.
  [[nodiscard]] bool has_drained() const { return is_live() && assigned == 0 && !drain_reason.empty(); }
  /// Its task slots count for barrier stages.
  [[nodiscard]] bool counts_slots() const { return is_live() && drain_reason.empty(); }
  void take(std::int32_t task_cores) {
    assigned += task_cores;
    wide += task_cores > 1 ? 1 : 0;
  }
  void release(std::int32_t task_cores) {
    assigned -= task_cores;
    wide -= task_cores > 1 ? 1 : 0;
  }
};

/// Executors by id. Entries of lost ones stay while map outputs may name them.
class ExecutorPool {
public:
  /// Executors that count as lost now.
  struct Overdue {
    std::vector<ExecutorId> all;           // ascending
    std::vector<ExecutorId> silent;        // sent nothing for too long
    std::vector<ExecutorId> disconnected;  // their connections broke
  };

  ExecutorPool(std::vector<DeviceNeed> needs, Duration silence_max)
      : needs_{std::move(needs)}, silence_max_{silence_max} {}

  /// Precondition: no live executor has this id.
  ExecutorEntry& add(const RegisterExecutor& registration, policies::HostId host, Instant now);
  [[nodiscard]] ExecutorEntry* find(ExecutorId id);
  [[nodiscard]] const ExecutorEntry* find(ExecutorId id) const { return const_cast<ExecutorPool*>(this)->find(id); }
  /// The live entry of this epoch; null if the executor is lost or has registered again.
  [[nodiscard]] ExecutorEntry* current(ExecutorId id, Epoch epoch);
  [[nodiscard]] bool is_live(ExecutorId id) const;
  [[nodiscard]] std::vector<ExecutorId> live_on(policies::HostId host) const;
  [[nodiscard]] std::int32_t live() const { return live_; }
  [[nodiscard]] auto begin() { return entries_.begin(); }
  [[nodiscard]] auto end() { return entries_.end(); }

  // -- phases -------------------------------------------------------------------------------
  void drain(ExecutorEntry& entry, const std::string& reason);
  void kill(ExecutorEntry& entry);
  void disconnect(ExecutorEntry& entry, Instant loss_due);
  /// Jobs from `next_job` on have no map output there.
  void lose(ExecutorId id, JobId next_job);
  /// No allocator can name the reasons of losses any more: disconnected executors count as lost at once.
  void expire_disconnected(Instant now);
  /// Removes entries that no map output can name; `first_job` is the oldest job, if there is any. Returns their ids.
  std::vector<ExecutorId> forget_lost(std::optional<JobId> first_job);

  // -- executors whose container has ended: they cannot register again -------------------------
  void mark_removed(ExecutorId id);
  [[nodiscard]] bool is_removed(ExecutorId id) const { return removed_.contains(id); }

  // -- task slots ----------------------------------------------------------------------------
  /// How many tasks of so many cores all executors could run at once.
  [[nodiscard]] std::int64_t slots_for(std::int32_t task_cores);
  /// Later tasks may take longer than those measured.
  void forget_task_times();

  // -- silence ----------------------------------------------------------------------------------
  /// Lower bound of the next deadline: heartbeats do not update it, so the check may run early.
  [[nodiscard]] std::optional<Instant> next_due() const { return silence_due_; }
  [[nodiscard]] Overdue overdue(Instant now) const;
  void renew_deadline();

private:
  void enter(ExecutorEntry& entry, ExecutorPhase next);
  void count_slots(const ExecutorEntry& entry, std::int32_t sign);
  void check_at(Instant when);

  std::vector<DeviceNeed> needs_;
  Duration silence_max_;
  std::map<ExecutorId, ExecutorEntry> entries_;
  std::int32_t live_ = 0;
  std::int64_t next_epoch_ = 1;
  std::map<std::int32_t, std::int64_t> slots_by_task_cores_;  // counted once, then kept up to date
  std::deque<std::pair<JobId, ExecutorId>> lost_;
  std::set<ExecutorId> removed_;
  std::optional<Instant> silence_due_;
};

}  // namespace heddle::actors
