// What the tasks of a set are expected to take against each other: each in proportion to the bytes that it reads.
// No order, no ties. Cost: one step per task. heddle's own rule; only adaptive locality waits
// (heddle.locality.adaptive) ask.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace heddle::policies {

/// Times near the data in thousandths of their mean, at least 1, from the bytes of each task. Null, so that all count
/// as equal: where a size is not known (negative), where nothing is read, and where all sizes are the same.
[[nodiscard]] std::shared_ptr<const std::vector<std::int32_t>> expected_task_shares(
    std::span<const std::int64_t> bytes);

}  // namespace heddle::policies
