// Carries out preemption between queues: every interval it chooses containers; a container that is chosen all through
// the wait is killed. Order: leaves as in the file; in a leaf the applications that are served last, their newest
// containers first, masters last. Cost: linear in the containers of the leaves above their ideal allocation.
#pragma once

#include <vector>

#include "policies/cluster/capacity/capacity_books.hpp"

namespace heddle::policies {

class CapacityReclaim {
public:
  void preempt(CapacityBooks& books, Instant now, ResourceEffects& effects);
  /// True if containers are chosen: time alone will kill them.
  [[nodiscard]] bool has_chosen() const { return !chosen_.empty(); }

private:
  struct Chosen {
    ContainerId container;
    Instant kill_at;
  };

  std::vector<Chosen> chosen_;  // in the order of choice
};

}  // namespace heddle::policies
