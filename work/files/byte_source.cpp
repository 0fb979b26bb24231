#include "work/files/byte_source.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

namespace heddle::work {
namespace {

class GzipSource : public ByteSource {
public:
  GzipSource(std::unique_ptr<ByteSource> file, std::string path)
      : file_{std::move(file)}, path_{std::move(path)}, packed_(256 << 10) {
    is_open_ = inflateInit2(&stream_, 15 + 16) == Z_OK;
  }
  ~GzipSource() override {
    if (is_open_) inflateEnd(&stream_);
  }
  GzipSource(const GzipSource&) = delete;
  GzipSource& operator=(const GzipSource&) = delete;

  Result<std::size_t> read(char* to, std::size_t size) override {
    if (!is_open_) return Error{Errc::internal, "zlib cannot be initialised"};
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = static_cast<uInt>(size);
    while (stream_.avail_out == size) {
      if (stream_.avail_in == 0) {
        auto filled = fill();
        if (!filled) return filled.error();
        if (!*filled) break;
      }
      if (const auto step = inflate_some(); !step) return step.error();
    }
    return size - stream_.avail_out;
  }
  std::int64_t bytes_consumed() const override { return consumed_; }

private:
  // Returns false at the end of the file; Errc::corrupt if that is inside a member.
  Result<bool> fill() {
    auto count = file_->read(reinterpret_cast<char*>(packed_.data()), packed_.size());
    if (!count) return count.error();
    if (*count == 0 && !between_members_) return broken("it is truncated");
    consumed_ += static_cast<std::int64_t>(*count);
    stream_.next_in = packed_.data();
    stream_.avail_in = static_cast<uInt>(*count);
    return *count != 0;
  }
  Result<Done> inflate_some() {
    between_members_ = false;
    const int state = inflate(&stream_, Z_NO_FLUSH);
    if (state == Z_STREAM_END) {
      between_members_ = true;
      inflateReset(&stream_);
    } else if (state != Z_OK && state != Z_BUF_ERROR) {
      return broken(stream_.msg != nullptr ? stream_.msg : "it is not a gzip file");
    }
    return Done{};
  }
  Error broken(const std::string& why) const {
    return Error{Errc::corrupt,
                 "'" + path_ + "' cannot be decompressed: " + why + ", near byte " + std::to_string(consumed_)};
  }

  std::unique_ptr<ByteSource> file_;
  std::string path_;
  std::vector<Bytef> packed_;
  z_stream stream_{};
  bool is_open_ = false;
  bool between_members_ = true;
  std::int64_t consumed_ = 0;
};

}  // namespace

Error unreadable_packing(const std::string& path) {
  return {Errc::usage,
          "'" + path + "' is compressed in a format that heddle does not read; decompress it, or use .gz or .bz2"};
}

namespace {

struct PackedBegin {
  std::string_view bytes;
  const char* name;
  const char* advice;
};

using namespace std::string_view_literals;
constexpr std::array<PackedBegin, 7> packed_begins{{{"\xfd"
                                                     "7zXZ\0"sv,
                                                     "xz", "decompress it with xz -d"},
                                                    {"\x28\xb5\x2f\xfd"sv, "zstd", "decompress it with zstd -d"},
                                                    {"\x04\x22\x4d\x18"sv, "lz4", "decompress it with lz4 -d"},
                                                    {"PK\x03\x04"sv, "zip", "decompress it with unzip"},
                                                    {"7z\xbc\xaf\x27\x1c"sv, "7z", "decompress it with 7z x"},
                                                    {"\x1f\x8b\x08"sv, "gzip", "rename it to end in .gz"},
                                                    {"BZh91AY&SY"sv, "bzip2", "rename it to end in .bz2"}}};

using Head = std::array<char, 16>;

Result<Done> check_head(std::string_view head, const std::string& path) {
  for (const auto& begin : packed_begins)
    if (head.starts_with(begin.bytes))
      return Error{Errc::usage, "'" + path + "' is compressed with " + begin.name +
                                    ", which its name does not say; heddle reads plain text, .gz and " +
                                    ".bz2: " + begin.advice};
  return Done{};
}

/// Continues a source whose first bytes are already read.
class ContinuedSource final : public ByteSource {
public:
  ContinuedSource(std::unique_ptr<ByteSource> rest, const Head& head, std::size_t size)
      : rest_{std::move(rest)}, head_{head}, size_{size} {}
  Result<std::size_t> read(char* to, std::size_t size) override {
    if (at_ == size_) return rest_->read(to, size);
    const auto count = std::min(size, size_ - at_);
    std::memcpy(to, head_.data() + at_, count);
    at_ += count;
    auto more = count == size ? Result<std::size_t>{std::size_t{0}} : rest_->read(to + count, size - count);
    return more ? Result<std::size_t>{count + *more} : more;
  }
  [[nodiscard]] std::int64_t bytes_consumed() const override {
    return rest_->bytes_consumed() - static_cast<std::int64_t>(size_ - at_);
  }

private:
  std::unique_ptr<ByteSource> rest_;
  Head head_;
  std::size_t size_;
  std::size_t at_ = 0;
};

}  // namespace

Result<Done> check_unpacked(const ports::FileSystem& files, const std::string& path) {
  if (packing_of(path) != Packing::none) return Done{};
  Head head{};
  const auto source = files.open(path, {0, static_cast<std::int64_t>(head.size())});
  if (!source) return Done{};
  const auto size = (*source)->read(head.data(), head.size());
  return size ? check_head({head.data(), *size}, path) : Done{};
}

Result<std::unique_ptr<ByteSource>> open_plain(const ports::FileSystem& files, const std::string& path,
                                               const ports::ReadRange& range) {
  auto source = files.open(path, range);
  if (!source || range.offset != 0) return source;
  Head head{};
  const auto size = (*source)->read(head.data(), head.size());
  if (!size) return size.error();
  if (auto readable = check_head({head.data(), *size}, path); !readable) return readable.error();
  return std::unique_ptr<ByteSource>{std::make_unique<ContinuedSource>(std::move(*source), head, *size)};
}

std::unique_ptr<ByteSource> make_gzip_source(std::unique_ptr<ByteSource> packed, std::string path) {
  return std::make_unique<GzipSource>(std::move(packed), std::move(path));
}

}  // namespace heddle::work
