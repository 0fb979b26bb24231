// Process exit codes (product page 3).
#pragma once

#include "model/result.hpp"

namespace heddle::apps {

inline constexpr int exit_command_not_found = 127;

/// 0 is success; the code of an expected failure otherwise.
[[nodiscard]] int exit_code_of(Errc code);

/// Hadoop Streaming's own codes: 1 for wrong words and for a failed job, 5 for what is refused at submission (missing
/// input, existing output), 70 for a defect of heddle's.
[[nodiscard]] int streaming_exit_code_of(Errc code);

}  // namespace heddle::apps
