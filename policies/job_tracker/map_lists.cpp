#include "policies/job_tracker/map_lists.hpp"

namespace heddle::policies {

std::int32_t MapLists::add_list() {
  waiting_.emplace_back();
  running_.add_list();
  return static_cast<std::int32_t>(waiting_.size()) - 1;
}

std::int32_t MapLists::list_at(Lists& lists, std::int32_t number) {
  const auto row = lists.find(number);
  return row != lists.end() ? row->second : lists.emplace(number, add_list()).first->second;
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
    add_to(list_at(hosts_, host), map.number());
    add_far(list_at(racks_, cluster.rack_of(host)));
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
    if (const auto list = hosts_.find(search.tracker.host); list != hosts_.end())
      if (const auto found = waiting_[static_cast<std::size_t>(list->second)].pop(search, true)) return found;
    const auto list = racks_.find(own_rack);
    return list == racks_.end() ? std::nullopt : pop_far(list->second, search);
  }
  if (far_entries_ == 0) return std::nullopt;  // as most searches of a job whose maps all run
  for (const auto& [rack, list] : racks_) {
    if (rack == own_rack) continue;
    if (const auto found = pop_far(list, search)) return found;
  }
  return pop_far(anywhere, search);
}

std::optional<std::int32_t> MapLists::find_slow_map(const TaskSearch& search, double average) {
  const auto find = [&](std::int32_t list, bool drop) { return find_slow(running_, list, search, average, drop); };
  if (const auto list = hosts_.find(search.tracker.host); list != hosts_.end())
    if (const auto found = find(list->second, true)) return found;
  if (!may_one_be_slow(search, average)) return std::nullopt;
  const std::int32_t own_rack = search.cluster.rack_of(search.tracker.host);
  if (const auto list = racks_.find(own_rack); list != racks_.end())
    if (const auto found = find(list->second, false)) return found;
  for (const auto& [rack, list] : racks_) {
    if (rack == own_rack) continue;
    if (const auto found = find(list, false)) return found;
  }
  return find(anywhere, false);
}

}  // namespace heddle::policies
