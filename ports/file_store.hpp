// File operations of the commit and of input listing, limited to what HDFS or a virtual disk could offer too.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/result.hpp"

namespace heddle::ports {

struct FileStatus {
  std::string path;
  std::int64_t length = 0;
  bool is_directory = false;
  bool is_link = false;  // a symbolic link; the other fields describe its target
};

/// A lock on a file. The destructor releases it.
class FileLock {
public:
  virtual ~FileLock() = default;
};

/// Content of a file, and its lock if one was requested.
struct OwnFile {
  std::string content;
  std::unique_ptr<FileLock> lock;
};

enum class Locking : std::uint8_t { none, exclusive };

/// File operations. If a method has a parameter `trusted`, `path` must lie in that folder, and the method follows no
/// symbolic link in it or below it; otherwise it fails with Errc::refused.
class FileStore {
public:
  virtual ~FileStore() = default;
  [[nodiscard]] virtual Result<FileStatus> status(const std::string& path) const = 0;
  /// True if the path exists; an error if that cannot be determined.
  [[nodiscard]] virtual Result<bool> is_present(const std::string& path) const = 0;
  /// Entries of a folder, sorted by name.
  [[nodiscard]] virtual Result<std::vector<FileStatus>> list(const std::string& path) const = 0;
  [[nodiscard]] virtual Result<std::string> read_all(const std::string& path) const = 0;
  /// Reads a small file that belongs to this user and lies in folders of this user. Errc::not_found: the file does not
  /// exist. Errc::refused: another user owns it, a symbolic link leads to it, or it was replaced meanwhile.
  [[nodiscard]] virtual Result<OwnFile> open_own_file(const std::string& path, const std::string& trusted,
                                                      Locking locking) const = 0;
  /// Writes and fsyncs a temporary file in `folder` (on the same disk) and renames it to `path`: afterwards the file is
  /// complete or absent.
  [[nodiscard]] virtual Result<Done> write_atomically(const std::string& path, std::string_view content,
                                                      const std::string& folder) = 0;
  /// The same, but returns false if `path` exists. Of several concurrent callers one gets true. The temporary file lies
  /// in `folder` (on the same disk), so a caller whose folder was removed cannot create the file.
  [[nodiscard]] virtual Result<bool> create_once(const std::string& path, std::string_view content,
                                                 const std::string& folder) = 0;
  /// fsyncs these files and folders, so that files and folder entries survive a power failure.
  [[nodiscard]] virtual Result<Done> sync(const std::vector<std::string>& paths) = 0;
  [[nodiscard]] virtual Result<Done> make_directories(const std::string& path) = 0;
  /// Creates one folder; returns false if the path exists. Of several concurrent callers one gets true.
  [[nodiscard]] virtual Result<bool> make_directory(const std::string& path) = 0;
  /// Renames a file and replaces an existing target. Succeeds if the source is missing and the target exists.
  [[nodiscard]] virtual Result<Done> move(const std::string& from, const std::string& to,
                                          const std::string& trusted) = 0;
  /// Renames a folder; returns false if `to` exists. Of several concurrent callers one gets true.
  [[nodiscard]] virtual Result<bool> move_once(const std::string& from, const std::string& to) = 0;
  /// Removes a file or a folder with its content. Succeeds if the path does not exist.
  [[nodiscard]] virtual Result<Done> remove_all(const std::string& path, const std::string& trusted) = 0;
  /// Removes an empty folder; returns false if it is not empty.
  [[nodiscard]] virtual Result<bool> remove_directory(const std::string& path) = 0;
};

/// Hosts that hold the blocks of a file: from the topology file.
class BlockHosts {
public:
  virtual ~BlockHosts() = default;
  /// Hosts of bytes [offset, offset + length), best first; empty: no preference.
  [[nodiscard]] virtual std::vector<std::string> hosts(const std::string& path, std::int64_t offset,
                                                       std::int64_t length) const = 0;
};

}  // namespace heddle::ports
