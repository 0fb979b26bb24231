#include "actors/driver/job_record.hpp"

#include <algorithm>

namespace heddle::actors {

std::int32_t TaskSetRecord::partition_of(std::int32_t index) const {
  if (partitions.empty()) return index;
  const auto after = std::upper_bound(first_index.begin(), first_index.end(), index);
  const auto range = static_cast<std::size_t>(after - first_index.begin()) - 1;
  return partitions[range].first + (index - first_index[range]);
}

std::int32_t TaskSetRecord::index_of(std::int32_t partition) const {
  if (partitions.empty()) return partition < tasks ? partition : -1;
  // The StageScheduler lists missing partitions in ascending order, so the ranges ascend.
  const auto after =
      std::upper_bound(partitions.begin(), partitions.end(), partition,
                       [](std::int32_t wanted, const IndexRange& range) { return wanted < range.first; });
  if (after == partitions.begin()) return -1;
  const auto range = static_cast<std::size_t>(after - partitions.begin()) - 1;
  const auto offset = partition - partitions[range].first;
  return offset < partitions[range].count ? first_index[range] + offset : -1;
}

}  // namespace heddle::actors
