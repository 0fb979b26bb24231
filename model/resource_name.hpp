// Resource names of YARN: where a container is requested.
#pragma once

#include <cstdint>

namespace heddle {

/// Dense number of a resource name: a host, a rack or "*" (any), given by a table of names in order of first mention.
using ResourceNameId = std::int32_t;
inline constexpr ResourceNameId any_place = 0;  // "*"

}  // namespace heddle
