// Racks in the recorded cases about containers: h1 and h2 are in /r1, h3 and h4 in /r2, and so on.
#pragma once

#include <string>

namespace heddle::conformance {

[[nodiscard]] inline std::string rack_of(const std::string& host) {
  return "/r" + std::to_string((std::stoi(host.substr(1)) + 1) / 2);
}

}  // namespace heddle::conformance
