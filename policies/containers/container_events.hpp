// Settings, input types and effects of a ContainerAllocator. Each struct that the event log holds, or whose digest it
// holds, has its field list (runtime/event_log/field_writer.hpp).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "model/container.hpp"
#include "model/executor_loss.hpp"
#include "model/resources.hpp"
#include "model/time.hpp"
#include "policies/containers/node_health.hpp"
#include "policies/containers/request_table.hpp"

namespace heddle::policies {

/// Executor of a profile: its container, and the number of tasks that run in it at a time.
struct ExecutorProfile {
  ProfileId id;
  Resource resource;
  std::int32_t tasks_per_executor = 1;
  static void visit_fields(auto& visit, auto& self) {
    visit("id", self.id);
    visit("resource", self.resource);
    visit("tasks_per_executor", self.tasks_per_executor);
  }
};

struct ContainerAllocatorSettings {
  ExecutorProfile default_profile{ProfileId{0}, {1024, 1}, 1};
  std::int32_t initial_executors = 0;
  std::int64_t last_executor_id = 0;  // the highest id that the Driver knows; new executors get higher ids
  NodeHealthSettings health;
  bool report_decommissioning = false;  // report decommissioning nodes to the Driver (only without a shuffle service)
  bool always_push_exclusion = false;   // heddle.fix: update exclusions also if no total changed
  bool count_starting = false;   // heddle.fix.count_starting_executors: starting executors count towards the target
  bool rebalance = false;        // heddle.fix.rebalance_requests: changed hints move pending requests (YA-9)
  bool exact_placement = false;  // heddle.fix.exact_placement (PL-7)
  static void visit_fields(auto& visit, auto& self) {
    visit("default_profile", self.default_profile);
    visit("initial_executors", self.initial_executors);
    visit("last_executor_id", self.last_executor_id);
    visit("health", self.health);
    visit("tell_decommissioning", self.report_decommissioning);
    visit("always_push_exclusion", self.always_push_exclusion);
    visit("count_starting", self.count_starting);
    visit("rebalance", self.rebalance);
    visit("exact_placement", self.exact_placement);
  }
};

/// The Driver's request, absolute. A profile that is missing in `locality_tasks` or `tasks_of_host` has no tasks there.
struct ExecutorTotals {
  std::map<ProfileId, std::int32_t> totals;  // empty: every target becomes 0
  std::map<ProfileId, std::int32_t> locality_tasks;
  std::map<ProfileId, std::map<std::string, std::int32_t>> tasks_of_host;
  std::set<std::string> excluded_hosts;
};

/// The ResourceManager's answer to one AllocateCall.
struct AllocateAnswer {
  std::int32_t response_id = 0;
  std::vector<ContainerGrant> allocated;
  std::vector<CompletedContainer> completed;
  std::int32_t cluster_nodes = 0;
  std::vector<std::string> decommissioning_hosts;  // decommissioning nodes among those whose state changed
};

// -- effects ------------------------------------------------------------------

/// Start an executor in this container. The role answers with ExecutorStarted or ExecutorStartFailed.
struct LaunchExecutor {
  ExecutorId executor;
  ContainerId container;
  std::string host;
  ProfileId profile;
  static void visit_fields(auto& visit, auto& self) {
    visit("executor", self.executor);
    visit("container", self.container);
    visit("profile", self.profile);
    visit("host", self.host);
  }
};
/// Return the container. The next AllocateCall releases it.
struct ReleaseContainer {
  ContainerId container;
  static void visit_fields(auto& visit, auto& self) { visit("container", self.container); }
};
/// The executor's container was removed from the tables.
struct ForgetExecutor {
  ExecutorId executor;
  static void visit_fields(auto& visit, auto& self) { visit("executor", self.executor); }
};
/// To the Driver, once per lost executor, unless its end was asked for.
struct ReportExecutorRemoved {
  ExecutorId executor;
  ExecutorLoss loss;
  static void visit_fields(auto& visit, auto& self) {
    visit("executor", self.executor);
    visit("status", self.loss.end.exit_status);
    visit("caused_by_application", self.loss.reason.by_application);
  }
};
/// To the Driver: executors there should move their blocks away.
struct ReportHostDecommissioning {
  std::string host;
  static void visit_fields(auto& visit, auto& self) { visit("host", self.host); }
};
/// Answer to LossQuestioned; none if the executor is unknown.
struct AnswerLossReason {
  ExecutorId executor;
  std::optional<ExecutorLoss> loss;
  static void visit_fields(auto& visit, auto& self) {
    visit("executor", self.executor);
    visit("is_known", self.loss.has_value());
    if (self.loss) visit("status", self.loss->end.exit_status);
    if (self.loss) visit("caused_by_application", self.loss->reason.by_application);
  }
};

using ContainerEffect = std::variant<LaunchExecutor, ReleaseContainer, ForgetExecutor, ReportExecutorRemoved,
                                     ReportHostDecommissioning, AnswerLossReason, RequestsChanged, ExclusionChanged>;
using ContainerEffects = std::vector<ContainerEffect>;

}  // namespace heddle::policies
