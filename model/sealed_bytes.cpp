#include "model/sealed_bytes.hpp"

#include <fmt/format.h>

#include "model/assert.hpp"

namespace heddle {
namespace {

std::uint64_t checksum_of(std::string_view bytes) {
  std::uint64_t sum = 14'695'981'039'346'656'037U;
  for (const char byte : bytes) sum = (sum ^ static_cast<unsigned char>(byte)) * 1'099'511'628'211U;
  return sum;
}

Error corrupt(const SealForm& form, const std::string& text) {
  return {Errc::corrupt, fmt::format("the {} {}", form.name, text)};
}

}  // namespace

std::string little_endian(std::uint64_t value, std::size_t width) {
  std::string bytes;
  for (std::size_t i = 0; i < width; ++i) bytes += static_cast<char>((value >> (8 * i)) & 0xFFU);
  return bytes;
}

std::uint64_t from_little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = (value << 8U) | static_cast<unsigned char>(bytes[i]);
  return value;
}

std::string seal(const SealForm& form, std::string_view content) {
  std::string bytes;
  bytes.reserve(seal_header_bytes + content.size());
  bytes.append(form.magic);
  bytes.append(little_endian(form.version, 4));
  bytes.append(little_endian(checksum_of(content), 8));
  HEDDLE_ASSERT(bytes.size() == seal_header_bytes, "a magic has 4 bytes");
  bytes.append(content);
  return bytes;
}

Result<std::string_view> unseal(const SealForm& form, std::string_view bytes) {
  if (bytes.size() > form.bytes_max)
    return corrupt(form, fmt::format("has {} bytes, the maximum is {}", bytes.size(), form.bytes_max));
  if (bytes.size() < seal_header_bytes || !bytes.starts_with(form.magic))
    return corrupt(form,
                   fmt::format("has no valid header: its {} bytes do not start with {}", bytes.size(), form.magic));
  const auto version = from_little_endian(bytes.substr(4, 4));
  if (version != form.version)
    return corrupt(form, fmt::format("has version {}, this program reads version {}: another build wrote it; use one "
                                     "build for all processes",
                                     version, form.version));
  const auto content = bytes.substr(seal_header_bytes);
  if (from_little_endian(bytes.substr(8, 8)) != checksum_of(content))
    return corrupt(form, fmt::format("is damaged: the checksum of its {} bytes is wrong", bytes.size()));
  return content;
}

}  // namespace heddle
