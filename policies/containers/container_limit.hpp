// What the largest container of a cluster has, and the sentence for one that is larger than that.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/extra_resource.hpp"
#include "model/resources.hpp"

namespace heddle::policies {

struct ContainerLimit {
  Resource resource;
  std::optional<ExtraResources> extras;  // empty: nodes that come may have any
};

/// Why such a container cannot be had; empty if it can. `what` begins the sentence.
[[nodiscard]] std::string why_too_large(std::string_view what, const Resource& needed, const ExtraResources& extras,
                                        const ContainerLimit& limit);

}  // namespace heddle::policies
