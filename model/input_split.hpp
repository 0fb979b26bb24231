// A part of a file that one task reads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// Bytes [offset, offset + length) of `path`, and the hosts that hold them, best first.
struct InputSplit {
  std::string path;
  std::int64_t offset = 0;
  std::int64_t length = 0;
  std::vector<std::string> hosts;
  std::vector<std::string> cached_hosts = {};  // those of them that hold it in memory
  bool operator==(const InputSplit&) const = default;
};

/// True for file names that start with `_` or `.`; Hadoop does not read such files as input.
[[nodiscard]] inline bool is_hidden_name(std::string_view name) {
  return name.starts_with('_') || name.starts_with('.');
}

/// Compression of a file. `unreadable`: a codec of Hadoop that heddle does not have.
enum class Packing : std::uint8_t { none, gzip, bzip2, unreadable };

/// Compression by file name extension, in upper or lower case, for the default codecs of Hadoop.
[[nodiscard]] inline Packing packing_of(std::string_view name) {
  const auto lower = [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  };
  const auto ends_with = [&](std::string_view end) {
    return name.size() >= end.size() &&
           std::equal(end.begin(), end.end(), name.end() - static_cast<std::ptrdiff_t>(end.size()),
                      [&](char a, char b) { return a == lower(b); });
  };
  if (ends_with(".gz")) return Packing::gzip;
  if (ends_with(".bz2")) return Packing::bzip2;
  for (const char* end : {".deflate", ".snappy", ".lz4", ".zst"})
    if (ends_with(end)) return Packing::unreadable;
  return Packing::none;
}

/// False for compression formats that can only be read from the start of the file; such a file is one split.
[[nodiscard]] inline bool is_splittable_name(std::string_view name) {
  const Packing packing = packing_of(name);
  return packing == Packing::none || packing == Packing::bzip2;
}

}  // namespace heddle
