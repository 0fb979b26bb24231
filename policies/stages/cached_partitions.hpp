// Which partitions of which datasets are cached, and where. Lookups read a copy that stays the same until it is
// cleared, as Spark's DAGScheduler does (spec DAG-10). Cost: a lookup is constant; the loss of an executor is linear in
// the partitions that were ever cached there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "model/preferred_location.hpp"
#include "policies/stages/dataset_table.hpp"
#include "policies/stages/map_output_table.hpp"

namespace heddle::policies {

/// Cached places of one dataset.
struct CachedPlaces {
  std::vector<std::vector<PreferredLocation>> of_partition;
  std::int32_t partitions_cached = 0;
};

class CachedPartitions {
public:
  /// From now on the partition is cached at exactly these places. `partitions`: the size of the dataset.
  void set(DatasetId dataset, std::int32_t partitions, std::int32_t partition,
           std::span<const MapStatusLocation> places);
  /// Removes the places on an executor.
  void drop_executor(ExecutorId executor);
  /// Forgets the places of a dataset.
  void forget(DatasetId dataset);
  /// What was cached at the first lookup since clear_looked_up(). Null: nothing.
  const CachedPlaces* look_up(DatasetId dataset);
  /// The next lookups read the present state.
  void clear_looked_up();

private:
  /// `cached` is copied before a write if a lookup holds it.
  struct Row {
    std::shared_ptr<CachedPlaces> cached;           // the present state; null: nothing is cached
    std::shared_ptr<const CachedPlaces> looked_up;  // the state at the first lookup
    bool is_looked_up = false;
  };
  Row& row_of(DatasetId dataset);
  static void set_places(Row& row, std::int32_t partitions, std::size_t partition,
                         std::vector<PreferredLocation> places);

  std::vector<Row> rows_;  // by dataset id; grows as needed
  std::set<DatasetId> looked_up_;
  std::map<ExecutorId, std::vector<std::pair<DatasetId, std::int32_t>>> cached_on_;
};

}  // namespace heddle::policies
