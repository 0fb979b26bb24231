#include "apps/session/planned_losses.hpp"

namespace heddle::apps {

PlannedLosses::~PlannedLosses() {
  {
    const std::lock_guard lock{mutex_};
    is_ending_ = true;
  }
  ends_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void PlannedLosses::begin() {
  if (losses_.empty()) return;
  thread_ = std::thread{[this, begun = std::chrono::steady_clock::now()] { run(begun); }};
}

void PlannedLosses::run(std::chrono::steady_clock::time_point begun) {
  for (const auto& [after, process] : losses_) {
    std::unique_lock lock{mutex_};
    if (ends_.wait_until(lock, begun + after, [this] { return is_ending_; })) return;
    lock.unlock();
    kill_(process);
  }
}

}  // namespace heddle::apps
