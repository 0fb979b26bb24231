// A comparison with NaN is neither smaller nor larger, as in Hadoop.
#include "policies/cluster/fair_order.hpp"

#include <algorithm>

namespace heddle::policies {
namespace {

int sign(double difference) { return difference > 0 ? 1 : difference < 0 ? -1 : 0; }

template <class T>
int three_way(T a, T b) {
  return a < b ? -1 : a > b ? 1 : 0;
}

int by_arrival(const FairSortKey& a, const FairSortKey& b) {
  if (const int order = three_way(a.start_time, b.start_time); order != 0) return order;
  return three_way(a.name, b.name);
}

int compare_fair_usage(const FairSortKey& a, const FairSortKey& b) {
  const auto usage_a = static_cast<double>(a.usage.memory_mib);
  const auto usage_b = static_cast<double>(b.usage.memory_mib);
  if (a.weight > 0 && b.weight > 0)
    return sign(usage_a / static_cast<double>(a.weight) - usage_b / static_cast<double>(b.weight));
  if (a.weight == b.weight) return sign(usage_a - usage_b);
  return sign(static_cast<double>(b.weight) - static_cast<double>(a.weight));
}

int compare_fair(const FairSortKey& a, const FairSortKey& b) {
  if (a.demand.memory_mib == 0 && b.demand.memory_mib > 0) return 1;
  if (b.demand.memory_mib == 0 && a.demand.memory_mib > 0) return -1;
  const std::int64_t minimum_a = std::min(a.min_share.memory_mib, a.demand.memory_mib);
  const std::int64_t minimum_b = std::min(b.min_share.memory_mib, b.demand.memory_mib);
  const bool is_needy_a = a.usage.memory_mib < minimum_a;
  const bool is_needy_b = b.usage.memory_mib < minimum_b;
  if (is_needy_a != is_needy_b) return is_needy_a ? -1 : 1;
  int order = 0;
  if (is_needy_a) {
    const double ratio_a =
        static_cast<double>(a.usage.memory_mib) / static_cast<double>(std::max<std::int64_t>(minimum_a, 1));
    const double ratio_b =
        static_cast<double>(b.usage.memory_mib) / static_cast<double>(std::max<std::int64_t>(minimum_b, 1));
    order = sign(ratio_a - ratio_b);
  }
  if (order == 0) order = compare_fair_usage(a, b);
  return order != 0 ? order : by_arrival(a, b);
}

/// Usage of the cluster per resource type, and the dominant type.
struct Dominance {
  double memory;
  double cores;
  bool is_cores;

  [[nodiscard]] double dominant() const { return is_cores ? cores : memory; }
  [[nodiscard]] double other() const { return is_cores ? memory : cores; }
};

Dominance dominance_of(const FairSortKey& key, const MemoryAndCores& cluster) {
  Dominance ratios{static_cast<double>(key.usage.memory_mib) / static_cast<double>(cluster.memory_mib),
                   static_cast<double>(key.usage.cores) / static_cast<double>(cluster.cores), false};
  ratios.is_cores = ratios.cores > ratios.memory;
  ratios.memory /= static_cast<double>(key.weight);
  ratios.cores /= static_cast<double>(key.weight);
  return ratios;
}

bool is_needy(const FairSortKey& key, const Dominance& ratios) {
  return ratios.is_cores ? key.usage.cores < key.min_share.cores : key.usage.memory_mib < key.min_share.memory_mib;
}

int compare_minimum_ratios(const FairSortKey& a, const Dominance& of_a, const FairSortKey& b, const Dominance& of_b) {
  const auto memory = [](const FairSortKey& key) {
    return static_cast<double>(key.usage.memory_mib) / static_cast<double>(key.min_share.memory_mib);
  };
  const auto cores = [](const FairSortKey& key) {
    return static_cast<double>(key.usage.cores) / static_cast<double>(key.min_share.cores);
  };
  const int order = sign((of_a.is_cores ? cores(a) : memory(a)) - (of_b.is_cores ? cores(b) : memory(b)));
  if (order != 0) return order;
  return sign((of_a.is_cores ? memory(a) : cores(a)) - (of_b.is_cores ? memory(b) : cores(b)));
}

int compare_dominant_resource(const FairSortKey& a, const FairSortKey& b, const MemoryAndCores& cluster) {
  const Dominance of_a = dominance_of(a, cluster);
  const Dominance of_b = dominance_of(b, cluster);
  const bool is_needy_a = is_needy(a, of_a);
  const bool is_needy_b = is_needy(b, of_b);
  if (is_needy_a != is_needy_b) return is_needy_a ? -1 : 1;
  int order = 0;
  if (is_needy_a) {
    order = compare_minimum_ratios(a, of_a, b, of_b);
  } else {
    order = sign(of_a.dominant() - of_b.dominant());
    if (order == 0) order = sign(of_a.other() - of_b.other());
  }
  return order != 0 ? order : by_arrival(a, b);
}

struct Shares {
  double larger;
  double smaller;
};

Shares shares_of(const MemoryAndCores& what, const MemoryAndCores& cluster) {
  const double memory = static_cast<double>(what.memory_mib) / static_cast<double>(cluster.memory_mib);
  const double cores = static_cast<double>(what.cores) / static_cast<double>(cluster.cores);
  return memory > cores ? Shares{memory, cores} : Shares{cores, memory};
}

/// Without a cluster there are no shares: the amounts themselves decide, if they agree.
int compare_amounts(const MemoryAndCores& a, const MemoryAndCores& b) {
  const bool is_larger = a.memory_mib > b.memory_mib || a.cores > b.cores;
  const bool is_smaller = a.memory_mib < b.memory_mib || a.cores < b.cores;
  return is_larger == is_smaller ? 0 : is_larger ? 1 : -1;
}

}  // namespace

int compare_dominant(const MemoryAndCores& a, const MemoryAndCores& b, const MemoryAndCores& cluster) {
  if (a == b) return 0;
  if (cluster.memory_mib == 0 && cluster.cores == 0) return compare_amounts(a, b);
  const Shares of_a = shares_of(a, cluster);
  const Shares of_b = shares_of(b, cluster);
  const int order = sign(of_a.larger - of_b.larger);
  return order != 0 ? order : sign(of_a.smaller - of_b.smaller);
}

int compare_dominant_only(const MemoryAndCores& a, const MemoryAndCores& b, const MemoryAndCores& cluster) {
  if (a == b) return 0;
  if (cluster.memory_mib == 0 && cluster.cores == 0) return compare_amounts(a, b);
  return sign(shares_of(a, cluster).larger - shares_of(b, cluster).larger);
}

int compare(FairPolicy policy, const FairSortKey& a, const FairSortKey& b, const MemoryAndCores& cluster) {
  switch (policy) {
    case FairPolicy::fair: return compare_fair(a, b);
    case FairPolicy::dominant_resource: return compare_dominant_resource(a, b, cluster);
    case FairPolicy::fifo: return by_arrival(a, b);
  }
  return 0;
}

}  // namespace heddle::policies
