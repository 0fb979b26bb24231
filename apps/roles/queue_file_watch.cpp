#include "apps/roles/queue_file_watch.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>

#include "config/text/text_file.hpp"

namespace heddle::apps {
namespace {

/// Modification time in ns since 1970; nothing if the file does not exist.
std::optional<std::int64_t> change_of(const std::string& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return std::nullopt;
  return static_cast<std::int64_t>(status.st_mtim.tv_sec) * 1'000'000'000 + status.st_mtim.tv_nsec;
}

std::int64_t wall_clock_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace

QueueFileWatch::QueueFileWatch(std::string file, Duration interval, Duration age,
                               std::function<void(ReloadQueues)> notify)
    : file_{std::move(file)},
      interval_{interval},
      age_{age},
      notify_{std::move(notify)},
      last_change_ns_{change_of(file_).value_or(0)},
      thread_{[this] { watch(); }} {}

QueueFileWatch::~QueueFileWatch() {
  {
    const std::lock_guard lock{mutex_};
    is_stopping_ = true;
  }
  stop_requested_.notify_one();
  thread_.join();
}

void QueueFileWatch::watch() {
  std::unique_lock lock{mutex_};
  while (!stop_requested_.wait_for(lock, interval_, [this] { return is_stopping_; })) {
    lock.unlock();
    check_file();
    lock.lock();
  }
}

void QueueFileWatch::check_file() {
  const auto change = change_of(file_);
  if (!change) {
    if (!is_gone_) notify_({file_, {}, file_ + ": " + std::strerror(errno)});
    is_gone_ = true;
    return;
  }
  if (*change == last_change_ns_ && !is_gone_) return;
  if (wall_clock_ns() - *change < std::chrono::duration_cast<std::chrono::nanoseconds>(age_).count()) return;
  last_change_ns_ = *change;
  is_gone_ = false;
  auto content = config::read_text_file(file_);
  if (content) notify_({file_, std::move(*content), {}});
  else notify_({file_, {}, content.error().text});
}

}  // namespace heddle::apps
