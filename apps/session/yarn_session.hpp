// Sessions of --master yarn: containers of an unmodified Hadoop, the Driver in this process.
#pragma once

#include <memory>

#include "apps/session/session.hpp"

namespace heddle::apps {

[[nodiscard]] Result<std::unique_ptr<Session>> open_yarn_session(const SessionOptions& options,
                                                                 const IsCancelled& is_cancelled,
                                                                 const OnNotice& on_notice);

}  // namespace heddle::apps
