// Settings of the AllocateLoop.
#pragma once

#include "model/time.hpp"

namespace heddle::policies {

struct AllocateLoopSettings {
  Duration heartbeat_interval{0};
  Duration initial_interval{0};
  Duration spacing{0};
  Duration eager_interval{0};
  Duration eager_time{0};  // 0: never eager
};

}  // namespace heddle::policies
