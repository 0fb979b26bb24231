// Cache of verified indexes for the shuffle server. An index is read again when device, inode, size or modification
// time of its file has changed.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

#include "model/ids.hpp"
#include "model/result.hpp"
#include "work/shuffle/shuffle_index.hpp"

namespace heddle::work {

/// Not thread-safe.
class ShuffleIndexCache {
public:
  /// Clears the cache when it exceeds `bytes_max`.
  explicit ShuffleIndexCache(std::size_t bytes_max) : bytes_max_{bytes_max} {}

  /// As read_shuffle_index, but a data file that was removed or truncated since is only noticed when it is opened.
  [[nodiscard]] Result<std::shared_ptr<const ShuffleIndex>> find(const std::string& directory, ShuffleId shuffle,
                                                                 std::int32_t map);
  [[nodiscard]] std::int64_t reads() const { return reads_; }  // number of files read
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

private:
  struct FileIdentity {
    dev_t device = 0;
    ino_t inode = 0;
    off_t size = 0;
    std::int64_t changed_ns = 0;
    bool operator==(const FileIdentity&) const = default;
  };
  struct Entry {
    FileIdentity identity;
    std::shared_ptr<const ShuffleIndex> index;
  };
  void keep(std::string path, Entry entry);

  std::size_t bytes_max_;
  std::size_t bytes_ = 0;
  std::int64_t reads_ = 0;
  std::unordered_map<std::string, Entry> entries_;  // by path
};

}  // namespace heddle::work
