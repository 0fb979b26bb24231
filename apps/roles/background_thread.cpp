#include "apps/roles/background_thread.hpp"

#include <exception>

namespace heddle::apps {

BackgroundThread::BackgroundThread(Start start) {
  if (start == Start::now) thread_ = std::thread{[this] { work(); }};
}

BackgroundThread::~BackgroundThread() {
  {
    const std::lock_guard lock{mutex_};
    is_closing_ = true;
  }
  has_work_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void BackgroundThread::run(std::function<void()> job) {
  {
    const std::lock_guard lock{mutex_};
    jobs_.push_back(std::move(job));
    if (!thread_.joinable()) thread_ = std::thread{[this] { work(); }};
  }
  has_work_.notify_one();
}

void BackgroundThread::work() {
  std::vector<std::function<void()>> taken;  // all at once: a sender seldom waits for the lock
  std::unique_lock lock{mutex_};
  while (true) {
    has_work_.wait(lock, [this] { return is_closing_ || !jobs_.empty(); });
    if (jobs_.empty()) return;
    taken.swap(jobs_);
    lock.unlock();
    for (auto& job : taken) {
      try {
        job();
      } catch (const std::exception&) {
        // Such as bad_alloc. Jobs that are answered report it themselves; the others only remove files that the end of
        // the session removes too.
      }
      job = nullptr;
    }
    taken.clear();
    lock.lock();
  }
}

}  // namespace heddle::apps
