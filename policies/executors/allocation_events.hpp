// Effects of the ExecutorAllocation. Each struct that the event log holds, or whose digest it holds, has
// its field list (runtime/event_log/field_writer.hpp).
#pragma once

#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "model/container.hpp"
#include "model/ids.hpp"
#include "model/preferred_location.hpp"
#include "model/time.hpp"

namespace heddle::policies {

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
