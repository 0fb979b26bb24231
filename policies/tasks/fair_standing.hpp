// Fair order among pools, or among the sets of a pool: who is offered slots first. It is the same at every level of a
// tree of pools. Order: who is below its minimum share first, by the part of it that is used; then by what is used per
// weight; ties: by name. Source: Spark 3.5.3 FairSchedulingAlgorithm (spec POOL-2).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace heddle::policies {

struct FairStanding {
  double ratio = 0;
  std::uint64_t name_key = 0;  // name_key_of the name
  std::uint32_t number = 0;    // of a pool or set
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

/// Only the whole names and the numbers of equal standings are left to the caller to compare.
template <class IsLaterOfEqual>
[[nodiscard]] bool stands_behind(const FairStanding& a, const FairStanding& b, IsLaterOfEqual is_later_of_equal) {
  if (a.is_needy != b.is_needy) return b.is_needy;
  if (const int by_ratio = java_compare(a.ratio, b.ratio); by_ratio != 0) return by_ratio > 0;
  if (a.name_key != b.name_key) return a.name_key > b.name_key;
  return is_later_of_equal(a.number, b.number);
}

}  // namespace heddle::policies
