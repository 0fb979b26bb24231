#include "policies/tasks/types/task_resources.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/java_number.hpp"

namespace heddle::policies {
namespace {

std::int64_t share_of(const TaskResource& need) {
  return java::to_long(need.amount * static_cast<double>(whole_address));
}

/// Number of tasks that one kind allows: shares of an address if a task uses a share, groups of addresses if it uses
/// several. A share too small to be represented always fits if an address exists.
std::int64_t fits(const FreeShares& free, const TaskResource& need) {
  std::int64_t whole = 0;
  std::int64_t parts = 0;
  bool has_address = false;
  const std::int64_t share = share_of(need);
  for (const ResourceShare& one : free) {
    if (one.kind != need.kind) continue;
    whole += one.share == whole_address ? 1 : 0;
    if (share > 0) parts += one.share / share;
    has_address = true;
  }
  if (share == 0 && has_address) return std::numeric_limits<std::int32_t>::max();
  return need.amount < 1 ? parts : whole / std::max<std::int64_t>(java::to_long(need.amount), 1);
}

}  // namespace

bool may_run_on(const TaskNeed& need, ProfileId profile) { return need.profile == profile || need.is_for_tasks_only; }

std::optional<std::vector<ResourceShare>> assign_resources(const FreeShares& free,
                                                           std::span<const TaskResource> needs) {
  std::vector<ResourceShare> taken;
  for (const TaskResource& need : needs) {
    const bool is_whole = need.amount >= 1;
    const std::int64_t share = is_whole ? whole_address : share_of(need);
    std::int64_t missing = is_whole ? java::to_long(need.amount) : 1;
    for (const ResourceShare& one : free) {
      if (missing == 0) break;
      if (one.kind != need.kind || one.share < share) continue;
      taken.push_back({one.kind, one.address, share});
      --missing;
    }
    if (missing > 0) return std::nullopt;
  }
  return taken;
}

void acquire_resources(FreeShares& free, std::span<const ResourceShare> taken) {
  for (const ResourceShare& used : taken)
    for (ResourceShare& one : free)
      if (one.kind == used.kind && one.address == used.address) one.share -= used.share;
}

std::int32_t slots_for(std::int32_t cores, const FreeShares& free, std::int32_t task_cores,
                       std::span<const TaskResource> needs) {
  std::int64_t slots = std::max(cores, 0) / std::max(task_cores, 1);
  for (const TaskResource& need : needs)
    if (need.amount > 0) slots = std::min(slots, fits(free, need));
  return static_cast<std::int32_t>(slots);
}

}  // namespace heddle::policies
