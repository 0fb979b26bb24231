// Process exit codes, as listed in README.md.
#pragma once

#include "model/result.hpp"

namespace heddle::apps {

inline constexpr int exit_cancelled = 7;
inline constexpr int exit_command_not_found = 127;

/// Exit code of a failed verb, never 0. Example: Errc::refused is 4.
[[nodiscard]] int exit_code_of(Errc code);

/// Exit codes of Hadoop Streaming: 1 for wrong options or a failed job, 5 for a job that is refused at submission
/// (missing input, existing output), 7 for a cancelled job, 70 for a defect in heddle.
[[nodiscard]] int streaming_exit_code_of(Errc code);

}  // namespace heddle::apps
