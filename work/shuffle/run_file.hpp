// Spill file: one sorted segment per partition. Removes the file in its destructor.
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
  /// Creates or truncates `path`, which no other process may use.
  [[nodiscard]] static Result<RunFile> create(const std::string& path);
  /// Takes ownership of an existing, complete file; removes it in the destructor.
  [[nodiscard]] static RunFile adopt(const std::string& path);
  RunFile(RunFile&& other) noexcept
      : file_{std::move(other.file_)}, path_{std::move(other.path_)}, offsets_{std::move(other.offsets_)} {
    other.path_.clear();
  }
  RunFile& operator=(RunFile&& other) noexcept;
  ~RunFile();

  [[nodiscard]] FileHandle& file() { return file_; }
  /// Ends the current segment at `offset`.
  void end_segment(std::int64_t offset) { offsets_.push_back(offset); }
  /// Closes the descriptor after the last write; does not remove the file.
  [[nodiscard]] Result<Done> close() { return file_.close(); }
  [[nodiscard]] SegmentLocation location(std::size_t partition) const;
  [[nodiscard]] const std::vector<std::int64_t>& offsets() const { return offsets_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  /// Releases ownership: the file is not removed.
  void release() { path_.clear(); }

private:
  RunFile() = default;
  explicit RunFile(FileHandle file) : file_{std::move(file)}, path_{file_.path()} {}

  FileHandle file_;
  std::string path_;  // empty: ownership released
  std::vector<std::int64_t> offsets_{0};
};

}  // namespace heddle::work
