#include "work/files/byte_source.hpp"

#include <zlib.h>

#include <vector>

#include "work/files/file_handle.hpp"

namespace heddle::work {
namespace {

class PlainSource : public ByteSource {
public:
  PlainSource(FileHandle file, std::int64_t offset) : file_{std::move(file)}, offset_{offset} {}

  Result<std::size_t> read(char* to, std::size_t size) override {
    auto count = file_.read_at(to, size, offset_ + taken_);
    if (count) taken_ += static_cast<std::int64_t>(*count);
    return count;
  }
  std::int64_t bytes_taken() const override { return taken_; }

private:
  FileHandle file_;
  std::int64_t offset_;
  std::int64_t taken_ = 0;
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
    if (!is_open_) return Error{Errc::internal, "zlib cannot be started"};
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
  std::int64_t bytes_taken() const override { return taken_; }

private:
  // False at the end of the file, which has to be the end of a member.
  Result<bool> fill() {
    auto count = file_.read_at(reinterpret_cast<char*>(packed_.data()), packed_.size(), taken_);
    if (!count) return count.error();
    if (*count == 0 && !between_members_) return broken("ends in the middle");
    taken_ += static_cast<std::int64_t>(*count);
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
      return broken(stream_.msg != nullptr ? stream_.msg : "is no gzip");
    }
    return Done{};
  }
  Error broken(const std::string& why) const {
    return Error{Errc::corrupt,
                 "'" + file_.path() + "' cannot be unpacked: " + why + ", near byte " + std::to_string(taken_)};
  }

  FileHandle file_;
  std::vector<Bytef> packed_;
  z_stream stream_{};
  bool is_open_ = false;
  bool between_members_ = true;
  std::int64_t taken_ = 0;
};

}  // namespace

Error unreadable_packing(const std::string& path) {
  return {Errc::usage,
          "'" + path + "' is packed in a way that heddle does not read; it reads plain text, .gz and .bz2"};
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
