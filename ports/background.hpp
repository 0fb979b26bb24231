// Runs blocking work (files, commits) outside of the threads of the actors.
#pragma once

#include <functional>
#include <utility>

namespace heddle::ports {

class Background {
public:
  virtual ~Background() = default;
  /// Runs `work` after all work that was passed in before. A test implementation may run it at once.
  virtual void run(std::function<void()> work) = 0;
  /// The same for work that nothing waits for: it may begin some milliseconds later, together with work that follows,
  /// because a wake-up of the thread for each piece can cost more than the piece.
  virtual void run_soon(std::function<void()> work) { run(std::move(work)); }
};

}  // namespace heddle::ports
