#include "interop/hadoop/message_guard.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace heddle::interop {
namespace {

constexpr std::size_t tiny_bytes = 4;           // below this a field is tiny
constexpr std::size_t bytes_per_tiny = 6;       // a message may have one tiny field per 6 bytes,
constexpr std::size_t tiny_fields_free = 1000;  // and these
constexpr int depth_max = 24;

std::optional<std::uint64_t> take_varint(std::string_view& bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes.size() && i < 10; ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    value |= static_cast<std::uint64_t>(byte & 0x7f) << (7 * i);
    if (byte >= 0x80) continue;
    bytes.remove_prefix(i + 1);
    return value;
  }
  return std::nullopt;
}

/// Removes the value of a field that has a fixed size or is a varint.
bool skip_scalar(std::string_view& bytes, std::uint64_t wire_type) {
  constexpr std::uint64_t varint = 0;
  constexpr std::uint64_t fixed_64 = 1;
  constexpr std::uint64_t fixed_32 = 5;
  if (wire_type == varint) return take_varint(bytes).has_value();
  const std::size_t size = wire_type == fixed_64 ? 8 : wire_type == fixed_32 ? 4 : bytes.size() + 1;
  if (size > bytes.size()) return false;
  bytes.remove_prefix(size);
  return true;
}

/// Number of tiny fields of the message and of those inside, up to the first byte that no message has there: a parser
/// creates the objects before it. Most texts have none.
std::size_t tiny_fields(std::string_view bytes, int depth) {
  constexpr std::uint64_t length_delimited = 2;
  constexpr std::uint64_t group_begin = 3;
  constexpr std::uint64_t group_end = 4;
  std::size_t count = 0;
  while (!bytes.empty()) {
    const auto tag = take_varint(bytes);
    if (!tag || *tag >> 3 == 0) return count;
    const std::uint64_t wire_type = *tag & 7;
    // Hadoop uses no groups. A parser skips one and goes on behind it, so its tags must not end the count.
    if (wire_type == group_begin || wire_type == group_end) continue;
    if (wire_type != length_delimited) {
      if (!skip_scalar(bytes, wire_type)) return count;
      continue;
    }
    const auto length = take_varint(bytes);
    if (!length || *length > bytes.size()) return count;
    if (*length < tiny_bytes) ++count;
    else if (depth < depth_max) count += tiny_fields(bytes.substr(0, *length), depth + 1);
    bytes.remove_prefix(*length);
  }
  return count;
}

}  // namespace

bool is_worth_parsing(std::string_view message) {
  return tiny_fields(message, 0) <= message.size() / bytes_per_tiny + tiny_fields_free;
}

}  // namespace heddle::interop
