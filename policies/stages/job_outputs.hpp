// The outputs of a job: one for each partition that it asks for. Example: a job over the partitions 4, 5, 2 has the
// outputs 0, 1, 2. Cost: finish() is logarithmic in the ranges of partitions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/ids.hpp"
#include "model/preferred_location.hpp"
#include "policies/tasks/types/index_bits.hpp"

namespace heddle::policies {

class JobOutputs {
public:
  JobOutputs() = default;
  /// Asserts that each partition is below `partitions_of_dataset` and named once. `job` is for the messages.
  JobOutputs(JobId job, std::vector<IndexRange> partitions, std::int32_t partitions_of_dataset);

  /// Marks a partition finished. Returns its output; none if the job does not ask for it or it was finished before.
  std::optional<std::int32_t> finish(std::int32_t partition) {
    const auto after =
        std::upper_bound(sorted_ranges_.begin(), sorted_ranges_.end(), partition,
                         [](std::int32_t value, const IndexRange& range) { return value < range.first; });
    if (after == sorted_ranges_.begin()) return std::nullopt;
    const IndexRange& range = *(after - 1);
    if (partition >= range.first + range.count) return std::nullopt;
    const auto position = static_cast<std::size_t>(after - sorted_ranges_.begin()) - 1;
    const std::int32_t output = first_output_[position] + (partition - range.first);
    return finished_.insert(output) ? std::optional{output} : std::nullopt;
  }
  [[nodiscard]] bool has_finished_any() const { return !finished_.empty(); }
  [[nodiscard]] bool has_finished_all() const { return finished_.count() >= count_; }
  /// Partitions that are not finished, in the order of their outputs.
  [[nodiscard]] std::vector<IndexRange> missing_partitions() const;
  [[nodiscard]] bool is_consistent() const { return finished_.is_consistent() && finished_.count() <= count_; }

private:
  std::vector<IndexRange> partitions_;      // in the order of the outputs
  std::vector<IndexRange> sorted_ranges_;   // the same ranges by first partition
  std::vector<std::int32_t> first_output_;  // of each sorted range
  IndexBits finished_;                      // by output
  std::int32_t count_ = 0;
};

}  // namespace heddle::policies
