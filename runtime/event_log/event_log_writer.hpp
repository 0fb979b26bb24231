// The event log of one role: JSON Lines, appended in order by one thread behind a bounded buffer. See docs/event-log.md.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

#include "model/result.hpp"
#include "ports/event_sink.hpp"

namespace heddle::runtime {

class EventLogWriter final : public ports::EventSink {
public:
  /// Opens (and truncates) the file. A later write error ends the log, not the job: error() tells.
  [[nodiscard]] static Result<int> open_file(const std::string& path);
  /// Owns the descriptor.
  explicit EventLogWriter(int descriptor, std::size_t bytes_max = std::size_t{16} << 20);
  /// Writes out what is left.
  ~EventLogWriter() override;
  EventLogWriter(const EventLogWriter&) = delete;
  EventLogWriter& operator=(const EventLogWriter&) = delete;

  void write(Instant when, std::string_view name, std::string_view fields) override;
  [[nodiscard]] bool has_room() const override;
  /// Why the log ended early; empty if it did not.
  [[nodiscard]] std::string error() const;

private:
  void run();
  bool write_out(const std::string& bytes);

  int descriptor_;
  std::size_t bytes_max_;
  mutable std::mutex mutex_;
  std::condition_variable has_bytes_;
  std::string buffer_;
  std::string error_;
  bool is_closing_ = false;
  std::thread thread_;
};

/// For roles whose events nobody wants.
class NoEvents final : public ports::EventSink {
public:
  void write(Instant, std::string_view, std::string_view) override {}
  [[nodiscard]] bool has_room() const override { return true; }
};

}  // namespace heddle::runtime
