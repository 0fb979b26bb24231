#include "policies/map_reduce/merge_budget.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "model/java_number.hpp"

namespace heddle::policies {
namespace {

/// A long times a float, as in Hadoop.
std::int64_t part_of(std::int64_t whole, float part) {
  return java::to_long(static_cast<double>(static_cast<float>(whole) * part));
}

}  // namespace

Result<MergeBudget> MergeBudget::make(const MergeBudgetSettings& settings) {
  MergeBudget budget;
  budget.limit_ = part_of(settings.memory, settings.input_part);
  budget.single_limit_ =
      std::min<std::int64_t>(part_of(budget.limit_, settings.single_part), std::numeric_limits<std::int32_t>::max());
  budget.merge_at_ = part_of(budget.limit_, settings.merge_part);
  budget.files_of_merge_ = static_cast<std::size_t>(settings.files_of_merge);
  if (settings.single_part < 0 || settings.single_part > 1)
    return Error{Errc::usage, "the part of memory for one map output must be between 0 and 1"};
  if (budget.single_limit_ >= budget.merge_at_)
    return Error{Errc::usage, "one map output in memory can have " + std::to_string(budget.single_limit_) +
                                  " bytes, which must be less than the " + std::to_string(budget.merge_at_) +
                                  " bytes that start a merge"};
  return budget;
}

MergeDestination MergeBudget::reserve(std::int64_t bytes) {
  if (bytes > single_limit_) return MergeDestination::disk;
  // One output may exceed the limit. Otherwise copies could wait for each other forever.
  if (used_ > limit_) return MergeDestination::wait;
  used_ += bytes;
  return MergeDestination::memory;
}

std::vector<std::int64_t> MergeBudget::commit_in_memory(std::int64_t output, std::int64_t bytes) {
  in_memory_.push_back(output);
  committed_ += bytes;
  if (committed_ < merge_at_) return {};
  committed_ = 0;
  return std::exchange(in_memory_, {});
}

std::vector<std::int64_t> MergeBudget::commit_on_disk(std::int64_t file, std::int64_t bytes) {
  files_.emplace(bytes, file);
  return files_.size() >= 2 * files_of_merge_ - 1 ? pop_smallest_files() : std::vector<std::int64_t>{};
}

std::vector<std::int64_t> MergeBudget::pop_smallest_files() {
  std::vector<std::int64_t> taken;
  while (!files_.empty() && taken.size() < files_of_merge_) {
    taken.push_back(files_.begin()->second);
    files_.erase(files_.begin());
  }
  return taken;
}

}  // namespace heddle::policies
