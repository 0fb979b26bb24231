// A folder for one test, gone afterwards.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "model/assert.hpp"

namespace heddle::work {

class ScratchFolder {
public:
  ScratchFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "heddle-test-XXXXXX").string();
    HEDDLE_ASSERT(::mkdtemp(name.data()) != nullptr, name);
    path_ = name;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  /// Path of a file in the folder, with folders on the way made.
  [[nodiscard]] std::string file(const std::string& name) const { return path_ + '/' + name; }
  std::string write(const std::string& name, std::string_view content) const {
    const auto path = file(name);
    std::filesystem::create_directories(std::filesystem::path{path}.parent_path());
    std::ofstream{path, std::ios::binary} << content;
    return path;
  }
  [[nodiscard]] std::string read(const std::string& name) const {
    std::ifstream in{file(name), std::ios::binary};
    return {std::istreambuf_iterator<char>{in}, {}};
  }

private:
  std::string path_;
};

}  // namespace heddle::work
