// Expected run times of the tasks of a set relative to each other: proportional to the bytes that each task reads.
// Cost: linear in the tasks. heddle's own rule; only adaptive locality waits (heddle.locality.adaptive) use it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace heddle::policies {

/// Expected times of local tasks in thousandths of their mean, at least 1, from the bytes of each task. Null if all
/// tasks count as equal: a size is unknown (negative), nothing is read, or all sizes are equal.
[[nodiscard]] std::shared_ptr<const std::vector<std::int32_t>> expected_task_shares(
    std::span<const std::int64_t> bytes);

}  // namespace heddle::policies
