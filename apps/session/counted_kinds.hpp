// Resource types besides memory and cores that the ResourceManager of a session counts (docs/decisions/0027).
#pragma once

#include <string>
#include <vector>

#include "apps/session/session.hpp"

namespace heddle::apps {

/// Sets the counted kinds to those that some node has, unless the settings name them. Returns a warning for each
/// requested kind that is not counted and therefore ignored, as Spark warns if YARN does not know a kind.
[[nodiscard]] std::vector<std::string> name_counted_kinds(SessionOptions& options);

}  // namespace heddle::apps
