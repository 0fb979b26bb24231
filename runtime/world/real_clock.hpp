// Time in the real world.
#pragma once

#include "ports/clock.hpp"

namespace heddle::runtime {

/// The machine's monotonic clock.
class RealClock final : public ports::Clock {
public:
  [[nodiscard]] Instant now() const override;
};

}  // namespace heddle::runtime
