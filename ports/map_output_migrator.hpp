// Copies map outputs from another node to this one, outside of the threads of the actors.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "model/stage_work.hpp"

namespace heddle::ports {

/// Map outputs of one shuffle at one location, to be copied to this node.
struct MapOutputMigration {
  ShuffleId shuffle;
  std::int32_t partitions = 0;
  std::vector<std::int32_t> maps;
  MapOutputLocation from;
};

/// Result of a copy. `migrated`: maps that are complete and verified on this node. `text`: why the others failed.
struct MapOutputMigrationResult {
  std::vector<std::int32_t> migrated;
  std::string text;
};

class MapOutputMigrator {
public:
  virtual ~MapOutputMigrator() = default;
  /// Returns at once; `on_end` is called once, on another thread.
  virtual void migrate(MapOutputMigration move, std::function<void(MapOutputMigrationResult)> on_end) = 0;
};

}  // namespace heddle::ports
