// --master local-cluster[n,c,m]: every role a process of its own on this machine, over loopback; gone when its client ends.
#pragma once

#include "apps/session/session.hpp"

namespace heddle::apps {

[[nodiscard]] Result<std::unique_ptr<Session>> open_cluster_session(const SessionOptions& options);

}  // namespace heddle::apps
