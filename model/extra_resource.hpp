// Kinds of resource beside memory and cores, by name: "yarn.io/gpu". Whole numbers of devices, or of what the kind is counted in.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

struct ExtraResource {
  std::string name;
  std::int64_t amount = 0;
  bool operator==(const ExtraResource&) const = default;
};
/// Each kind once, in any order; amounts of 0 say nothing.
using ExtraResources = std::vector<ExtraResource>;

}  // namespace heddle
