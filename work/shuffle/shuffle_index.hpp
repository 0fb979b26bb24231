// Where a map output lies: one data file and one index per map task, under the application's folder of a node.
//   <directory>/shuffle-<id>/<map>.index          checksummed; names the data file: putting it in place is the only
//   commit <directory>/shuffle-<id>/<map>-<attempt>.data  segments of the partitions, one after the other
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/ids.hpp"
#include "model/result.hpp"

namespace heddle::work {

/// Partition p is the bytes [offsets[p], offsets[p + 1]) of `data_path`.
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

/// not_found, io, or corrupt (length or checksum wrong, data file shorter than it says).
[[nodiscard]] Result<ShuffleIndex> read_shuffle_index(const std::string& directory, ShuffleId shuffle,
                                                      std::int32_t map);

/// What becomes of an index that is there already.
enum class FormerIndex : std::uint8_t { replaced, kept };

/// Writes the index beside and puts it in place at once; data_path must stand in the same folder. Refused where a
/// former one is kept.
[[nodiscard]] Result<Done> write_shuffle_index(const std::string& directory, ShuffleId shuffle, std::int32_t map,
                                               const ShuffleIndex& index, FormerIndex former = FormerIndex::replaced);

/// Puts the output of an attempt in place, whose data file is named "<map>-<stage attempt>.<attempt>...". An output of
/// the same stage attempt, or of a later one, stays: others may read it, and a map that is not deterministic would give
/// them records of two attempts. Answers the index that is in place; its data file may be another's.
[[nodiscard]] Result<ShuffleIndex> commit_shuffle_index(const std::string& directory, ShuffleId shuffle,
                                                        std::int32_t map, const ShuffleIndex& index);

}  // namespace heddle::work
