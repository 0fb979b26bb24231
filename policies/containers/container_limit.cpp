#include "policies/containers/container_limit.hpp"

namespace heddle::policies {

std::string why_too_large(std::string_view what, const Resource& needed, const ContainerLimit& limit) {
  const auto in_words = [](const Resource& size) {
    return std::to_string(size.memory_mib) + " MiB and " + std::to_string(size.cores) + " cores";
  };
  const std::string begin{what};
  if (needed.memory_mib > limit.resource.memory_mib || needed.cores > limit.resource.cores)
    return begin + " needs " + in_words(needed) + ", but the largest container here has " + in_words(limit.resource);
  const ResourceAmount* beyond = limit.limits_others ? needed.others.first_beyond(limit.resource.others) : nullptr;
  if (beyond == nullptr) return {};
  return begin + " needs " + std::to_string(beyond->amount) + " of " + beyond->name +
         ", but the largest container here has " + std::to_string(limit.resource.others.of(beyond->name));
}

}  // namespace heddle::policies
