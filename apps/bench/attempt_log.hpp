// What an event log says of the attempts of one stage: the proof that each task had its own, with its outcome.
#pragma once

#include <cstdint>
#include <string>

#include "model/result.hpp"

namespace heddle::apps {

/// Reads the log of a session whose last stage had `tasks` tasks (earlier ones no more than that), of which each
/// `failing_stride`-th failed once. An Error unless every task has exactly one successful attempt, and exactly those
/// have a failed one.
[[nodiscard]] Result<Done> check_attempts(const std::string& event_log, std::int64_t tasks,
                                          std::int32_t failing_stride);

/// Seconds from the submission of the log's last stage to its end.
[[nodiscard]] Result<double> last_stage_seconds(const std::string& event_log);

}  // namespace heddle::apps
