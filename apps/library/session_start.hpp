// Prepares the options with which a Session, or spawn_roles, starts roles.
#pragma once

#include <string>

#include "apps/library/session_arguments.hpp"
#include "apps/session/session_request.hpp"
#include "heddle/session.hpp"

namespace heddle::apps {

/// Merges `options` with the command-line options in `words`, which win. `program` (a path) names the application if
/// `options` do not.
[[nodiscard]] Result<PreparedSession> prepare_start(const heddle::SessionOptions& options, const SessionWords& words,
                                                    const std::string& program);

}  // namespace heddle::apps
