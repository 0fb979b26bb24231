// Settings of the fair rules, by area.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "model/time.hpp"
#include "policies/cluster/memory_and_cores.hpp"
#include "policies/cluster/queue_placement.hpp"

namespace heddle::policies {

/// Number of containers that one heartbeat assigns.
struct FairAssignmentSettings {
  bool assigns_multiple = false;
  bool is_bounded_by_room = true;  // up to half of the node's free resources, instead of `max`
  std::int32_t max = -1;           // 0 or less: no limit
};

/// Delay scheduling: how long asks wait for nearer nodes.
struct FairLocalitySettings {
  // missed offers before rack-local, as a part of the number of nodes; negative: no delay
  float node_threshold = -1.0F;
  float rack_threshold = -1.0F;
  // time between two rounds over all nodes; none: only heartbeats offer nodes
  std::optional<Duration> continuous_sleep;
  std::int64_t node_delay_ms = -1;  // delay by time, used only with continuous rounds; otherwise missed offers count
  std::int64_t rack_delay_ms = -1;

  /// True if asks wait for nearer nodes, by offers or by time.
  [[nodiscard]] bool has_delay() const {
    if (continuous_sleep) return node_delay_ms >= 0 && rack_delay_ms >= 0;
    return node_threshold >= 0.0F && rack_threshold >= 0.0F;
  }
};

struct FairReservationSettings {
  float nodes_max = 0.05F;          // part of the nodes that one application may reserve
  float increment_multiple = 2.0F;  // smallest container for which a node is reserved, in increments
};

struct FairPreemptionSettings {
  bool is_enabled = false;
  float utilization_threshold = 0.8F;
  Duration wait_before_kill = std::chrono::milliseconds{15000};
  Duration wait_before_next_check = std::chrono::milliseconds{10000};
  bool caps_minimum_starvation = false;         // heddle.fix.cap_minimum_starvation (PR-3)
  std::map<std::string, bool> master_of_queue;  // whether masters of a queue may be preempted; missing: they may
};

struct FairSchedulerSettings {
  MemoryAndCores minimum_allocation{1024, 1};
  MemoryAndCores maximum_allocation{8192, 4};
  MemoryAndCores increment{1024, 1};
  bool is_size_based_weight = false;
  FairAssignmentSettings assignment;
  FairLocalitySettings locality;
  FairReservationSettings reservation;
  FairPreemptionSettings preemption;
  std::optional<Duration> update_interval;  // none: the caller runs update()
  PlacementDefaults placement;
  std::int64_t container_epoch = 0;
};

}  // namespace heddle::policies
