// Logs of containers from the web service of their NodeManager. It knows them while the application runs.
#pragma once

#include <string>

#include "interop/logs/http_get.hpp"
#include "interop/logs/log_visitor.hpp"

namespace heddle::interop {

/// Visits the log files of a container, by name. `page`: "http://host:8042" of the NodeManager; `user`: who asks.
/// Errc::not_found if the NodeManager does not know the container.
[[nodiscard]] Result<Done> visit_node_logs(const std::string& page, const std::string& container,
                                           const std::string& user, const HttpRules& rules, LogVisitor& visitor);

}  // namespace heddle::interop
