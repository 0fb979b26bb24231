// The event log of one role: JSON Lines, appended in order by one thread behind a bounded buffer. See
// docs/event-log.md.
#pragma once

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
  /// Opens (and truncates) the file. A later write error ends the log, not the job: error() tells.
  [[nodiscard]] static Result<int> open_file(const std::string& path);
  static constexpr std::int64_t no_limit = 0;
  /// Owns the descriptor. `bytes_max`: of events that wait. `file_bytes_max`: of the log.
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
  /// Writes the last line and what is left; events that come later are dropped. The destructor calls it too.
  void close() override;
  /// Bytes of events that wait to be written; bounded.
  [[nodiscard]] std::size_t waiting_bytes() const;

private:
  /// Says once each, where the process says such things, that the disk is too slow.
  virtual void warn(const std::string& text) const { static_cast<void>(text); }
  void finish();
  void append(Instant when, std::string_view name, const std::string& fields);
  void run();
  bool write_out(const std::string& bytes);
  void note_drops();
  void note_cut();
  /// Beyond it events are dropped: roles other than the Driver do not wait for the disk.
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
  std::int64_t cut_ = 0;      // events that came when the log was full
  std::int64_t dropped_ = 0;  // since the last line of the log
  std::int64_t all_dropped_ = 0;
  mutable std::chrono::steady_clock::time_point behind_since_{};  // none: it has room
  mutable bool has_said_behind_ = false;
  Instant last_{};
  bool is_closing_ = false;
  bool is_asleep_ = false;    // the thread looks only when it is woken
  std::once_flag is_closed_;  // two threads that close both wait for the end
  std::thread thread_;
};

/// For roles whose events nobody wants.
class NoEvents final : public ports::EventSink {
public:
  using EventSink::write;
  void write(Instant, std::string_view, const ports::EventFields&) override {}
  void summarize(const ports::EventFields&) override {}
  [[nodiscard]] bool has_room() const override { return true; }
  [[nodiscard]] std::string error() const override { return {}; }
};

}  // namespace heddle::runtime
