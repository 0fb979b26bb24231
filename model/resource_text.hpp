// Names of resource types, and resources as text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/resources.hpp"
#include "model/result.hpp"

namespace heddle {

/// True for a resource name of YARN: a letter, then letters, digits, `_`, `.` and `-`. A name space and a slash may
/// precede it; a name space is letters, digits and inner dashes, with dots between its parts: "yarn.io/gpu".
[[nodiscard]] bool is_resource_name(std::string_view text);
/// True for a name of memory or of cores in YARN or its files; ResourceAmounts has neither.
[[nodiscard]] bool is_memory_name(std::string_view name);
[[nodiscard]] bool is_cores_name(std::string_view name);

/// Reads a whole number with an optional unit: "2", "2G", "512Mi". Units of 1000: k, M, G, T, P and g, t, p. Units of
/// 1024: Ki, Mi, Gi, Ti, Pi. Fails with Errc::usage for any other text and for an overflow.
[[nodiscard]] Result<std::int64_t> read_resource_amount(std::string_view text);

/// "memory-mb=1024,vcores=2,yarn.io/gpu=1": the names of YARN. Reading fails with Errc::usage where a part is not
/// NAME=AMOUNT.
[[nodiscard]] std::string to_text(const Resource& resource);
[[nodiscard]] Result<Resource> read_resource(std::string_view text);

}  // namespace heddle
