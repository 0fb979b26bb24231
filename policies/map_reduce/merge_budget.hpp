// Decides whether a reduce of MapReduce keeps a copied map output in memory or on disk, and when it merges. Order:
// outputs in memory merge all at once, in the order of completion; files on disk smallest first, ties by number. Cost:
// a reservation is constant; a file on disk is logarithmic. After Hadoop's MergeManagerImpl (spec SH-6), without merges
// from memory to memory, which are off by default.
#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "model/result.hpp"

namespace heddle::policies {

struct MergeBudgetSettings {
  std::int64_t memory = 0;    // bytes of the process
  float input_part = 0.7F;    // of `memory`, for copied outputs
  float single_part = 0.25F;  // of that, for one output; a larger output goes to disk
  float merge_part = 0.66F;   // of that; more committed bytes start a merge
  std::int32_t files_of_merge = 10;
};

enum class MergeDestination : std::uint8_t { memory, disk, wait };

class MergeBudget {
public:
  /// Refused if one output alone may exceed the size that starts a merge.
  [[nodiscard]] static Result<MergeBudget> make(const MergeBudgetSettings& settings);

  [[nodiscard]] MergeDestination reserve(std::int64_t bytes);
  /// An output in memory is complete. Returns the outputs of the merge that starts, in their order, or none.
  [[nodiscard]] std::vector<std::int64_t> commit_in_memory(std::int64_t output, std::int64_t bytes);
  /// An output in memory was aborted, or a merge has read it.
  void release(std::int64_t bytes) { used_ -= bytes; }
  /// A file is complete. Returns the files of the merge that starts, smallest first, or none.
  [[nodiscard]] std::vector<std::int64_t> commit_on_disk(std::int64_t file, std::int64_t bytes);
  /// Removes and returns the smallest files, for one merge.
  [[nodiscard]] std::vector<std::int64_t> pop_smallest_files();

  [[nodiscard]] std::int64_t limit() const { return limit_; }
  [[nodiscard]] std::int64_t single_limit() const { return single_limit_; }
  [[nodiscard]] std::int64_t used() const { return used_; }
  [[nodiscard]] std::size_t files() const { return files_.size(); }

private:
  std::int64_t limit_ = 0;
  std::int64_t single_limit_ = 0;
  std::int64_t merge_at_ = 0;
  std::size_t files_of_merge_ = 0;
  std::int64_t used_ = 0;
  std::int64_t committed_ = 0;
  std::vector<std::int64_t> in_memory_;
  std::set<std::pair<std::int64_t, std::int64_t>> files_;  // bytes, number
};

}  // namespace heddle::policies
