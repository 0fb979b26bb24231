// Files of users on any file system: the local one, HDFS. Input, output, commit and shipped files use nothing else.
//
// A path is text in the form that FilePath (ports/file_path.hpp) writes: `/a/b` is local, `hdfs://host:8020/a/b` is
// not. It has no `.`, `..` or empty component and no `/` at its end, except for the root. So code appends `/name`, and
// cuts at the last `/`, without knowing the file system.
//
// All methods can be called from several threads at once, and block. No method throws. Errors: not_found (the path or a
// folder on the way does not exist), exists, refused (permission, quota of names, encrypted or erasure-coded), no_space
// (full disk, quota of bytes, no node with room), unreachable (a later try may succeed: safe mode, no server answers),
// corrupt (no intact replica), io (other faults). Each text names the path and what to do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/result.hpp"

namespace heddle::ports {

/// Bytes [offset, offset + length) of a file.
struct FileBlock {
  std::int64_t offset = 0;
  std::int64_t length = 0;
  std::vector<std::string> hosts;         // hosts with a replica, best first
  std::vector<std::string> cached_hosts;  // those of them that hold the block in memory
  bool operator==(const FileBlock&) const = default;
};

struct FileStatus {
  std::string path;
  std::int64_t length = 0;  // of a file that is being written: the bytes that a reader can see
  bool is_directory = false;
  bool is_link = false;                // a symbolic link; the other fields describe its target
  std::int64_t block_bytes = 0;        // 0: the file system has no blocks
  std::int64_t modified_ms = 0;        // Unix time in milliseconds, of the last change of the content
  std::vector<FileBlock> blocks = {};  // only from list_with_blocks(), in order; empty: no host is better than others
};

/// What one reader will read of a file.
struct ReadRange {
  std::int64_t offset = 0;
  /// Bytes that the reader expects to need. The source may prefetch them. It also returns the bytes behind them, such
  /// as the rest of the last line of a split, maybe more slowly.
  std::int64_t expected = std::numeric_limits<std::int64_t>::max();
};

/// Reads a file from an offset to its end. One thread at a time uses it.
class ByteSource {
public:
  virtual ~ByteSource() = default;
  /// Reads `size` bytes, fewer only at the end of the file, 0 behind it. A source that verifies checksums returns only
  /// verified bytes; it asks the next replica before it returns an error.
  [[nodiscard]] virtual Result<std::size_t> read(char* to, std::size_t size) = 0;
  /// Bytes that read() has returned; for a source that decompresses: bytes read from the file.
  [[nodiscard]] virtual std::int64_t bytes_consumed() const = 0;
};

/// What a successful close() promises after a loss of power.
enum class Durability : std::uint8_t {
  cached,    // nothing: as fast as possible
  deferred,  // nothing yet, but a later sync() of the path will be fast, or is not needed on this file system
  synced,    // content and length of the file survive
};

struct CreateOptions {
  bool replaces = true;  // an existing file; false: Errc::exists
  Durability durability = Durability::cached;
  // 0: as configured (dfs.replication, dfs.blocksize). File systems without replicas or blocks ignore these two.
  std::int32_t replication = 0;
  std::int64_t block_bytes = 0;
  std::uint32_t permissions = 0666;  // without those that the umask removes (HDFS: fs.permissions.umask-mode)
};

/// Writes a new file in order. One thread at a time uses it. Without close() the file stays incomplete, under its name
/// or removed, as the file system does it; the destructor releases what it holds and waits for no server.
class ByteSink {
public:
  virtual ~ByteSink() = default;
  /// Appends. Fails with no_space at the latest in close(), with interrupted if the servers that hold the file are
  /// gone. After an error only the destructor may follow.
  [[nodiscard]] virtual Result<Done> write(std::string_view bytes) = 0;
  /// Completes the file: readers see its whole length. Call it once.
  [[nodiscard]] virtual Result<Done> close() = 0;
};

/// A lock on a file. The destructor releases it, and so does the end of the process.
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
class FileSystem {
public:
  virtual ~FileSystem() = default;

  // -- metadata ------------------------------------------------------------------------------------------------------

  /// Without `blocks`.
  [[nodiscard]] virtual Result<FileStatus> status(const std::string& path) const = 0;
  /// True if the path exists; an error if that cannot be determined.
  [[nodiscard]] virtual Result<bool> is_present(const std::string& path) const;
  /// Entries of a folder, sorted by name (bytes), each with the path `folder/name`. Without `blocks`. Errc::not_found
  /// also for a file.
  [[nodiscard]] virtual Result<std::vector<FileStatus>> list(const std::string& path) const = 0;
  /// As list(), and each file has its blocks: no further call per file (10,000 files within 3 s).
  [[nodiscard]] virtual Result<std::vector<FileStatus>> list_with_blocks(const std::string& path) const;
  /// Blocks of the file that overlap with [offset, offset + length), in order. Empty: no host is better than others.
  [[nodiscard]] virtual Result<std::vector<FileBlock>> locate(const std::string& path, std::int64_t offset,
                                                              std::int64_t length) const;

  // -- content -------------------------------------------------------------------------------------------------------

  /// Opens a regular file to read it in order. Errc::usage if it is not a regular file.
  [[nodiscard]] virtual Result<std::unique_ptr<ByteSource>> open(const std::string& path,
                                                                 const ReadRange& range) const = 0;
  /// Creates a file in an existing folder; Errc::not_found if the folder does not exist.
  [[nodiscard]] virtual Result<std::unique_ptr<ByteSink>> create(const std::string& path,
                                                                 const CreateOptions& options) = 0;
  [[nodiscard]] virtual Result<std::string> read_all(const std::string& path) const;
  /// Reads a small file (1 MiB) that belongs to this user and lies in folders of this user. Errc::not_found: the file
  /// does not exist. Errc::refused: another user owns it, a symbolic link leads to it, or it was replaced meanwhile.
  /// Locking::exclusive: waits for the lock, up to 75 s in HDFS; no other caller has it until the lock is destroyed.
  [[nodiscard]] virtual Result<OwnFile> open_own_file(const std::string& path, const std::string& trusted,
                                                      Locking locking) const = 0;
  /// Writes a synced temporary file in `folder`, which is the folder of `path` or below it, and renames it to `path`:
  /// afterwards the file is complete or absent.
  [[nodiscard]] virtual Result<Done> write_atomically(const std::string& path, std::string_view content,
                                                      const std::string& folder);
  /// The same, but returns false if `path` exists. Of several concurrent callers one gets true. The temporary file lies
  /// in `folder` (on the same file system), so a caller whose folder was removed or renamed cannot create the file.
  [[nodiscard]] virtual Result<bool> create_once(const std::string& path, std::string_view content,
                                                 const std::string& folder);
  /// Makes closed files and the entries of folders survive a loss of power. Nothing to do where close() of a deferred
  /// file and each change of a folder have done that (HDFS).
  [[nodiscard]] virtual Result<Done> sync(const std::vector<std::string>& paths) = 0;

  // -- names ---------------------------------------------------------------------------------------------------------

  /// Creates a folder and those above it that are missing. Succeeds if it exists. `permissions`: of new folders,
  /// without those that the umask removes.
  [[nodiscard]] virtual Result<Done> make_directories(const std::string& path, std::uint32_t permissions) = 0;
  [[nodiscard]] Result<Done> make_directories(const std::string& path) { return make_directories(path, 0777); }
  /// Creates one folder. Succeeds if it exists. Errc::not_found if the folder above it does not exist.
  [[nodiscard]] virtual Result<Done> make_directory(const std::string& path) = 0;
  /// Renames a file or folder within one file system and replaces an existing file or empty folder. Succeeds if the
  /// source is missing and the target exists: an earlier call has done it.
  [[nodiscard]] virtual Result<Done> rename_replacing(const std::string& from, const std::string& to,
                                                      const std::string& trusted) = 0;
  /// Renames a file or folder within one file system; returns false if `to` exists. Of several concurrent callers one
  /// gets true. Errc::not_found if the source does not exist. If the answer was lost, it is repeated so that the caller
  /// learns whether its own call renamed (HDFS: the NameNode's retry cache).
  [[nodiscard]] virtual Result<bool> rename_exclusive(const std::string& from, const std::string& to) = 0;
  /// Removes a file or a folder with its content. Succeeds if the path does not exist.
  [[nodiscard]] virtual Result<Done> remove_all(const std::string& path, const std::string& trusted) = 0;
  /// Removes an empty folder; returns false if it is not empty. Succeeds if the path does not exist.
  [[nodiscard]] virtual Result<bool> remove_directory(const std::string& path) = 0;
};

}  // namespace heddle::ports
