#include "policies/tasks/adaptive_locality/expected_task_shares.hpp"

#include <algorithm>
#include <cmath>

namespace heddle::policies {

std::shared_ptr<const std::vector<std::int32_t>> expected_task_shares(std::span<const std::int64_t> bytes) {
  if (bytes.empty()) return nullptr;
  const auto [least, most] = std::minmax_element(bytes.begin(), bytes.end());
  if (*least < 0 || *least == *most) return nullptr;
  double total = 0;
  for (const std::int64_t one : bytes) total += static_cast<double>(one);
  const double mean = total / static_cast<double>(bytes.size());
  std::vector<std::int32_t> shares;
  shares.reserve(bytes.size());
  for (const std::int64_t one : bytes)
    shares.push_back(
        static_cast<std::int32_t>(std::clamp(std::round(1000 * (static_cast<double>(one) / mean)), 1.0, 1e9)));
  return std::make_shared<const std::vector<std::int32_t>>(std::move(shares));
}

}  // namespace heddle::policies
