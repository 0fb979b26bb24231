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

/// An entry without fixed share. Bounds are doubles, as in Hadoop's comparisons.
struct Moving {
  double weight;
  double minimum;
  double maximum;
  std::size_t at;
};

std::optional<std::int64_t> fixed_share(const ShareInput& input, ShareKind kind) {
  if (input.maximum <= 0) return 0;
  if (kind == ShareKind::instantaneous && input.is_queue && !input.is_active) return 0;
  if (input.weight <= 0) return std::max<std::int64_t>(input.minimum, 0);
  return std::nullopt;
}

std::int64_t share_at(const Moving& entry, double ratio) {
  double share = entry.weight * ratio;
  share = std::max(share, entry.minimum);
  share = std::min(share, entry.maximum);
  // Most shares are far below the saturation of the conversion.
  return share < 9e18 ? static_cast<std::int64_t>(share) : java::to_long(share);
}

std::int64_t used_at(const std::vector<Moving>& entries, double ratio) {
  std::int64_t used = 0;
  for (const Moving& entry : entries) used = saturating_sum(used, share_at(entry, ratio));
  return used;
}

/// The smallest power of two, from 1, at which the target is used up; infinity if none. Usage grows with the ratio, so
/// the search starts at the ratio at which entries without bounds use up the target.
double first_power_reaching(const std::vector<Moving>& entries, std::int64_t target) {
  double weights = 0;
  for (const Moving& entry : entries) weights += entry.weight;
  const double guess = static_cast<double>(target) / weights;
  constexpr int exponent_max = 1024;  // one above the largest exponent of a double
  int exponent = guess >= 1.0 && std::isfinite(guess) ? std::ilogb(guess) : 0;
  const auto reaches = [&](int power) {
    return power >= exponent_max || used_at(entries, std::ldexp(1.0, power)) >= target;
  };
  if (!reaches(exponent)) {
    do ++exponent;
    while (!reaches(exponent));
  } else {
    while (exponent > 0 && reaches(exponent - 1)) --exponent;
  }
  return std::ldexp(1.0, exponent);
}

double ratio_for(const std::vector<Moving>& entries, std::int64_t target) {
  double high = first_power_reaching(entries, target);
  double low = 0.0;
  for (int round = 0; round < 25; ++round) {
    const double middle = (low + high) / 2.0;
    const std::int64_t used = used_at(entries, middle);
    if (used == target) return middle;
    (used < target ? low : high) = middle;
  }
  return high;
}

}  // namespace

void compute_fair_shares(const std::vector<ShareInput>& inputs, std::int64_t total, ShareKind kind,
                         std::vector<std::int64_t>& shares) {
  shares.assign(inputs.size(), 0);
  std::vector<Moving> moving;
  moving.reserve(inputs.size());
  std::int64_t taken = 0;
  std::int64_t total_maximum = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const ShareInput& input = inputs[i];
    if (const std::optional<std::int64_t> fixed = fixed_share(input, kind)) {
      shares[i] = *fixed;
      taken = saturating_sum(taken, *fixed);
      continue;
    }
    moving.push_back(Moving{static_cast<double>(input.weight), static_cast<double>(input.minimum),
                            static_cast<double>(input.maximum), i});
    total_maximum = saturating_sum(total_maximum, input.maximum);
  }
  if (moving.empty()) return;
  const std::int64_t target = std::min(total_maximum, std::max<std::int64_t>(total - taken, 0));
  const double ratio = ratio_for(moving, target);
  for (const Moving& entry : moving) shares[entry.at] = share_at(entry, ratio);
}

}  // namespace heddle::policies
