#include "policies/tasks/task_partitions.hpp"

#include <algorithm>
#include <iterator>
#include <string>

#include "model/assert.hpp"

namespace heddle::policies {

TaskPartitions::TaskPartitions(const std::vector<IndexRange>& ranges, std::int32_t tasks, std::string_view name)
    : tasks_{tasks} {
  const bool is_plain = ranges.empty() || (ranges.size() == 1 && ranges.front() == IndexRange{0, tasks});
  if (is_plain) return;
  std::int32_t first_index = 0;
  for (const IndexRange& range : ranges) {
    by_index_.push_back({range, first_index});
    first_index += range.count;
  }
  HEDDLE_ASSERT(first_index == tasks, std::string{name} + ": partition ranges do not match the number of tasks");
  by_partition_ = by_index_;
  std::stable_sort(by_partition_.begin(), by_partition_.end(),
                   [](const Row& a, const Row& b) { return a.range.first < b.range.first; });
}

std::int32_t TaskPartitions::find_partition(std::int32_t index) const {
  const auto after = std::upper_bound(by_index_.begin(), by_index_.end(), index,
                                      [](std::int32_t wanted, const Row& row) { return wanted < row.first_index; });
  const Row& row = *std::prev(after);
  return row.range.first + (index - row.first_index);
}

std::int32_t TaskPartitions::index_of(std::int32_t partition) const {
  if (by_index_.empty()) return partition >= 0 && partition < tasks_ ? partition : -1;
  const auto after = std::upper_bound(by_partition_.begin(), by_partition_.end(), partition,
                                      [](std::int32_t wanted, const Row& row) { return wanted < row.range.first; });
  if (after == by_partition_.begin()) return -1;
  const Row& row = *std::prev(after);
  const std::int32_t offset = partition - row.range.first;
  return offset < row.range.count ? row.first_index + offset : -1;
}

}  // namespace heddle::policies
