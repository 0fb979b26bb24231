// The event log of a benchmark: measures the cost of recording inputs, in time of the deciding thread and in bytes.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>

#include "runtime/event_log/event_log_writer.hpp"

namespace heddle::benchmarks {

/// The event log writer of roles, with a temporary file.
class Recording {
public:
  Recording() {
    auto path = (std::filesystem::temp_directory_path() / "heddle-recording-XXXXXX").string();
    file_ = ::mkstemp(path.data());
    if (file_ < 0) {
      std::perror(path.c_str());
      std::exit(1);
    }
    ::unlink(path.c_str());
    writer_ = std::make_unique<runtime::EventLogWriter>(::dup(file_));
  }
  ~Recording() {
    writer_.reset();
    ::close(file_);
  }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  [[nodiscard]] ports::EventSink* sink() const { return writer_.get(); }
  /// Waits as a Driver before a round, so that the queue of the log does not overflow.
  void wait_for_room() const {
    while (!writer_->has_room()) std::this_thread::yield();
  }
  /// Bytes written and queued so far.
  [[nodiscard]] double bytes() const {
    struct stat about {};
    ::fstat(file_, &about);
    return static_cast<double>(about.st_size) + static_cast<double>(writer_->waiting_bytes());
  }

private:
  int file_ = -1;
  std::unique_ptr<runtime::EventLogWriter> writer_;
};

/// Cost of `count` decisions.
struct Cost {
  double seconds = 0;
  double count = 0;
  double bytes = 0;  // bytes of the event log
  [[nodiscard]] double nanoseconds() const { return 1e9 * seconds / count; }
};

/// Prints the lines `NAME_recorded`, `NAME_recording_time` and `NAME_recording_bytes`: the rate with recording, and its
/// additional cost per decision.
inline void print_recording(const std::string& name, const char* unit, const Cost& plain, const Cost& recorded) {
  std::printf("%s_recorded %.0f %s\n", name.c_str(), recorded.count / recorded.seconds, unit);
  std::printf("%s_recording_time %.1f ns\n", name.c_str(), recorded.nanoseconds() - plain.nanoseconds());
  std::printf("%s_recording_bytes %.2f B\n", name.c_str(), recorded.bytes / recorded.count);
}

}  // namespace heddle::benchmarks
