// Read buffer of a record reader: refilled in large reads, keeps the incomplete rest.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "model/result.hpp"
#include "work/files/byte_source.hpp"

namespace heddle::work {

class LineWindow {
public:
  /// `position`: offset in the file of the first byte of the source.
  LineWindow(std::unique_ptr<ByteSource> source, std::int64_t position, std::size_t buffer_bytes)
      : source_{std::move(source)}, position_{position} {
    make_room(buffer_bytes + 1);
  }

  [[nodiscard]] std::string_view rest() const { return {buffer_.get() + at_, end_ - at_}; }
  /// Offset in the file of the first byte of rest().
  [[nodiscard]] std::int64_t position() const { return position_; }
  [[nodiscard]] bool is_last() const { return is_last_; }
  [[nodiscard]] std::int64_t bytes_consumed() const { return source_->bytes_consumed(); }
  [[nodiscard]] bool has_carriage_return() const { return has_carriage_return_; }

  void consume(std::size_t bytes) {
    at_ += bytes;
    position_ += static_cast<std::int64_t>(bytes);
  }
  /// Reads more data; invalidates views. Grows the buffer while its rest fills it, up to `bytes_max` + 1 bytes of rest.
  [[nodiscard]] Result<Done> refill(std::int64_t bytes_max);
  /// Appends one byte after the end of the file; the buffer always has space for it.
  void append_at_end(char byte) { buffer_[end_++] = byte; }

private:
  void make_room(std::size_t size);

  std::unique_ptr<ByteSource> source_;
  std::int64_t position_;
  std::unique_ptr<char[]> buffer_;  // not initialised: a short split touches only its first page
  std::size_t size_ = 0;            // one byte larger than reads need
  std::size_t at_ = 0;
  std::size_t end_ = 0;
  bool is_last_ = false;
  bool has_carriage_return_ = false;
};

}  // namespace heddle::work
