// Where the map outputs lie that installed stages read, one table per shuffle. A table arrives in parts, in order, and
// counts once it is whole. It stays until the last stage that reads it is unloaded.
// Cost: one copy of a table for each change to it, as tasks go on with the table that they began with.
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

  /// A stage is installed again by each InstallStage; it counts once as a reader.
  void add_stage(const StageWork& stage);
  void remove_stage(const StageKey& stage);
  /// The whole table, after its last part. A part that does not continue the ones before drops them: numbers of a peer
  /// are no indices yet.
  [[nodiscard]] Table add_part(const MapOutputs& message);
  /// The changed table; null: it is not known, or the change does not fit it.
  [[nodiscard]] Table change(const MapOutputsChanged& message);
  /// Forgets everything. Returns the stages that were installed.
  std::vector<StageKey> clear();

private:
  std::map<ShuffleId, Table> whole_;
  std::map<ShuffleId, ports::ShuffleLocations> partial_;    // tables of which parts are missing
  std::map<StageKey, std::vector<ShuffleId>> shuffles_of_;  // what installed stages read
  std::map<ShuffleId, std::int32_t> readers_;               // how many of them read it
};

}  // namespace heddle::actors
