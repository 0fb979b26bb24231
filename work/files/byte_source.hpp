// Reads the bytes of an input file from an offset, plain or decompressed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "model/input_split.hpp"
#include "model/result.hpp"

namespace heddle::work {

class ByteSource {
public:
  virtual ~ByteSource() = default;
  /// Reads up to `size` bytes; returns 0 at the end of the file.
  [[nodiscard]] virtual Result<std::size_t> read(char* to, std::size_t size) = 0;
  /// Compressed bytes read from the file.
  [[nodiscard]] virtual std::int64_t bytes_consumed() const = 0;
};

/// Returns true for compressed files. They are always read from the start, also bzip2, which Hadoop can split.
[[nodiscard]] inline bool is_packed_name(std::string_view name) { return packing_of(name) != Packing::none; }
/// The error for a file of Packing::unreadable.
[[nodiscard]] Error unreadable_packing(const std::string& path);
/// Fails with Errc::usage if the file starts with the magic bytes of xz, zstd, lz4, zip, 7z, gzip or bzip2, but its
/// name does not have the extension of that format: as text it would be garbage. Accepts files that cannot be opened or
/// are not regular.
[[nodiscard]] Result<Done> check_unpacked(const std::string& path);
/// Opens an uncompressed file. Errors: not_found or io, with the path.
[[nodiscard]] Result<std::unique_ptr<ByteSource>> open_plain(const std::string& path, std::int64_t offset);
/// Reads all members of a gzip file. Errc::corrupt if it is not gzip or is truncated.
[[nodiscard]] Result<std::unique_ptr<ByteSource>> open_gzip(const std::string& path);
/// Reads all streams of a bzip2 file. Errc::corrupt if it is not bzip2 or is truncated.
[[nodiscard]] Result<std::unique_ptr<ByteSource>> open_bzip2(const std::string& path);

}  // namespace heddle::work
