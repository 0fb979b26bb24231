// The parent watch: a process lives as long as somebody holds the other end of its pipe. At its end it clears up and is
// gone. The launcher gives the read end as an inherited descriptor; the launch spec of a role tells its number.
#pragma once

#include <functional>
#include <thread>

#include "model/result.hpp"

namespace heddle::work {

/// Both ends, closed on exec. Whoever holds `write` holds the parent watch; dropping it lets go.
struct LeashPipe {
  int read = -1;
  int write = -1;
};
[[nodiscard]] Result<LeashPipe> make_parent_watch();

/// Watches a parent watch on a thread of its own and calls `on_end` there, once, when the other end is gone. Owns the
/// descriptor and closes it on exec, so that children do not inherit it.
class LeashWatch {
public:
  LeashWatch(int read_descriptor, std::function<void()> on_end);
  /// Stops watching without calling; waits for a call that is under way, unless it is this very call.
  ~LeashWatch();
  LeashWatch(const LeashWatch&) = delete;
  LeashWatch& operator=(const LeashWatch&) = delete;

private:
  int parent_watch_;
  int wake_ = -1;
  std::thread thread_;
};

/// Watches until the process ends. After `on_end` has returned, or two seconds after the end of the parent watch,
/// whichever is first, kills what this process started and ends the process with code 129.
void end_with_parent(int read_descriptor, std::function<void()> on_end);

}  // namespace heddle::work
