// How many bytes a value takes in a message.
#pragma once

#include <caf/actor_system.hpp>
#include <caf/detail/serialized_size.hpp>
#include <cstdint>

namespace heddle::caf_compat {

/// Counted, not written: cost is that of a walk over the value.
template <class Value>
[[nodiscard]] std::int64_t encoded_bytes(caf::actor_system& system, const Value& value) {
  return static_cast<std::int64_t>(caf::detail::serialized_size(system, value));
}

}  // namespace heddle::caf_compat
