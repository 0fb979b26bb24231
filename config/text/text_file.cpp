#include "config/text/text_file.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace heddle::config {

Result<std::string> read_text_file(const std::string& path) {
  constexpr std::size_t bytes_max = 16U << 20U;
  const auto unreadable = [&path](const std::error_code& why) {
    return Error{Errc::io, fmt::format("{}: cannot be read: {}", path, why.message())};
  };
  std::error_code failure;
  const auto status = std::filesystem::status(path, failure);
  if (status.type() == std::filesystem::file_type::not_found) {
    if (!std::filesystem::is_symlink(path, failure))
      return Error{Errc::not_found, fmt::format("{}: no such file", path)};
    return Error{Errc::io, fmt::format("{}: is a link to a file that does not exist", path)};
  }
  if (!std::filesystem::exists(status)) return unreadable(failure);
  if (std::filesystem::is_directory(status))
    return Error{Errc::usage, fmt::format("{}: is a folder, a file was expected", path)};
  errno = 0;
  std::ifstream stream{path, std::ios::binary};
  if (!stream) return unreadable({errno == 0 ? EIO : errno, std::generic_category()});
  // Devices and pipes have no size: the limit is checked while reading.
  std::string content;
  std::array<char, 64 << 10> piece{};
  while (stream && content.size() <= bytes_max) {
    stream.read(piece.data(), piece.size());
    content.append(piece.data(), static_cast<std::size_t>(stream.gcount()));
  }
  if (stream.bad()) return unreadable({errno == 0 ? EIO : errno, std::generic_category()});
  if (content.size() > bytes_max)
    return Error{Errc::usage, fmt::format("{}: larger than 16 MiB; configuration files are smaller", path)};
  return content;
}

}  // namespace heddle::config
