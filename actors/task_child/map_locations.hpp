// Locations of the map outputs that the running reduce of a task child copies. Completion events change them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "model/attempt_work.hpp"
#include "ports/task_runner.hpp"

namespace heddle::actors {

class MapLocations {
public:
  using Table = std::shared_ptr<const ports::ShuffleLocations>;

  MapLocations(ShuffleId shuffle, std::int32_t maps) {
    table_.shuffle = shuffle;
    table_.place_of_map.assign(static_cast<std::size_t>(maps), ports::ShuffleLocations::expected);
    table_.attempt_of_map.assign(static_cast<std::size_t>(maps), 0);
  }
  /// Position of the first event that has not come.
  [[nodiscard]] std::int32_t next() const { return next_; }
  /// Events about maps that the job does not have are skipped.
  void apply(const std::vector<MapCompletion>& rows);
  /// A copy, because running tasks keep their table.
  [[nodiscard]] Table table() const { return std::make_shared<const ports::ShuffleLocations>(table_); }
  /// The attempt whose output is used; nothing if the map has none now.
  [[nodiscard]] std::optional<std::int32_t> attempt_of(std::int32_t map) const;

private:
  void apply(const MapCompletion& row);

  ports::ShuffleLocations table_;
  std::map<MapOutputLocation, std::int32_t> index_;  // of locations in the table
  std::int32_t next_ = 0;
};

}  // namespace heddle::actors
