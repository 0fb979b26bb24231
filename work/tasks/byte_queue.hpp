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
    space_available_.wait(lock, [this] { return incoming_.size() < bytes_max_ || is_reader_closed_; });
    if (is_reader_closed_) return false;
    const auto before = incoming_.size();
    append(incoming_);
    const auto line_end = std::string_view{incoming_}.substr(before).rfind('\n');
    if (line_end != std::string_view::npos) complete_bytes_ = before + line_end + 1;
    if (is_ready()) notify_reader();
    return true;
  }
  void close() {
    const std::lock_guard lock{mutex_};
    is_closed_ = true;
    notify_reader();
  }
  /// Closes the queue on the reader's side.
  void close_reader() {
    const std::lock_guard lock{mutex_};
    is_reader_closed_ = true;
    space_available_.notify_all();
  }
  [[nodiscard]] Result<std::string_view> next_bytes() override {
    std::unique_lock lock{mutex_};
    collect(lock);
    data_available_.wait(lock, [this] { return is_ready(); });
    if (is_closed_ || complete_bytes_ == 0 || complete_bytes_ == incoming_.size()) {
      current_.swap(incoming_);
      incoming_.clear();
    } else {
      current_.assign(incoming_, 0, complete_bytes_);
      incoming_.erase(0, complete_bytes_);
    }
    complete_bytes_ = 0;
    last_read_ = Clock::now();
    if (!is_ready()) {
      ready_.clear();
      is_notified_ = false;
    }
    space_available_.notify_all();
    return std::string_view{current_};
  }

private:
  using Clock = std::chrono::steady_clock;
  static constexpr auto collect_time = std::chrono::milliseconds{1};

  /// Enough data to stop collecting.
  [[nodiscard]] bool is_large() const {
    constexpr std::size_t large_bytes = 128 << 10;
    return incoming_.size() >= std::min(large_bytes, bytes_max_) || is_closed_;
  }
  /// Waits for more data if the last read was less than collect_time ago.
  void collect(std::unique_lock<std::mutex>& lock) {
    if (is_large() || Clock::now() - last_read_ >= collect_time) return;
    is_collecting_ = true;
    data_available_.wait_until(lock, last_read_ + collect_time, [this] { return is_large(); });
    is_collecting_ = false;
  }
  /// A line longer than the queue passes in chunks.
  [[nodiscard]] bool is_ready() const { return complete_bytes_ > 0 || incoming_.size() >= bytes_max_ || is_closed_; }
  void notify_reader() {
    if (!is_collecting_ || is_large()) data_available_.notify_one();
    if (!is_notified_) ready_.set();
    is_notified_ = true;
  }

  std::size_t bytes_max_;
  std::mutex mutex_;
  std::condition_variable data_available_;
  std::condition_variable space_available_;
  WakeEvent ready_;  // readable while is_ready()
  bool is_notified_ = false;
  std::string incoming_;
  std::size_t complete_bytes_ = 0;  // bytes of complete lines in `incoming_`
  std::string current_;             // used by the reader only
  Clock::time_point last_read_{};
  bool is_collecting_ = false;
  bool is_closed_ = false;
  bool is_reader_closed_ = false;
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
  [[nodiscard]] bool is_reader_closed() const { return is_unwanted_; }

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
