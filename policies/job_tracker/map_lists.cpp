#include "policies/job_tracker/map_lists.hpp"

#include <algorithm>
#include <utility>

namespace heddle::policies {

std::int32_t MapLists::Lists::find(std::int32_t number) const {
  const auto row = std::lower_bound(numbers.begin(), numbers.end(), number);
  if (row == numbers.end() || *row != number) return none;
  return list_at(static_cast<std::size_t>(row - numbers.begin()));
}

MapLists::MapLists(const std::vector<ClassicTask>& maps, const ClassicCluster& cluster) {
  std::vector<std::int32_t> hosts;
  for (const auto& map : maps) hosts.insert(hosts.end(), map.hosts.begin(), map.hosts.end());
  std::vector<std::int32_t> racks;
  for (const HostIndex host : hosts) racks.push_back(cluster.rack_of(host));
  add_lists({anywhere});
  hosts_ = add_lists(std::move(hosts));
  racks_ = add_lists(std::move(racks));
  first_places_.reserve(maps.size());
  for (const auto& map : maps) add(map, cluster);
}

/// Adds a list for each of the numbers; a number may occur several times.
MapLists::Lists MapLists::add_lists(std::vector<std::int32_t> numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  numbers.shrink_to_fit();
  Lists lists{static_cast<std::int32_t>(waiting_.size()), std::move(numbers)};
  waiting_.resize(waiting_.size() + lists.numbers.size());
  for (std::size_t i = 0; i < lists.numbers.size(); ++i) running_.add_list();
  return lists;
}

/// False if the map is in the list: two of its hosts are in one rack.
bool MapLists::add_to(std::int32_t list, std::int32_t map) {
  auto& waiting = waiting_[static_cast<std::size_t>(list)];
  if (waiting.ends_with(map)) return false;
  waiting.add(map);
  running_.add_place(list, map);
  return true;
}

/// `list`: of a rack, or of the maps without a location.
std::optional<std::int32_t> MapLists::pop_far(std::int32_t list, const TaskSearch& search) {
  auto& waiting = waiting_[static_cast<std::size_t>(list)];
  if (waiting.size() == 0) return std::nullopt;
  far_entries_ -= waiting.size();
  const auto found = waiting.pop(search, false);
  far_entries_ += waiting.size();
  return found;
}

void MapLists::add(const ClassicTask& map, const ClassicCluster& cluster) {
  first_places_.push_back(running_.places());
  const auto add_far = [&](std::int32_t list) { far_entries_ += add_to(list, map.number()) ? 1 : 0; };
  if (map.hosts.empty()) add_far(anywhere);
  for (const HostIndex host : map.hosts) {
    add_to(hosts_.find(host), map.number());
    add_far(racks_.find(cluster.rack_of(host)));
  }
}

void MapLists::add_running(std::int32_t map) {
  for (auto place = first_places_[static_cast<std::size_t>(map)];
       place < running_.places() && running_.task_at(place) == map; ++place)
    running_.add(place);
}

void MapLists::remove_running(std::int32_t map) {
  for (auto place = first_places_[static_cast<std::size_t>(map)];
       place < running_.places() && running_.task_at(place) == map; ++place)
    running_.remove(place);
}

std::optional<std::int32_t> MapLists::take(const TaskSearch& search, bool near) {
  if (const auto found = pop_waiting(failed_, search)) return found;
  const std::int32_t own_rack = search.cluster.rack_of(search.tracker.host);
  if (near) {
    if (const auto list = hosts_.find(search.tracker.host); list != none)
      if (const auto found = waiting_[static_cast<std::size_t>(list)].pop(search, true)) return found;
    const auto list = racks_.find(own_rack);
    return list == none ? std::nullopt : pop_far(list, search);
  }
  if (far_entries_ == 0) return std::nullopt;  // as most searches of a job whose maps all run
  for (std::size_t i = 0; i < racks_.numbers.size(); ++i) {
    if (racks_.numbers[i] == own_rack) continue;
    if (const auto found = pop_far(racks_.list_at(i), search)) return found;
  }
  return pop_far(anywhere, search);
}

std::optional<std::int32_t> MapLists::find_slow_map(const TaskSearch& search, double average) {
  const auto find = [&](std::int32_t list, bool drop) { return find_slow(running_, list, search, average, drop); };
  if (const auto list = hosts_.find(search.tracker.host); list != none)
    if (const auto found = find(list, true)) return found;
  if (!may_one_be_slow(search, average)) return std::nullopt;
  const std::int32_t own_rack = search.cluster.rack_of(search.tracker.host);
  if (const auto list = racks_.find(own_rack); list != none)
    if (const auto found = find(list, false)) return found;
  for (std::size_t i = 0; i < racks_.numbers.size(); ++i) {
    if (racks_.numbers[i] == own_rack) continue;
    if (const auto found = find(racks_.list_at(i), false)) return found;
  }
  return find(anywhere, false);
}

}  // namespace heddle::policies
