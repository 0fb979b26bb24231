// Applies a Driver's event log to a new task scheduler, stage scheduler and executor allocation.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "policies/executors/executor_allocation.hpp"
#include "policies/stages/stage_scheduler.hpp"
#include "policies/tasks/task_scheduler.hpp"
#include "policies/tasks/types/task_effects.hpp"
#include "tests/support/replay.hpp"

namespace heddle::tests {

/// Lists of preferred locations by the number of their record; written by actors::PlaceRecords.
class ReplayedPlaces {
public:
  void add(const EventLine& line);
  void find(std::int64_t number, std::shared_ptr<const PreferredLocationLists>& lists) const {
    const auto found = lists_.find(number);
    lists = found == lists_.end() ? nullptr : found->second;
  }

private:
  std::map<std::int64_t, std::shared_ptr<const PreferredLocationLists>> lists_;
};

class DriverReplay : public Replay {
public:
  DriverReplay();
  /// The three deciders; empty before their settings were read.
  std::optional<policies::TaskScheduler> task_scheduler;
  std::optional<policies::StageScheduler> stage_scheduler;
  std::optional<policies::ExecutorAllocation> allocation;
  /// Launched task attempts, in order.
  std::vector<policies::TaskLaunch> launches;

private:
  ReplayedPlaces places_;
};

}  // namespace heddle::tests
