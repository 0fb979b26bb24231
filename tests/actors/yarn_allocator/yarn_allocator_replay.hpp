// A YarnAllocator's event log, fed again to a container allocator that knows nothing yet.
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
  /// As it stands; none before its settings were read.
  std::optional<policies::ContainerAllocator> allocator;
};

}  // namespace heddle::tests
