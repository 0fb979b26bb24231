// Files of a map output: one data file and one index per map task, in the application's folder on a node.
//   <directory>/shuffle-<id>/<map>.index           checksummed, has the name of the data file; its rename is the commit
//   <directory>/shuffle-<id>/<map>-<attempt>.data  segments of all partitions, in order
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/ids.hpp"
#include "model/result.hpp"

namespace heddle::work {

/// Partition p is the byte range [offsets[p], offsets[p + 1]) of `data_path`.
struct ShuffleIndex {
  std::string data_path;
  std::vector<std::int64_t> offsets;

  [[nodiscard]] std::int32_t partitions() const { return static_cast<std::int32_t>(offsets.size()) - 1; }
  [[nodiscard]] std::int64_t length(std::int32_t partition) const {
    const auto at = static_cast<std::size_t>(partition);
    return offsets[at + 1] - offsets[at];
  }
};

[[nodiscard]] std::string shuffle_folder(const std::string& directory, ShuffleId shuffle);
[[nodiscard]] std::string shuffle_index_path(const std::string& directory, ShuffleId shuffle, std::int32_t map);

/// Errors: not_found, io, corrupt (wrong length or checksum, or the data file is too short).
[[nodiscard]] Result<ShuffleIndex> read_shuffle_index(const std::string& directory, ShuffleId shuffle,
                                                      std::int32_t map);

/// Whether to replace or keep an existing index.
enum class FormerIndex : std::uint8_t { replaced, kept };

/// Writes a temporary file and renames it to the index. `data_path` must be in the same folder. Errc::refused if an
/// existing index is kept.
[[nodiscard]] Result<Done> write_shuffle_index(const std::string& directory, ShuffleId shuffle, std::int32_t map,
                                               const ShuffleIndex& index, FormerIndex former = FormerIndex::replaced);

/// Commits the output of a task attempt; its data file is named "<map>-<stage attempt>.<attempt>...". Keeps an existing
/// output of the same or a later stage attempt: other tasks may read it, and records of two attempts must not mix if
/// the map is not deterministic. Returns the index that is in effect; its data file can be that of another attempt.
[[nodiscard]] Result<ShuffleIndex> commit_shuffle_index(const std::string& directory, ShuffleId shuffle,
                                                        std::int32_t map, const ShuffleIndex& index);

/// Commits a migrated copy of an output; no stage attempt is in the name of its data file. Replaces only another copy:
/// an attempt that committed here is newer. Errc::refused if an existing index is kept.
[[nodiscard]] Result<Done> commit_migrated_index(const std::string& directory, ShuffleId shuffle, std::int32_t map,
                                                 const ShuffleIndex& index);

}  // namespace heddle::work
