// From what slot threads report to what the Driver is told: many alike become one range.
#pragma once

#include <vector>

#include "messages/executor.hpp"
#include "ports/task_runner.hpp"

namespace heddle::actors {

/// Attempts of consecutive indices that finished and have nothing to say but their times are one FinishedRange.
[[nodiscard]] SlotReports gather(std::vector<ports::TaskReport> reports);

}  // namespace heddle::actors
