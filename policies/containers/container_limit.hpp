// The largest container of a cluster, and the error message for a container that exceeds it.
#pragma once

#include <string>
#include <string_view>

#include "model/resources.hpp"

namespace heddle::policies {

struct ContainerLimit {
  Resource resource;
  bool limits_others = false;  // false: nodes may still register with any amount of other resource types
};

/// Why no node can hold the container; empty if one can. The sentence starts with `what`.
[[nodiscard]] std::string why_too_large(std::string_view what, const Resource& needed, const ContainerLimit& limit);

}  // namespace heddle::policies
