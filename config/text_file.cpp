#include "config/text_file.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

namespace heddle::config {

Result<std::string> read_text_file(const std::string& path) {
  constexpr std::uintmax_t bytes_max = 16U << 20U;
  std::error_code failure;
  const auto status = std::filesystem::status(path, failure);
  if (!std::filesystem::exists(status)) return Error{Errc::not_found, fmt::format("{}: no such file", path)};
  if (std::filesystem::is_directory(status)) return Error{Errc::usage, fmt::format("{}: is a folder, a file was expected", path)};
  if (std::filesystem::is_regular_file(status) && std::filesystem::file_size(path, failure) > bytes_max)
    return Error{Errc::usage, fmt::format("{}: larger than 16 MiB, this is no such file", path)};
  std::ifstream stream{path, std::ios::binary};
  if (!stream) return Error{Errc::io, fmt::format("{}: cannot be read", path)};
  std::string content{std::istreambuf_iterator<char>{stream}, std::istreambuf_iterator<char>{}};
  if (stream.bad()) return Error{Errc::io, fmt::format("{}: cannot be read", path)};
  return content;
}

}  // namespace heddle::config
