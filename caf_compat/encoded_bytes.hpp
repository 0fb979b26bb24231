// Encoded size of a value in a message.
#pragma once

#include <caf/actor_system.hpp>
#include <caf/detail/serialized_size.hpp>
#include <cstdint>

namespace heddle::caf_compat {

/// Encoded size in bytes. Visits the whole value but writes no buffer.
template <class Value>
[[nodiscard]] std::int64_t encoded_bytes(caf::actor_system& system, const Value& value) {
  return static_cast<std::int64_t>(caf::detail::serialized_size(system, value));
}

}  // namespace heddle::caf_compat
