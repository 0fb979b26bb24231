// The amount of a parent goes first to its children up to their guarantees. The rest is shared in proportion to the
// guarantees of those with more demand. Memory and cores are computed independently.
#include "policies/cluster/capacity/capacity_preemption.hpp"

#include <algorithm>

namespace heddle::policies {
namespace {

using Part = std::int64_t MemoryAndCores::*;
constexpr Part parts[] = {&MemoryAndCores::memory_mib, &MemoryAndCores::cores};

/// Shares `total` between the children by guarantee, none above its demand.
void share(const std::vector<PreemptionQueue>& queues, const std::vector<std::size_t>& children, Part part,
           std::int64_t total, std::vector<PreemptionShare>& shares) {
  const auto demand = [&](std::size_t i) {
    const std::int64_t wanted = std::min(queues[i].used.*part + queues[i].pending.*part, queues[i].maximum.*part);
    // A queue that cannot be preempted keeps its usage.
    return queues[i].is_preemptable ? wanted : std::max(wanted, queues[i].used.*part);
  };
  std::int64_t left = total;
  for (const std::size_t i : children) {
    const std::int64_t kept = queues[i].is_preemptable ? queues[i].guaranteed.*part
                                                       : std::max(queues[i].guaranteed.*part, queues[i].used.*part);
    const std::int64_t got = std::clamp<std::int64_t>(std::min(demand(i), kept), 0, std::max<std::int64_t>(left, 0));
    shares[i].ideal.*part = got;
    left -= got;
  }
  while (left > 0) {
    double weights = 0;
    std::size_t asking = 0;
    for (const std::size_t i : children) {
      if (shares[i].ideal.*part >= demand(i)) continue;
      weights += static_cast<double>(queues[i].guaranteed.*part);
      ++asking;
    }
    if (asking == 0) return;
    const std::int64_t round = left;
    for (const std::size_t i : children) {
      const std::int64_t missing = demand(i) - shares[i].ideal.*part;
      if (missing <= 0) continue;
      const double weight =
          weights > 0 ? static_cast<double>(queues[i].guaranteed.*part) / weights : 1.0 / static_cast<double>(asking);
      const auto offered = std::max<std::int64_t>(1, static_cast<std::int64_t>(static_cast<double>(round) * weight));
      const std::int64_t got = std::min({offered, missing, left});
      shares[i].ideal.*part += got;
      left -= got;
      if (left == 0) return;
    }
  }
}

}  // namespace

std::vector<PreemptionShare> compute_preemption(const std::vector<PreemptionQueue>& queues,
                                                const MemoryAndCores& cluster,
                                                const CapacityPreemptionSettings& settings) {
  std::vector<PreemptionShare> shares(queues.size());
  if (queues.empty()) return shares;
  std::vector<std::vector<std::size_t>> children(queues.size());
  for (std::size_t i = 1; i < queues.size(); ++i) children[static_cast<std::size_t>(queues[i].parent)].push_back(i);
  shares[0].ideal = cluster;
  for (std::size_t i = 0; i < queues.size(); ++i)
    for (const Part part : parts) share(queues, children[i], part, shares[i].ideal.*part, shares);
  for (const Part part : parts) {
    std::int64_t wanted = 0;
    for (std::size_t i = 0; i < queues.size(); ++i) {
      if (!queues[i].is_leaf || !queues[i].is_preemptable) continue;
      const auto tolerated = static_cast<std::int64_t>(static_cast<double>(queues[i].guaranteed.*part) *
                                                       (1.0 + static_cast<double>(settings.ignored_over_capacity)));
      if (queues[i].used.*part <= tolerated) continue;
      const std::int64_t excess =
          std::max<std::int64_t>(0, queues[i].used.*part - std::max(shares[i].ideal.*part, queues[i].guaranteed.*part));
      shares[i].to_preempt.*part = static_cast<std::int64_t>(static_cast<double>(excess) *
                                                             static_cast<double>(settings.natural_termination_factor));
      if (excess > 0 && shares[i].to_preempt.*part == 0) shares[i].to_preempt.*part = 1;
      wanted += shares[i].to_preempt.*part;
    }
    const auto most =
        static_cast<std::int64_t>(static_cast<double>(cluster.*part) * static_cast<double>(settings.part_per_round));
    if (wanted <= most) continue;
    for (PreemptionShare& each : shares)
      each.to_preempt.*part = static_cast<std::int64_t>(static_cast<double>(each.to_preempt.*part) *
                                                        static_cast<double>(most) / static_cast<double>(wanted));
  }
  return shares;
}

}  // namespace heddle::policies
