// State that all parts of the capacity rules share: settings, ledger, queues, and data of applications. Its functions
// update ledger, queues and users together. Makes no decisions. Cost: that of the ledger and of CapacityQueues for the
// same change.
#pragma once

#include "policies/cluster/capacity/capacity_preemption.hpp"
#include "policies/cluster/capacity/capacity_queues.hpp"

namespace heddle::policies {

struct CapacitySchedulerSettings {
  MemoryAndCores minimum_allocation{1024, 1};
  MemoryAndCores maximum_allocation{8192, 4};
  std::int32_t application_priority_max = 0;
  CapacityPreemptionSettings preemption;
  std::int64_t container_epoch = 0;
};

/// Data of an application besides the ledger's, in the same row.
struct alignas(128) CapacityApplication {
  RowIndex queue = no_row;
  RowIndex user = no_row;  // in the queue's users
  MemoryAndCores master_size;
  bool is_waiting = false;  // in the queue, not running yet
  bool is_held = false;     // too many run at once
  bool is_running = false;
  bool is_asking = false;      // counts among the user's applications that ask
  bool is_listed = false;      // runs and asks
  bool has_moved = false;      // its place in a fair order is due to be decided
  bool was_visited = false;    // only then it has a headroom
  std::int64_t start = 0;      // of its attempt, among all attempts
  MemoryAndCores pending;      // as counted by the queues
  MemoryAndCores order_usage;  // as of the last time that its place in a fair order was decided
  MemoryAndCores order_pending;
};

struct CapacityBooks {
  CapacityBooks(CapacitySchedulerSettings given, const config::CapacitySchedulerFile& queue_file);

  [[nodiscard]] CapacityApplication& application(RowIndex row) { return applications[static_cast<std::size_t>(row)]; }
  [[nodiscard]] const CapacityApplication& application(RowIndex row) const {
    return applications[static_cast<std::size_t>(row)];
  }
  /// Adds the record of an application that was added to the ledger.
  CapacityApplication& add_application(RowIndex row);

  void end(RowIndex container, std::int32_t exit_status, bool is_reported_by_node, ResourceEffects& effects);
  void drop_reservation(RowIndex container, ResourceEffects& effects);
  /// The usage of an application's queues and user changes; its place in a fair order is decided anew.
  void change_usage(RowIndex application, const MemoryAndCores& by);
  /// Carries what an application asks to its queues.
  void count_pending(RowIndex application);
  /// As count_pending, and updates whether the user is active: a new priority makes the user active if one of their
  /// applications runs.
  void count_asks(RowIndex application, bool has_new_priority);
  [[nodiscard]] MemoryAndCores normalized_for(const CapacityQueue& queue, const MemoryAndCores& ask) const;
  void check_invariants() const;

  CapacitySchedulerSettings settings;
  config::CapacitySchedulerFile file;  // without the queues
  ResourceLedger ledger;
  CapacityQueues queues;
  LargeTable<CapacityApplication> applications;  // by row of the ledger
};

}  // namespace heddle::policies
