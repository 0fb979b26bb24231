// Iterates over the records of one segment, block by block, from memory or from a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/result.hpp"
#include "work/files/file_handle.hpp"
#include "work/records/record.hpp"
#include "work/shuffle/hadoop_merges.hpp"
#include "work/shuffle/shuffle_block.hpp"

namespace heddle::work {

/// Location of a segment: memory that outlives the cursor, or a range of a file.
struct SegmentLocation {
  std::string_view bytes;
  std::string path;  // empty: in memory
  std::int64_t offset = 0;
  std::int64_t length = 0;
  std::int32_t map = -1;        // map that wrote it; -1: a merged run
  bool is_verified = false;     // checksums were verified
  SegmentSize* size = nullptr;  // grows with each block that is read; not null: it outlives the cursor
};

class SegmentCursor {
public:
  explicit SegmentCursor(SegmentLocation location);

  /// Reads the next block; returns false at the end. Invalidates views of the last block.
  [[nodiscard]] Result<bool> next_block();
  /// Moves to the next record of the block; returns false after the last one. `record` is valid until next_block.
  [[nodiscard]] bool next(Record& record) {
    if (at_ == end_) return false;
    at_ = get_record(at_, end_, record);
    if (at_ != nullptr) return true;
    at_ = end_ = "";
    is_broken_ = true;
    return false;
  }
  /// Frees the file and the buffers at the end of the segment. Invalidates views of the last block.
  void close();
  [[nodiscard]] std::int32_t map() const { return location_.map; }
  /// Reads all blocks and verifies their checksums. Errc::corrupt, or the error of the file.
  [[nodiscard]] Result<Done> verify_blocks();

private:
  [[nodiscard]] bool is_at_end() const;
  [[nodiscard]] Result<std::string_view> stored_block(BlockHeader& header);
  [[nodiscard]] Result<Done> fill(std::size_t wanted);
  [[nodiscard]] Error broken(const std::string& what) const;

  SegmentLocation location_;
  FileHandle file_;
  std::vector<char> read_;  // buffer of the file's bytes
  std::size_t read_at_ = 0;
  std::size_t read_end_ = 0;
  std::vector<char> unpacked_;
  const char* at_ = "";
  const char* end_ = at_;
  bool is_broken_ = false;
};

}  // namespace heddle::work
