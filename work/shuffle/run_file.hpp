// A file of sorted segments, one per partition, that goes with its owner: a spill.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/result.hpp"
#include "work/files/file_handle.hpp"
#include "work/shuffle/segment_cursor.hpp"

namespace heddle::work {

class RunFile {
public:
  /// `path` must be new, or a leaving of our own.
  [[nodiscard]] static Result<RunFile> create(const std::string& path);
  /// A file that stands there, whole: it goes with this object from now on.
  [[nodiscard]] static RunFile adopt(const std::string& path);
  RunFile(RunFile&& other) noexcept
      : file_{std::move(other.file_)}, path_{std::move(other.path_)}, offsets_{std::move(other.offsets_)} {
    other.path_.clear();
  }
  RunFile& operator=(RunFile&& other) noexcept;
  ~RunFile();

  [[nodiscard]] FileHandle& file() { return file_; }
  /// The segment of the next partition ends here.
  void end_segment(std::int64_t offset) { offsets_.push_back(offset); }
  /// All is written. The file stays.
  [[nodiscard]] Result<Done> close() { return file_.close(); }
  [[nodiscard]] SegmentPlace place(std::size_t partition) const;
  [[nodiscard]] const std::vector<std::int64_t>& offsets() const { return offsets_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  /// Gives the file to somebody else: it is not removed.
  void release() { path_.clear(); }

private:
  RunFile() = default;
  explicit RunFile(FileHandle file) : file_{std::move(file)}, path_{file_.path()} {}

  FileHandle file_;
  std::string path_;  // empty: not ours any more
  std::vector<std::int64_t> offsets_{0};
};

}  // namespace heddle::work
