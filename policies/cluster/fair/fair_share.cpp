// Fixed shares first, then a search for the ratio of share to weight that uses up the rest.
#include "policies/cluster/fair/fair_share.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "model/java_number.hpp"

namespace heddle::policies {
namespace {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

std::int64_t saturating_sum(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return a > 0 ? most : std::numeric_limits<std::int64_t>::min();
}

std::optional<std::int64_t> fixed_share(const ShareInput& input, ShareKind kind) {
  if (input.maximum <= 0) return 0;
  if (kind == ShareKind::instantaneous && input.is_queue && !input.is_active) return 0;
  if (input.weight <= 0) return std::max<std::int64_t>(input.minimum, 0);
  return std::nullopt;
}

}  // namespace

std::int64_t FairShareSearch::share_at(const Moving& entry, double ratio) {
  double share = entry.weight * ratio;
  share = std::max(share, entry.minimum);
  share = std::min(share, entry.maximum);
  // Most shares are far below the saturation of the conversion.
  return share < 9e18 ? static_cast<std::int64_t>(share) : java::to_long(share);
}

std::int64_t FairShareSearch::used_at(double ratio) const {
  std::int64_t used = 0;
  for (const Moving& entry : moving_) used = saturating_sum(used, share_at(entry, ratio));
  return used;
}

/// The smallest power of two, from 1, at which the target is used up; infinity if none. Usage grows with the ratio, so
/// the search starts at the ratio at which entries without bounds use up the target.
double FairShareSearch::first_power_reaching(std::int64_t target) const {
  double weights = 0;
  for (const Moving& entry : moving_) weights += entry.weight;
  const double guess = static_cast<double>(target) / weights;
  constexpr int exponent_max = 1024;  // one above the largest exponent of a double
  int exponent = guess >= 1.0 && std::isfinite(guess) ? std::ilogb(guess) : 0;
  const auto reaches = [&](int power) { return power >= exponent_max || used_at(std::ldexp(1.0, power)) >= target; };
  if (!reaches(exponent)) {
    do ++exponent;
    while (!reaches(exponent));
  } else {
    while (exponent > 0 && reaches(exponent - 1)) --exponent;
  }
  return std::ldexp(1.0, exponent);
}

double FairShareSearch::ratio_for(std::int64_t target) const {
  double high = first_power_reaching(target);
  double low = 0.0;
  for (int round = 0; round < 25; ++round) {
    const double middle = (low + high) / 2.0;
    const std::int64_t used = used_at(middle);
    if (used == target) return middle;
    (used < target ? low : high) = middle;
  }
  return high;
}

void FairShareSearch::compute(const std::vector<ShareInput>& inputs, std::int64_t total, ShareKind kind,
                              std::vector<std::int64_t>& shares) {
  shares.assign(inputs.size(), 0);
  moving_.clear();
  std::int64_t taken = 0;
  std::int64_t total_maximum = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const ShareInput& input = inputs[i];
    if (const std::optional<std::int64_t> fixed = fixed_share(input, kind)) {
      shares[i] = *fixed;
      taken = saturating_sum(taken, *fixed);
      continue;
    }
    moving_.push_back(Moving{static_cast<double>(input.weight), static_cast<double>(input.minimum),
                             static_cast<double>(input.maximum), i});
    total_maximum = saturating_sum(total_maximum, input.maximum);
  }
  if (moving_.empty()) return;
  const std::int64_t target = std::min(total_maximum, std::max<std::int64_t>(total - taken, 0));
  const double ratio = ratio_for(target);
  for (const Moving& entry : moving_) shares[entry.at] = share_at(entry, ratio);
}

void compute_fair_shares(const std::vector<ShareInput>& inputs, std::int64_t total, ShareKind kind,
                         std::vector<std::int64_t>& shares) {
  FairShareSearch{}.compute(inputs, total, kind, shares);
}

}  // namespace heddle::policies
