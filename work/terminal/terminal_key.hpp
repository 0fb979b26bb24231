// Key of the connections of one terminal.
#pragma once

#include <string>

#include "model/transport_key.hpp"

namespace heddle::work {

[[nodiscard]] inline TransportKey terminal_key(const std::string& token) { return {"terminal", token}; }

}  // namespace heddle::work
