// Ends waits of a session for a NameNode: when the user cancels, and when the session closes.
#pragma once

#include <atomic>
#include <functional>
#include <thread>

namespace heddle {

class Interruption {
public:
  /// While it lives, `is_cancelled` counts, which is called on this thread only. It must outlive this object.
  class Scope {
  public:
    Scope(Interruption& interruption, const std::function<bool()>& is_cancelled) : interruption_{interruption} {
      interruption_.poll_ = &is_cancelled;
      interruption_.is_cancelled_ = false;
      interruption_.polling_ = std::this_thread::get_id();
    }
    ~Scope() {
      interruption_.polling_ = std::thread::id{};
      interruption_.poll_ = nullptr;
    }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

  private:
    Interruption& interruption_;
  };

  /// On the thread of the Scope: asks the user, until he has cancelled.
  [[nodiscard]] bool poll() {
    if (!is_cancelled_ && poll_ != nullptr && *poll_ && (*poll_)()) is_cancelled_ = true;
    return is_cancelled_;
  }
  /// On any thread. The thread of the Scope can be the one that waits, so it asks the user.
  [[nodiscard]] bool is_set() {
    if (is_closed_ || is_cancelled_) return true;
    return polling_.load() == std::this_thread::get_id() && poll();
  }
  /// Since the last Scope began.
  [[nodiscard]] bool was_cancelled() const { return is_cancelled_; }
  /// On any thread; for ever.
  void close() { is_closed_ = true; }

private:
  const std::function<bool()>* poll_ = nullptr;  // of the polling thread
  std::atomic<std::thread::id> polling_{};
  std::atomic<bool> is_cancelled_ = false;  // stays until the next Scope: other threads may still wait
  std::atomic<bool> is_closed_ = false;
};

}  // namespace heddle
