// Removes map outputs on this node that no job will read, outside of the threads of the actors.
#pragma once

#include <vector>

#include "model/ids.hpp"

namespace heddle::ports {

class ShuffleFiles {
public:
  virtual ~ShuffleFiles() = default;
  /// Removes all outputs of shuffles of this Driver with an id below `before`, except these. Returns at once.
  virtual void remove(ShuffleId before, std::vector<ShuffleId> except) = 0;
};

}  // namespace heddle::ports
