// Event log of one role: JSON Lines, written in order by one thread from a bounded buffer. Format: docs/event-log.md.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

#include "model/result.hpp"
#include "ports/event_sink.hpp"

namespace heddle::runtime {

class EventLogWriter : public ports::EventSink {
public:
  /// Opens and truncates the file; Errc::io if that fails. A later write error stops the log, not the job; error()
  /// returns it. `mode`: access rights of a new file.
  [[nodiscard]] static Result<int> open_file(const std::string& path, mode_t mode = 0600);
  static constexpr std::int64_t no_limit = 0;
  /// Takes ownership of the descriptor. `bytes_max`: bytes of waiting events above which has_room() is false; events
  /// are dropped above twice as many. `file_bytes_max`: bytes of the log.
  explicit EventLogWriter(int descriptor, std::size_t bytes_max = std::size_t{16} << 20,
                          std::int64_t file_bytes_max = no_limit);
  ~EventLogWriter() override;
  EventLogWriter(const EventLogWriter&) = delete;
  EventLogWriter& operator=(const EventLogWriter&) = delete;

  using EventSink::write;
  void write(Instant when, std::string_view name, const ports::EventFields& fields) override;
  void summarize(const ports::EventFields& totals) override;
  [[nodiscard]] bool has_room() const override;
  [[nodiscard]] std::string error() const override;
  /// Writes waiting events and the last line; later events are dropped. The destructor calls it too.
  void close() override;
  /// Bytes of events that wait to be written; bounded by twice bytes_max and one event.
  [[nodiscard]] std::size_t waiting_bytes() const;

private:
  /// Reports that the disk is too slow. Called at most once for each of the two texts.
  virtual void warn(const std::string& text) const { static_cast<void>(text); }
  /// Clock of has_room().
  [[nodiscard]] virtual std::chrono::steady_clock::time_point now() const { return std::chrono::steady_clock::now(); }
  void finish();
  void append(Instant when, std::string_view name, const std::string& fields);
  void run();
  bool write_out(const std::string& bytes);
  void write_drops();
  void write_cut();
  /// Bytes above which events are dropped: only the Driver waits for has_room().
  [[nodiscard]] std::size_t hard_limit() const { return 2 * bytes_max_; }
  [[nodiscard]] bool has_much() const { return buffer_.size() >= (std::size_t{256} << 10); }

  int descriptor_;
  std::size_t bytes_max_;
  std::int64_t file_bytes_left_;
  mutable std::mutex mutex_;
  std::condition_variable has_bytes_;
  std::string buffer_;
  std::string error_;
  std::string totals_;
  std::int64_t lines_ = 0;
  std::int64_t cut_ = 0;      // events after the log was full
  std::int64_t dropped_ = 0;  // since the last events_dropped line
  std::int64_t all_dropped_ = 0;
  mutable std::chrono::steady_clock::time_point behind_since_{};  // zero: the buffer has room
  mutable bool has_said_behind_ = false;
  Instant last_{};
  bool is_closing_ = false;
  bool is_asleep_ = false;    // the thread waits for a wake-up
  std::once_flag is_closed_;  // several threads may call close(); each waits for the end
  std::thread thread_;
};

/// Discards all events.
class NoEvents final : public ports::EventSink {
public:
  using EventSink::write;
  void write(Instant, std::string_view, const ports::EventFields&) override {}
  void summarize(const ports::EventFields&) override {}
  [[nodiscard]] bool has_room() const override { return true; }
  [[nodiscard]] std::string error() const override { return {}; }
};

}  // namespace heddle::runtime
