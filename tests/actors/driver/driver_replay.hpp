// Applies a Driver's event log to a new task scheduler, stage scheduler and executor allocation.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

#include "policies/executors/executor_allocation.hpp"
#include "policies/stages/stage_scheduler.hpp"
#include "policies/tasks/task_scheduler.hpp"
#include "policies/tasks/types/task_effects.hpp"
#include "policies/tasks/types/task_scheduler_settings.hpp"
#include "tests/support/replay.hpp"

namespace heddle::tests {

/// Lists of preferred locations by the number of their record; written by actors::PlaceRecords.
class ReplayedPlaces {
public:
  void add(const EventLine& line) {
    auto lists = std::make_shared<PreferredLocationLists>();
    const auto hosts = column(line, "hosts");
    const auto kinds = column(line, "kinds");
    const auto executors = column(line, "executors");
    std::size_t next = 0;
    for (const auto length : column(line, "lengths")) {
      std::vector<PreferredLocation> places(static_cast<std::size_t>(length));
      for (auto& place : places) {
        place.host = HostId{static_cast<std::int32_t>(hosts.at(next))};
        if (!kinds.empty()) {
          place.kind = static_cast<PreferredLocation::Kind>(kinds.at(next));
          place.executor = ExecutorId{executors.at(next)};
        }
        ++next;
      }
      lists->add(places);
    }
    lists_[number(line, "places")] = lists;
  }
  void find(std::int64_t number, std::shared_ptr<const PreferredLocationLists>& lists) const {
    const auto found = lists_.find(number);
    lists = found == lists_.end() ? nullptr : found->second;
  }

private:
  std::map<std::int64_t, std::shared_ptr<const PreferredLocationLists>> lists_;
};

class DriverReplay : public Replay {
public:
  DriverReplay() {
    add("place_lists", [this](const EventLine& line) {
      places_.add(line);
      return runtime::EffectDigest{};
    });
    add_settings<policies::TaskSchedulerSettings>(task_scheduler);
    add_settings<policies::StageSchedulerSettings>(stage_scheduler);
    add_settings<policies::ExecutorAllocationSettings>(allocation);
    const auto see = [this](const auto& effects) {
      if constexpr (requires { effects.launches; })
        launches.insert(launches.end(), effects.launches.begin(), effects.launches.end());
    };
    const auto complete = [](auto&) {};
    add_inputs(task_scheduler, &places_, see, complete);
    add_inputs(stage_scheduler, &places_, see, complete);
    add_inputs(allocation, &places_, see, complete);
  }
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
