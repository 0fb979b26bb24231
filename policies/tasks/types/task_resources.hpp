// What tasks need beside cores (devices with addresses, whole or in shares), what executors have of it, and how many
// tasks fit. Order: addresses are taken lowest first. Shares are whole numbers of 10^-16, so that n times 1/n is one
// address, and never more. Cost: linear in the addresses of one executor. Source: Spark 3.5 ExecutorResourcesAmounts,
// ResourceProfile, calculateAvailableSlots.
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

/// So much of one kind for each task: at least 1 takes that many whole addresses, less takes that share of one.
struct TaskResource {
  std::int32_t kind = 0;
  double amount = 1;
  static void visit_fields(auto& visit, auto& self) {
    visit("kind", self.kind);
    visit("amount", self.amount);
  }
};

/// What each task of a set needs beside its cores, and where it may run: on executors of its profile.
/// `is_for_tasks_only`: the profile asks for no executors of its own, and its tasks run on those of any (RP-4: where
/// dynamic allocation is off).
struct TaskNeed {
  ProfileId profile{0};
  bool is_for_tasks_only = false;
  std::vector<TaskResource> resources;
  std::int32_t executor_cores = 0;  // of the profile's executors; 0: as the settings say
  std::int32_t device_slots = std::numeric_limits<std::int32_t>::max();  // tasks for which an executor has resources
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

/// What is free on one executor: shares by kind and address, ascending.
using FreeShares = std::vector<ResourceShare>;

/// What an executor is beside its cores.
struct OfferDetail {
  ProfileId profile{0};
  FreeShares free;
};

[[nodiscard]] bool may_run_on(const TaskNeed& need, ProfileId profile);
/// What one task would take; none if it does not fit.
[[nodiscard]] std::optional<std::vector<ResourceShare>> assign_resources(const FreeShares& free,
                                                                         std::span<const TaskResource> needs);
/// Precondition: `taken` comes from assign_resources for the same `free`.
void take_resources(FreeShares& free, std::span<const ResourceShare> taken);
/// How many tasks with these needs fit at a time; without needs `cores` alone decides.
[[nodiscard]] std::int32_t slots_for(std::int32_t cores, const FreeShares& free, std::int32_t task_cores,
                                     std::span<const TaskResource> needs);

}  // namespace heddle::policies
