// One thread for work that may block.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "ports/background.hpp"

namespace heddle::apps {

/// Runs jobs in the order of run(). The destructor finishes all queued jobs.
class BackgroundThread final : public ports::Background {
public:
  enum class Start : std::uint8_t { now, with_first_job };

  explicit BackgroundThread(Start start = Start::now);
  ~BackgroundThread() override;
  BackgroundThread(const BackgroundThread&) = delete;
  BackgroundThread& operator=(const BackgroundThread&) = delete;
  void run(std::function<void()> job) override;
  void run_soon(std::function<void()> job) override;

private:
  void add(std::function<void()> job, bool is_urgent);
  void work();
  std::mutex mutex_;
  std::condition_variable has_work_;
  std::vector<std::function<void()>> jobs_;
  bool is_urgent_ = false;  // one of jobs_ came by run()
  bool is_asleep_ = false;  // until somebody wakes the thread; otherwise it looks at jobs_ soon
  bool is_closing_ = false;
  std::thread thread_;
};

}  // namespace heddle::apps
