// Decompresses all streams of a bzip2 file. Memory: less than 4 MiB, which libbz2 needs for one block.
#include <bzlib.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "work/files/byte_source.hpp"

namespace heddle::work {
namespace {

class Bzip2Source final : public ByteSource {
public:
  Bzip2Source(std::unique_ptr<ByteSource> file, std::string path)
      : file_{std::move(file)}, path_{std::move(path)}, packed_(256 << 10) {}
  ~Bzip2Source() override { end_stream(); }
  Bzip2Source(const Bzip2Source&) = delete;
  Bzip2Source& operator=(const Bzip2Source&) = delete;

  Result<std::size_t> read(char* to, std::size_t size) override {
    stream_.next_out = to;
    stream_.avail_out = static_cast<unsigned>(size);
    while (stream_.avail_out == size) {
      if (stream_.avail_in == 0) {
        auto filled = fill();
        if (!filled) return filled.error();
        if (!*filled) break;
      }
      if (const auto step = unpack_some(); !step) return step.error();
    }
    return size - stream_.avail_out;
  }
  [[nodiscard]] std::int64_t bytes_consumed() const override { return consumed_; }

private:
  // Returns false at the end of the file; Errc::corrupt if that is inside a stream.
  Result<bool> fill() {
    auto count = file_->read(packed_.data(), packed_.size());
    if (!count) return count.error();
    if (*count == 0 && is_in_stream_) return broken("it is truncated");
    consumed_ += static_cast<std::int64_t>(*count);
    stream_.next_in = packed_.data();
    stream_.avail_in = static_cast<unsigned>(*count);
    return *count != 0;
  }
  Result<Done> unpack_some() {
    if (!is_in_stream_) {
      if (BZ2_bzDecompressInit(&stream_, 0, 0) != BZ_OK) return Error{Errc::internal, "libbz2 cannot be initialised"};
      is_in_stream_ = true;
    }
    switch (BZ2_bzDecompress(&stream_)) {
      case BZ_OK: return Done{};
      case BZ_STREAM_END: end_stream(); return Done{};
      case BZ_DATA_ERROR_MAGIC: return broken("it is not a bzip2 file");
      case BZ_MEM_ERROR: return Error{Errc::internal, "no memory to decompress '" + path_ + "'"};
      default: return broken("it has a corrupt block");
    }
  }
  void end_stream() {
    if (is_in_stream_) BZ2_bzDecompressEnd(&stream_);
    is_in_stream_ = false;
  }
  [[nodiscard]] Error broken(const std::string& why) const {
    return Error{Errc::corrupt,
                 "'" + path_ + "' cannot be decompressed: " + why + ", near byte " + std::to_string(consumed_)};
  }

  std::unique_ptr<ByteSource> file_;
  std::string path_;
  std::vector<char> packed_;
  bz_stream stream_{};
  bool is_in_stream_ = false;
  std::int64_t consumed_ = 0;
};

}  // namespace

std::unique_ptr<ByteSource> make_bzip2_source(std::unique_ptr<ByteSource> packed, std::string path) {
  return std::make_unique<Bzip2Source>(std::move(packed), std::move(path));
}

}  // namespace heddle::work
