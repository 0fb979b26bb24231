// Receives the logs of containers, file by file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/result.hpp"

namespace heddle::interop {

/// A file in the log folder of a container.
struct LogFile {
  std::string container;  // "container_1700000000000_0007_01_000002"
  std::string name;       // "stderr"
  std::int64_t bytes = 0;
  std::string host = {};   // on which the container ran
  std::string place = {};  // URL, or path of the file into which its node has collected it
};

class LogVisitor {
public:
  virtual ~LogVisitor() = default;
  /// Returns true to receive the content of the file.
  [[nodiscard]] virtual bool begin(const LogFile& file) = 0;
  /// The next part of the content. An error ends the reading.
  [[nodiscard]] virtual Result<Done> take(std::string_view bytes) = 0;
};

}  // namespace heddle::interop
