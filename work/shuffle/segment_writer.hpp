// Writes consecutive segments of records into one file.
#pragma once

#include <cstdint>
#include <string_view>

#include "model/result.hpp"
#include "work/files/file_handle.hpp"
#include "work/shuffle/hadoop_merges.hpp"
#include "work/shuffle/shuffle_block.hpp"

namespace heddle::work {

class SegmentWriter {
public:
  /// `file` outlives this object.
  SegmentWriter(FileHandle& file, ShuffleCompression compression, std::size_t block_bytes, int level = 1)
      : file_{file}, block_{compression, block_bytes, level} {}

  /// Errc::usage if the record is too large.
  [[nodiscard]] Result<Done> add(std::string_view key, std::string_view value) {
    if (is_too_large(key, value)) return large_record_error();  // a combiner can make one
    block_.add(key, value);
    return block_.is_full() ? put() : Result<Done>{Done{}};
  }
  [[nodiscard]] Result<Done> add_encoded(const char* from, std::size_t size) {
    block_.add_encoded(from, size);
    return block_.is_full() ? put() : Result<Done>{Done{}};
  }
  /// Appends complete blocks.
  [[nodiscard]] Result<Done> add_sealed(std::string_view blocks);
  /// Ends the current segment.
  [[nodiscard]] Result<Done> end_segment() { return block_.is_empty() ? Result<Done>{Done{}} : put(); }
  /// Bytes written so far, over all segments.
  [[nodiscard]] std::int64_t bytes() const { return bytes_; }
  /// Records of the complete blocks of add and add_encoded, over all segments.
  [[nodiscard]] const SegmentSize& content() const { return content_; }

private:
  [[nodiscard]] Result<Done> put();

  FileHandle& file_;
  BlockBuilder block_;
  std::int64_t bytes_ = 0;
  SegmentSize content_;
};

}  // namespace heddle::work
