// Clock of a role. A role reads no other clock.
#pragma once

#include "model/time.hpp"

namespace heddle::ports {

class Clock {
public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual Instant now() const = 0;
};

}  // namespace heddle::ports
