// Starts a lost master of a local cluster again, on a thread of its own.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>

namespace heddle::apps {

/// A master that ends more often is not started again: it would end for ever.
inline constexpr std::int32_t master_restarts_max = 10;

class MasterRestarts {
public:
  /// Starts the master and returns true if that was possible. `restarts`: number of masters that were lost.
  using Start = std::function<bool(std::int32_t restarts)>;

  MasterRestarts() = default;
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

  Start start_;
  std::mutex mutex_;
  std::condition_variable changes_;
  std::int32_t ends_ = 0;
  bool is_stopping_ = false;
  std::thread thread_;
};

}  // namespace heddle::apps
