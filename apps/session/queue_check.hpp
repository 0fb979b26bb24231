// Whether the queue that an application names is there, before anything is started for it.
#pragma once

#include "apps/session/session.hpp"
#include "model/result.hpp"

namespace heddle::apps {

/// Refuses a queue that nobody has, with the nearest one that there is. Fair rules are not asked: they make queues.
[[nodiscard]] Result<Done> check_queue(const SessionOptions& options);

}  // namespace heddle::apps
