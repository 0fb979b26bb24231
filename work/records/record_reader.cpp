#include "work/records/record_reader.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "work/files/byte_source.hpp"
#include "work/files/single_writer_counter.hpp"
#include "work/records/bounded_line_reader.hpp"
#include "work/records/line_count.hpp"
#include "work/records/line_window.hpp"
#include "work/records/xml_records.hpp"

namespace heddle::work {
namespace {

constexpr std::size_t batch_records = 4096;
constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

// Shared code of line formats: converts batches to text and lines to pairs.
class LineFormatReader : public RecordReader {
public:
  explicit LineFormatReader(const TextInput& input) : input_{input} {}

  Result<bool> next_text(std::string_view& text) override {
    auto more = next(batch_);
    if (!more || !*more) return more;
    text_.clear();
    for (std::size_t i = 0; i < batch_.size(); ++i) {
      if (!input_.ignore_key) {
        if (input_.format == InputFormat::key_value) text_.append(batch_[i].key);
        else text_.append(std::to_string(offsets_[i]));
        if (!input_.ignore_value) text_.append(input_.map_input_separator);
      }
      if (!input_.ignore_value) text_.append(batch_[i].value);
      text_.push_back('\n');
    }
    text = text_;
    return true;
  }
  std::int64_t offset_of(std::size_t index) const override { return offsets_[index]; }
  std::int64_t records_read() const override { return records_.value(); }

protected:
  void begin_batch(RecordBatch& batch) {
    batch.clear();
    offsets_.clear();
  }
  void push(RecordBatch& batch, std::string_view line, std::int64_t offset) {
    records_.add(1);
    offsets_.push_back(offset);
    if (input_.format != InputFormat::key_value) return batch.push_back({{}, line});
    const auto at = line.find(input_.key_value_separator);
    if (at == line.npos) return batch.push_back({line, line.substr(line.size())});
    batch.push_back({line.substr(0, at), line.substr(at + input_.key_value_separator.size())});
  }

  TextInput input_;
  std::vector<std::int64_t> offsets_;
  SingleWriterCounter records_;

private:
  RecordBatch batch_;
  std::string text_;
};

// Returns lines as views into the read buffer.
class WindowReader : public LineFormatReader {
public:
  WindowReader(const TextInput& input, const InputSplit& split, const RecordReaderSettings& settings, LineWindow window,
               bool is_packed)
      : LineFormatReader{input}, path_{split.path}, settings_{settings}, window_{std::move(window)} {
    const auto delimiter = std::max<std::int64_t>(1, static_cast<std::int64_t>(settings.delimiter.size()));
    if (!is_packed) plain_part_ = split;
    last_start_ = is_packed ? INT64_MAX : split.offset + split.length + delimiter - 1;
    skips_first_ = !is_packed && split.offset != 0;
  }

  Result<bool> next(RecordBatch& batch) override {
    begin_batch(batch);
    if (const auto begun = begin(); !begun) return begun.error();
    while (batch.size() < batch_records && line_start() <= last_start_) {
      Line line;
      if (find_line(line)) {
        if (static_cast<std::int64_t>(line.length) > settings_.line_bytes_max) return too_long();
        push(batch, window_.rest().substr(0, line.length), line_start());
        window_.consume(line.consumed);
        mark_bytes_ = 0;
        continue;
      }
      if (!batch.empty() || window_.is_last()) break;
      if (const auto filled = refill(); !filled) return filled.error();
    }
    return !batch.empty();
  }

  Result<bool> next_text(std::string_view& text) override {
    if (const auto begun = begin(); !begun) return begun.error();
    if (!is_plain()) return LineFormatReader::next_text(text);
    for (;;) {
      const auto rest = window_.rest();
      auto length = whole_lines(rest);
      if (length == 0 && window_.is_last() && !rest.empty() && line_start() <= last_start_) {
        window_.append_at_end('\n');
        length = rest.size() + 1;
      }
      if (length != 0) {
        text = window_.rest().substr(0, length);
        window_.consume(length);
        mark_bytes_ = 0;
        records_.add(count_lines(text));
        return true;
      }
      if (window_.is_last() || line_start() > last_start_) return false;
      if (const auto filled = refill(); !filled) return filled.error();
      if (!is_plain()) return LineFormatReader::next_text(text);
    }
  }
  std::int64_t bytes_read() const override { return window_.bytes_consumed(); }
  /// Hadoop's UncompressedSplitLineReader fills a buffer of 4 KiB, first up to the end of the split, then beyond it.
  std::int64_t hadoop_bytes_read() const override {
    if (!plain_part_) return bytes_read();
    constexpr std::int64_t buffer_bytes = 4096;  // io.file.buffer.size
    const auto filled = [](std::int64_t bytes) { return (bytes + buffer_bytes - 1) / buffer_bytes * buffer_bytes; };
    const auto taken = window_.position() - plain_part_->offset;
    const auto beyond = std::max<std::int64_t>(taken - plain_part_->length, 0);
    const auto counted =
        beyond > 0 ? plain_part_->length + filled(beyond) : std::min(filled(taken), plain_part_->length);
    return std::min(counted, bytes_read());  // the file may end
  }

private:
  struct Line {
    std::size_t length = 0;
    std::size_t consumed = 0;
  };

  // True if the bytes of the file can be passed to a command unchanged.
  bool is_plain() const {
    return input_.ignore_key && input_.format != InputFormat::key_value && settings_.delimiter.empty() &&
           !window_.has_carriage_return() && settings_.line_bytes_max >= settings_.buffer_bytes;
  }

  // Offset of the current line, including a byte order mark.
  std::int64_t line_start() const { return window_.position() - mark_bytes_; }

  // Bytes of the complete lines in the window that begin in this split.
  std::size_t whole_lines(std::string_view rest) const {
    if (line_start() > last_start_) return 0;
    const auto last = std::max<std::int64_t>(0, last_start_ - window_.position());
    if (last < static_cast<std::int64_t>(rest.size())) {
      const auto at = rest.find('\n', static_cast<std::size_t>(last));
      if (at != rest.npos) return at + 1;
    }
    const auto at = rest.rfind('\n');
    return at == rest.npos ? 0 : at + 1;
  }

  bool find_line(Line& line) const {
    const auto rest = window_.rest();
    if (rest.empty()) return false;
    const bool found = settings_.delimiter.empty() ? find_default(rest, line) : find_delimited(rest, line);
    if (!found && window_.is_last()) line = {rest.size(), rest.size()};
    return found || window_.is_last();
  }
  bool find_default(std::string_view rest, Line& line) const {
    const auto* feed = static_cast<const char*>(std::memchr(rest.data(), '\n', rest.size()));
    const auto length = feed != nullptr ? static_cast<std::size_t>(feed - rest.data()) : rest.size();
    if (window_.has_carriage_return()) {
      if (const auto* at = static_cast<const char*>(std::memchr(rest.data(), '\r', length)); at != nullptr) {
        const auto end = static_cast<std::size_t>(at - rest.data());
        if (end + 1 == rest.size() && !window_.is_last()) return false;  // an LF may follow
        line = {end, end + (end + 1 < rest.size() && rest[end + 1] == '\n' ? 2u : 1u)};
        return true;
      }
    }
    line = {length, length + 1};
    return feed != nullptr;
  }
  bool find_delimited(std::string_view rest, Line& line) const {
    const auto at = rest.find(settings_.delimiter);
    if (at != rest.npos) line = {at, at + settings_.delimiter.size()};
    return at != rest.npos;
  }

  // Fills the window, then skips the byte order mark, or the line that belongs to the previous split.
  Result<Done> begin() {
    if (has_begun_) return Done{};
    has_begun_ = true;
    do {
      if (const auto filled = window_.refill(settings_.line_bytes_max); !filled) return filled;
    } while (window_.rest().size() < byte_order_mark.size() && !window_.is_last());
    if (skips_first_) return skip_line();
    if (window_.position() == 0 && window_.rest().starts_with(byte_order_mark)) {
      window_.consume(byte_order_mark.size());
      mark_bytes_ = static_cast<std::int64_t>(byte_order_mark.size());
    }
    return Done{};
  }
  Result<Done> skip_line() {
    Line line;
    while (!find_line(line)) {
      if (window_.is_last()) return Done{};
      const auto size = window_.rest().size();
      const auto kept = settings_.delimiter.empty() ? std::size_t{size > 0 && window_.rest().back() == '\r'}
                                                    : settings_.delimiter.size() - 1;
      window_.consume(size - std::min(size, kept));
      if (const auto filled = window_.refill(settings_.line_bytes_max); !filled) return filled;
    }
    window_.consume(line.consumed);
    return Done{};
  }
  Result<Done> refill() {
    if (static_cast<std::int64_t>(window_.rest().size()) > settings_.line_bytes_max + 1) return too_long();
    return window_.refill(settings_.line_bytes_max + 1);
  }
  Error too_long() const {
    return Error{Errc::usage, "'" + path_ + "' has a line of more than " + std::to_string(settings_.line_bytes_max) +
                                  " bytes at byte " + std::to_string(line_start()) + " (heddle.input.line_bytes_max)"};
  }

  std::string path_;
  RecordReaderSettings settings_;
  LineWindow window_;
  std::optional<InputSplit> plain_part_;  // of an uncompressed file
  std::int64_t last_start_ = 0;           // lines that begin after this offset belong to the next split
  std::int64_t mark_bytes_ = 0;           // length of a byte order mark before the next line
  bool skips_first_ = false;
  bool has_begun_ = false;
};

// Reads lines with Hadoop's maximum length; copies each line.
class BoundedLineRecordReader : public LineFormatReader {
public:
  BoundedLineRecordReader(const TextInput& input, BoundedLineReader lines)
      : LineFormatReader{input}, lines_{std::move(lines)} {}

  Result<bool> next(RecordBatch& batch) override {
    begin_batch(batch);
    room_.resize(batch_records);
    for (auto& line : room_) {
      std::int64_t offset = 0;
      auto more = lines_.next(line, offset);
      if (!more) return more;
      if (!*more) break;
      push(batch, line, offset);
    }
    return !batch.empty();
  }
  std::int64_t bytes_read() const override { return lines_.bytes_consumed(); }

private:
  BoundedLineReader lines_;
  std::vector<std::string> room_;
};

Result<std::unique_ptr<ByteSource>> open_source(const ports::FileSystem& files, const InputSplit& split,
                                                Packing packing) {
  if (packing == Packing::none) return open_plain(files, split.path, {split.offset, split.length});
  if (packing == Packing::unreadable) return unreadable_packing(split.path);
  auto packed = files.open(split.path, {});
  if (!packed) return packed;
  return packing == Packing::gzip ? make_gzip_source(std::move(*packed), split.path)
                                  : make_bzip2_source(std::move(*packed), split.path);
}

}  // namespace

Result<std::unique_ptr<RecordReader>> open_records(const ports::FileSystem& files, const TextInput& input,
                                                   const InputSplit& split, const RecordReaderSettings& settings) {
  const Packing packing = packing_of(split.path);
  const bool is_packed = packing != Packing::none;
  if (is_packed && split.offset != 0)
    return Error{Errc::usage, "'" + split.path + "' is compressed and can be read only from its start"};
  auto source = open_source(files, split, packing);
  if (!source) return source.error();
  if (input.format == InputFormat::stream_xml)
    return open_xml_records(input, split, std::move(source).value(), settings);
  const auto buffer_bytes = static_cast<std::size_t>(std::max<std::int64_t>(1, settings.buffer_bytes));
  if (settings.hadoop_line_length_max < std::numeric_limits<std::int32_t>::max()) {
    const BoundedLineReader::Bounds bounds{split.offset, split.offset + split.length, settings.hadoop_line_length_max,
                                           is_packed};
    return std::unique_ptr<RecordReader>{std::make_unique<BoundedLineRecordReader>(
        input, BoundedLineReader{std::move(source).value(), bounds, settings.delimiter, buffer_bytes})};
  }
  return std::unique_ptr<RecordReader>{std::make_unique<WindowReader>(
      input, split, settings, LineWindow{std::move(source).value(), split.offset, buffer_bytes}, is_packed)};
}

}  // namespace heddle::work
