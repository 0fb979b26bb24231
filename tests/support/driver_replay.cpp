#include "tests/support/driver_replay.hpp"

#include <cstddef>

#include "policies/executors/allocation_settings.hpp"
#include "policies/stages/stage_scheduler_settings.hpp"
#include "policies/tasks/types/task_scheduler_settings.hpp"

namespace heddle::tests {

void ReplayedPlaces::add(const EventLine& line) {
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

DriverReplay::DriverReplay() {
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

}  // namespace heddle::tests
