#include "interop/hadoop/rpc_frames.hpp"

namespace heddle::interop {
namespace {

constexpr std::size_t length_bytes = 4;
constexpr std::size_t kept_bytes = 64u << 10;  // capacity that an empty buffer keeps

std::size_t varint_size(std::size_t value) {
  std::size_t size = 1;
  for (; value >= 0x80; value >>= 7) ++size;
  return size;
}

void append_varint(std::string& to, std::size_t value) {
  for (; value >= 0x80; value >>= 7) to += static_cast<char>((value & 0x7f) | 0x80);
  to += static_cast<char>(value);
}

}  // namespace

void append_delimited(std::string& to, std::string_view message) {
  append_varint(to, message.size());
  to += message;
}

void append_frame(std::string& to, std::initializer_list<std::string_view> messages) {
  std::size_t length = 0;
  for (const auto message : messages) length += varint_size(message.size()) + message.size();
  to.reserve(to.size() + length_bytes + length);
  for (int shift = 24; shift >= 0; shift -= 8) to += static_cast<char>((length >> shift) & 0xff);
  for (const auto message : messages) append_delimited(to, message);
}

std::optional<std::string_view> take_delimited(std::string_view& bytes) {
  constexpr std::size_t varint_bytes_max = 5;
  std::uint64_t length = 0;
  std::size_t at = 0;
  while (true) {
    if (at >= bytes.size() || at >= varint_bytes_max) return std::nullopt;
    const auto byte = static_cast<unsigned char>(bytes[at]);
    length |= static_cast<std::uint64_t>(byte & 0x7f) << (7 * at);
    ++at;
    if (byte < 0x80) break;
  }
  if (length > bytes.size() - at) return std::nullopt;
  const auto message = bytes.substr(at, length);
  bytes.remove_prefix(at + length);
  return message;
}

void FrameReader::add(std::string_view bytes) {
  if (begin_ == buffer_.size()) {
    if (buffer_.capacity() > kept_bytes) buffer_ = {};
    buffer_.clear();
    begin_ = 0;
  } else if (begin_ > buffer_.size() / 2) {
    buffer_.erase(0, begin_);
    begin_ = 0;
  }
  buffer_ += bytes;
}

std::optional<std::int32_t> FrameReader::length() const {
  if (buffer_.size() - begin_ < length_bytes) return std::nullopt;
  std::uint32_t length = 0;
  for (std::size_t i = 0; i < length_bytes; ++i) length = length << 8 | static_cast<unsigned char>(buffer_[begin_ + i]);
  return static_cast<std::int32_t>(length);
}

std::optional<std::int32_t> FrameReader::wrong_length() const {
  const auto found = length();
  if (!found || (*found >= 0 && static_cast<std::size_t>(*found) <= length_max_)) return std::nullopt;
  return found;
}

std::optional<std::string_view> FrameReader::next() {
  const auto found = length();
  if (!found || wrong_length()) return std::nullopt;
  const auto size = static_cast<std::size_t>(*found);
  if (buffer_.size() - begin_ - length_bytes < size) return std::nullopt;
  const auto frame = std::string_view{buffer_}.substr(begin_ + length_bytes, size);
  begin_ += length_bytes + size;
  return frame;
}

}  // namespace heddle::interop
