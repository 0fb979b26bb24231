#include "actors/task_child/map_locations.hpp"

#include <algorithm>

namespace heddle::actors {

using ports::ShuffleLocations;

void MapLocations::apply(const std::vector<MapCompletion>& rows) {
  for (const auto& row : rows) apply(row);
  next_ += static_cast<std::int32_t>(rows.size());
}

void MapLocations::apply(const MapCompletion& row) {
  const auto map = static_cast<std::size_t>(row.map);
  if (row.map < 0 || row.attempt < 0 || map >= table_.place_of_map.size()) return;
  auto& place = table_.place_of_map[map];
  switch (row.ending) {
    case AttemptEnding::succeeded: {
      const auto [at, is_new] = index_.try_emplace(row.place, static_cast<std::int32_t>(table_.places.size()));
      if (is_new) table_.places.push_back(row.place);
      place = at->second;
      table_.attempt_of_map[map] = row.attempt;
      table_.longest_map = std::max(table_.longest_map, Duration{row.run_us});
      return;
    }
    case AttemptEnding::failed:
    case AttemptEnding::killed:
      if (attempt_of(row.map) == row.attempt) place = ShuffleLocations::expected;
      return;
    case AttemptEnding::task_failed: place = ShuffleLocations::not_wanted; return;
    case AttemptEnding::obsolete: return;  // a later event has the result
  }
}

std::optional<std::int32_t> MapLocations::attempt_of(std::int32_t map) const {
  const auto index = static_cast<std::size_t>(map);
  if (map < 0 || index >= table_.place_of_map.size() || table_.place_of_map[index] < 0) return std::nullopt;
  return table_.attempt_of_map[index];
}

}  // namespace heddle::actors
