#include <algorithm>

#include "interop/logs/tfile_index.hpp"
#include "tests/fuzz/fuzz_target.hpp"

HEDDLE_FUZZ_TARGET(tfile_index) {
  using namespace heddle::interop;
  constexpr std::int64_t file_bytes = 1 << 20;
  const auto end = parse_tfile_end(input.substr(input.size() - std::min(input.size(), tfile_end_bytes)), file_bytes);
  if (end) HEDDLE_ASSERT(*end >= 0 && *end < file_bytes, "the index lies outside of the file");
  const auto is_inside = [](const TFileBlock& block) {
    return block.offset >= 0 && block.stored >= 0 && block.offset + block.stored <= file_bytes;
  };
  if (const auto index = parse_tfile_index(input, file_bytes))
    HEDDLE_ASSERT(is_inside(*index), "the list of blocks lies outside of the file");
  if (const auto blocks = parse_tfile_blocks(input, file_bytes))
    for (const auto& block : *blocks) HEDDLE_ASSERT(is_inside(block), "a block lies outside of the file");
}
