// Runs blocking work (files, commits) outside of the threads of the actors.
#pragma once

#include <functional>

namespace heddle::ports {

class Background {
public:
  virtual ~Background() = default;
  /// Runs `work` after all work that was passed in before. A test implementation may run it at once.
  virtual void run(std::function<void()> work) = 0;
};

}  // namespace heddle::ports
