// Sessions of --master local[N].
#pragma once

#include "apps/session/session.hpp"

namespace heddle::apps {

[[nodiscard]] Result<std::unique_ptr<Session>> open_local_session(const SessionOptions& options);

}  // namespace heddle::apps
