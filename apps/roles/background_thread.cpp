#include "apps/roles/background_thread.hpp"

#include <chrono>
#include <exception>
#include <utility>

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

void BackgroundThread::run(std::function<void()> job) { add(std::move(job), true); }

void BackgroundThread::run_soon(std::function<void()> job) { add(std::move(job), false); }

void BackgroundThread::add(std::function<void()> job, bool is_urgent) {
  bool is_awaited = is_urgent;
  {
    const std::lock_guard lock{mutex_};
    jobs_.push_back(std::move(job));
    is_urgent_ = is_urgent_ || is_urgent;
    is_awaited = std::exchange(is_asleep_, false) || is_urgent;
    if (!thread_.joinable()) thread_ = std::thread{[this] { work(); }};
  }
  if (is_awaited) has_work_.notify_one();
}

void BackgroundThread::work() {
  std::vector<std::function<void()>> taken;  // all at once: a sender seldom waits for the lock
  constexpr std::chrono::milliseconds moment{2};
  constexpr int quiet_moments_max = 10;
  int quiet_moments = quiet_moments_max;  // after the last work that was not urgent
  std::unique_lock lock{mutex_};
  while (true) {
    if (quiet_moments >= quiet_moments_max && jobs_.empty()) {
      is_asleep_ = true;
      has_work_.wait(lock, [this] { return is_closing_ || !is_asleep_; });
      is_asleep_ = false;
    }
    if (!is_urgent_) has_work_.wait_for(lock, moment, [this] { return is_closing_ || is_urgent_; });
    if (jobs_.empty() && is_closing_) return;
    quiet_moments = jobs_.empty() ? quiet_moments + 1 : is_urgent_ ? quiet_moments_max : 0;
    if (jobs_.empty()) continue;
    is_urgent_ = false;
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
