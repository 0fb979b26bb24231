#include "work/files/tar_archive.hpp"

#include <fmt/format.h>

#include <array>
#include <numeric>
#include <string_view>

#include "work/files/copy_bytes.hpp"
#include "work/files/local_file_system.hpp"

namespace heddle::work {
namespace {

constexpr std::int64_t block = 512;
constexpr std::size_t name_bytes_max = 100;
constexpr std::int64_t file_bytes_max = (std::int64_t{1} << 33) - 1;  // 11 octal digits

std::int64_t padding(std::int64_t bytes) { return (block - bytes % block) % block; }

std::string header_of(const TarEntry& entry) {
  std::string header(block, '\0');
  const auto put = [&header](std::size_t at, std::string_view text) { header.replace(at, text.size(), text); };
  put(0, entry.name);
  put(100, "0000755");  // permissions
  put(108, "0000000");  // user and group: root; a tar that is not root gives files to its own user
  put(116, "0000000");
  put(124, fmt::format("{:011o}", entry.bytes));
  put(136, "00000000000");  // time
  put(148, "        ");     // counts as blanks in the sum
  put(156, "0");            // a regular file
  put(257, "ustar");
  put(263, "00");
  const auto sum = std::accumulate(header.begin(), header.end(), 0U,
                                   [](unsigned all, char byte) { return all + static_cast<unsigned char>(byte); });
  put(148, fmt::format("{:06o}", sum));
  header[154] = '\0';
  return header;
}

Result<Done> write_entry(const TarEntry& entry, ports::ByteSink& to) {
  if (entry.name.size() > name_bytes_max || entry.bytes > file_bytes_max)
    return Error{Errc::usage, fmt::format("{}: an archive takes names of at most {} bytes and files of less than 8 GiB",
                                          entry.path, name_bytes_max)};
  const auto source = LocalFileSystem{}.open(entry.path, {});
  if (!source) return source.error();
  if (auto written = to.write(header_of(entry)); !written) return written;
  const auto bytes = append_bytes(**source, to);
  if (!bytes) return bytes.error();
  if (*bytes != entry.bytes)
    return Error{Errc::io, fmt::format("{} changed while it was read: it has {} bytes, it had {}", entry.path, *bytes,
                                       entry.bytes)};
  return to.write(std::string(static_cast<std::size_t>(padding(entry.bytes)), '\0'));
}

}  // namespace

std::int64_t tar_bytes(const std::vector<TarEntry>& entries) {
  std::int64_t bytes = 2 * block;
  for (const auto& entry : entries) bytes += block + entry.bytes + padding(entry.bytes);
  return bytes;
}

Result<Done> write_tar(const std::vector<TarEntry>& entries, ports::ByteSink& to) {
  for (const auto& entry : entries)
    if (auto written = write_entry(entry, to); !written) return written;
  if (auto written = to.write(std::string(2 * block, '\0')); !written) return written;
  return to.close();
}

}  // namespace heddle::work
