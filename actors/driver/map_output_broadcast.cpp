#include "actors/driver/map_output_broadcast.hpp"

#include <algorithm>

namespace heddle::actors {
namespace {

constexpr std::int32_t maps_per_message = 65'536;
constexpr std::int32_t not_wanted = -2;  // see MapOutputs

/// Adds locations of map outputs to a message: each location once, and for each map the index of its location.
class LocationColumn {
public:
  LocationColumn(const MapOutputBroadcast::LocationOf& location_of, const std::set<std::int32_t>& skipped)
      : location_of_{location_of}, skipped_{skipped} {}

  template <class Message>
  void add(std::int32_t map, policies::MapStatusLocation place, Message& message) {
    if (skipped_.contains(map)) return message.place_of_map.push_back(not_wanted);
    const auto* location = place.is_none() ? nullptr : location_of_(place.executor);
    if (location == nullptr) return message.place_of_map.push_back(-1);
    const auto [number, is_first] =
        number_of_.try_emplace(place.executor, static_cast<std::int32_t>(message.places.size()));
    if (is_first) message.places.push_back(*location);
    message.place_of_map.push_back(number->second);
  }
  /// Starts the indexes of the next message.
  void end() { number_of_.clear(); }

private:
  const MapOutputBroadcast::LocationOf& location_of_;
  const std::set<std::int32_t>& skipped_;
  std::map<ExecutorId, std::int32_t> number_of_;
};

}  // namespace

void MapOutputChanges::compare(const policies::MapOutputTable& outputs, ShuffleId shuffle, std::int32_t maps) {
  is_changed_ = false;
  const bool is_first = places_.empty();
  places_.resize(static_cast<std::size_t>(maps));
  for (std::int32_t map = 0; map < maps; ++map) {
    auto& known = places_[static_cast<std::size_t>(map)];
    const auto place = outputs.place(shuffle, map);
    if (known == place) continue;
    known = place;
    if (!is_first) changes_.push_back(map);
  }
  if (changes_.size() <= places_.size()) return;
  changes_.clear();
  ++table_;
}

MapOutputChanges::Delta MapOutputChanges::delta_since(Cursor& cursor, const policies::MapOutputTable& outputs,
                                                      ShuffleId shuffle, std::int32_t maps) {
  if (is_changed_) compare(outputs, shuffle, maps);
  Delta delta;
  if (cursor.table != table_) {
    delta.is_whole = true;
  } else {
    delta.maps.assign(changes_.begin() + static_cast<std::ptrdiff_t>(cursor.changes), changes_.end());
    std::sort(delta.maps.begin(), delta.maps.end());
    delta.maps.erase(std::unique(delta.maps.begin(), delta.maps.end()), delta.maps.end());
  }
  cursor = {table_, changes_.size()};
  return delta;
}

void MapOutputBroadcast::mark_all_changed() {
  for (auto& [shuffle, changes] : changes_) changes.mark_changed();
}

std::vector<MapOutputBroadcast::Message> MapOutputBroadcast::update(ExecutorId reader, Epoch epoch,
                                                                    const ShuffleInput& shuffle,
                                                                    const policies::MapOutputTable& outputs,
                                                                    const LocationOf& location_of) {
  const auto delta =
      changes_[shuffle.shuffle].delta_since(cursors_[reader][shuffle.shuffle], outputs, shuffle.shuffle, shuffle.maps);
  std::vector<Message> messages;
  static const std::set<std::int32_t> none;
  const auto skipped = skipped_.find(shuffle.shuffle);
  LocationColumn column{location_of, skipped == skipped_.end() ? none : skipped->second};
  for (std::size_t first = 0; first < delta.maps.size(); first += maps_per_message) {
    MapOutputsChanged message{epoch, shuffle.shuffle, {}, {}, {}};
    for (std::size_t at = first; at < std::min<std::size_t>(delta.maps.size(), first + maps_per_message); ++at) {
      message.maps.push_back(delta.maps[at]);
      column.add(delta.maps[at], outputs.place(shuffle.shuffle, delta.maps[at]), message);
    }
    column.end();
    messages.emplace_back(std::move(message));
  }
  if (!delta.is_whole) return messages;
  for (std::int32_t first = 0; first < shuffle.maps || first == 0; first += maps_per_message) {
    MapOutputs message{epoch, shuffle.shuffle, shuffle.maps, first, {}, {}};
    for (std::int32_t map = first; map < std::min(shuffle.maps, first + maps_per_message); ++map)
      column.add(map, outputs.place(shuffle.shuffle, map), message);
    column.end();
    messages.emplace_back(std::move(message));
  }
  return messages;
}

bool MapOutputBroadcast::has_received(ExecutorId reader, ShuffleId shuffle) const {
  const auto cursors = cursors_.find(reader);
  return cursors != cursors_.end() && cursors->second.contains(shuffle);
}

void MapOutputBroadcast::forget_shuffle(ShuffleId shuffle) {
  changes_.erase(shuffle);
  skipped_.erase(shuffle);
  for (auto& [reader, cursors] : cursors_) cursors.erase(shuffle);
}

void MapOutputBroadcast::restart() {
  changes_.clear();
  cursors_.clear();
}

}  // namespace heddle::actors
