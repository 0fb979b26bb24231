// The Driver's executors: the phase of each, its free task slots, and the deadline after which it counts as lost.
// A plain class: no actor, no clock.
//
//   active --drain--> draining --kill--> killed
//     |'------------kill--------------------^
//     |
//   active, draining, killed --connection broke--> disconnected
//   any live phase --removed, no heartbeat in time--> lost --registers again--> active (a new entry with a new epoch)
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
#include "model/due_heap.hpp"
#include "model/preferred_location.hpp"
#include "model/time.hpp"

namespace heddle::actors {

/// Only an active executor gets tasks. All phases but `lost` are live: the Driver can send to the executor.
enum class ExecutorPhase : std::uint8_t { active, draining, killed, disconnected, lost };

struct ExecutorEntry {
  ExecutorPhase phase = ExecutorPhase::active;
  Epoch epoch;
  std::string host_name;
  HostId host;
  std::int32_t cores = 1;
  std::int32_t assigned = 0;  // cores of task attempts that were sent and have not ended
  std::int32_t wide = 0;      // task attempts that take more than one core
  ExecutorDevices devices;
  MapOutputLocation place;  // of its map outputs
  Instant last_heard;
  std::string drain_reason;         // not empty: the Driver kills it when it runs no task, in any phase
  std::optional<Instant> loss_due;  // phase disconnected: deadline for the reason of the loss
  JobId lost_before;                // phase lost: this job and later ones have no map output there
  std::set<StageKey> installed;     // stages that were sent to it
  std::vector<StageKey> ended;      // installed stages that it may unload; UnloadStage is not sent yet
  bool is_retraction_pending = false;
  double task_us = -1;  // average run time of its current tasks in microseconds; below 0: not measured

  [[nodiscard]] bool is_live() const { return phase != ExecutorPhase::lost; }
  [[nodiscard]] bool is_active() const { return phase == ExecutorPhase::active; }
  /// It is being drained and runs no task any more: the Driver has to kill it.
  [[nodiscard]] bool has_drained() const { return is_live() && assigned == 0 && !drain_reason.empty(); }
  /// Its task slots count for barrier stages.
  [[nodiscard]] bool counts_slots() const { return is_live() && drain_reason.empty(); }
  void assign(std::int32_t task_cores) {
    assigned += task_cores;
    wide += task_cores > 1 ? 1 : 0;
  }
  void release(std::int32_t task_cores) {
    assigned -= task_cores;
    wide -= task_cores > 1 ? 1 : 0;
  }
};

/// Executors by id. The entry of a lost executor stays while a job may have map outputs there.
class ExecutorPool {
public:
  /// Live executors whose deadline has passed.
  struct Overdue {
    std::vector<ExecutorId> all;           // ascending
    std::vector<ExecutorId> silent;        // no heartbeat or status for longer than the limit
    std::vector<ExecutorId> disconnected;  // connection broke, and no reason arrived in time
  };

  ExecutorPool(std::vector<DeviceNeed> needs, Duration silence_max)
      : needs_{std::move(needs)}, silence_max_{silence_max} {}

  /// Precondition: no live executor has this id.
  ExecutorEntry& add(const RegisterExecutor& registration, HostId host, Instant now);
  [[nodiscard]] ExecutorEntry* find(ExecutorId id);
  [[nodiscard]] const ExecutorEntry* find(ExecutorId id) const { return const_cast<ExecutorPool*>(this)->find(id); }
  /// The live entry of this epoch; null if the executor is lost or has registered again.
  [[nodiscard]] ExecutorEntry* current(ExecutorId id, Epoch epoch);
  [[nodiscard]] bool is_live(ExecutorId id) const;
  [[nodiscard]] std::vector<ExecutorId> live_on(HostId host) const;
  [[nodiscard]] std::int32_t live() const { return live_; }
  /// A live executor on this node, the one with the lowest id; null if there is none.
  [[nodiscard]] const ExecutorEntry* first_live_on(NodeId node) const;
  [[nodiscard]] auto begin() { return entries_.begin(); }
  [[nodiscard]] auto end() { return entries_.end(); }

  // -- phases -------------------------------------------------------------------------------
  void drain(ExecutorEntry& entry, const std::string& reason);
  void kill(ExecutorEntry& entry);
  void disconnect(ExecutorId id, Instant loss_due);
  /// Enters phase lost. Jobs from `next_job` on have no map output there.
  void lose(ExecutorId id, JobId next_job);
  /// Sets the deadline of all disconnected executors to `now`, because without an allocator no reason will arrive.
  void expire_disconnected(Instant now);
  /// Removes entries of lost executors on which no job has map outputs. `first_job`: the oldest job, if any. Returns
  /// their ids.
  std::vector<ExecutorId> forget_lost(std::optional<JobId> first_job);

  // -- executors whose container has ended: they cannot register again -------------------------
  void mark_removed(ExecutorId id);
  [[nodiscard]] bool is_removed(ExecutorId id) const { return removed_.contains(id); }

  // -- task slots ----------------------------------------------------------------------------
  /// Number of tasks of `task_cores` cores that all executors together can run at the same time.
  [[nodiscard]] std::int64_t slots_for(std::int32_t task_cores);
  /// Discards measured run times, because tasks of another stage may take longer.
  void forget_task_times();

  // -- silence ----------------------------------------------------------------------------------
  /// Lower bound of the next deadline: heartbeats do not update it, so the check may run early.
  [[nodiscard]] std::optional<Instant> next_due() { return deadlines_.next_due(); }
  /// Live executors whose deadline has passed. The caller loses them: they have no deadline any more.
  [[nodiscard]] Overdue take_overdue(Instant now);

private:
  void enter(ExecutorEntry& entry, ExecutorPhase next);
  void count_slots(const ExecutorEntry& entry, std::int32_t sign);
  [[nodiscard]] bool is_silent(const ExecutorEntry& entry, Instant now) const;
  [[nodiscard]] Instant deadline_of(const ExecutorEntry& entry) const;
  [[nodiscard]] Instant next_check_of(const ExecutorEntry& entry, Instant now) const;

  std::vector<DeviceNeed> needs_;
  Duration silence_max_;
  std::map<ExecutorId, ExecutorEntry> entries_;
  std::int32_t live_ = 0;
  std::map<NodeId, std::set<ExecutorId>> live_on_node_;
  std::int64_t next_epoch_ = 1;
  std::map<std::int32_t, std::int64_t> slots_by_task_cores_;  // updated when an executor comes, drains or goes
  std::deque<std::pair<JobId, ExecutorId>> lost_;
  std::set<ExecutorId> removed_;
  DueHeap<ExecutorId> deadlines_;  // of live executors; take_overdue() moves those on that were heard since
};

}  // namespace heddle::actors
