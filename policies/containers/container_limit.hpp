// The largest container of a cluster, and the error message for a container that exceeds it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/extra_resource.hpp"
#include "model/resources.hpp"

namespace heddle::policies {

struct ContainerLimit {
  Resource resource;
  std::optional<ExtraResources> extras;  // none: nodes that register may have any
};

/// Why no node can hold the container; empty if one can. The sentence starts with `what`.
[[nodiscard]] std::string why_too_large(std::string_view what, const Resource& needed, const ExtraResources& extras,
                                        const ContainerLimit& limit);

}  // namespace heddle::policies
