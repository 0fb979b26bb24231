// Assigns granted containers to attempts: failed maps and reduces first, then maps by host, by rack, anywhere.
#include <algorithm>
#include <string>
#include <utility>

#include "policies/map_reduce/map_reduce_allocator.hpp"

namespace heddle::policies {
namespace {

bool is_map_family(std::int32_t priority) {
  return priority == static_cast<std::int32_t>(MapReducePriority::failed_map) ||
         priority == static_cast<std::int32_t>(MapReducePriority::map) ||
         priority == static_cast<std::int32_t>(MapReducePriority::opportunistic_map);
}

bool has_priority(const MapReduceGrant& grant, MapReducePriority priority) {
  return grant.priority == static_cast<std::int32_t>(priority);
}

}  // namespace

bool MapReduceAllocator::can_assign_map() const {
  return settings_.running_map_limit <= 0 || held_.maps().size() < settings_.running_map_limit;
}

bool MapReduceAllocator::can_assign_reduce() const {
  return settings_.running_reduce_limit <= 0 || held_.reduces().size() < settings_.running_reduce_limit;
}

bool MapReduceAllocator::is_wanted(const MapReduceGrant& grant, std::int32_t& reduces_left) const {
  if (is_map_family(grant.priority))
    return containers_in(grant.resource, map_resource_, counts_cores_) > 0 && maps_.size() > 0;
  if (!has_priority(grant, MapReducePriority::reduce)) return false;
  if (containers_in(grant.resource, reduce_resource_, counts_cores_) <= 0 || reduces_left <= 0) return false;
  --reduces_left;
  return true;
}

void MapReduceAllocator::assign(Instant now, std::vector<MapReduceGrant> batch, MapReduceEffects& effects) {
  std::int32_t reduces_left = reduces_.size();
  std::vector<MapReduceGrant> wanted;
  for (auto& grant : batch) {
    const bool is_good = is_wanted(grant, reduces_left);
    const bool is_refused = is_good && requests_.is_excluded(grant.host);
    if (is_refused) replace_request(now, grant);
    if (!is_good || is_refused) requests_.release(grant.container);
    else wanted.push_back(std::move(grant));
  }
  std::vector<MapReduceGrant> left;
  for (auto& grant : wanted)
    if (!assign_without_locality(grant, effects)) left.push_back(std::move(grant));
  assign_listed(left, listed_.of_host, MapPlace::node, effects);
  assign_listed(left, listed_.of_rack, MapPlace::rack, effects);
  assign_any(left, effects);
  for (const auto& grant : left) requests_.release(grant.container);
}

/// The ResourceManager counts the request as served by the container on the excluded host, so it is requested again for
/// other hosts.
void MapReduceAllocator::replace_request(Instant now, const MapReduceGrant& grant) {
  auto request = remove_request_to_replace(grant);
  if (!request) return;
  requests_.remove(request->priority, request->hosts, request->racks);
  std::erase_if(request->hosts, [this](const std::string& host) { return requests_.is_excluded(host); });
  request->made = now;
  requests_.add(request->priority, request->hosts, request->racks);
  repeat_displaced(grant, *request);
  (request->attempt.is_reduce ? reduces_ : maps_).put(*std::move(request));
}

std::optional<AttemptRequest> MapReduceAllocator::remove_request_to_replace(const MapReduceGrant& grant) {
  if (has_priority(grant, MapReducePriority::failed_map)) {
    // The attempt keeps its place in the list: it is inserted again with the same key.
    for (const auto attempt : listed_.failed)
      if (const auto* request = maps_.find(attempt)) return *request;
    return std::nullopt;
  }
  if (has_priority(grant, MapReducePriority::reduce))
    return reduces_.size() == 0 ? std::nullopt : reduces_.take(reduces_.first()->attempt);
  const auto list = listed_.of_host.find(listed_.location_is_irrelevant ? anywhere : std::string_view{grant.host});
  if (list == listed_.of_host.end() || list->second.empty())
    return maps_.size() == 0 ? std::nullopt : maps_.take(maps_.first()->attempt);
  const MapReduceAttempt last = list->second.back();
  list->second.pop_back();
  return maps_.take(last);
}

bool MapReduceAllocator::assign_without_locality(const MapReduceGrant& grant, MapReduceEffects& effects) {
  if (has_priority(grant, MapReducePriority::failed_map)) {
    while (!listed_.failed.empty() && can_assign_map()) {
      const MapReduceAttempt attempt = listed_.failed.front();
      listed_.failed.pop_front();
      if (const auto request = maps_.take(attempt)) {
        give(grant, *request, MapPlace::other, effects);
        return true;
      }
    }
    return false;
  }
  if (!has_priority(grant, MapReducePriority::reduce) || reduces_.size() == 0 || !can_assign_reduce()) return false;
  const auto request = reduces_.take(reduces_.first()->attempt);
  give(grant, *request, MapPlace::other, effects);
  return true;
}

void MapReduceAllocator::assign_listed(std::vector<MapReduceGrant>& batch, AttemptLists& lists, MapPlace place,
                                       MapReduceEffects& effects) {
  std::vector<MapReduceGrant> left;
  for (auto& grant : batch) {
    bool is_given = false;
    const bool is_tried =
        maps_.size() > 0 && can_assign_map() && !has_priority(grant, MapReducePriority::opportunistic_map);
    const std::string_view name = place == MapPlace::rack          ? racks_.rack_of(grant.host)
                                  : listed_.location_is_irrelevant ? anywhere
                                                                   : std::string_view{grant.host};
    const auto list = is_tried ? lists.find(name) : lists.end();
    // Attempts that got a container through another list are removed when they are found.
    while (list != lists.end() && !list->second.empty() && !is_given) {
      const auto request = maps_.take(list->second.front());
      list->second.pop_front();
      if (!request) continue;
      give(grant, *request, place, effects);
      is_given = true;
    }
    if (!is_given) left.push_back(std::move(grant));
  }
  batch = std::move(left);
}

void MapReduceAllocator::assign_any(std::vector<MapReduceGrant>& batch, MapReduceEffects& effects) {
  std::size_t given = 0;
  for (; given < batch.size() && maps_.size() > 0 && can_assign_map(); ++given) {
    const auto request = maps_.take(maps_.first()->attempt);
    give(batch[given], *request, MapPlace::other, effects);
  }
  batch.erase(batch.begin(), batch.begin() + static_cast<std::ptrdiff_t>(given));
}

void MapReduceAllocator::give(const MapReduceGrant& grant, const AttemptRequest& request, MapPlace place,
                              MapReduceEffects& effects) {
  requests_.remove(request.priority, request.hosts, request.racks);
  repeat_displaced(grant, request);
  effects.push_back(AssignContainer{grant.container, request.attempt, place});
  held_.give(grant.container, grant.host, request.attempt);
}

void MapReduceAllocator::repeat_displaced(const MapReduceGrant& grant, const AttemptRequest& request) {
  if (!settings_.mends_requests || has_priority(grant, request.priority)) return;
  const auto priority = static_cast<MapReducePriority>(grant.priority);
  requests_.repeat(priority, {grant.host, std::string{racks_.rack_of(grant.host)}, std::string{anywhere}});
}

}  // namespace heddle::policies
