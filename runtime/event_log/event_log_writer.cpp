#include "runtime/event_log/event_log_writer.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <limits>
#include <utility>

namespace heddle::runtime {

Result<int> EventLogWriter::open_file(const std::string& path, mode_t mode) {
  const int descriptor = ::open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW, mode);
  if (descriptor < 0)
    return Error{Errc::io, fmt::format("the event log {} cannot be written: {}", path, std::strerror(errno))};
  return descriptor;
}

EventLogWriter::EventLogWriter(int descriptor, std::size_t bytes_max, std::int64_t file_bytes_max)
    : descriptor_{descriptor},
      bytes_max_{bytes_max},
      file_bytes_left_{file_bytes_max == no_limit ? std::numeric_limits<std::int64_t>::max() : file_bytes_max} {
  thread_ = std::thread{[this] { run(); }};
}

EventLogWriter::~EventLogWriter() {
  close();
  ::close(descriptor_);
}

void EventLogWriter::close() {
  std::call_once(is_closed_, [this] { finish(); });
}

void EventLogWriter::finish() {
  {
    const std::lock_guard lock{mutex_};
    // The last line has the time of the event before it: the writer has no clock.
    if (error_.empty()) {
      write_drops();
      write_cut();
      const auto fields = ports::EventFields{}.add("lines", lines_ + 1);
      append(last_, "log_closed", fields.text() + (totals_.empty() ? "" : "," + totals_));
    }
    is_closing_ = true;
  }
  has_bytes_.notify_one();
  thread_.join();
}

void EventLogWriter::write(Instant when, std::string_view name, const ports::EventFields& fields) {
  bool is_awaited = false;
  bool is_first_drop = false;
  bool is_first_cut = false;
  {
    const std::lock_guard lock{mutex_};
    if (!error_.empty() || is_closing_) return;
    const auto& text = fields.text();
    // Nothing after the first: a replay needs the events before each.
    if (cut_ > 0 || static_cast<std::int64_t>(text.size()) > file_bytes_left_) {
      is_first_cut = ++cut_ == 1;
    } else if (buffer_.size() >= hard_limit() || (dropped_ > 0 && buffer_.size() >= bytes_max_)) {
      ++dropped_;
      is_first_drop = ++all_dropped_ == 1;
    } else {
      const bool was_much = has_much();
      last_ = when;
      write_drops();
      append(when, name, text);
      is_awaited = std::exchange(is_asleep_, false) || (has_much() && !was_much);
    }
  }
  if (is_awaited) has_bytes_.notify_one();
  if (is_first_cut)
    warn("is full: heddle.event_log.bytes_max is reached, and later events are not written; raise it to keep them");
  if (is_first_drop) warn("drops events: its disk is too slow");
}

void EventLogWriter::write_drops() {
  if (dropped_ == 0) return;
  append(last_, "events_dropped", ports::EventFields{}.add("count", std::exchange(dropped_, 0)).text());
}

void EventLogWriter::write_cut() {
  if (cut_ > 0) append(last_, "events_cut", ports::EventFields{}.add("count", cut_).text());
}

void EventLogWriter::append(Instant when, std::string_view name, const std::string& fields) {
  const auto before = buffer_.size();
  const fmt::format_int time{when.time_since_epoch().count()};
  buffer_.append("{\"time_us\":").append(time.data(), time.size()).append(",\"event\":\"").append(name).append("\"");
  if (!fields.empty()) buffer_.append(",").append(fields);
  buffer_.append("}\n");
  last_ = when;
  file_bytes_left_ -= static_cast<std::int64_t>(buffer_.size() - before);
  ++lines_;
}

void EventLogWriter::summarize(const ports::EventFields& totals) {
  const std::lock_guard lock{mutex_};
  totals_ = totals.text();
}

bool EventLogWriter::has_room() const {
  constexpr std::chrono::seconds patience{10};
  {
    const std::lock_guard lock{mutex_};
    if (buffer_.size() < bytes_max_) {
      behind_since_ = {};
      return true;
    }
    const auto time = now();
    if (behind_since_ == std::chrono::steady_clock::time_point{}) behind_since_ = time;
    if (time - behind_since_ < patience || std::exchange(has_said_behind_, true)) return false;
  }
  warn("is behind because its disk is too slow; no more tasks start until it has caught up");
  return false;
}

std::size_t EventLogWriter::waiting_bytes() const {
  const std::lock_guard lock{mutex_};
  return buffer_.size();
}

std::string EventLogWriter::error() const {
  const std::lock_guard lock{mutex_};
  return error_;
}

/// Collects events for 2 ms at a time and polls while events arrive: a wake-up per event would cost the senders more
/// than the event itself. After 10 polls without events the thread sleeps until write() wakes it.
void EventLogWriter::run() {
  // A wake-up of this thread must not take the processor from a thread that a task waits for.
  const sched_param none{};
  ::pthread_setschedparam(::pthread_self(), SCHED_BATCH, &none);
  constexpr std::chrono::milliseconds moment{2};
  constexpr int quiet_moments_max = 10;
  std::string taken;
  int quiet_moments = 0;
  std::unique_lock lock{mutex_};
  while (true) {
    if (quiet_moments >= quiet_moments_max) {
      is_asleep_ = true;
      has_bytes_.wait(lock, [this] { return is_closing_ || !is_asleep_; });
      is_asleep_ = false;
    }
    has_bytes_.wait_for(lock, moment, [this] { return is_closing_ || has_much(); });
    if (buffer_.empty() && is_closing_) return;
    quiet_moments = buffer_.empty() ? quiet_moments + 1 : 0;
    if (buffer_.empty()) continue;
    taken.clear();
    taken.swap(buffer_);
    lock.unlock();
    const bool is_written = write_out(taken);
    const int fault = errno;
    lock.lock();
    if (is_written) continue;
    error_ = std::strerror(fault);
    buffer_.clear();
  }
}

bool EventLogWriter::write_out(const std::string& bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const auto count = ::write(descriptor_, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    done += static_cast<std::size_t>(count);
  }
  return true;
}

}  // namespace heddle::runtime
