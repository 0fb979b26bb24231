// Hosts of a topology that are lost at a planned time: kills their processes, on a thread of its own.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

#include "model/time.hpp"
#include "ports/process_launcher.hpp"

namespace heddle::apps {

class PlannedLosses {
public:
  using ProcessNumber = ports::ProcessLauncher::ProcessNumber;
  /// `kill` is called on the thread.
  explicit PlannedLosses(std::function<void(ProcessNumber)> kill) : kill_{std::move(kill)} {}
  ~PlannedLosses();
  PlannedLosses(const PlannedLosses&) = delete;
  PlannedLosses& operator=(const PlannedLosses&) = delete;

  /// Precondition: not begun.
  void add(Duration after_begin, ProcessNumber process) { losses_.emplace(after_begin, process); }
  /// The times count from now on. Without losses no thread starts.
  void begin();

private:
  void run(std::chrono::steady_clock::time_point begun);

  std::function<void(ProcessNumber)> kill_;
  std::multimap<Duration, ProcessNumber> losses_;
  std::mutex mutex_;
  std::condition_variable ends_;
  bool is_ending_ = false;
  std::thread thread_;
};

}  // namespace heddle::apps
