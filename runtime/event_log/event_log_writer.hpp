// The event log of one role: JSON Lines, appended in order by one thread behind a bounded buffer. See
// docs/event-log.md.
#pragma once

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
  /// Owns the descriptor.
  explicit EventLogWriter(int descriptor, std::size_t bytes_max = std::size_t{16} << 20);
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

private:
  void finish();
  void append(Instant when, std::string_view name, const std::string& fields);
  void run();
  bool write_out(const std::string& bytes);
  [[nodiscard]] bool has_much() const { return buffer_.size() >= (std::size_t{256} << 10); }

  int descriptor_;
  std::size_t bytes_max_;
  mutable std::mutex mutex_;
  std::condition_variable has_bytes_;
  std::string buffer_;
  std::string error_;
  std::string totals_;
  std::int64_t lines_ = 0;
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
