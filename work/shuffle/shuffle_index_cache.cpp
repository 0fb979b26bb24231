#include "work/shuffle/shuffle_index_cache.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "work/files/file_handle.hpp"

namespace heddle::work {
namespace {

std::size_t bytes_of(const std::string& path, const ShuffleIndex& index) {
  constexpr std::size_t of_tables = 256;  // estimate of nodes, strings and counters
  return of_tables + path.size() + index.data_path.size() + index.offsets.size() * sizeof index.offsets[0];
}

}  // namespace

Result<std::shared_ptr<const ShuffleIndex>> ShuffleIndexCache::find(const std::string& directory, ShuffleId shuffle,
                                                                    std::int32_t map) {
  auto path = shuffle_index_path(directory, shuffle, map);
  struct stat about {};
  // Before the read: if the file is replaced in between, the next call notices it.
  if (::stat(path.c_str(), &about) != 0) return file_error(errno, "find", path);
  const FileIdentity identity{about.st_dev, about.st_ino, about.st_size,
                              about.st_mtim.tv_sec * 1'000'000'000 + about.st_mtim.tv_nsec};
  if (const auto found = entries_.find(path); found != entries_.end() && found->second.identity == identity)
    return found->second.index;
  ++reads_;
  auto read = read_shuffle_index(directory, shuffle, map);
  if (!read) return read.error();
  auto index = std::make_shared<const ShuffleIndex>(std::move(read).value());
  keep(std::move(path), {identity, index});
  return index;
}

void ShuffleIndexCache::keep(std::string path, Entry entry) {
  const auto added = bytes_of(path, *entry.index);
  if (const auto former = entries_.find(path); former != entries_.end()) {
    bytes_ -= bytes_of(path, *former->second.index);
    entries_.erase(former);
  }
  if (bytes_ + added > bytes_max_) {
    entries_.clear();
    bytes_ = 0;
  }
  if (added > bytes_max_) return;
  bytes_ += added;
  entries_.emplace(std::move(path), std::move(entry));
}

}  // namespace heddle::work
