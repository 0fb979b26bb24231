// Order of two queues or applications under the fair, drf and fifo policies. The smaller one is served first. Ties:
// start time, then name. After Hadoop 3.4's comparators (PF-2, PD-2, PO-1).
#pragma once

#include <cstdint>
#include <string_view>

#include "policies/cluster/memory_and_cores.hpp"

namespace heddle::policies {

enum class FairPolicy : std::uint8_t { fair, dominant_resource, fifo };

[[nodiscard]] constexpr const char* to_string(FairPolicy policy) {
  switch (policy) {
    case FairPolicy::fair: return "fair";
    case FairPolicy::dominant_resource: return "drf";
    case FairPolicy::fifo: return "fifo";
  }
  return "fair";
}

/// Values of a queue or an application that the comparators read. Queues have start time 0.
struct FairSortKey {
  MemoryAndCores usage;
  MemoryAndCores demand;
  MemoryAndCores min_share;
  float weight = 1.0F;
  std::int64_t start_time = 0;
  std::string_view name;
};

/// Negative: `a` is first; positive: `b`; 0: equal. `cluster` is read by drf alone.
[[nodiscard]] int compare(FairPolicy policy, const FairSortKey& a, const FairSortKey& b, const MemoryAndCores& cluster);

/// Comparison of two amounts by the dominant share in `cluster`: the larger share first, then the smaller one.
[[nodiscard]] int compare_dominant(const MemoryAndCores& a, const MemoryAndCores& b, const MemoryAndCores& cluster);
/// The same, but the larger share alone decides.
[[nodiscard]] int compare_dominant_only(const MemoryAndCores& a, const MemoryAndCores& b,
                                        const MemoryAndCores& cluster);

}  // namespace heddle::policies
