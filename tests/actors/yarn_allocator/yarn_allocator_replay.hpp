// A YarnAllocator's event log, fed again to a container allocator that knows nothing yet.
#pragma once

#include <optional>

#include "actors/yarn_allocator/recorded_container_allocator.hpp"
#include "tests/support/event_log_reader.hpp"

namespace heddle::tests {

class YarnAllocatorReplay : public Replay {
public:
  YarnAllocatorReplay();
  /// As it stands; none before its settings were read.
  std::optional<policies::ContainerAllocator> allocator;

private:
  void add_answers();
};

}  // namespace heddle::tests
