// Each function is one method of Hadoop's calculators, with the same order of operations.
#include "policies/cluster/resource_calculator.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/java_number.hpp"
#include "policies/cluster/fair_order.hpp"
#include "policies/cluster/resource_ledger.hpp"

namespace heddle::policies {
namespace {

constexpr MemoryAndCores of_memory(std::int64_t memory) { return {memory, memory > 0 ? 1 : 0}; }

std::int64_t quotient_up(std::int64_t amount, std::int64_t by) { return by == 0 ? 0 : (amount + (by - 1)) / by; }
std::int64_t quotient_up(std::int64_t amount, float by) {
  return by == 0 ? 0 : java::to_long(std::ceil(static_cast<double>(static_cast<float>(amount) / by)));
}
std::int64_t up(std::int64_t amount, std::int64_t step) {
  return step == 0 ? amount : quotient_up(amount, step) * step;
}
std::int64_t down(std::int64_t amount, std::int64_t step) { return step == 0 ? amount : amount / step * step; }
float safe_quotient(std::int64_t a, std::int64_t b) {
  return a == 0 && b == 0 ? 0.0F : static_cast<float>(a) / static_cast<float>(b);
}

double share(std::int64_t amount, std::int64_t all) {
  return all == 0 ? static_cast<double>(std::numeric_limits<float>::infinity())
                  : static_cast<double>(amount) / static_cast<double>(all);
}

/// The largest finite share, at least 0.
double largest_share(const MemoryAndCores& cluster, const MemoryAndCores& what, const MemoryAndCores& other) {
  double most = 0;
  const auto take = [&](double mine, double its) {
    if (!std::isinf(mine) && !std::isinf(its) && mine > most) most = mine;
  };
  take(share(what.memory_mib, cluster.memory_mib), share(other.memory_mib, cluster.memory_mib));
  take(share(what.cores, cluster.cores), share(other.cores, cluster.cores));
  return most;
}

std::int64_t multiplied_step_up(std::int64_t amount, double by, std::int64_t step) {
  return up(java::to_long(std::ceil(static_cast<double>(static_cast<float>(static_cast<double>(amount) * by)))), step);
}
std::int64_t product(std::int64_t amount, double by) { return java::to_long(static_cast<double>(amount) * by); }

}  // namespace

int ResourceCalculator::compare(const MemoryAndCores& cluster, const MemoryAndCores& a, const MemoryAndCores& b) const {
  if (kind_ == CalculatorKind::memory_only)
    return a.memory_mib < b.memory_mib ? -1 : a.memory_mib > b.memory_mib ? 1 : 0;
  return compare_dominant(a, b, cluster);
}

std::int64_t ResourceCalculator::count_fitting(const MemoryAndCores& room, const MemoryAndCores& what) const {
  std::int64_t count = std::numeric_limits<std::int32_t>::max();
  if (what.memory_mib != 0) count = std::min(count, room.memory_mib / what.memory_mib);
  if (kind_ == CalculatorKind::dominant && what.cores != 0) count = std::min(count, room.cores / what.cores);
  return count;
}

float ResourceCalculator::ratio(const MemoryAndCores& a, const MemoryAndCores& b) const {
  const float memory = safe_quotient(a.memory_mib, b.memory_mib);
  if (kind_ == CalculatorKind::memory_only) return memory;
  const float cores = safe_quotient(a.cores, b.cores);
  const float first = 0.0F > memory ? 0.0F : memory;
  return first > cores ? first : cores;
}

float ResourceCalculator::divide(const MemoryAndCores& cluster, const MemoryAndCores& a,
                                 const MemoryAndCores& b) const {
  if (kind_ == CalculatorKind::memory_only) return ratio(a, b);
  return static_cast<float>(largest_share(cluster, a, b) / largest_share(cluster, b, a));
}

MemoryAndCores ResourceCalculator::rounded_up(const MemoryAndCores& what, const MemoryAndCores& step) const {
  const std::int64_t memory = up(what.memory_mib, step.memory_mib);
  return kind_ == CalculatorKind::memory_only ? of_memory(memory) : MemoryAndCores{memory, up(what.cores, step.cores)};
}

MemoryAndCores ResourceCalculator::rounded_down(const MemoryAndCores& what, const MemoryAndCores& step) const {
  const std::int64_t memory = down(what.memory_mib, step.memory_mib);
  return kind_ == CalculatorKind::memory_only ? of_memory(memory)
                                              : MemoryAndCores{memory, down(what.cores, step.cores)};
}

MemoryAndCores ResourceCalculator::multiplied_up(const MemoryAndCores& what, double by,
                                                 const MemoryAndCores& step) const {
  if (kind_ == CalculatorKind::memory_only)
    return of_memory(up(java::to_long(static_cast<double>(what.memory_mib) * by + 0.5), step.memory_mib));
  return {multiplied_step_up(what.memory_mib, by, step.memory_mib), multiplied_step_up(what.cores, by, step.cores)};
}

MemoryAndCores ResourceCalculator::multiplied_down(const MemoryAndCores& what, double by,
                                                   const MemoryAndCores& step) const {
  return rounded_down(multiplied(what, by), step);
}

MemoryAndCores ResourceCalculator::divided_up(const MemoryAndCores& what, float by) const {
  const std::int64_t memory = quotient_up(what.memory_mib, by);
  return kind_ == CalculatorKind::memory_only ? of_memory(memory) : MemoryAndCores{memory, quotient_up(what.cores, by)};
}

MemoryAndCores ResourceCalculator::divided_up(const MemoryAndCores& what, std::int64_t by) const {
  const std::int64_t memory = quotient_up(what.memory_mib, by);
  return kind_ == CalculatorKind::memory_only ? of_memory(memory) : MemoryAndCores{memory, quotient_up(what.cores, by)};
}

MemoryAndCores ResourceCalculator::normalized(const MemoryAndCores& ask, const MemoryAndCores& minimum,
                                              const MemoryAndCores& step, const MemoryAndCores& maximum) const {
  if (kind_ == CalculatorKind::memory_only) return normalized_memory_only(ask, minimum, step, maximum);
  return policies::normalized(ask, minimum, step, maximum);
}

MemoryAndCores multiplied(const MemoryAndCores& what, double by) {
  return {product(what.memory_mib, by), product(what.cores, by)};
}

}  // namespace heddle::policies
