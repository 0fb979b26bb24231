// The index of a file in Hadoop's TFile format. Layout, with numbers in the encoding of take_number:
//
//   magic, data blocks, metadata blocks, index of the metadata blocks, offset of that index (8 bytes), version (2, 2
//   bytes), magic (16 bytes)
//
// The metadata block "BCFile.index" lists the data blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/result.hpp"

namespace heddle::interop {

/// A block of a TFile: bytes [offset, offset + stored).
struct TFileBlock {
  std::int64_t offset = 0;
  std::int64_t stored = 0;   // bytes in the file
  std::int64_t content = 0;  // bytes after decompression
  bool operator==(const TFileBlock&) const = default;
};

/// Bytes at the end of a TFile that parse_tfile_end needs.
inline constexpr std::size_t tfile_end_bytes = 28;
/// Limit of the index of metadata blocks, and of the list of data blocks.
inline constexpr std::int64_t tfile_index_bytes_max = 16 << 20;

/// Returns the offset of the index of the metadata blocks. `file_bytes`: length of the file.
[[nodiscard]] Result<std::int64_t> parse_tfile_end(std::string_view end, std::int64_t file_bytes);
/// Returns the metadata block that lists the data blocks. `index`: the index of the metadata blocks, and what follows.
[[nodiscard]] Result<TFileBlock> parse_tfile_index(std::string_view index, std::int64_t file_bytes);
/// Returns the data blocks, in the order of the file. Errc::refused for compressed ones.
[[nodiscard]] Result<std::vector<TFileBlock>> parse_tfile_blocks(std::string_view list, std::int64_t file_bytes);

/// Number of bytes behind the first byte of a number.
[[nodiscard]] std::size_t tfile_number_rest(char first);
/// Takes a number of 1 to 9 bytes. Nothing if `text` is too short, or no number begins with its first byte.
[[nodiscard]] std::optional<std::int64_t> take_tfile_number(std::string_view& text);

}  // namespace heddle::interop
