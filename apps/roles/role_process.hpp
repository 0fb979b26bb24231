// Role processes: the submitting program itself, started as `PROGRAM heddle-role ROLE`.
#pragma once

#include <optional>

namespace heddle::apps {

/// Runs the role in the arguments until its end and returns the exit code; none if the arguments are not those of a
/// role process.
[[nodiscard]] std::optional<int> play_role(int argc, char** argv);

}  // namespace heddle::apps
