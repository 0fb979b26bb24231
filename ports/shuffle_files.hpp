// Map outputs on the own node that nobody will read any more, removed off the actors' threads.
#pragma once

#include <vector>

#include "model/ids.hpp"

namespace heddle::ports {

class ShuffleFiles {
public:
  virtual ~ShuffleFiles() = default;
  /// Removes the outputs of all shuffles of the Driver that are numbered below `before`, except these. Answers at once.
  virtual void remove(ShuffleId before, std::vector<ShuffleId> except) = 0;
};

}  // namespace heddle::ports
