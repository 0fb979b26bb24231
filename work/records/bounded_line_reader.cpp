#include "work/records/bounded_line_reader.hpp"

#include <algorithm>
#include <limits>

namespace heddle::work {
namespace {
constexpr std::int64_t int_max = std::numeric_limits<std::int32_t>::max();
}

BoundedLineReader::BoundedLineReader(std::unique_ptr<ByteSource> source, Bounds bounds, std::string delimiter,
                                     std::size_t buffer_bytes)
    : source_{std::move(source)},
      bounds_{bounds},
      delimiter_{std::move(delimiter)},
      buffer_(buffer_bytes),
      position_{bounds.start} {}

std::int64_t BoundedLineReader::most_to_consume(std::int64_t position) const {
  return bounds_.is_packed ? int_max : std::max(std::min(int_max, bounds_.end - position), bounds_.line_length_max);
}

// A read stops at the end of the split once, so that a delimiter that crosses it is found.
Result<bool> BoundedLineReader::fill(bool inside_delimiter) {
  auto wanted = static_cast<std::int64_t>(buffer_.size());
  const auto split_length = bounds_.end - bounds_.start;
  if (!bounds_.is_packed && total_ < split_length) wanted = std::min(wanted, split_length - total_);
  auto count = source_->read(buffer_.data(), static_cast<std::size_t>(wanted));
  if (!count) return count.error();
  at_ = 0;
  filled_ = static_cast<std::int64_t>(*count);
  if (!bounds_.is_packed && total_ == split_length && inside_delimiter && filled_ > 0)
    needs_one_more_ = !delimiter_.empty() || buffer_[0] != '\n';
  total_ += filled_;
  return filled_ > 0;
}

Result<std::int64_t> BoundedLineReader::read_line(std::string& line, std::int64_t length_max,
                                                  std::int64_t consume_max) {
  line.clear();
  if (is_finished_) return std::int64_t{0};
  if (!bounds_.is_packed && total_ > bounds_.end - bounds_.start) is_finished_ = true;
  return delimiter_.empty() ? read_default(line, length_max, consume_max)
                            : read_delimited(line, length_max, consume_max);
}

Result<std::int64_t> BoundedLineReader::read_default(std::string& line, std::int64_t length_max,
                                                     std::int64_t consume_max) {
  std::int64_t consumed = 0;
  std::int64_t end_length = 0;
  bool after_return = false;
  do {
    auto start = at_;
    if (at_ >= filled_) {
      if (after_return) ++consumed;
      auto filled = fill(after_return);
      if (!filled) return filled.error();
      if (!*filled) break;
      start = 0;
    }
    for (; at_ < filled_; ++at_) {
      const char c = buffer_[static_cast<std::size_t>(at_)];
      if (c == '\n') {
        end_length = after_return ? 2 : 1;
        ++at_;
        break;
      }
      if (after_return) {
        end_length = 1;
        break;
      }
      after_return = c == '\r';
    }
    auto length = at_ - start;
    if (after_return && end_length == 0) --length;  // the return counts with the next read
    consumed += length;
    const auto added = std::min(length - end_length, length_max - static_cast<std::int64_t>(line.size()));
    if (added > 0) line.append(buffer_.data() + start, static_cast<std::size_t>(added));
  } while (end_length == 0 && consumed < consume_max);
  return consumed;
}

Result<std::int64_t> BoundedLineReader::read_delimited(std::string& line, std::int64_t length_max,
                                                       std::int64_t consume_max) {
  const auto size = static_cast<std::int64_t>(delimiter_.size());
  std::int64_t consumed = 0;
  std::int64_t matched = 0;
  std::int64_t pending = 0;  // bytes at the end of the last read that may be the start of the delimiter
  do {
    auto start = at_;
    if (at_ >= filled_) {
      auto filled = fill(pending > 0);
      if (!filled) return filled.error();
      start = 0;
      if (!*filled) {
        line.append(delimiter_, 0, static_cast<std::size_t>(pending));
        consumed += pending;
        break;
      }
    }
    for (; at_ < filled_; ++at_) {
      if (buffer_[static_cast<std::size_t>(at_)] == delimiter_[static_cast<std::size_t>(matched)]) {
        if (++matched < size) continue;
        ++at_;
        break;
      }
      if (matched == 0) continue;
      at_ = std::max<std::int64_t>(at_ - matched, -1);
      matched = 0;
    }
    const auto length = at_ - start;
    consumed += length + pending;
    const auto added = std::min(length - matched, length_max - static_cast<std::int64_t>(line.size()));
    if (added >= 0 && pending > 0) {
      line.append(delimiter_, 0, static_cast<std::size_t>(pending));
      pending = 0;
      needs_one_more_ = false;
    }
    if (added > 0) line.append(buffer_.data() + start, static_cast<std::size_t>(added));
    if (at_ >= filled_ && matched > 0 && matched < size) {
      pending = matched;
      consumed -= pending;
    }
  } while (matched < size && consumed < consume_max);
  return consumed;
}

// Reads the first line without the byte order mark, which does not count for the length.
Result<std::int64_t> BoundedLineReader::read_first_line(std::string& line) {
  auto size = read_line(line, std::min(3 + bounds_.line_length_max, int_max), most_to_consume(0));
  if (!size) return size;
  position_ += *size;
  if (!line.starts_with("\xef\xbb\xbf")) return size;
  line.erase(0, 3);
  return *size - 3;
}

Result<bool> BoundedLineReader::next(std::string& line, std::int64_t& offset) {
  if (!is_started_ && bounds_.start != 0) {
    const auto skipped = read_line(line, 0, most_to_consume(position_));
    if (!skipped) return skipped.error();
    position_ += *skipped;
  }
  is_started_ = true;
  offset = position_;
  std::int64_t size = 0;
  while (bounds_.is_packed || position_ <= bounds_.end || (!is_finished_ && needs_one_more_)) {
    const bool is_first = position_ == 0;
    auto got = is_first ? read_first_line(line) : read_line(line, bounds_.line_length_max, most_to_consume(position_));
    if (!got) return got.error();
    size = *got;
    if (!is_first) position_ += size;
    if (size == 0 || size < bounds_.line_length_max) break;
  }
  return size != 0;
}

}  // namespace heddle::work
