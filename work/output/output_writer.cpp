#include "work/output/output_writer.hpp"

#include <zlib.h>

#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

#include "model/assert.hpp"
#include "ports/file_path.hpp"
#include "work/files/single_writer_counter.hpp"
#include "work/output/text_pieces.hpp"
#include "work/records/line_count.hpp"

namespace heddle::work {
namespace {

constexpr std::size_t buffer_bytes = 256 << 10;

class PartWriter : public OutputWriter {
public:
  PartWriter(ports::FileSystem& files, std::string folder, std::string path, const TextOutput& output, bool is_to_sync,
             std::size_t piece_max)
      : files_{files},
        folder_{std::move(folder)},
        path_{std::move(path)},
        piece_max_{piece_max},
        is_packed_{output.gzip} {
    options_.durability = is_to_sync ? ports::Durability::deferred : ports::Durability::cached;
  }
  ~PartWriter() override {
    if (has_deflate_) deflateEnd(&stream_);
  }
  PartWriter(const PartWriter&) = delete;
  PartWriter& operator=(const PartWriter&) = delete;

  Result<Done> make() {
    // Not create_directories: if the Driver's folder is missing, the application attempt has ended and must not be
    // created again.
    for (const auto& folder : {ports::parent_of(folder_), folder_})
      if (auto made = files_.make_directory(folder); !made) return made;
    auto file = files_.create(path_, options_);
    if (!file) return checked(file.error());
    file_ = std::move(*file);
    buffer_.reserve(buffer_bytes + 4096);
    if (is_packed_)
      has_deflate_ = deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK;
    if (is_packed_ && !has_deflate_) return Error{Errc::internal, "zlib cannot be initialised"};
    return Done{};
  }

  Result<Done> add_text(std::string_view text) override {
    records_.add(count_lines(text));
    if (auto opened = open_late(text.size()); !opened) return opened;
    if (text.size() < buffer_bytes / 2) return append(text);
    if (auto done = flush(); !done) return done;
    return put(text);
  }
  Result<Done> add(const Record& record, std::string_view separator) override {
    records_.add(1);
    if (auto opened = open_late(1); !opened) return opened;
    append_line(buffer_, record, separator);
    return buffer_.size() < buffer_bytes ? Result<Done>{Done{}} : flush();
  }
  Result<Done> finish() override {
    if (!file_) return Done{};
    if (auto done = flush(); !done) return done;
    if (is_packed_)
      if (auto done = pack({}, Z_FINISH); !done) return done;
    return checked(file_->close());
  }
  bool is_interrupted() const override { return is_interrupted_; }
  std::int64_t bytes_written() const override { return bytes_.value(); }
  std::int64_t records_written() const override { return records_.value(); }

private:
  Result<Done> open_late(std::size_t bytes) { return file_ || bytes == 0 ? Result<Done>{Done{}} : make(); }
  Result<Done> checked(Result<Done> done) {
    is_interrupted_ = is_interrupted_ || (!done && done.error().code == Errc::interrupted);
    return done;
  }
  Result<Done> append(std::string_view text) {
    buffer_.append(text);
    return buffer_.size() < buffer_bytes ? Result<Done>{Done{}} : flush();
  }
  Result<Done> flush() {
    auto done = put(buffer_);
    buffer_.clear();
    return done;
  }
  Result<Done> put(std::string_view text) {
    if (text.empty()) return Done{};
    if (!is_packed_) return write(text.data(), text.size());
    return in_pieces(text, piece_max_, [this](std::string_view piece) { return pack(piece, Z_NO_FLUSH); });
  }
  Result<Done> write(const char* from, std::size_t size) {
    bytes_.add(static_cast<std::int64_t>(size));
    return checked(file_->write({from, size}));
  }
  Result<Done> pack(std::string_view text, int mode) {
    HEDDLE_ASSERT(text.size() <= piece_max_, "zlib gets more bytes than it can count");
    packed_.resize(buffer_bytes);
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream_.avail_in = static_cast<uInt>(text.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(packed_.data());
      stream_.avail_out = static_cast<uInt>(packed_.size());
      deflate(&stream_, mode);
      if (auto done = write(packed_.data(), packed_.size() - stream_.avail_out); !done) return done;
    } while (stream_.avail_out == 0);
    return Done{};
  }

  ports::FileSystem& files_;
  std::string folder_;
  std::string path_;
  ports::CreateOptions options_;
  std::unique_ptr<ports::ByteSink> file_;
  std::string buffer_;
  std::vector<char> packed_;
  std::size_t piece_max_;
  z_stream stream_{};
  bool is_packed_ = false;
  bool has_deflate_ = false;
  bool is_interrupted_ = false;
  SingleWriterCounter bytes_;
  SingleWriterCounter records_;
};

}  // namespace

std::string attempt_folder(const std::string& output, std::int32_t application_attempt,
                           const std::string& task_attempt) {
  return output + "/_temporary/" + std::to_string(application_attempt) + "/_temporary/" + task_attempt;
}

Result<std::unique_ptr<OutputWriter>> OutputWriter::open(ports::FileSystem& files, const TextOutput& output,
                                                         const OutputAttempt& attempt, std::size_t piece_max) {
  const auto folder = attempt_folder(output.path, attempt.application_attempt, attempt.task_attempt);
  const auto is_there = files.is_present(folder);
  if (!is_there) return is_there.error();
  if (*is_there)
    if (auto removed = files.remove_all(folder, output.path); !removed) return removed.error();
  char name[32];
  std::snprintf(name, sizeof name, "%05d", attempt.index);
  const auto path = folder + '/' + output.part_prefix + name + (output.gzip ? ".gz" : "");
  auto writer = std::make_unique<PartWriter>(files, folder, path, output, attempt.is_to_sync, piece_max);
  if (!output.lazy)
    if (auto made = writer->make(); !made) return made.error();
  return std::unique_ptr<OutputWriter>{std::move(writer)};
}

}  // namespace heddle::work
