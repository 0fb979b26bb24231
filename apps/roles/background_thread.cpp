#include "apps/roles/background_thread.hpp"

namespace heddle::apps {

BackgroundThread::~BackgroundThread() {
  {
    const std::lock_guard lock{mutex_};
    is_closing_ = true;
  }
  has_work_.notify_one();
  thread_.join();
}

void BackgroundThread::run(std::function<void()> job) {
  {
    const std::lock_guard lock{mutex_};
    jobs_.push_back(std::move(job));
  }
  has_work_.notify_one();
}

void BackgroundThread::work() {
  std::unique_lock lock{mutex_};
  while (true) {
    has_work_.wait(lock, [this] { return is_closing_ || !jobs_.empty(); });
    if (jobs_.empty()) return;
    auto job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job();
    lock.lock();
  }
}

}  // namespace heddle::apps
