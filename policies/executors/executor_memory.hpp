// Memory of an executor's container: the requested heap plus overhead, in MiB. After Spark's resource profiles on YARN:
// the factor is multiplied in double and truncated.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "model/java_number.hpp"

namespace heddle::policies {

struct ExecutorMemory {
  std::int64_t heap = 1024;
  std::optional<std::int64_t> overhead;  // if set, replaces factor and minimum
  double overhead_factor = 0.1;
  std::int64_t overhead_min = 384;
  std::int64_t off_heap = 0;  // 0: none
  std::int64_t python = 0;    // 0: no Python tasks
};

/// Sum of heap, overhead, off-heap and Python memory, in MiB.
[[nodiscard]] inline std::int64_t container_memory(const ExecutorMemory& memory) {
  const std::int64_t part = java::to_long(memory.overhead_factor * static_cast<double>(memory.heap));
  return memory.heap + memory.overhead.value_or(std::max(part, memory.overhead_min)) + memory.off_heap + memory.python;
}

}  // namespace heddle::policies
