// The datasets of the user's graph, what each is computed from, and the shuffles between them. Ids count up from 0.
// Cost: at() is constant; add() is linear in the shuffles that the dataset reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/ids.hpp"
#include "policies/stages/stage_events.hpp"

namespace heddle::policies {

/// Row of a dataset in a table of all datasets.
[[nodiscard]] inline std::size_t index_of(DatasetId id) { return static_cast<std::size_t>(id.value); }

struct Dataset {
  DatasetDescription description;
  std::vector<ShuffleId> shuffles;         // one per dependency; none for a narrow dependency
  std::vector<ShuffleId> direct_shuffles;  // those reached through narrow dependencies; ascending, each once
  bool barrier = false;                    // the dataset, or one that the same tasks compute, is a barrier dataset
  bool indeterminate = false;              // the dataset or an ancestor is indeterminate
  bool forgotten = false;                  // its shuffles no longer count it as a reader
};

struct ShuffleEdge {
  DatasetId parent;           // the map tasks compute its partitions
  DatasetId child;            // the first dataset that reads the shuffle
  std::int32_t children = 1;  // readers that are not forgotten
};

class DatasetTable {
public:
  /// Asserts that the parents are known. Shuffle dependencies get the next shuffle ids, or the id that they share.
  DatasetId add(const DatasetDescription& description);
  /// Drops the preferred locations of the dataset. Returns its shuffles that have no reader left.
  std::vector<ShuffleId> forget(DatasetId dataset);

  [[nodiscard]] bool contains(DatasetId dataset) const { return index_of(dataset) < datasets_.size(); }
  [[nodiscard]] bool contains(ShuffleId shuffle) const { return row_of(shuffle) < shuffles_.size(); }
  [[nodiscard]] const Dataset& at(DatasetId dataset) const { return datasets_[index_of(dataset)]; }
  [[nodiscard]] const ShuffleEdge& at(ShuffleId shuffle) const { return shuffles_[row_of(shuffle)]; }
  /// True if `top` is `wanted` or reaches it through narrow dependencies.
  [[nodiscard]] bool covers(DatasetId top, DatasetId wanted) const;

private:
  static std::size_t row_of(ShuffleId shuffle) { return static_cast<std::size_t>(shuffle.value); }
  ShuffleId shuffle_for(const Dependency& dependency, DatasetId child, std::int32_t partitions);

  std::vector<Dataset> datasets_;
  std::vector<ShuffleEdge> shuffles_;
};

}  // namespace heddle::policies
