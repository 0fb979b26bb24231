// An index file with a correct checksum (computed here) and arbitrary content.
#include <xxhash.h>

#include <filesystem>
#include <string>

#include "tests/fuzz/fuzz_target.hpp"
#include "tests/support/scratch_folder.hpp"
#include "work/shuffle/shuffle_index.hpp"

HEDDLE_FUZZ_TARGET(shuffle_index) {
  using namespace heddle;
  static const work::ScratchFolder folder;
  static const std::string data = folder.write("shuffle-1/0-0.0.data", std::string(100, 'x'));
  std::string bytes{input};
  const auto sum = XXH3_64bits(bytes.data(), bytes.size());
  bytes.append(reinterpret_cast<const char*>(&sum), sizeof sum);
  folder.write("shuffle-1/0.index", bytes);
  const auto index = work::read_shuffle_index(folder.path(), ShuffleId{1}, 0);
  if (!index) return;
  HEDDLE_ASSERT(std::filesystem::path{index->data_path}.parent_path() == std::filesystem::path{data}.parent_path(),
                index->data_path);
  for (std::int32_t partition = 0; partition < index->partitions(); ++partition)
    HEDDLE_ASSERT(index->length(partition) >= 0, "");
  HEDDLE_ASSERT(index->offsets.back() <= 100, "beyond the file");
}
