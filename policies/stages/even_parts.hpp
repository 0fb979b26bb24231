// Cuts a number of items into parts of almost one size, the larger ones first. After Spark's
// MapOutputTrackerMaster.equallyDivide.
#pragma once

#include <cstdint>
#include <vector>

namespace heddle::policies {

/// Sizes of `parts` parts that sum to `items` and differ by one at most.
[[nodiscard]] inline std::vector<std::int32_t> even_parts(std::int32_t items, std::int32_t parts) {
  std::vector<std::int32_t> sizes(static_cast<std::size_t>(parts), items / parts);
  for (std::int32_t i = 0; i < items % parts; ++i) ++sizes[static_cast<std::size_t>(i)];
  return sizes;
}

}  // namespace heddle::policies
