// Locations of the map outputs that installed stages read: one table per shuffle. A table arrives in several parts, in
// order, and is used when it is complete. It is removed when the last stage that reads it is unloaded.
// Cost: each change copies the table, because running tasks keep the table with which they started.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "messages/executor.hpp"
#include "ports/task_runner.hpp"

namespace heddle::actors {

class MapOutputLocations {
public:
  using Table = std::shared_ptr<const ports::ShuffleLocations>;

  /// Registers a stage as a reader of its shuffles. Repeated calls for one stage count once.
  void add_stage(const StageProgram& stage);
  void remove_stage(const StageKey& stage);
  /// Adds a part. Returns the table after its last part, otherwise null. Drops all parts of the table if this one does
  /// not continue them or has an index out of range.
  [[nodiscard]] Table add_part(const MapOutputs& message);
  /// Returns the changed table; null if the table is unknown or the change has an index out of range.
  [[nodiscard]] Table change(const MapOutputsChanged& message);
  /// Removes all tables and stages. Returns the stages that were installed.
  std::vector<StageKey> clear();
  void check_invariants() const;

private:
  std::map<ShuffleId, Table> whole_;
  std::map<ShuffleId, ports::ShuffleLocations> partial_;    // tables with missing parts
  std::map<StageKey, std::vector<ShuffleId>> shuffles_of_;  // shuffles that each installed stage reads
  std::map<ShuffleId, std::int32_t> readers_;               // number of installed stages that read it
};

}  // namespace heddle::actors
