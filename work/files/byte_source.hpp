// Bytes of an input file from an offset on, plain or unpacked.
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
  /// Up to `size` bytes; 0 at the end of the file.
  [[nodiscard]] virtual Result<std::size_t> read(char* to, std::size_t size) = 0;
  /// Bytes taken from the file.
  [[nodiscard]] virtual std::int64_t bytes_taken() const = 0;
};

/// Content that is unpacked on the way and read from its start: also bzip2, which Hadoop could split.
[[nodiscard]] inline bool is_packed_name(std::string_view name) { return packing_of(name) != Packing::none; }
/// What to say of a file of Packing::unreadable.
[[nodiscard]] Error unreadable_packing(const std::string& path);
/// Refuses a file that begins as xz, zstd, lz4, zip, 7z, gzip or bzip2 do and is not named as heddle expects of packed
/// ones: read as text it would be rubbish. What cannot be opened, or is no regular file, passes.
[[nodiscard]] Result<Done> check_unpacked(const std::string& path);
/// not_found or io, naming the file.
[[nodiscard]] Result<std::unique_ptr<ByteSource>> open_plain(const std::string& path, std::int64_t offset);
/// All members of a gzip file; corrupt for what is none, and for a file that ends too early.
[[nodiscard]] Result<std::unique_ptr<ByteSource>> open_gzip(const std::string& path);
/// All streams of a bzip2 file; corrupt as above.
[[nodiscard]] Result<std::unique_ptr<ByteSource>> open_bzip2(const std::string& path);

}  // namespace heddle::work
