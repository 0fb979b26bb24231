// What a program's session, or its embedded roles, are opened with.
#pragma once

#include <string>

#include "apps/library/session_words.hpp"
#include "apps/session/session_request.hpp"
#include "heddle/session.hpp"

namespace heddle::apps {

/// The program's options, and over them its user's words. `program` names the application where the options do not.
[[nodiscard]] Result<PreparedSession> prepare_start(const heddle::SessionOptions& options, const SessionWords& words,
                                                    const std::string& program);

}  // namespace heddle::apps
