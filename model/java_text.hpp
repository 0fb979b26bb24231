// What Java makes of text: the hash of a String's UTF-16 units, where its maps keep it, the bytes that come back.
// Malformed UTF-8 becomes U+FFFD, as many as the JDK's decoder makes of it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace heddle::java {

/// The bits of new String(bytes, UTF_8).hashCode().
[[nodiscard]] std::uint32_t string_hash(std::string_view bytes);
/// Which of a HashMap's buckets, a power of two, keeps a key of this hash.
[[nodiscard]] constexpr std::uint32_t map_bucket(std::uint32_t hash, std::uint32_t buckets) {
  return (hash ^ (hash >> 16)) & (buckets - 1);
}

/// new String(bytes, UTF_8).getBytes(UTF_8); `room` holds the answer where it differs from the bytes.
[[nodiscard]] std::string_view string_bytes(std::string_view bytes, std::string& room);

}  // namespace heddle::java
