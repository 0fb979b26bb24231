// Clock of the machine.
#pragma once

#include "ports/clock.hpp"

namespace heddle::runtime {

/// Reads std::chrono::steady_clock.
class RealClock final : public ports::Clock {
public:
  [[nodiscard]] Instant now() const override;
};

}  // namespace heddle::runtime
