// Resource arithmetic of the capacity rules: by memory alone, or by dominant share of a cluster. Rounding, single
// precision and the treatment of cores are those of Hadoop's Default- and DominantResourceCalculator.
#pragma once

#include <cstdint>

#include "policies/cluster/memory_and_cores.hpp"

namespace heddle::policies {

enum class CalculatorKind : std::uint8_t { memory_only, dominant };

/// Results of the memory-only calculator have one core if they have memory, for any operands.
class ResourceCalculator {
public:
  constexpr explicit ResourceCalculator(CalculatorKind kind = CalculatorKind::memory_only) : kind_{kind} {}

  /// Negative, 0 or positive; `cluster` is read by the dominant one alone.
  [[nodiscard]] int compare(const MemoryAndCores& cluster, const MemoryAndCores& a, const MemoryAndCores& b) const;
  [[nodiscard]] const MemoryAndCores& smaller(const MemoryAndCores& cluster, const MemoryAndCores& a,
                                              const MemoryAndCores& b) const {
    return compare(cluster, a, b) <= 0 ? a : b;
  }
  [[nodiscard]] const MemoryAndCores& larger(const MemoryAndCores& cluster, const MemoryAndCores& a,
                                             const MemoryAndCores& b) const {
    return compare(cluster, a, b) >= 0 ? a : b;
  }
  [[nodiscard]] bool is_positive(const MemoryAndCores& cluster, const MemoryAndCores& what) const {
    return compare(cluster, what, MemoryAndCores{}) > 0;
  }
  [[nodiscard]] bool fits(const MemoryAndCores& what, const MemoryAndCores& room) const {
    return what.memory_mib <= room.memory_mib && (kind_ == CalculatorKind::memory_only || what.cores <= room.cores);
  }
  /// How many of `what` the room holds.
  [[nodiscard]] std::int64_t count_fitting(const MemoryAndCores& room, const MemoryAndCores& what) const;
  /// The largest quotient of one type.
  [[nodiscard]] float ratio(const MemoryAndCores& a, const MemoryAndCores& b) const;
  /// The quotient of the dominant shares.
  [[nodiscard]] float divide(const MemoryAndCores& cluster, const MemoryAndCores& a, const MemoryAndCores& b) const;

  [[nodiscard]] MemoryAndCores rounded_up(const MemoryAndCores& what, const MemoryAndCores& step) const;
  [[nodiscard]] MemoryAndCores rounded_down(const MemoryAndCores& what, const MemoryAndCores& step) const;
  [[nodiscard]] MemoryAndCores multiplied_up(const MemoryAndCores& what, double by, const MemoryAndCores& step) const;
  [[nodiscard]] MemoryAndCores multiplied_down(const MemoryAndCores& what, double by, const MemoryAndCores& step) const;
  [[nodiscard]] MemoryAndCores divided_up(const MemoryAndCores& what, float by) const;
  [[nodiscard]] MemoryAndCores divided_up(const MemoryAndCores& what, std::int64_t by) const;
  /// min(round up to a multiple of `step`(max(ask, minimum)), maximum).
  [[nodiscard]] MemoryAndCores normalized(const MemoryAndCores& ask, const MemoryAndCores& minimum,
                                          const MemoryAndCores& step, const MemoryAndCores& maximum) const;

  [[nodiscard]] CalculatorKind kind() const { return kind_; }

private:
  CalculatorKind kind_;
};

/// Both types times a factor, cut towards zero; no rounding to steps.
[[nodiscard]] MemoryAndCores multiplied(const MemoryAndCores& what, double by);
[[nodiscard]] constexpr MemoryAndCores smaller_of_each(const MemoryAndCores& a, const MemoryAndCores& b) {
  return {a.memory_mib < b.memory_mib ? a.memory_mib : b.memory_mib, a.cores < b.cores ? a.cores : b.cores};
}
[[nodiscard]] constexpr MemoryAndCores larger_of_each(const MemoryAndCores& a, const MemoryAndCores& b) {
  return {a.memory_mib > b.memory_mib ? a.memory_mib : b.memory_mib, a.cores > b.cores ? a.cores : b.cores};
}
constexpr void take_not_below_zero(MemoryAndCores& from, const MemoryAndCores& what) {
  from = larger_of_each(from - what, MemoryAndCores{});
}

}  // namespace heddle::policies
