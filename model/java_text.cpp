#include "model/java_text.hpp"

namespace heddle::java {
namespace {

struct Decoded {
  std::uint32_t code = 0xfffd;
  std::size_t length = 1;
  bool is_valid = false;
};

constexpr bool continues(unsigned char byte) { return (byte & 0xc0) == 0x80; }

Decoded decode_two(const unsigned char* at, std::size_t left) {
  if (left < 2 || !continues(at[1])) return {};
  return {(at[0] & 0x1fu) << 6 | (at[1] & 0x3fu), 2, true};
}

Decoded decode_three(const unsigned char* at, std::size_t left) {
  if (left > 1 && ((at[0] == 0xe0 && (at[1] & 0xe0) == 0x80) || !continues(at[1]))) return {};
  if (left < 3) return {0xfffd, left, false};
  if (!continues(at[2])) return {0xfffd, 2, false};
  const auto code = (at[0] & 0x0fu) << 12 | (at[1] & 0x3fu) << 6 | (at[2] & 0x3fu);
  if (code >= 0xd800 && code < 0xe000) return {0xfffd, 3, false};
  return {code, 3, true};
}

bool is_wrong_second_of_four(unsigned char first, unsigned char second) {
  return (first == 0xf0 && (second < 0x90 || second > 0xbf)) || (first == 0xf4 && (second & 0xf0) != 0x80) ||
         !continues(second);
}

Decoded decode_four(const unsigned char* at, std::size_t left) {
  if (at[0] > 0xf4 || (left > 1 && is_wrong_second_of_four(at[0], at[1]))) return {};
  if (left > 2 && !continues(at[2])) return {0xfffd, 2, false};
  if (left < 4) return {0xfffd, left, false};
  if (!continues(at[3])) return {0xfffd, 3, false};
  return {(at[0] & 0x07u) << 18 | (at[1] & 0x3fu) << 12 | (at[2] & 0x3fu) << 6 | (at[3] & 0x3fu), 4, true};
}

Decoded decode(std::string_view bytes, std::size_t at) {
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data()) + at;
  const auto left = bytes.size() - at;
  if (data[0] < 0x80) return {data[0], 1, true};
  if (data[0] >= 0xc2 && data[0] < 0xe0) return decode_two(data, left);
  if (data[0] >= 0xe0 && data[0] < 0xf0) return decode_three(data, left);
  if (data[0] >= 0xf0 && data[0] < 0xf8) return decode_four(data, left);
  return {};
}

}  // namespace

std::uint32_t string_hash(std::string_view bytes) {
  std::uint32_t hash = 0;
  for (std::size_t at = 0; at < bytes.size();) {
    const auto next = decode(bytes, at);
    at += next.length;
    if (next.code < 0x10000) {
      hash = 31 * hash + next.code;
    } else {
      hash = 31 * hash + (0xd800 + ((next.code - 0x10000) >> 10));
      hash = 31 * hash + (0xdc00 + ((next.code - 0x10000) & 0x3ff));
    }
  }
  return hash;
}

std::string_view string_bytes(std::string_view bytes, std::string& room) {
  bool is_same = true;
  for (std::size_t at = 0; at < bytes.size() && is_same;) {
    const auto next = decode(bytes, at);
    is_same = next.is_valid;
    at += next.length;
  }
  if (is_same) return bytes;
  room.clear();
  for (std::size_t at = 0; at < bytes.size();) {
    const auto next = decode(bytes, at);
    room.append(next.is_valid ? bytes.substr(at, next.length) : "\xef\xbf\xbd");
    at += next.length;
  }
  return room;
}

}  // namespace heddle::java
