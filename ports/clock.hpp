// Where time comes from: a role is handed its clock and reads no other.
#pragma once

#include "model/time.hpp"

namespace heddle::ports {

class Clock {
public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual Instant now() const = 0;
};

}  // namespace heddle::ports
