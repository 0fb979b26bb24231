#include "work/shuffle/run_file.hpp"

#include <unistd.h>

#include <utility>

namespace heddle::work {

Result<RunFile> RunFile::create(const std::string& path) {
  auto file = FileHandle::create(path);
  if (!file) return file.error();
  return RunFile{std::move(file).value()};
}

RunFile RunFile::adopt(const std::string& path) {
  RunFile run;
  run.path_ = path;
  return run;
}

RunFile& RunFile::operator=(RunFile&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(path_, other.path_);
  std::swap(offsets_, other.offsets_);
  return *this;
}

RunFile::~RunFile() {
  if (!path_.empty()) ::unlink(path_.c_str());
}

SegmentLocation RunFile::location(std::size_t partition) const {
  SegmentLocation location;
  location.path = path_;
  location.offset = offsets_[partition];
  location.length = offsets_[partition + 1] - offsets_[partition];
  return location;
}

}  // namespace heddle::work
