#include "apps/session/master_restarts.hpp"

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
  for (std::int32_t restarts = 1; restarts <= master_restarts_max; ++restarts) {
    std::unique_lock lock{mutex_};
    changes_.wait(lock, [&] { return is_stopping_ || ends_ >= restarts; });
    if (is_stopping_) return;
    lock.unlock();
    if (!start_(restarts)) return;
  }
}

}  // namespace heddle::apps
