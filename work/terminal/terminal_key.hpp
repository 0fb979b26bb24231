// Key of the connections of one terminal.
#pragma once

#include <string>

#include "ports/transport_key.hpp"

namespace heddle::work {

[[nodiscard]] inline ports::TransportKey terminal_key(const std::string& token) { return {"terminal", token}; }

}  // namespace heddle::work
