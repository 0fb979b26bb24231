// Partition index of each task of a set: task index i is the i-th of the set's partitions, whose ranges are
// concatenated. Cost: a look-up is constant if the set has all partitions of the stage, else logarithmic in the ranges.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/preferred_location.hpp"

namespace heddle::policies {

class TaskPartitions {
public:
  /// Without ranges, partition i is task index i. `name` of the set appears in the assertion that ranges cover `tasks`.
  TaskPartitions(const std::vector<IndexRange>& ranges, std::int32_t tasks, std::string_view name);

  [[nodiscard]] std::int32_t tasks() const { return tasks_; }
  [[nodiscard]] std::int32_t partition_of(std::int32_t index) const {
    return by_index_.empty() ? index : find_partition(index);
  }
  /// Task index of a partition, or -1.
  [[nodiscard]] std::int32_t index_of(std::int32_t partition) const;
  /// Calls `visit(index, partition)` from the last index to the first.
  template <class Visit>
  void for_each_downwards(Visit visit) const {
    if (by_index_.empty()) {
      for (std::int32_t index = tasks_; index-- > 0;) visit(index, index);
      return;
    }
    for (auto row = by_index_.rbegin(); row != by_index_.rend(); ++row)
      for (std::int32_t offset = row->range.count; offset-- > 0;)
        visit(row->first_index + offset, row->range.first + offset);
  }
  /// As visit_down, from the first index to the last.
  template <class Visit>
  void for_each_upwards(Visit visit) const {
    if (by_index_.empty()) {
      for (std::int32_t index = 0; index < tasks_; ++index) visit(index, index);
      return;
    }
    for (const Row& row : by_index_)
      for (std::int32_t offset = 0; offset < row.range.count; ++offset)
        visit(row.first_index + offset, row.range.first + offset);
  }

private:
  struct Row {
    IndexRange range;
    std::int32_t first_index = 0;
  };
  [[nodiscard]] std::int32_t find_partition(std::int32_t index) const;

  std::int32_t tasks_ = 0;
  std::vector<Row> by_index_;  // empty: partition i is index i
  std::vector<Row> by_partition_;
};

}  // namespace heddle::policies
