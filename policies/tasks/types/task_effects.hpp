// Effects of the TaskScheduler: launches and events, each with its fields of the event log.
#pragma once

#include <cstdint>
#include <tuple>
#include <variant>
#include <vector>

#include "model/ids.hpp"
#include "model/locality.hpp"
#include "model/preferred_location.hpp"
#include "policies/tasks/types/task_resources.hpp"
#include "policies/tasks/types/task_set_key.hpp"

namespace heddle::policies {

/// Run this attempt. `speculative`: a copy of a running attempt. `queued`: behind the running tasks of the executor.
struct TaskLaunch {
  LaunchId id;
  TaskSetKey set;
  std::int32_t index = 0;
  std::int32_t partition = 0;
  std::int32_t attempt = 0;
  ExecutorId executor;
  LocalityLevel level = LocalityLevel::any;
  bool speculative = false;
  bool queued = false;
  std::int32_t cores = 1;  // in use until the attempt ends
  static void visit_fields(auto& visit, auto& self) {
    visit("id", self.id);
    visit_set(visit, self.set);
    visit("index", self.index);
    visit("partition", self.partition);
    visit("attempt", self.attempt);
    visit("executor", self.executor);
    visit("level", self.level);
    visit("speculative", self.speculative);
    visit("queued", self.queued);
  }
};

enum class AttemptOutcome : std::uint8_t {
  success,
  resubmitted,
  killed,
  exception,
  fetch_failed,
  result_lost,
  commit_denied,
  unknown,
  executor_lost,
  executor_lost_by_application
};

/// An attempt ended. `resubmitted`: an earlier success whose output was lost with its executor; the task runs again.
struct TaskEnded {
  LaunchId id;
  TaskSetKey set;
  std::int32_t index = 0;
  std::int32_t partition = 0;
  std::int32_t attempt = 0;
  ExecutorId executor;
  AttemptOutcome outcome = AttemptOutcome::success;
  bool speculative = false;
  bool queued = false;  // queued ahead, and never reported as running
  std::int32_t cores = 1;
  static void visit_fields(auto& visit, auto& self) {
    visit("id", self.id);
    visit("partition", self.partition);
    visit("executor", self.executor);
    visit("outcome", self.outcome);
  }
};
struct ExecutorAdded {
  ExecutorId executor;
  HostId host;
  static void visit_fields(auto& visit, auto& self) {
    visit("executor", self.executor);
    visit("host", self.host);
  }
};
struct ExecutorLost {
  ExecutorId executor;
  static void visit_fields(auto& visit, auto& self) { visit("executor", self.executor); }
};
enum class SetFailure : std::uint8_t {
  too_many_failures,
  not_serializable,
  output_exists,
  excluded_everywhere,
  results_too_large,
  barrier_not_placed,
  no_task_binary,
  task_binary_too_large,
  unreachable
};
/// The set is aborted. Its running attempts continue until they are killed. `index`: the task that caused it.
/// `results`: number of results received so far, with `result_bytes` in total.
struct TaskSetFailed {
  TaskSetKey set;
  SetFailure failure = SetFailure::too_many_failures;
  std::int32_t index = 0;
  std::int32_t results = 0;
  std::int64_t result_bytes = 0;
  static void visit_fields(auto& visit, auto& self) {
    visit_set(visit, self.set);
    visit("failure", self.failure);
    visit("index", self.index);
    visit("results", self.results);
    visit("result_bytes", self.result_bytes);
  }
};
/// The task binary of the set is larger than recommended. Pushed with the first launch of the set.
struct LargeTaskBinary {
  TaskSetKey set;
  static void visit_fields(auto& visit, auto& self) { visit_set(visit, self.set); }
};
/// The task runs too long and a copy of it is to be launched.
struct SpeculativeTaskSubmitted {
  TaskSetKey set;
  std::int32_t index = 0;
  static void visit_fields(auto& visit, auto& self) {
    visit_set(visit, self.set);
    visit("index", self.index);
  }
};
/// No executor can run a task of the set (dynamic allocation requests more), or a task was launched after all.
struct UnschedulableSetAdded {
  TaskSetKey set;
  static void visit_fields(auto& visit, auto& self) { visit_set(visit, self.set); }
};
struct UnschedulableSetRemoved {
  TaskSetKey set;
  static void visit_fields(auto& visit, auto& self) { visit_set(visit, self.set); }
};
/// Kill the attempt: another attempt succeeded, or the stage was killed.
struct KillAttempt {
  LaunchId id;
  TaskSetKey set;
  std::int32_t index = 0;
  std::int32_t attempt = 0;
  ExecutorId executor;
  static void visit_fields(auto& visit, auto& self) {
    visit("id", self.id);
    visit("executor", self.executor);
  }
};
/// Kill an executor or all executors of a host, without changing the target and without counting failures. `idle`: to
/// make room for another executor.
struct KillExcludedExecutor {
  ExecutorId executor;
  bool idle = false;
  static void visit_fields(auto& visit, auto& self) {
    visit("executor", self.executor);
    visit("idle", self.idle);
  }
};
struct KillExcludedHost {
  HostId host;
  static void visit_fields(auto& visit, auto& self) { visit("host", self.host); }
};
/// No attempt of the set runs and none will be launched. The scheduler removes the set.
struct TaskSetFinished {
  TaskSetKey set;
  static void visit_fields(auto& visit, auto& self) { visit_set(visit, self.set); }
};
/// An offer round is due: offer all executors.
struct ReviveOffersWanted {
  static void visit_fields(auto&, auto&) {}
};

using TaskSchedulerEffect =
    std::variant<TaskEnded, ExecutorAdded, ExecutorLost, TaskSetFailed, SpeculativeTaskSubmitted, UnschedulableSetAdded,
                 UnschedulableSetRemoved, KillAttempt, KillExcludedExecutor, KillExcludedHost, TaskSetFinished,
                 ReviveOffersWanted, LargeTaskBinary>;

/// Addresses of devices for a launched attempt.
struct LaunchResources {
  LaunchId id;
  std::vector<ResourceShare> shares;
};

/// Effects of one input. Launches are in launch order, in their own list because there are many; the role applies
/// `events` first, in their order. The caller clears it between calls.
struct TaskSchedulerEffects {
  std::vector<TaskLaunch> launches;
  std::vector<TaskSchedulerEffect> events;
  std::vector<LaunchResources> resources;  // for launches that need devices
  void clear() {
    launches.clear();
    events.clear();
    resources.clear();
  }
  /// The lists that a digest covers; resources follow from the launches.
  [[nodiscard]] auto lists() const { return std::tie(events, launches); }
};

}  // namespace heddle::policies
