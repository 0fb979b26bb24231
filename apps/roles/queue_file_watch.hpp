// Polls the queue file on its own thread and notifies the ResourceManager of changes.
#pragma once

#include <condition_variable>
#include <ctime>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "messages/resource_manager.hpp"
#include "model/time.hpp"

namespace heddle::apps {

class QueueFileWatch {
public:
  /// `interval`: time between checks. A change is read when the file is older than `age`. `notify` is called on the
  /// watch's thread.
  QueueFileWatch(std::string file, Duration interval, Duration age, std::function<void(ReloadQueues)> notify);
  ~QueueFileWatch();
  QueueFileWatch(const QueueFileWatch&) = delete;
  QueueFileWatch& operator=(const QueueFileWatch&) = delete;

private:
  void watch();
  void check_file();

  std::string file_;
  Duration interval_;
  Duration age_;
  std::function<void(ReloadQueues)> notify_;
  std::int64_t last_change_ns_ = 0;  // modification time of the last reported content
  bool is_gone_ = false;             // the file is missing, and that was reported
  bool is_stopping_ = false;
  std::mutex mutex_;
  std::condition_variable stop_requested_;
  std::thread thread_;
};

}  // namespace heddle::apps
