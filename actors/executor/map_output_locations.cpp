#include "actors/executor/map_output_locations.hpp"

#include <algorithm>
#include <utility>

#include "model/assert.hpp"

namespace heddle::actors {
namespace {

/// True if each number is below 0 (no location) or an index into `places`.
bool are_places(const std::vector<std::int32_t>& numbers, const std::vector<MapOutputLocation>& places) {
  return std::all_of(numbers.begin(), numbers.end(),
                     [&](std::int32_t number) { return number < static_cast<std::int64_t>(places.size()); });
}

/// The number of a map output without a location: not wanted, or missing.
std::int32_t placeless(std::int32_t number) { return number == ports::ShuffleLocations::not_wanted ? number : -1; }

/// Index of the location in `places`; adds it if it is missing.
std::int32_t number_of(const MapOutputLocation& place, std::vector<MapOutputLocation>& places) {
  const auto found = std::find(places.begin(), places.end(), place);
  const auto number = static_cast<std::int32_t>(found - places.begin());
  if (found == places.end()) places.push_back(place);
  return number;
}

}  // namespace

void MapOutputLocations::add_stage(const StageProgram& stage) {
  auto& shuffles = shuffles_of_[stage.key];
  if (!shuffles.empty()) return;
  for (const auto& input : stage.shuffle_inputs) {
    shuffles.push_back(input.shuffle);
    ++readers_[input.shuffle];
  }
}

void MapOutputLocations::remove_stage(const StageKey& stage) {
  const auto known = shuffles_of_.find(stage);
  if (known == shuffles_of_.end()) return;
  for (const auto shuffle : known->second) {
    if (--readers_[shuffle] > 0) continue;
    readers_.erase(shuffle);
    whole_.erase(shuffle);
    partial_.erase(shuffle);
  }
  shuffles_of_.erase(known);
}

MapOutputLocations::Table MapOutputLocations::add_part(const MapOutputs& message) {
  if (message.first_map == 0) partial_.erase(message.shuffle);
  auto& next = partial_[message.shuffle];
  next.shuffle = message.shuffle;
  const auto known = static_cast<std::int64_t>(next.place_of_map.size());
  const auto after = known + static_cast<std::int64_t>(message.place_of_map.size());
  if (message.first_map != known || after > message.maps || !are_places(message.place_of_map, message.places)) {
    partial_.erase(message.shuffle);
    return nullptr;
  }
  const auto base = static_cast<std::int32_t>(next.places.size());
  next.places.insert(next.places.end(), message.places.begin(), message.places.end());
  for (const auto place : message.place_of_map)
    next.place_of_map.push_back(place < 0 ? placeless(place) : base + place);
  if (after < message.maps) return nullptr;
  auto whole = std::make_shared<const ports::ShuffleLocations>(std::move(next));
  partial_.erase(message.shuffle);
  whole_[message.shuffle] = whole;
  return whole;
}

MapOutputLocations::Table MapOutputLocations::change(const MapOutputsChanged& message) {
  const auto known = whole_.find(message.shuffle);
  if (known == whole_.end()) return nullptr;
  const auto maps = static_cast<std::int64_t>(known->second->place_of_map.size());
  const bool are_maps = message.maps.size() == message.place_of_map.size() &&
                        std::all_of(message.maps.begin(), message.maps.end(),
                                    [maps](std::int32_t map) { return map >= 0 && map < maps; });
  if (!are_maps || !are_places(message.place_of_map, message.places)) return nullptr;
  auto next = std::make_shared<ports::ShuffleLocations>(*known->second);
  for (std::size_t i = 0; i < message.maps.size(); ++i) {
    const std::int32_t place = message.place_of_map[i];
    next->place_of_map[static_cast<std::size_t>(message.maps[i])] =
        place < 0 ? placeless(place) : number_of(message.places[static_cast<std::size_t>(place)], next->places);
  }
  known->second = next;
  return next;
}

std::vector<StageKey> MapOutputLocations::clear() {
  std::vector<StageKey> stages;
  for (const auto& [stage, shuffles] : shuffles_of_) stages.push_back(stage);
  *this = MapOutputLocations{};
  return stages;
}

void MapOutputLocations::check_invariants() const {
  std::map<ShuffleId, std::int32_t> readers;
  for (const auto& [stage, shuffles] : shuffles_of_)
    for (const ShuffleId shuffle : shuffles) ++readers[shuffle];
  HEDDLE_ASSERT(readers == readers_, "the readers of a shuffle are not the stages that are installed");
}

}  // namespace heddle::actors
