// Which kinds of resources beside memory and cores the nodes of a session count (docs/decisions/0027).
#pragma once

#include <string>
#include <vector>

#include "apps/session/session.hpp"

namespace heddle::apps {

/// Unless the settings name the kinds that are counted, those that some node has. Says of each kind that is asked for
/// and not counted that it is left out, as Spark does where YARN does not know a kind.
[[nodiscard]] std::vector<std::string> name_counted_kinds(SessionOptions& options);

}  // namespace heddle::apps
