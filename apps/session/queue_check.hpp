// Checks that the queue of an application exists, before anything is started.
#pragma once

#include "apps/session/session.hpp"
#include "model/result.hpp"

namespace heddle::apps {

/// Errc::not_found for a queue that does not exist, with the most similar name. Fair queues are not checked, because
/// the scheduler can create them.
[[nodiscard]] Result<Done> check_queue(const SessionOptions& options);

}  // namespace heddle::apps
