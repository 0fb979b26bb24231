// Ideal allocation of each capacity queue, and the amount to preempt beyond it. Order: results are in input order.
// Cost: queues x rounds of one parent's children, at most the number of children. After the documentation of Hadoop's
// ProportionalCapacityPreemptionPolicy; there are no recorded cases of it.
#pragma once

#include <vector>

#include "model/time.hpp"
#include "policies/cluster/resource_calculator.hpp"

namespace heddle::policies {

struct CapacityPreemptionSettings {
  bool is_enabled = false;
  Duration interval = std::chrono::milliseconds{3000};
  Duration wait_before_kill = std::chrono::milliseconds{15000};
  float part_per_round = 0.1F;              // part of the cluster
  float ignored_over_capacity = 0.1F;       // part of a queue's guarantee
  float natural_termination_factor = 0.2F;  // part of the amount to preempt
};

/// Input for one queue. Parents come before their children; the first is root.
struct PreemptionQueue {
  std::int32_t parent = -1;
  bool is_leaf = true;
  bool is_preemptable = true;
  MemoryAndCores guaranteed;
  MemoryAndCores maximum;
  MemoryAndCores used;
  MemoryAndCores pending;
};

struct PreemptionShare {
  MemoryAndCores ideal;       // what the queue would hold
  MemoryAndCores to_preempt;  // in this round; none for parents
};

[[nodiscard]] std::vector<PreemptionShare> compute_preemption(const std::vector<PreemptionQueue>& queues,
                                                              const MemoryAndCores& cluster,
                                                              const CapacityPreemptionSettings& settings);

}  // namespace heddle::policies
