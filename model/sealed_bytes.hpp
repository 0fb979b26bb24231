// Bytes of a file or a descriptor with a header that reveals damage, other versions and foreign files:
//
//   magic, 4 bytes | version, 4 bytes | checksum of the content, 8 bytes | content
//
// Numbers are little-endian. The checksum (FNV-1a) detects damage, not forgery.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "model/result.hpp"

namespace heddle {

struct SealForm {
  std::string_view name;   // in error texts: "the NAME has ..."
  std::string_view magic;  // 4 bytes
  std::uint32_t version = 1;
  std::size_t bytes_max = 0;  // with the header
};

inline constexpr std::size_t seal_header_bytes = 16;

[[nodiscard]] std::string seal(const SealForm& form, std::string_view content);
/// Returns the content. Errc::corrupt: another magic or version, a wrong checksum, or more than `bytes_max` bytes.
[[nodiscard]] Result<std::string_view> unseal(const SealForm& form, std::string_view bytes);

/// The first `width` bytes of the number, lowest first.
[[nodiscard]] std::string little_endian(std::uint64_t value, std::size_t width);
[[nodiscard]] std::uint64_t from_little_endian(std::string_view bytes);

}  // namespace heddle
