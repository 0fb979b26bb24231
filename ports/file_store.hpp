// Files as a job's commit and input listing see them: what HDFS or a virtual disk can offer too.
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
  bool is_link = false;  // a symbolic link; the other fields are of what it names
};

/// A lock on a file, held until it is destroyed.
class FileLock {
public:
  virtual ~FileLock() = default;
};

/// The content of a file, and the lock on it if one was asked for.
struct OwnFile {
  std::string content;
  std::unique_ptr<FileLock> lock;
};

enum class Locking : std::uint8_t { none, exclusive };

/// Where a method takes `trusted`, `path` lies in that folder, and no link is followed in it or below it.
class FileStore {
public:
  virtual ~FileStore() = default;
  [[nodiscard]] virtual Result<FileStatus> status(const std::string& path) const = 0;
  /// Whether something has that name; an error if that cannot be found out.
  [[nodiscard]] virtual Result<bool> is_present(const std::string& path) const = 0;
  /// Children of a folder, sorted by name.
  [[nodiscard]] virtual Result<std::vector<FileStatus>> list(const std::string& path) const = 0;
  [[nodiscard]] virtual Result<std::string> read_all(const std::string& path) const = 0;
  /// Reads a short file of this user, in folders of this user. not_found: there is none. refused: it belongs to
  /// somebody else, a link leads to it, or it was replaced meanwhile.
  [[nodiscard]] virtual Result<OwnFile> open_own_file(const std::string& path, const std::string& trusted,
                                                      Locking locking) const = 0;
  /// Writes and fsyncs in `folder`, on the same disk, and renames into place: afterwards the file is whole or absent.
  [[nodiscard]] virtual Result<Done> write_atomically(const std::string& path, std::string_view content,
                                                      const std::string& folder) = 0;
  /// The same, but only if nothing has that name: false if something had. Of several callers one gets true. The content
  /// is first written in `folder`, on the same disk: who loses its folder cannot create any more.
  [[nodiscard]] virtual Result<bool> create_once(const std::string& path, std::string_view content,
                                                 const std::string& folder) = 0;
  /// Afterwards these files and the entries of these folders outlast a loss of power as they are now.
  [[nodiscard]] virtual Result<Done> sync(const std::vector<std::string>& paths) = 0;
  [[nodiscard]] virtual Result<Done> make_directories(const std::string& path) = 0;
  /// Makes one folder: false if something has that name. Of several callers one gets true.
  [[nodiscard]] virtual Result<bool> make_directory(const std::string& path) = 0;
  /// Renames a file; an existing target is replaced; a missing source with an existing target is success.
  [[nodiscard]] virtual Result<Done> move(const std::string& from, const std::string& to,
                                          const std::string& trusted) = 0;
  /// Renames a folder: false if something has the name `to`. Of several callers one gets true.
  [[nodiscard]] virtual Result<bool> move_once(const std::string& from, const std::string& to) = 0;
  /// Success if nothing has that name.
  [[nodiscard]] virtual Result<Done> remove_all(const std::string& path, const std::string& trusted) = 0;
  /// Removes an empty folder: false if something is in it.
  [[nodiscard]] virtual Result<bool> remove_directory(const std::string& path) = 0;
};

/// Which hosts hold the blocks of a file (topology file now, HDFS later).
class BlockHosts {
public:
  virtual ~BlockHosts() = default;
  /// Hosts of the bytes [offset, offset + length), best first; empty: anywhere is as good.
  [[nodiscard]] virtual std::vector<std::string> hosts(const std::string& path, std::int64_t offset,
                                                       std::int64_t length) const = 0;
};

}  // namespace heddle::ports
