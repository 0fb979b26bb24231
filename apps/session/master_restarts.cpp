#include "apps/session/master_restarts.hpp"

#include <algorithm>
#include <utility>

namespace heddle::apps {

void MasterRestarts::begin(Start start) {
  start_ = std::move(start);
  thread_ = std::thread{[this] { run(); }};
}

void MasterRestarts::on_master_ended() {
  {
    const std::lock_guard lock{mutex_};
    ++ends_;
  }
  changes_.notify_all();
}

void MasterRestarts::stop() {
  {
    const std::lock_guard lock{mutex_};
    is_stopping_ = true;
  }
  changes_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void MasterRestarts::run() {
  auto pause = pauses_.first;
  for (std::int32_t restarts = 1; restarts <= master_restarts_max; ++restarts) {
    std::unique_lock lock{mutex_};
    changes_.wait(lock, [&] { return is_stopping_ || ends_ >= restarts; });
    changes_.wait_for(lock, pause, [&] { return is_stopping_; });
    if (is_stopping_) return;
    lock.unlock();
    if (!start_(restarts)) on_master_ended();
    pause = std::min(pause * 2, pauses_.longest);
  }
}

}  // namespace heddle::apps
