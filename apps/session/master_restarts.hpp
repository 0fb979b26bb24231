// Starts a lost master of a local cluster again, on a thread of its own, each time after a longer pause.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>

namespace heddle::apps {

/// A master that ends more often is not started again: it would end for ever. A start that fails counts as an end.
inline constexpr std::int32_t master_restarts_max = 10;

/// Pause before a start; it doubles with each one. All pauses together are less than half a minute.
struct RestartPauses {
  std::chrono::milliseconds first{50};
  std::chrono::milliseconds longest{5'000};
};

class MasterRestarts {
public:
  /// Starts the master and returns true if that was possible. `restarts`: number of masters that were lost.
  using Start = std::function<bool(std::int32_t restarts)>;

  explicit MasterRestarts(RestartPauses pauses = {}) : pauses_{pauses} {}
  ~MasterRestarts() { stop(); }
  MasterRestarts(const MasterRestarts&) = delete;
  MasterRestarts& operator=(const MasterRestarts&) = delete;

  /// From now on each end of the master leads to a start, on the thread of this object. Precondition: not begun.
  void begin(Start start);
  /// The master has ended. Can be called from any thread.
  void on_master_ended();
  /// No start follows; waits for one that is under way.
  void stop();

private:
  void run();

  RestartPauses pauses_;
  Start start_;
  std::mutex mutex_;
  std::condition_variable changes_;
  std::int32_t ends_ = 0;
  bool is_stopping_ = false;
  std::thread thread_;
};

}  // namespace heddle::apps
