#include "work/files/byte_source.hpp"

#include <zlib.h>

#include <array>
#include <filesystem>
#include <string_view>
#include <vector>

#include "work/files/file_handle.hpp"

namespace heddle::work {
namespace {

class PlainSource : public ByteSource {
public:
  PlainSource(FileHandle file, std::int64_t offset) : file_{std::move(file)}, offset_{offset} {}

  Result<std::size_t> read(char* to, std::size_t size) override {
    auto count = file_.read_at(to, size, offset_ + consumed_);
    if (count) consumed_ += static_cast<std::int64_t>(*count);
    return count;
  }
  std::int64_t bytes_consumed() const override { return consumed_; }

private:
  FileHandle file_;
  std::int64_t offset_;
  std::int64_t consumed_ = 0;
};

class GzipSource : public ByteSource {
public:
  explicit GzipSource(FileHandle file) : file_{std::move(file)}, packed_(256 << 10) {
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
    auto count = file_.read_at(reinterpret_cast<char*>(packed_.data()), packed_.size(), consumed_);
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
                 "'" + file_.path() + "' cannot be decompressed: " + why + ", near byte " + std::to_string(consumed_)};
  }

  FileHandle file_;
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

}  // namespace

Result<Done> check_unpacked(const std::string& path) {
  std::error_code failed;
  if (packing_of(path) != Packing::none || !std::filesystem::is_regular_file(path, failed)) return Done{};
  auto source = open_plain(path, 0);
  if (!source) return Done{};
  std::array<char, 16> head{};
  std::size_t size = 0;
  while (size < head.size()) {
    const auto got = (*source)->read(head.data() + size, head.size() - size);
    if (!got || *got == 0) break;
    size += *got;
  }
  for (const auto& begin : packed_begins)
    if (std::string_view{head.data(), size}.starts_with(begin.bytes))
      return Error{Errc::usage, "'" + path + "' is compressed with " + begin.name +
                                    ", which its name does not say; heddle reads plain text, .gz and " +
                                    ".bz2: " + begin.advice};
  return Done{};
}

Result<std::unique_ptr<ByteSource>> open_plain(const std::string& path, std::int64_t offset) {
  auto file = open_input_file(path);
  if (!file) return file.error();
  return std::unique_ptr<ByteSource>{std::make_unique<PlainSource>(std::move(file).value(), offset)};
}

Result<std::unique_ptr<ByteSource>> open_gzip(const std::string& path) {
  auto file = open_input_file(path);
  if (!file) return file.error();
  return std::unique_ptr<ByteSource>{std::make_unique<GzipSource>(std::move(file).value())};
}

}  // namespace heddle::work
