// Number of the layouts of all messages. Processes connect only if they have the same number, because CAF sends no
// field lists: another layout would be read as garbage. tools/check_protocol fails if a layout changes without it.
#pragma once

#include <cstdint>

namespace heddle {

inline constexpr std::uint32_t protocol_number = 9;

}  // namespace heddle
