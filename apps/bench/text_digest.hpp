// Whether two outputs hold the same lines: a digest that does not depend on their order or on how they are cut into
// files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/result.hpp"

namespace heddle::apps {

struct TextDigest {
  std::int64_t lines = 0;
  std::uint64_t sum = 0;  // of the lines' hashes
  bool is_sorted = true;  // by bytes, from file to file
};

/// Of whole lines; TABs at their ends do not count (Hadoop Streaming adds one behind a key without a value).
[[nodiscard]] Result<TextDigest> digest_files(const std::vector<std::string>& paths);
/// Of the parts of an output folder, in their order.
[[nodiscard]] Result<TextDigest> digest_output(const std::string& folder);

}  // namespace heddle::apps
