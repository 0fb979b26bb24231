// A Driver's event log, fed again to a task scheduler, a stage scheduler and an executor allocation that know nothing
// yet.
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "actors/driver/recorded_allocation.hpp"
#include "actors/driver/recorded_stage_scheduler.hpp"
#include "actors/driver/recorded_task_scheduler.hpp"
#include "tests/support/event_log_reader.hpp"

namespace heddle::tests {

class DriverReplay : public Replay {
public:
  DriverReplay();
  /// The three deciders, as they stand; none before their settings were read.
  std::optional<policies::TaskScheduler> task_scheduler;
  std::optional<policies::StageScheduler> stage_scheduler;
  std::optional<policies::ExecutorAllocation> allocation;
  /// Attempts that were launched, in order.
  std::vector<policies::TaskLaunch> launches;

private:
  void add_task_scheduler();
  void add_task_statuses();
  void add_stage_scheduler();
  void add_stage_tasks();
  void add_allocation();
  void add_allocation_tasks();
  [[nodiscard]] policies::TaskSetPlaces places(const EventLine& line) const;

  std::map<std::int64_t, std::shared_ptr<const policies::PlaceLists>> places_;
};

}  // namespace heddle::tests
