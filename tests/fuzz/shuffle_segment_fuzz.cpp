// A segment with correct checksums (computed here) and arbitrary content.
#include <xxhash.h>

#include <cstring>
#include <string>

#include "tests/fuzz/fuzz_target.hpp"
#include "work/shuffle/segment_cursor.hpp"

HEDDLE_FUZZ_TARGET(shuffle_segment) {
  using namespace heddle::work;
  std::string segment{input};
  for (std::size_t at = 0; at + block_header_bytes <= segment.size();) {
    const auto header = read_block_header(segment.data() + at);
    const auto stored = std::string_view{segment}.substr(at + block_header_bytes, header.stored_bytes);
    const auto sum = XXH3_64bits_withSeed(stored.data(), stored.size(), XXH3_64bits(segment.data() + at, 16));
    std::memcpy(segment.data() + at + 16, &sum, sizeof sum);
    at += block_header_bytes + stored.size();
  }
  const bool is_whole = verify_segment(segment).has_value();
  for (const bool is_verified : {false, true}) {
    if (is_verified && !is_whole) continue;
    SegmentLocation location;
    location.bytes = segment;
    location.is_verified = is_verified;
    SegmentCursor cursor{std::move(location)};
    std::size_t bytes = 0;
    while (true) {
      const auto more = cursor.next_block();
      if (!more || !*more) break;
      for (Record record; cursor.next(record);) bytes += record.key.size() + record.value.size() + 1;
      HEDDLE_ASSERT(bytes < std::size_t{1} << 36, "a segment unpacks to more than it can");
    }
  }
}
