// Ends a process when its parent is gone. Parent and child share a pipe: the parent keeps the write end; when it is
// closed, the child cleans up and exits. The launcher passes the read end as an inherited descriptor, whose number is
// in the launch spec.
#pragma once

#include <functional>
#include <thread>

#include "model/result.hpp"

namespace heddle::work {

/// Both ends of the pipe, close-on-exec. Closing `write` ends the child.
struct ParentWatchPipe {
  int read = -1;
  int write = -1;
};
[[nodiscard]] Result<ParentWatchPipe> make_parent_watch();

/// Waits on its own thread until the write end is closed, and then calls `on_end` there once. Owns the descriptor and
/// makes it close-on-exec.
class ParentWatch {
public:
  ParentWatch(int read_descriptor, std::function<void()> on_end);
  /// Stops the watch without a call of `on_end`. Waits for a running call, unless that call itself runs the destructor.
  ~ParentWatch();
  ParentWatch(const ParentWatch&) = delete;
  ParentWatch& operator=(const ParentWatch&) = delete;

private:
  int parent_watch_;
  int wake_ = -1;
  std::thread thread_;
};

/// Watches until the process ends. When the parent is gone, calls `on_end`. When that returns, or after two seconds,
/// kills all processes that this process started and exits with code 129.
void end_with_parent(int read_descriptor, std::function<void()> on_end);

}  // namespace heddle::work
