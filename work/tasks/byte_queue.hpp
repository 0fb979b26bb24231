// A bounded queue of byte pieces between two threads: one body's output, the next one's input.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "work/tasks/task_stream.hpp"

namespace heddle::work {

class ByteQueue final : public ByteStream {
public:
  explicit ByteQueue(std::size_t bytes_max) : bytes_max_{bytes_max} {}

  /// Waits for room. False once the reader has left.
  bool push(std::string piece) {
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [this] { return bytes_ < bytes_max_ || has_left_; });
    if (has_left_) return false;
    bytes_ += piece.size();
    pieces_.push_back(std::move(piece));
    changed_.notify_all();
    return true;
  }
  void close() {
    const std::lock_guard lock{mutex_};
    is_closed_ = true;
    changed_.notify_all();
  }
  /// The reader wants no more.
  void leave() {
    const std::lock_guard lock{mutex_};
    has_left_ = true;
    changed_.notify_all();
  }
  [[nodiscard]] Result<std::string_view> next_bytes() override {
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [this] { return !pieces_.empty() || is_closed_; });
    if (pieces_.empty()) return std::string_view{};
    current_ = std::move(pieces_.front());
    pieces_.pop_front();
    bytes_ -= current_.size();
    changed_.notify_all();
    return std::string_view{current_};
  }

private:
  std::size_t bytes_max_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> pieces_;
  std::size_t bytes_ = 0;
  std::string current_;
  bool is_closed_ = false;
  bool has_left_ = false;
};

/// Writes lines into a queue, in pieces.
class QueueOutput final : public TaskOutput {
public:
  explicit QueueOutput(ByteQueue& queue) : queue_{queue} {}
  [[nodiscard]] Result<Done> add_text(std::string_view text) override {
    piece_.append(text);
    return piece_.size() < piece_bytes ? Result<Done>{Done{}} : flush();
  }
  [[nodiscard]] Result<Done> add_line(std::string_view line) override {
    piece_.append(line).push_back('\n');
    return piece_.size() < piece_bytes ? Result<Done>{Done{}} : flush();
  }
  [[nodiscard]] Result<Done> add_pair(std::string_view key, std::string_view value) override {
    piece_.append(key).append("\t");
    return add_line(value);
  }
  [[nodiscard]] Result<Done> add_record(const Record& record, const TaskInput& from) override {
    if (record.key.empty() && from.kept_separator().empty()) return add_line(record.value);
    piece_.append(record.key).append(from.line_separator());
    return add_line(record.value);
  }
  [[nodiscard]] Result<Done> finish() override { return piece_.empty() ? Result<Done>{Done{}} : flush(); }
  /// The reader left: what is written afterwards goes nowhere, and the writer may stop.
  [[nodiscard]] bool is_unwanted() const { return is_unwanted_; }

private:
  static constexpr std::size_t piece_bytes = 128 << 10;
  Result<Done> flush() {
    std::string piece;
    piece.swap(piece_);
    is_unwanted_ = !queue_.push(std::move(piece));
    if (is_unwanted_) return Error{Errc::cancelled, "the next body reads no more"};
    return Done{};
  }
  ByteQueue& queue_;
  std::string piece_;
  bool is_unwanted_ = false;
};

}  // namespace heddle::work
