// Digest of the lines of an output, independent of their order and of the files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/result.hpp"

namespace heddle::apps {

struct TextDigest {
  std::int64_t lines = 0;
  std::uint64_t sum = 0;  // sum of the hashes of all lines
  bool is_sorted = true;  // lines are sorted by bytes, over all files
};

/// Digest of the lines of files. Ignores TABs at line ends (Hadoop Streaming adds one to a key without a value).
[[nodiscard]] Result<TextDigest> digest_files(const std::vector<std::string>& paths);
/// Digest of the part files of an output folder, in their order.
[[nodiscard]] Result<TextDigest> digest_output(const std::string& folder);

}  // namespace heddle::apps
