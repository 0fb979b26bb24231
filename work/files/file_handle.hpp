// Owns a file descriptor and closes it. Reads and writes complete ranges.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "model/result.hpp"

namespace heddle::work {

class FileHandle {
public:
  FileHandle() = default;
  FileHandle(int descriptor, std::string path) : descriptor_{descriptor}, path_{std::move(path)} {}
  FileHandle(FileHandle&& other) noexcept
      : descriptor_{std::exchange(other.descriptor_, -1)}, path_{std::move(other.path_)} {}
  FileHandle& operator=(FileHandle&& other) noexcept;
  FileHandle(const FileHandle&) = delete;
  FileHandle& operator=(const FileHandle&) = delete;
  ~FileHandle();

  [[nodiscard]] static Result<FileHandle> open_to_read(const std::string& path);
  /// Creates or truncates the file. `permissions`: of a new file, without those that the umask removes.
  [[nodiscard]] static Result<FileHandle> create(const std::string& path, unsigned permissions = 0666);
  /// Creates the file; Errc::exists if it exists.
  [[nodiscard]] static Result<FileHandle> create_new(const std::string& path, unsigned permissions = 0666);

  [[nodiscard]] bool is_open() const { return descriptor_ >= 0; }
  [[nodiscard]] int descriptor() const { return descriptor_; }
  /// Releases the descriptor; the caller must close it.
  [[nodiscard]] int release() { return std::exchange(descriptor_, -1); }
  [[nodiscard]] const std::string& path() const { return path_; }
  /// Reads up to `size` bytes at `offset`; fewer only at the end of the file.
  [[nodiscard]] Result<std::size_t> read_at(char* to, std::size_t size, std::int64_t offset) const;
  [[nodiscard]] Result<Done> write(const char* from, std::size_t size) const;
  [[nodiscard]] Result<Done> sync() const;
  /// Starts to write dirty pages to the disk without waiting, so that a later sync has less to do.
  void begin_sync() const;
  /// Closes the descriptor and returns the error of close().
  [[nodiscard]] Result<Done> close();

private:
  int descriptor_ = -1;
  std::string path_;
};

/// Opens an input file of a job. Errc::usage if it is not a regular file.
[[nodiscard]] Result<FileHandle> open_input_file(const std::string& path);

/// Returns "cannot <verb> '<path>': <reason>" with the Errc for the errno `number`.
[[nodiscard]] Error file_error(int number, const char* verb, const std::string& path);

}  // namespace heddle::work
