// Kinds of resource in addition to memory and cores, by name: "yarn.io/gpu". Amounts are whole numbers of devices or
// units.
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
/// Each kind at most once, in any order. An amount of 0 is the same as a missing kind.
using ExtraResources = std::vector<ExtraResource>;

/// True for a resource name of YARN: a letter, then letters, digits, `_`, `.` and `-`. A name space and a slash may
/// precede it; a name space is letters, digits and inner dashes, with dots between its parts: "yarn.io/gpu".
[[nodiscard]] bool is_resource_name(std::string_view text);
/// True for a name of memory or of cores in YARN or its files; these are not extra kinds of resource.
[[nodiscard]] bool is_memory_name(std::string_view name);
[[nodiscard]] bool is_cores_name(std::string_view name);

/// Reads a whole number with an optional unit: "2", "2G", "512Mi". Units of 1000: k, M, G, T, P and g, t, p. Units of
/// 1024: Ki, Mi, Gi, Ti, Pi. Fails with Errc::usage for any other text and for an overflow.
[[nodiscard]] Result<std::int64_t> read_resource_amount(std::string_view text);

/// Writes and reads "yarn.io/gpu=2,license=10". Reading skips parts that are not NAME=AMOUNT.
[[nodiscard]] std::string write_extras(const ExtraResources& extras);
[[nodiscard]] ExtraResources read_extras(std::string_view text);

[[nodiscard]] inline std::int64_t amount_of(const ExtraResources& extras, std::string_view name) {
  for (const ExtraResource& each : extras)
    if (each.name == name) return each.amount;
  return 0;
}

/// The first kind in `wanted` whose amount exceeds that of `most`; null if none does.
[[nodiscard]] inline const ExtraResource* first_beyond(const ExtraResources& wanted, const ExtraResources& most) {
  for (const ExtraResource& each : wanted)
    if (each.amount > amount_of(most, each.name)) return &each;
  return nullptr;
}

}  // namespace heddle
