// An index file with a correct checksum (computed here) and arbitrary content.
#include <stdlib.h>
#include <xxhash.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/fuzz/fuzz_target.hpp"
#include "work/shuffle/shuffle_index.hpp"

namespace {

struct Folder {
  Folder() {
    std::string pattern = std::filesystem::temp_directory_path() / "heddle-fuzz-XXXXXX";
    HEDDLE_ASSERT(::mkdtemp(pattern.data()) != nullptr, pattern);
    path = pattern;
    std::filesystem::create_directories(path + "/shuffle-1");
    std::ofstream{path + "/shuffle-1/0-0.0.data"} << std::string(100, 'x');
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  std::string path;
};

}  // namespace

HEDDLE_FUZZ_TARGET(shuffle_index) {
  using namespace heddle;
  static const Folder folder;
  std::string bytes{input};
  const auto sum = XXH3_64bits(bytes.data(), bytes.size());
  bytes.append(reinterpret_cast<const char*>(&sum), sizeof sum);
  std::ofstream{folder.path + "/shuffle-1/0.index", std::ios::binary} << bytes;
  const auto index = work::read_shuffle_index(folder.path, ShuffleId{1}, 0);
  if (!index) return;
  HEDDLE_ASSERT(std::filesystem::path{index->data_path}.parent_path() == folder.path + "/shuffle-1", index->data_path);
  for (std::int32_t partition = 0; partition < index->partitions(); ++partition)
    HEDDLE_ASSERT(index->length(partition) >= 0, "");
  HEDDLE_ASSERT(index->offsets.back() <= 100, "beyond the file");
}
