// Kinds of resource beside memory and cores, by name: "yarn.io/gpu". Whole numbers of devices, or of what the kind is
// counted in.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/result.hpp"

namespace heddle {

struct ExtraResource {
  std::string name;
  std::int64_t amount = 0;
  bool operator==(const ExtraResource&) const = default;
};
/// Each kind once, in any order; amounts of 0 say nothing.
using ExtraResources = std::vector<ExtraResource>;

/// As YARN names kinds: a letter, then letters, digits, `_`, `.` and `-`; ahead of it there may be a name space of
/// words with dots between them, and a slash.
[[nodiscard]] bool is_resource_name(std::string_view text);
/// Memory or cores, under one of the names that they have in YARN or in its files: no kinds beside them.
[[nodiscard]] bool is_memory_name(std::string_view name);
[[nodiscard]] bool is_cores_name(std::string_view name);

/// "2", "2G", "512Mi": a whole number, in thousands (k, M, G, T, P; g, t and p too) or in powers of 1024 (Ki, Mi, Gi,
/// Ti, Pi).
[[nodiscard]] Result<std::int64_t> read_resource_amount(std::string_view text);

/// "yarn.io/gpu=2,license=10", and back. What is no amount of a kind is left out.
[[nodiscard]] std::string write_extras(const ExtraResources& extras);
[[nodiscard]] ExtraResources read_extras(std::string_view text);

[[nodiscard]] inline std::int64_t amount_of(const ExtraResources& extras, std::string_view name) {
  for (const ExtraResource& each : extras)
    if (each.name == name) return each.amount;
  return 0;
}

/// The first kind of which `most` has less than is wanted.
[[nodiscard]] inline const ExtraResource* first_beyond(const ExtraResources& wanted, const ExtraResources& most) {
  for (const ExtraResource& each : wanted)
    if (each.amount > amount_of(most, each.name)) return &each;
  return nullptr;
}

}  // namespace heddle
