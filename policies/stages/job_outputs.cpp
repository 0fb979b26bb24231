#include "policies/stages/job_outputs.hpp"

#include <string>
#include <utility>

#include "model/assert.hpp"

namespace heddle::policies {

JobOutputs::JobOutputs(JobId job, std::vector<IndexRange> partitions, std::int32_t partitions_of_dataset) {
  std::vector<std::pair<IndexRange, std::int32_t>> sorted;
  for (const IndexRange& range : partitions) {
    HEDDLE_ASSERT(range.first >= 0 && range.first + range.count <= partitions_of_dataset,
                  "job " + to_string(job) + " asks for a partition that is not there");
    sorted.emplace_back(range, count_);
    count_ += range.count;
  }
  std::sort(sorted.begin(), sorted.end());
  for (const auto& [range, first_output] : sorted) {
    const bool overlaps =
        !sorted_ranges_.empty() && sorted_ranges_.back().first + sorted_ranges_.back().count > range.first;
    HEDDLE_ASSERT(!overlaps, "job " + to_string(job) + " asks for a partition twice");
    sorted_ranges_.push_back(range);
    first_output_.push_back(first_output);
  }
  partitions_ = std::move(partitions);
  finished_.reset(count_);
}

std::vector<IndexRange> JobOutputs::missing_partitions() const {
  if (finished_.empty()) return partitions_;
  std::vector<IndexRange> missing;
  std::int32_t output = 0;
  for (const IndexRange& range : partitions_) {
    for (std::int32_t offset = 0; offset < range.count; ++offset, ++output) {
      if (!finished_.contains(output)) append_index(missing, range.first + offset);
    }
  }
  return missing;
}

}  // namespace heddle::policies
