// Which partition of its stage each task of a set computes: index i of a set is the i-th of its partitions, laid end to
// end. Cost: a look-up is constant for all partitions of a stage, else logarithmic in the ranges.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "policies/tasks/types/preferred_location.hpp"

namespace heddle::policies {

class TaskPartitions {
public:
  /// No ranges: partition i is index i. `name` is that of the set, for the assertion that the ranges make up the tasks.
  TaskPartitions(const std::vector<IndexRange>& ranges, std::int32_t tasks, std::string_view name);

  [[nodiscard]] std::int32_t tasks() const { return tasks_; }
  [[nodiscard]] std::int32_t partition_of(std::int32_t index) const {
    return by_index_.empty() ? index : find_partition(index);
  }
  /// The index of a partition, or -1.
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
  /// The same from the first to the last.
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
