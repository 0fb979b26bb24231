// Resources of tasks besides cores: devices with addresses, whole or in shares; resources of executors; the number of
// tasks that fit. Order: the lowest address is taken first. Shares are integers in units of 10^-16, so that n shares of
// 1/n never exceed one address. Cost: linear in the addresses of one executor. Source: Spark 3.5
// ExecutorResourcesAmounts, ResourceProfile, calculateAvailableSlots.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "model/container.hpp"

namespace heddle::policies {

/// A whole address.
inline constexpr std::int64_t whole_address = 10'000'000'000'000'000;

/// Amount of one kind per task: at least 1 uses that many whole addresses, less than 1 uses that share of one address.
struct TaskResource {
  std::int32_t kind = 0;
  double amount = 1;
  static void visit_fields(auto& visit, auto& self) {
    visit("kind", self.kind);
    visit("amount", self.amount);
  }
};

/// Resources of each task of a set besides its cores, and the profile of executors that may run it.
/// `is_for_tasks_only`: the profile requests no executors, and its tasks run on executors of any profile (RP-4: without
/// dynamic allocation).
struct TaskNeed {
  ProfileId profile{0};
  bool is_for_tasks_only = false;
  std::vector<TaskResource> resources;
  std::int32_t executor_cores = 0;                                       // of the profile's executors; 0: the setting
  std::int32_t device_slots = std::numeric_limits<std::int32_t>::max();  // tasks for which one executor has devices
  static void visit_fields(auto& visit, auto& self) {
    visit("profile", self.profile);
    visit("is_for_tasks_only", self.is_for_tasks_only);
    visit("resources", self.resources);
    visit("executor_cores", self.executor_cores);
    visit("device_slots", self.device_slots);
  }
};

struct ResourceShare {
  std::int32_t kind = 0;
  std::int32_t address = 0;
  std::int64_t share = whole_address;
  bool operator==(const ResourceShare&) const = default;
};

/// Free shares of one executor, ascending by kind and address.
using FreeShares = std::vector<ResourceShare>;

/// Resources of an executor besides cores.
struct OfferDetail {
  ProfileId profile{0};
  FreeShares free;
};

[[nodiscard]] bool may_run_on(const TaskNeed& need, ProfileId profile);
/// The resources that one task would use; none if it does not fit.
[[nodiscard]] std::optional<std::vector<ResourceShare>> assign_resources(const FreeShares& free,
                                                                         std::span<const TaskResource> needs);
/// Precondition: `taken` comes from assign_resources for the same `free`.
void acquire_resources(FreeShares& free, std::span<const ResourceShare> taken);
/// Number of tasks with these needs that fit at a time; `cores` alone decides if there are no needs.
[[nodiscard]] std::int32_t slots_for(std::int32_t cores, const FreeShares& free, std::int32_t task_cores,
                                     std::span<const TaskResource> needs);

}  // namespace heddle::policies
