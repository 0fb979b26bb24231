// Checks in an event log that each task of a stage ran, with the expected outcomes.
#pragma once

#include <cstdint>
#include <string>

#include "model/result.hpp"

namespace heddle::apps {

/// Reads the log of a session whose last stage had `tasks` tasks (earlier stages not more), of which each
/// `failing_stride`-th failed once. An Error unless every task has exactly one successful attempt, and exactly these
/// tasks have one failed attempt.
[[nodiscard]] Result<Done> check_attempts(const std::string& event_log, std::int64_t tasks,
                                          std::int32_t failing_stride);

/// Seconds from the submission of the log's last stage to its end.
[[nodiscard]] Result<double> last_stage_seconds(const std::string& event_log);

}  // namespace heddle::apps
