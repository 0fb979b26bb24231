// Bytes of an input file, plain or decompressed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "model/input_split.hpp"
#include "model/result.hpp"
#include "ports/file_system.hpp"

namespace heddle::work {

using ports::ByteSource;

/// Returns true for compressed files. They are always read from the start, also bzip2, which Hadoop can split.
[[nodiscard]] inline bool is_packed_name(std::string_view name) { return packing_of(name) != Packing::none; }
/// The error for a file of Packing::unreadable.
[[nodiscard]] Error unreadable_packing(const std::string& path);
/// Fails with Errc::usage if the file starts with the magic bytes of xz, zstd, lz4, zip, 7z, gzip or bzip2, but its
/// name does not have the extension of that format: as text it would be garbage. Accepts files that cannot be opened or
/// are not regular.
[[nodiscard]] Result<Done> check_unpacked(const ports::FileSystem& files, const std::string& path);
/// Opens an uncompressed file; at its start, with the check above. Errors: not_found or io, with the path.
[[nodiscard]] Result<std::unique_ptr<ByteSource>> open_plain(const ports::FileSystem& files, const std::string& path,
                                                             const ports::ReadRange& range);
/// Decompresses all members of a gzip file from its start. Errc::corrupt if it is not gzip or is truncated.
[[nodiscard]] std::unique_ptr<ByteSource> make_gzip_source(std::unique_ptr<ByteSource> packed, std::string path);
/// Decompresses all streams of a bzip2 file from its start. Errc::corrupt if it is not bzip2 or is truncated.
[[nodiscard]] std::unique_ptr<ByteSource> make_bzip2_source(std::unique_ptr<ByteSource> packed, std::string path);

}  // namespace heddle::work
