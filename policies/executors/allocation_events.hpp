// Settings and effects of the ExecutorAllocation. Each struct that the event log holds, or whose digest it holds, has
// its field list (runtime/event_log/field_writer.hpp).
#pragma once

#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "model/ids.hpp"
#include "model/preferred_location.hpp"
#include "model/time.hpp"
#include "policies/executors/executor_monitor.hpp"

namespace heddle::policies {

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

// -- effects, in the order of their application ---------------------------------

/// Number of waiting and running tasks that prefer a host.
struct HostTasks {
  HostId host;
  std::int32_t tasks = 0;
  static void visit_fields(auto& visit, auto& self) {
    visit("host", self.host);
    visit("tasks", self.tasks);
  }
};
/// The complete request: totals per profile, and the preferred hosts of tasks.
struct RequestExecutorTotals {
  struct OfProfile {
    ProfileId profile{0};
    std::int32_t total = 0;
    std::int32_t locality_tasks = 0;  // tasks with a preferred location
    std::vector<HostTasks> hosts;     // ascending
    static void visit_fields(auto& visit, auto& self) {
      visit("profile", self.profile);
      visit("total", self.total);
      visit("locality_tasks", self.locality_tasks);
      visit("hosts", self.hosts);
    }
  };
  std::vector<OfProfile> profiles;  // ascending
  bool needs_answer = false;        // the role must answer with RequestAnswered
  static void visit_fields(auto& visit, auto& self) {
    visit("needs_answer", self.needs_answer);
    visit("profiles", self.profiles);
  }
};
/// Remove these executors. The role must answer with KillAnswered, which names the executors that are removed.
struct RemoveIdleExecutors {
  std::vector<ExecutorId> executors;
  bool decommission = false;  // decommission them instead of killing them
  static void visit_fields(auto& visit, auto& self) {
    visit("decommission", self.decommission);
    visit("executors", self.executors);
  }
};

using AllocationEffect = std::variant<RequestExecutorTotals, RemoveIdleExecutors>;
using AllocationEffects = std::vector<AllocationEffect>;

}  // namespace heddle::policies
