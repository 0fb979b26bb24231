// Settings of the ExecutorAllocation and of its ExecutorMonitor. The event log holds them.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "model/time.hpp"

namespace heddle::policies {

struct ExecutorMonitorSettings {
  Duration idle_timeout = std::chrono::seconds{60};
  std::optional<Duration> cached_timeout;   // none: never
  std::optional<Duration> shuffle_timeout;  // none: never
  bool shuffle_tracking = true;             // an executor with map outputs of an active job is not idle
  bool shuffle_service = false;             // disables shuffle tracking
  bool service_serves_blocks = false;       // the service serves blocks on disk too
  static void visit_fields(auto& visit, auto& self) {
    visit("idle_timeout", self.idle_timeout);
    visit("cached_timeout", self.cached_timeout);
    visit("shuffle_timeout", self.shuffle_timeout);
    visit("shuffle_tracking", self.shuffle_tracking);
    visit("shuffle_service", self.shuffle_service);
    visit("service_serves_blocks", self.service_serves_blocks);
  }
};

struct ExecutorAllocationSettings {
  static constexpr std::string_view record = "allocation_settings";
  bool dynamic = true;                     // false: always `executors_initial`
  std::int32_t executors_min = 0;          // per profile
  std::int32_t executors_max = INT32_MAX;  // per profile
  std::int32_t executors_initial = 0;
  double ratio = 1.0;                                  // share of the executors that full parallelism would need
  std::vector<std::int32_t> tasks_per_executor = {1};  // by profile
  Duration backlog_timeout = std::chrono::seconds{1};
  Duration sustained_timeout = std::chrono::seconds{1};
  Duration poll_interval = std::chrono::milliseconds{100};
  bool decommission = false;                 // executors are decommissioned, not killed
  bool decommission_moves_shuffles = false;  // map outputs are migrated, or kept in another of four ways
  bool reliable_shuffle_storage = false;
  bool jump_to_need = false;  // heddle.fix.jump_to_need: no doubling of the target (EAM-8)
  ExecutorMonitorSettings monitor;
  static void visit_fields(auto& visit, auto& self) {
    visit("dynamic", self.dynamic);
    visit("executors_min", self.executors_min);
    visit("executors_max", self.executors_max);
    visit("executors_initial", self.executors_initial);
    visit("ratio", self.ratio);
    visit("tasks_per_executor", self.tasks_per_executor);
    visit("backlog_timeout", self.backlog_timeout);
    visit("sustained_timeout", self.sustained_timeout);
    visit("poll_interval", self.poll_interval);
    visit("decommission", self.decommission);
    visit("decommission_moves_shuffles", self.decommission_moves_shuffles);
    visit("reliable_shuffle_storage", self.reliable_shuffle_storage);
    visit("jump_to_need", self.jump_to_need);
    visit("monitor", self.monitor);
  }
};

}  // namespace heddle::policies
