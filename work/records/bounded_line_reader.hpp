// Reads lines with Hadoop's maximum length: drops longer lines, or cuts them at the end of the split. The result
// depends on where each read ends, so this follows Hadoop's LineRecordReader and LineReader step by step.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/result.hpp"
#include "work/files/byte_source.hpp"

namespace heddle::work {

class BoundedLineReader {
public:
  struct Bounds {
    std::int64_t start = 0;
    std::int64_t end = 0;  // end of the split
    std::int64_t line_length_max = 0;
    bool is_packed = false;
  };
  BoundedLineReader(std::unique_ptr<ByteSource> source, Bounds bounds, std::string delimiter, std::size_t buffer_bytes);

  /// Returns the next line, and the offset of the first line that was dropped before it; false at the end.
  [[nodiscard]] Result<bool> next(std::string& line, std::int64_t& offset);
  [[nodiscard]] std::int64_t bytes_consumed() const { return source_->bytes_consumed(); }

private:
  [[nodiscard]] std::int64_t most_to_consume(std::int64_t position) const;
  [[nodiscard]] Result<bool> fill(bool inside_delimiter);
  [[nodiscard]] Result<std::int64_t> read_line(std::string& line, std::int64_t length_max, std::int64_t consume_max);
  [[nodiscard]] Result<std::int64_t> read_default(std::string& line, std::int64_t length_max, std::int64_t consume_max);
  [[nodiscard]] Result<std::int64_t> read_delimited(std::string& line, std::int64_t length_max,
                                                    std::int64_t consume_max);
  [[nodiscard]] Result<std::int64_t> read_first_line(std::string& line);

  std::unique_ptr<ByteSource> source_;
  Bounds bounds_;
  std::string delimiter_;
  std::vector<char> buffer_;
  std::int64_t at_ = 0;
  std::int64_t filled_ = 0;
  std::int64_t position_;
  std::int64_t total_ = 0;       // bytes read from the source
  bool needs_one_more_ = false;  // the split ends inside a delimiter
  bool is_finished_ = false;
  bool is_started_ = false;
};

}  // namespace heddle::work
