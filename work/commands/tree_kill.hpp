// Kills the tree of one process on a thread of its own: it reads /proc, which may take seconds.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <thread>

namespace heddle::work {

class TreeKill {
public:
  /// Runs both on a thread of its own; here, before it returns, if no thread can be started.
  TreeKill(std::function<void()> kill, std::function<void()> on_done);
  /// A kill that hangs is left behind, with its thread.
  ~TreeKill();
  TreeKill(const TreeKill&) = delete;
  TreeKill& operator=(const TreeKill&) = delete;

  [[nodiscard]] bool is_done() const { return is_done_->load(); }

private:
  std::shared_ptr<std::atomic<bool>> is_done_;  // the thread may outlive this object
  std::thread thread_;
};

}  // namespace heddle::work
