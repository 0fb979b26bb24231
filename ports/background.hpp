// Somewhere to do what may block (files, commits), off the actors' threads.
#pragma once

#include <functional>

namespace heddle::ports {

class Background {
public:
  virtual ~Background() = default;
  /// Runs `work` after everything that was handed in before. The virtual twin runs it at once.
  virtual void run(std::function<void()> work) = 0;
};

}  // namespace heddle::ports
