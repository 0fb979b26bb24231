// Preemption between queues, carried out: every interval containers are chosen anew; one that is chosen all through the
// wait is ended. Order: leaves as in the file; in a leaf the applications that are served last, their newest containers
// first, masters after all others. Cost: the containers of the leaves that hold too much.
#pragma once

#include <vector>

#include "policies/cluster/capacity/capacity_books.hpp"

namespace heddle::policies {

class CapacityReclaim {
public:
  void preempt(CapacityBooks& books, Instant now, ResourceEffects& effects);
  /// Chosen containers end by time alone.
  [[nodiscard]] bool has_chosen() const { return !chosen_.empty(); }

private:
  struct Chosen {
    ContainerId container;
    Instant kill_at;
  };

  std::vector<Chosen> chosen_;  // in the order of their choice
};

}  // namespace heddle::policies
