// What Java makes of bytes that pass through a String: the hash of its UTF-16 units, the bytes that come back.
// Malformed UTF-8 becomes U+FFFD, as many as the JDK's decoder makes of it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace heddle::work {

/// new String(bytes, UTF_8).hashCode()
[[nodiscard]] std::int32_t java_string_hash(std::string_view bytes);

/// new String(bytes, UTF_8).getBytes(UTF_8); `room` holds the answer where it differs from the bytes.
[[nodiscard]] std::string_view java_string_bytes(std::string_view bytes, std::string& room);

}  // namespace heddle::work
