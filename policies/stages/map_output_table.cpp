// Each map has a slot with the number of its place. Each place has a list of maps, so that a loss visits only those. A
// list may name maps that have moved since: readers compare with the slot.
#include "policies/stages/map_output_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "model/assert.hpp"
#include "model/java_number.hpp"

namespace heddle::policies {

namespace {

/// Shuffles with this many maps or reduce tasks, or more, have no preferred hosts (MOT-4).
constexpr std::int32_t locality_limit = 1000;

/// bytes_per_reduce counts at most this many codes, in some milliseconds.
constexpr std::size_t counted_codes_max = 4'000'000;

}  // namespace

std::uint8_t encode_output_size(std::int64_t bytes) {
  if (bytes <= 0) return 0;
  if (bytes == 1) return 1;
  const double code = std::ceil(std::log(static_cast<double>(bytes)) / std::log(1.1));
  return static_cast<std::uint8_t>(std::min(255, java::to_int(code)));
}

std::int64_t decode_output_size(std::uint8_t code) {
  if (code == 0) return 0;
  return java::to_long(std::pow(1.1, static_cast<double>(code)));
}

void MapOutputTable::add_shuffle(ShuffleId shuffle, std::int32_t maps, std::int32_t reduces) {
  HEDDLE_ASSERT(maps >= 0 && reduces >= 0, "negative size of shuffle " + to_string(shuffle));
  const auto [position, is_new] = shuffles_.try_emplace(shuffle);
  if (!is_new) return;
  position->second.reduces = reduces;
  position->second.place_of_map.assign(static_cast<std::size_t>(maps), no_place);
}

void MapOutputTable::remove_shuffle(ShuffleId shuffle) { shuffles_.erase(shuffle); }

MapOutputTable::PlaceIndex MapOutputTable::intern(MapStatusLocation place) {
  const auto [position, is_new] = index_of_place_.try_emplace(place, static_cast<PlaceIndex>(places_.size()));
  if (is_new) {
    places_.push_back(place);
    places_on_host_[place.host].push_back(position->second);
  }
  return position->second;
}

void MapOutputTable::clear_slot(Shuffle& shuffle, std::int32_t map) {
  const auto index = static_cast<std::size_t>(map);
  const PlaceIndex old = shuffle.place_of_map[index];
  if (old == no_place) return;
  shuffle.place_of_map[index] = no_place;
  shuffle.available -= 1;
  PlaceMaps& at = shuffle.maps_at[old];
  at.count -= 1;
  if (at.count == 0) shuffle.maps_at.erase(old);
  if (!shuffle.sizes.empty()) shuffle.sizes[index].clear();
}

void MapOutputTable::put_at(Shuffle& entry, std::int32_t map, PlaceIndex where) {
  entry.place_of_map[static_cast<std::size_t>(map)] = where;
  entry.available += 1;
  PlaceMaps& at = entry.maps_at[where];
  at.count += 1;
  at.maps.push_back(map);
  const auto stale = [&entry, where](std::int32_t other) {
    return entry.place_of_map[static_cast<std::size_t>(other)] != where;
  };
  if (at.maps.size() > 2 * static_cast<std::size_t>(at.count) + 64) {
    std::erase_if(at.maps, stale);
    std::sort(at.maps.begin(), at.maps.end());
    at.maps.erase(std::unique(at.maps.begin(), at.maps.end()), at.maps.end());
  }
}

bool MapOutputTable::move_output(ShuffleId shuffle, std::int32_t map, MapStatusLocation from, MapStatusLocation to) {
  const auto found = shuffles_.find(shuffle);
  if (found == shuffles_.end() || map < 0 || map >= maps(shuffle)) return false;
  Shuffle& entry = found->second;
  const auto index = static_cast<std::size_t>(map);
  std::vector<std::uint8_t> sizes;
  if (entry.place_of_map[index] == no_place) {
    const auto gone = entry.removed_from.find(map);
    if (gone == entry.removed_from.end() || places_[gone->second] != from) return false;
    entry.removed_from.erase(gone);
  } else {
    if (places_[entry.place_of_map[index]] != from) return false;
    if (!entry.sizes.empty()) sizes = entry.sizes[index];
    clear_slot(entry, map);
  }
  put_at(entry, map, intern(to));
  if (!entry.sizes.empty()) entry.sizes[index] = std::move(sizes);
  return true;
}

void MapOutputTable::add_output(ShuffleId shuffle, std::int32_t map, MapStatusLocation place,
                                std::span<const std::int64_t> sizes) {
  const auto found = shuffles_.find(shuffle);
  HEDDLE_ASSERT(found != shuffles_.end(), "shuffle " + to_string(shuffle) + " is not known");
  Shuffle& entry = found->second;
  const auto index = static_cast<std::size_t>(map);
  HEDDLE_ASSERT(map >= 0 && index < entry.place_of_map.size(),
                "map " + std::to_string(map) + " of shuffle " + to_string(shuffle));
  clear_slot(entry, map);
  if (!entry.removed_from.empty()) entry.removed_from.erase(map);
  put_at(entry, map, intern(place));
  if (sizes.empty()) return;
  if (entry.sizes.empty()) entry.sizes.resize(entry.place_of_map.size());
  std::vector<std::uint8_t>& codes = entry.sizes[index];
  codes.resize(sizes.size());
  std::transform(sizes.begin(), sizes.end(), codes.begin(), encode_output_size);
}

void MapOutputTable::remove_output(ShuffleId shuffle, std::int32_t map, MapStatusLocation at) {
  const auto found = shuffles_.find(shuffle);
  if (found != shuffles_.end() && map >= 0 && map < maps(shuffle) && place(shuffle, map) == at) {
    found->second.removed_from[map] = found->second.place_of_map[static_cast<std::size_t>(map)];
    clear_slot(found->second, map);
  }
  raise_epoch();
}

void MapOutputTable::remove_outputs_of_shuffle(ShuffleId shuffle) {
  const auto found = shuffles_.find(shuffle);
  if (found != shuffles_.end()) {
    Shuffle& entry = found->second;
    std::fill(entry.place_of_map.begin(), entry.place_of_map.end(), no_place);
    entry.available = 0;
    entry.maps_at.clear();
    entry.removed_from.clear();
    entry.sizes.clear();
  }
  raise_epoch();
}

void MapOutputTable::remove_at(PlaceIndex gone) {
  for (auto& [id, shuffle] : shuffles_) {
    const auto at = shuffle.maps_at.find(gone);
    if (at == shuffle.maps_at.end()) continue;
    const std::vector<std::int32_t> maps_there = std::move(at->second.maps);
    for (const std::int32_t map : maps_there) {
      if (shuffle.place_of_map[static_cast<std::size_t>(map)] != gone) continue;
      shuffle.removed_from[map] = gone;
      clear_slot(shuffle, map);
    }
  }
}

void MapOutputTable::remove_outputs_on_executor(ExecutorId executor) {
  for (auto at = index_of_place_.lower_bound(MapStatusLocation{executor, HostId{}}); at != index_of_place_.end();
       ++at) {
    if (at->first.executor != executor) break;
    remove_at(at->second);
  }
  raise_epoch();
}

void MapOutputTable::remove_outputs_on_host(HostId host) {
  const auto found = places_on_host_.find(host);
  if (found != places_on_host_.end()) {
    for (const PlaceIndex place : found->second) remove_at(place);
  }
  raise_epoch();
}

std::int32_t MapOutputTable::reduces(ShuffleId shuffle) const {
  const auto found = shuffles_.find(shuffle);
  return found == shuffles_.end() ? 0 : found->second.reduces;
}

std::int32_t MapOutputTable::maps(ShuffleId shuffle) const {
  const auto found = shuffles_.find(shuffle);
  return found == shuffles_.end() ? 0 : static_cast<std::int32_t>(found->second.place_of_map.size());
}

std::int32_t MapOutputTable::available(ShuffleId shuffle) const {
  const auto found = shuffles_.find(shuffle);
  return found == shuffles_.end() ? 0 : found->second.available;
}

MapStatusLocation MapOutputTable::place(ShuffleId shuffle, std::int32_t map) const {
  const auto found = shuffles_.find(shuffle);
  if (found == shuffles_.end() || map < 0 || map >= maps(shuffle)) return {};
  const PlaceIndex index = found->second.place_of_map[static_cast<std::size_t>(map)];
  return index == no_place ? MapStatusLocation{} : places_[index];
}

std::vector<IndexRange> MapOutputTable::missing(ShuffleId shuffle) const {
  std::vector<IndexRange> ranges;
  const auto found = shuffles_.find(shuffle);
  if (found == shuffles_.end()) return ranges;
  const std::vector<PlaceIndex>& slots = found->second.place_of_map;
  for (std::size_t index = 0; index < slots.size(); ++index) {
    if (slots[index] == no_place) append_index(ranges, static_cast<std::int32_t>(index));
  }
  return ranges;
}

std::vector<ShuffleId> MapOutputTable::shuffles() const {
  std::vector<ShuffleId> ids;
  for (const auto& [id, shuffle] : shuffles_) ids.push_back(id);
  return ids;
}

std::vector<HostId> MapOutputTable::largest_hosts(ShuffleId shuffle, std::int32_t reduce, double fraction,
                                                  bool by_host) const {
  std::vector<HostId> hosts;
  const auto found = shuffles_.find(shuffle);
  if (found == shuffles_.end()) return hosts;
  const Shuffle& entry = found->second;
  if (maps(shuffle) >= locality_limit || entry.reduces >= locality_limit || entry.sizes.empty()) return hosts;
  std::int64_t total = 0;
  std::vector<std::pair<PlaceIndex, std::int64_t>> bytes_at;  // in the order of their first map
  for (std::size_t map = 0; map < entry.place_of_map.size(); ++map) {
    const PlaceIndex where = entry.place_of_map[map];
    if (where == no_place || static_cast<std::size_t>(reduce) >= entry.sizes[map].size()) continue;
    const std::int64_t bytes = decode_output_size(entry.sizes[map][static_cast<std::size_t>(reduce)]);
    if (bytes <= 0) continue;
    const auto same = [this, where, by_host](const auto& pair) {
      return by_host ? places_[pair.first].host == places_[where].host : pair.first == where;
    };
    auto position = std::find_if(bytes_at.begin(), bytes_at.end(), same);
    if (position == bytes_at.end()) position = bytes_at.insert(bytes_at.end(), {where, 0});
    position->second += bytes;
    total += bytes;
  }
  for (const auto& [where, bytes] : bytes_at) {
    if (static_cast<double>(bytes) / static_cast<double>(total) < fraction) continue;
    const HostId host = places_[where].host;
    if (std::find(hosts.begin(), hosts.end(), host) == hosts.end()) hosts.push_back(host);
  }
  return hosts;
}

std::vector<std::int64_t> MapOutputTable::bytes_per_reduce(ShuffleId shuffle) const {
  const auto found = shuffles_.find(shuffle);
  if (found == shuffles_.end() || found->second.sizes.empty() || !is_complete(shuffle)) return {};
  const Shuffle& entry = found->second;
  const auto reduces = static_cast<std::size_t>(entry.reduces);
  if (reduces * entry.sizes.size() > counted_codes_max) return {};
  std::array<std::int64_t, 256> size_of_code{};
  for (std::size_t code = 0; code < size_of_code.size(); ++code)
    size_of_code[code] = decode_output_size(static_cast<std::uint8_t>(code));
  std::vector<std::int64_t> bytes(reduces, 0);
  for (const auto& codes : entry.sizes) {
    if (codes.size() != reduces) return {};
    for (std::size_t reduce = 0; reduce < reduces; ++reduce) bytes[reduce] += size_of_code[codes[reduce]];
  }
  return bytes;
}

void MapOutputTable::check_invariants() const {
  HEDDLE_ASSERT(places_.size() == index_of_place_.size(), "places and their numbers differ");
  for (const auto& [id, shuffle] : shuffles_) {
    std::map<PlaceIndex, std::int32_t> counted;
    std::int32_t available = 0;
    for (std::size_t map = 0; map < shuffle.place_of_map.size(); ++map) {
      const PlaceIndex where = shuffle.place_of_map[map];
      if (where == no_place) continue;
      available += 1;
      counted[where] += 1;
      const auto at = shuffle.maps_at.find(where);
      HEDDLE_ASSERT(at != shuffle.maps_at.end(), "shuffle " + to_string(id) + " has no list for a place in use");
      const std::vector<std::int32_t>& list = at->second.maps;
      HEDDLE_ASSERT(std::find(list.begin(), list.end(), static_cast<std::int32_t>(map)) != list.end(),
                    "map " + std::to_string(map) + " of shuffle " + to_string(id) + " is in no list");
    }
    HEDDLE_ASSERT(available == shuffle.available, "available outputs of shuffle " + to_string(id));
    HEDDLE_ASSERT(counted.size() == shuffle.maps_at.size(), "places of shuffle " + to_string(id));
    for (const auto& [where, count] : counted)
      HEDDLE_ASSERT(shuffle.maps_at.at(where).count == count, "outputs at a place");
  }
}

}  // namespace heddle::policies
