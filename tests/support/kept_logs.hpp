// Keeps the logs that it visits, or stops at a file.
#pragma once

#include <string>
#include <vector>

#include "interop/logs/log_visitor.hpp"

namespace heddle::tests {

struct KeptLogs final : interop::LogVisitor {
  struct File {
    interop::LogFile file;
    std::string content;
  };
  std::vector<File> files;
  std::string unwanted;  // name of files without content

  bool begin(const interop::LogFile& file) override {
    files.push_back({file, {}});
    return file.name != unwanted;
  }
  Result<Done> take(std::string_view bytes) override {
    files.back().content += bytes;
    return Done{};
  }
  /// "1 stderr: text": number of the container, name and content, a line for each file.
  [[nodiscard]] std::string text() const {
    std::string made;
    for (const auto& each : files)
      made += each.file.container.substr(each.file.container.size() - 1) + " " + each.file.name + ": " + each.content +
              "\n";
    return made;
  }
};

}  // namespace heddle::tests
