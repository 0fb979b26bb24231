// An ExecutorAllocation with short functions for tests, and a cluster manager that answers at once.
#pragma once

#include <boost/test/unit_test.hpp>
#include <utility>
#include <vector>

#include "policies/executors/executor_allocation.hpp"

namespace heddle::policies {

/// At least 1 executor, backlog 1 s, sustained 2 s, idle 3 s. The cluster manager accepts everything unless `accepts`
/// is false.
struct AllocationScript {
  explicit AllocationScript(std::int32_t least, std::int32_t most, std::int32_t initial,
                            std::vector<std::int32_t> tasks_per_executor = {1}, double ratio = 1.0,
                            bool decommission = false)
      : decider{settings_of(least, most, initial, std::move(tasks_per_executor), ratio, decommission)} {
    act([&](AllocationEffects& effects) { decider.apply(now, allocation_input::Started{}, effects); });
  }
  static ExecutorAllocationSettings settings_of(std::int32_t least, std::int32_t most, std::int32_t initial,
                                                std::vector<std::int32_t> tasks_per_executor, double ratio,
                                                bool decommission) {
    ExecutorAllocationSettings settings;
    settings.executors_min = least;
    settings.executors_max = most;
    settings.executors_initial = initial;
    settings.tasks_per_executor = std::move(tasks_per_executor);
    settings.ratio = ratio;
    settings.sustained_timeout = std::chrono::seconds{2};
    settings.monitor.idle_timeout = std::chrono::seconds{3};
    settings.decommission = decommission;
    return settings;
  }

  ExecutorAllocation decider;
  Instant now{};
  bool accepts = true;
  std::vector<RequestExecutorTotals> requests;
  std::vector<std::vector<std::int64_t>> removals;

  template <class Act>
  void act(Act function) {
    AllocationEffects effects;
    function(effects);
    while (!effects.empty()) {
      AllocationEffects next;
      for (const AllocationEffect& effect : effects) {
        if (const auto* request = std::get_if<RequestExecutorTotals>(&effect)) {
          requests.push_back(*request);
          if (request->needs_answer) decider.apply(now, allocation_input::RequestAnswered{accepts}, next);
        } else {
          const auto& removal = std::get<RemoveIdleExecutors>(effect);
          std::vector<std::int64_t> ids;
          for (const ExecutorId id : removal.executors) ids.push_back(id.value);
          removals.push_back(std::move(ids));
          decider.apply(now, allocation_input::KillAnswered{removal.executors}, next);
        }
      }
      effects = std::move(next);
    }
    decider.check_invariants();
  }
  void poll(std::int64_t after_ms) {
    now += std::chrono::milliseconds{after_ms};
    act([&](AllocationEffects& effects) { decider.apply(now, allocation_input::PollDue{}, effects); });
  }
  void submit(std::int64_t stage, std::int32_t tasks, std::int32_t profile = 0, TaskSetLocations places = {}) {
    act([&](AllocationEffects& effects) {
      decider.apply(
          now,
          allocation_input::StageBegun{StageId{stage}, 0, tasks, ProfileId{profile}, {IndexRange{0, tasks}}, places},
          effects);
    });
  }
  void start(std::int64_t stage, std::int32_t index, std::int64_t executor, bool is_copy = false) {
    decider.apply(now, allocation_input::TaskStarted{StageId{stage}, 0, index, ExecutorId{executor}, is_copy});
    decider.check_invariants();
  }
  void end(std::int64_t stage, std::int32_t index, std::int64_t executor, TaskEndReason reason = TaskEndReason::success,
           bool is_copy = false) {
    decider.apply(now, allocation_input::TaskStopped{StageId{stage}, 0, index, ExecutorId{executor}, is_copy, reason});
    decider.check_invariants();
  }
  void add(std::int64_t first, std::int64_t last, std::int32_t profile = 0) {
    for (std::int64_t id = first; id <= last; ++id)
      decider.apply(now, allocation_input::ExecutorRegistered{ExecutorId{id}, ProfileId{profile}});
  }
  [[nodiscard]] std::int32_t target(std::int32_t profile = 0) const {
    return decider.target(ProfileId{profile}).value_or(-1);
  }
  [[nodiscard]] std::int32_t to_add(std::int32_t profile = 0) const {
    return decider.to_add(ProfileId{profile}).value_or(-1);
  }
  [[nodiscard]] std::int32_t needed(std::int32_t profile = 0) const { return decider.needed(ProfileId{profile}); }
  [[nodiscard]] std::int64_t add_time_ms() const {
    return decider.add_time() ? to_milliseconds(decider.add_time()->time_since_epoch()) : -1;
  }
};

}  // namespace heddle::policies
