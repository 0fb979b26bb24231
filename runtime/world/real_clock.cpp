#include "runtime/world/real_clock.hpp"

#include <chrono>

namespace heddle::runtime {

Instant RealClock::now() const {
  return Instant{std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now().time_since_epoch())};
}

}  // namespace heddle::runtime
