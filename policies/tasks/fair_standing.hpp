// Fair order of pools, and of the task sets of one pool: which one is offered slots first. The same at every level of
// the tree of pools. Order: first those below their minimum share, by used part of the minimum share; then by running
// tasks per weight; ties by name. Source: Spark 3.5.3 FairSchedulingAlgorithm (spec POOL-2).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace heddle::policies {

struct FairStanding {
  double ratio = 0;
  std::uint64_t name_key = 0;  // name_key_of the name
  std::uint32_t number = 0;    // of the pool or task set
  bool is_needy = false;
};

[[nodiscard]] inline FairStanding fair_standing(std::int32_t running, std::int32_t min_share, std::int32_t weight) {
  FairStanding made;
  made.is_needy = running < min_share;
  made.ratio = made.is_needy ? static_cast<double>(running) / std::max(static_cast<double>(min_share), 1.0)
                             : static_cast<double>(running) / static_cast<double>(weight);
  return made;
}

/// Double.compare of Java: NaN is the largest, -0.0 is below 0.0.
[[nodiscard]] inline int java_compare(double a, double b) {
  if (a < b) return -1;
  if (a > b) return 1;
  const auto rank = [](double x) { return std::isnan(x) ? 1 : x == 0 && std::signbit(x) ? -1 : 0; };
  return rank(a) - rank(b);
}

/// True if `a` comes after `b`. If ratios and name keys are equal, the caller compares whole names and numbers.
template <class IsLaterOfEqual>
[[nodiscard]] bool comes_after(const FairStanding& a, const FairStanding& b, IsLaterOfEqual is_later_of_equal) {
  if (a.is_needy != b.is_needy) return b.is_needy;
  if (const int by_ratio = java_compare(a.ratio, b.ratio); by_ratio != 0) return by_ratio > 0;
  if (a.name_key != b.name_key) return a.name_key > b.name_key;
  return is_later_of_equal(a.number, b.number);
}

}  // namespace heddle::policies
