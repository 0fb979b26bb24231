// Applies a YarnAllocator's event log to a new container allocator.
#pragma once

#include <optional>

#include "policies/containers/container_allocator.hpp"
#include "tests/support/replay.hpp"

namespace heddle::tests {

class YarnAllocatorReplay : public Replay {
public:
  YarnAllocatorReplay() {
    add_settings<policies::container_input::Created>(allocator);
    add_inputs(allocator);
  }
  /// Empty before its settings were read.
  std::optional<policies::ContainerAllocator> allocator;
};

}  // namespace heddle::tests
