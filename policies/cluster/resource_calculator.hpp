// Resource arithmetic of the capacity rules: by memory alone, or by dominant share of a cluster. Rounding, single
// precision and the treatment of cores are those of Hadoop's Default- and DominantResourceCalculator.
#pragma once

#include <cstdint>

#include "model/resources.hpp"

namespace heddle::policies {

enum class CalculatorKind : std::uint8_t { memory_only, dominant };

/// Results of the memory-only calculator have one core if they have memory, for any operands.
class ResourceCalculator {
public:
  constexpr explicit ResourceCalculator(CalculatorKind kind = CalculatorKind::memory_only) : kind_{kind} {}

  /// Negative, 0 or positive; `cluster` is read by the dominant one alone.
  [[nodiscard]] int compare(const Resource& cluster, const Resource& a, const Resource& b) const;
  [[nodiscard]] const Resource& smaller(const Resource& cluster, const Resource& a, const Resource& b) const {
    return compare(cluster, a, b) <= 0 ? a : b;
  }
  [[nodiscard]] const Resource& larger(const Resource& cluster, const Resource& a, const Resource& b) const {
    return compare(cluster, a, b) >= 0 ? a : b;
  }
  [[nodiscard]] bool is_positive(const Resource& cluster, const Resource& what) const {
    return compare(cluster, what, Resource{}) > 0;
  }
  [[nodiscard]] bool fits(const Resource& what, const Resource& room) const {
    return what.memory_mib <= room.memory_mib && (kind_ == CalculatorKind::memory_only || what.cores <= room.cores);
  }
  /// How many of `what` the room holds.
  [[nodiscard]] std::int64_t count_fitting(const Resource& room, const Resource& what) const;
  /// The largest quotient of one type.
  [[nodiscard]] float ratio(const Resource& a, const Resource& b) const;
  /// The quotient of the dominant shares.
  [[nodiscard]] float divide(const Resource& cluster, const Resource& a, const Resource& b) const;

  [[nodiscard]] Resource rounded_up(const Resource& what, const Resource& step) const;
  [[nodiscard]] Resource rounded_down(const Resource& what, const Resource& step) const;
  [[nodiscard]] Resource multiplied_up(const Resource& what, double by, const Resource& step) const;
  [[nodiscard]] Resource multiplied_down(const Resource& what, double by, const Resource& step) const;
  [[nodiscard]] Resource divided_up(const Resource& what, float by) const;
  [[nodiscard]] Resource divided_up(const Resource& what, std::int64_t by) const;
  /// min(round up to a multiple of `step`(max(ask, minimum)), maximum).
  [[nodiscard]] Resource normalized(const Resource& ask, const Resource& minimum, const Resource& step,
                                    const Resource& maximum) const;

  [[nodiscard]] CalculatorKind kind() const { return kind_; }

private:
  CalculatorKind kind_;
};

/// Both types times a factor, cut towards zero; no rounding to steps.
[[nodiscard]] Resource multiplied(const Resource& what, double by);
[[nodiscard]] constexpr Resource smaller_of_each(const Resource& a, const Resource& b) {
  return {a.memory_mib < b.memory_mib ? a.memory_mib : b.memory_mib, a.cores < b.cores ? a.cores : b.cores};
}
[[nodiscard]] constexpr Resource larger_of_each(const Resource& a, const Resource& b) {
  return {a.memory_mib > b.memory_mib ? a.memory_mib : b.memory_mib, a.cores > b.cores ? a.cores : b.cores};
}
constexpr void take_not_below_zero(Resource& from, const Resource& what) {
  from = larger_of_each(from - what, Resource{});
}

}  // namespace heddle::policies
