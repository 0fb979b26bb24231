// The processes of roles: the submitting program itself, started as `PROGRAM heddle-role ROLE`.
#pragma once

#include <optional>

namespace heddle::apps {

/// Plays the role that the arguments name until it is over, and answers the exit code; none if they name no role.
[[nodiscard]] std::optional<int> play_role(int argc, char** argv);

}  // namespace heddle::apps
