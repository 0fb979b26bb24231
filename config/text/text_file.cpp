#include "config/text/text_file.hpp"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace heddle::config {

Result<std::string> read_text_file(const std::string& path) {
  constexpr std::size_t bytes_max = 16U << 20U;
  std::error_code failure;
  const auto status = std::filesystem::status(path, failure);
  if (!std::filesystem::exists(status)) return Error{Errc::not_found, fmt::format("{}: no such file", path)};
  if (std::filesystem::is_directory(status))
    return Error{Errc::usage, fmt::format("{}: is a folder, a file was expected", path)};
  std::ifstream stream{path, std::ios::binary};
  if (!stream) return Error{Errc::io, fmt::format("{}: cannot be read", path)};
  // Devices and pipes have no size: the limit is checked while reading.
  std::string content;
  std::array<char, 64 << 10> piece{};
  while (stream && content.size() <= bytes_max) {
    stream.read(piece.data(), piece.size());
    content.append(piece.data(), static_cast<std::size_t>(stream.gcount()));
  }
  if (stream.bad()) return Error{Errc::io, fmt::format("{}: cannot be read", path)};
  if (content.size() > bytes_max)
    return Error{Errc::usage, fmt::format("{}: larger than 16 MiB; configuration files are smaller", path)};
  return content;
}

}  // namespace heddle::config
