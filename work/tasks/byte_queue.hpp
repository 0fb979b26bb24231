// Bounded queue of text between two threads: from the output of one body to the input of the next. Passes complete
// lines at once, and an incomplete line when its end arrives. Collects frequent small writes for a millisecond, so that
// a fast writer does not wake the reader for each line.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>

#include "work/files/wake_event.hpp"
#include "work/tasks/task_stream.hpp"

namespace heddle::work {

class ByteQueue final : public ByteStream {
public:
  explicit ByteQueue(std::size_t bytes_max) : bytes_max_{bytes_max} {}

  /// Creates the poll descriptor. Call before the first read or write.
  [[nodiscard]] Result<Done> make_pollable() { return ready_.open("cannot watch the pipe between two commands"); }
  [[nodiscard]] int ready_descriptor() const override { return ready_.descriptor(); }

  /// Waits for space, then calls `append` with the text to append to. Returns false if the reader has closed.
  template <class Append>
  bool write(const Append& append) {
    std::unique_lock lock{mutex_};
    left_room_.wait(lock, [this] { return coming_.size() < bytes_max_ || has_left_; });
    if (has_left_) return false;
    const auto before = coming_.size();
    append(coming_);
    const auto line_end = std::string_view{coming_}.substr(before).rfind('\n');
    if (line_end != std::string_view::npos) whole_ = before + line_end + 1;
    if (is_ready()) notify_reader();
    return true;
  }
  void close() {
    const std::lock_guard lock{mutex_};
    is_closed_ = true;
    notify_reader();
  }
  /// Closes the queue on the reader's side.
  void leave() {
    const std::lock_guard lock{mutex_};
    has_left_ = true;
    left_room_.notify_all();
  }
  [[nodiscard]] Result<std::string_view> next_bytes() override {
    std::unique_lock lock{mutex_};
    gather(lock);
    arrived_.wait(lock, [this] { return is_ready(); });
    if (is_closed_ || whole_ == 0 || whole_ == coming_.size()) {
      current_.swap(coming_);
      coming_.clear();
    } else {
      current_.assign(coming_, 0, whole_);
      coming_.erase(0, whole_);
    }
    whole_ = 0;
    last_taken_ = Clock::now();
    if (!is_ready()) {
      ready_.clear();
      is_notified_ = false;
    }
    left_room_.notify_all();
    return std::string_view{current_};
  }

private:
  using Clock = std::chrono::steady_clock;
  static constexpr auto gathering_time = std::chrono::milliseconds{1};

  /// Enough data to stop collecting.
  [[nodiscard]] bool is_large() const {
    constexpr std::size_t large_bytes = 128 << 10;
    return coming_.size() >= std::min(large_bytes, bytes_max_) || is_closed_;
  }
  /// Waits for more data if the last read was less than gathering_time ago.
  void gather(std::unique_lock<std::mutex>& lock) {
    if (is_large() || Clock::now() - last_taken_ >= gathering_time) return;
    is_gathering_ = true;
    arrived_.wait_until(lock, last_taken_ + gathering_time, [this] { return is_large(); });
    is_gathering_ = false;
  }
  /// A line longer than the queue passes in chunks.
  [[nodiscard]] bool is_ready() const { return whole_ > 0 || coming_.size() >= bytes_max_ || is_closed_; }
  void notify_reader() {
    if (!is_gathering_ || is_large()) arrived_.notify_one();
    if (!is_notified_) ready_.set();
    is_notified_ = true;
  }

  std::size_t bytes_max_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::condition_variable left_room_;
  WakeEvent ready_;  // readable while is_ready()
  bool is_notified_ = false;
  std::string coming_;
  std::size_t whole_ = 0;  // bytes of complete lines in `coming_`
  std::string current_;    // used by the reader only
  Clock::time_point last_taken_{};
  bool is_gathering_ = false;
  bool is_closed_ = false;
  bool has_left_ = false;
};

/// Writes lines into a queue.
class QueueOutput final : public TaskOutput {
public:
  explicit QueueOutput(ByteQueue& queue) : queue_{queue} {}
  [[nodiscard]] Result<Done> add_text(std::string_view text) override {
    return write([&](std::string& to) { to.append(text); });
  }
  [[nodiscard]] Result<Done> add_line(std::string_view line) override {
    return write([&](std::string& to) { to.append(line).push_back('\n'); });
  }
  [[nodiscard]] Result<Done> add_pair(std::string_view key, std::string_view value) override {
    return write([&](std::string& to) { to.append(key).append("\t").append(value).push_back('\n'); });
  }
  [[nodiscard]] Result<Done> add_record(const Record& record, const TaskInput& from) override {
    if (record.key.empty() && from.kept_separator().empty()) return add_line(record.value);
    return write([&](std::string& to) {
      to.append(record.key).append(from.line_separator()).append(record.value).push_back('\n');
    });
  }
  [[nodiscard]] Result<Done> finish() override { return Done{}; }
  /// The reader has closed; the writer can stop.
  [[nodiscard]] bool is_unwanted() const { return is_unwanted_; }

private:
  template <class Append>
  Result<Done> write(const Append& append) {
    is_unwanted_ = !queue_.write(append);
    if (is_unwanted_) return Error{Errc::cancelled, "the next body has closed its input"};
    return Done{};
  }
  ByteQueue& queue_;
  bool is_unwanted_ = false;
};

}  // namespace heddle::work
