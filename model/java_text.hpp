// Text as Java handles it: String.hashCode() over UTF-16 units, the bucket of a HashMap, and the bytes after decoding
// and encoding. Malformed UTF-8 becomes U+FFFD, as many times as in the decoder of the JDK.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace heddle::java {

/// new String(bytes, UTF_8).hashCode(), as unsigned bits.
[[nodiscard]] std::uint32_t string_hash(std::string_view bytes);
/// Index of the HashMap bucket for a key with this hash; `buckets` is a power of two.
[[nodiscard]] constexpr std::uint32_t map_bucket(std::uint32_t hash, std::uint32_t buckets) {
  return (hash ^ (hash >> 16)) & (buckets - 1);
}

/// new String(bytes, UTF_8).getBytes(UTF_8). Returns `bytes` if they are valid UTF-8, otherwise a view of `room`.
[[nodiscard]] std::string_view string_bytes(std::string_view bytes, std::string& room);

}  // namespace heddle::java
