// The content of the file whose transfer is recorded (tests/real/hdfs_file_system_test.cpp).
#pragma once

#include <string>

namespace heddle::tests {

/// Eleven chunks of 512 bytes, the last one incomplete.
inline std::string recorded_content() {
  std::string content;
  for (int line = 0; line < 250; ++line) content += "line " + std::to_string(1000 + line) + " of a block\n";
  return content;
}

}  // namespace heddle::tests
