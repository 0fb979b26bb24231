#include "work/records/xml_records.hpp"

#include <cstring>
#include <string>
#include <vector>

#include "work/files/single_writer_counter.hpp"

namespace heddle::work {
namespace {

class XmlReader : public RecordReader {
public:
  XmlReader(const TextInput& input, const InputSplit& split, std::unique_ptr<ByteSource> source,
            const RecordReaderSettings& settings)
      : input_{input},
        path_{split.path},
        line_bytes_max_{settings.line_bytes_max},
        source_{std::move(source)},
        buffer_(1 << 20) {
    end_ = !is_packed_name(split.path) ? split.offset + split.length : INT64_MAX;
    position_ = split.offset;
  }

  Result<bool> next(RecordBatch& batch) override {
    batch.clear();
    if (position_ >= end_) return false;
    record_.clear();
    auto found = read_until(input_.xml_begin, false);
    if (!found || !*found) return found;
    offset_ = position_ - static_cast<std::int64_t>(input_.xml_begin.size());
    if (offset_ >= end_) return false;
    record_ = input_.xml_begin;
    found = read_until(input_.xml_end, true);
    if (!found || !*found) return found;
    records_.add(1);
    batch.push_back({record_, {}});
    return true;
  }

  Result<bool> next_text(std::string_view& text) override {
    auto more = next(batch_);
    if (!more || !*more) return more;
    text_.clear();
    if (!input_.ignore_key) text_.append(batch_[0].key);
    if (!input_.ignore_key && !input_.ignore_value) text_.append(input_.map_input_separator);
    text_.append(batch_[0].value).push_back('\n');  // the value is empty
    text = text_;
    return true;
  }
  std::int64_t offset_of(std::size_t) const override { return offset_; }
  std::int64_t bytes_read() const override { return source_->bytes_consumed(); }
  std::int64_t records_read() const override { return records_.value(); }

private:
  // Reads up to the end of the next `mark`; returns false if there is none.
  Result<bool> read_until(const std::string& mark, bool keep) {
    std::size_t matched = 0;
    for (;;) {
      if (at_ == filled_) {
        auto count = source_->read(buffer_.data(), buffer_.size());
        if (!count) return count.error();
        if (*count == 0) return false;
        at_ = 0;
        filled_ = *count;
      }
      const char c = buffer_[at_++];
      ++position_;
      if (keep) record_.push_back(c);
      if (c == mark[matched]) {
        if (++matched == mark.size()) return true;
      } else {
        matched = 0;
      }
      if (keep && static_cast<std::int64_t>(record_.size()) > line_bytes_max_) return too_long();
    }
  }
  Error too_long() const {
    return Error{Errc::usage, "'" + path_ + "' has a record of more than " + std::to_string(line_bytes_max_) +
                                  " bytes at byte " + std::to_string(offset_) + " (heddle.input.line_bytes_max)"};
  }

  TextInput input_;
  std::string path_;
  std::int64_t line_bytes_max_;
  std::unique_ptr<ByteSource> source_;
  std::vector<char> buffer_;
  std::size_t at_ = 0;
  std::size_t filled_ = 0;
  std::int64_t position_ = 0;
  std::int64_t end_ = 0;
  std::int64_t offset_ = 0;
  SingleWriterCounter records_;
  std::string record_;
  RecordBatch batch_;
  std::string text_;
};

}  // namespace

Result<std::unique_ptr<RecordReader>> open_xml_records(const TextInput& input, const InputSplit& split,
                                                       std::unique_ptr<ByteSource> source,
                                                       const RecordReaderSettings& settings) {
  if (input.xml_begin.empty() || input.xml_end.empty())
    return Error{Errc::usage, "XML records need a begin and an end mark"};
  return std::unique_ptr<RecordReader>{std::make_unique<XmlReader>(input, split, std::move(source), settings)};
}

}  // namespace heddle::work
