#include "policies/containers/request_table.hpp"

#include <algorithm>
#include <utility>

#include "model/assert.hpp"

namespace heddle::policies {
namespace {

std::size_t at(ResourceNameId place) { return static_cast<std::size_t>(place); }

/// Racks of a host list in order of first appearance, and the number of racks of its first n hosts.
struct Racks {
  std::vector<ResourceNameId> places;
  std::vector<std::int32_t> of_prefix;  // one more than there are hosts
};

Racks racks_of(const std::vector<ResourceNameId>& hosts, const ResourceNameTable& places) {
  Racks racks;
  std::vector<bool> seen(places.size());
  racks.of_prefix.push_back(0);
  for (const ResourceNameId host : hosts) {
    const ResourceNameId rack = places.rack_of(host);
    if (!seen[at(rack)]) racks.places.push_back(rack);
    seen[at(rack)] = true;
    racks.of_prefix.push_back(static_cast<std::int32_t>(racks.places.size()));
  }
  return racks;
}

}  // namespace

void RequestTable::set_resource(ProfileId profile, Resource resource) {
  profiles_[profile].resource = std::move(resource);
}

void RequestTable::grow(ProfileRequests& requests, ResourceNameId place) {
  if (at(place) < requests.counts.size()) return;
  const std::size_t size = std::max(at(place) + 1, requests.counts.size() * 2);
  requests.mentions.resize(size);
  requests.first_mention.resize(size);
  requests.counts.resize(size);
  requests.is_dirty.resize(size);
}

void RequestTable::mark(ProfileRequests& requests, ResourceNameId place) {
  if (!requests.is_dirty[at(place)]) requests.dirty.push_back(place);
  requests.is_dirty[at(place)] = true;
}

void RequestTable::change_count(ProfileRequests& requests, ResourceNameId place, std::int32_t by) {
  grow(requests, place);
  requests.counts[at(place)] += by;
  mark(requests, place);
}

void RequestTable::add_free(ProfileId profile, std::int32_t count, std::vector<RequestsChanged>& changes) {
  if (count <= 0) return;
  ProfileRequests& requests = profiles_[profile];
  Batch& batch = requests.batches[next_batch_++];
  batch.groups.push_back({count, 0, 0});
  batch.total = count;
  requests.total += count;
  change_count(requests, any_place, count);
  changes.push_back({profile, true, count, nullptr, 0, 0});
}

void RequestTable::add_local(ProfileId profile, const Placement& placement, const ResourceNameTable& places,
                             std::vector<RequestsChanged>& changes) {
  if (placement.groups.empty()) return;
  ProfileRequests& requests = profiles_[profile];
  Racks racks = racks_of(placement.hosts, places);
  const std::int64_t number = next_batch_++;
  Batch& batch = requests.batches[number];
  batch.places = std::make_shared<const PlaceList>(PlaceList{placement.hosts, std::move(racks.places)});
  for (const auto& group : placement.groups) {
    const std::int32_t rack_count = racks.of_prefix[at(group.hosts)];
    batch.groups.push_back({group.count, group.hosts, rack_count});
    batch.total += group.count;
    changes.push_back({profile, true, group.count, batch.places, group.hosts, rack_count});
  }
  requests.total += batch.total;
  change_count(requests, any_place, batch.total);
  const auto mention = [&](const std::vector<ResourceNameId>& names, bool is_rack) {
    std::int32_t count = batch.total;
    std::size_t group = batch.groups.size();
    for (std::size_t position = 0; position < names.size(); ++position) {
      const auto reach_of = [&](const Group& g) { return at(is_rack ? g.racks : g.hosts); };
      while (group > 0 && reach_of(batch.groups[group - 1]) <= position) count -= batch.groups[--group].count;
      if (count == 0) break;
      change_count(requests, names[position], count);
      requests.mentions[at(names[position])].push_back({number, static_cast<std::int32_t>(position), is_rack});
    }
  };
  mention(batch.places->hosts, false);
  mention(batch.places->racks, true);
}

RequestsChanged RequestTable::remove(ProfileId profile, ProfileRequests& requests, Batch& batch, std::size_t group,
                                     std::int32_t count) {
  Group& from = batch.groups[group];
  from.count -= count;
  batch.total -= count;
  requests.total -= count;
  change_count(requests, any_place, -count);
  for (std::int32_t i = 0; i < from.hosts; ++i) change_count(requests, batch.places->hosts[at(i)], -count);
  for (std::int32_t i = 0; i < from.racks; ++i) change_count(requests, batch.places->racks[at(i)], -count);
  while (batch.first < batch.groups.size() && batch.groups[batch.first].count == 0) ++batch.first;
  return {profile, false, count, batch.places, from.hosts, from.racks};
}

std::map<std::int64_t, RequestTable::Batch>::iterator RequestTable::oldest_at(ProfileRequests& requests,
                                                                              ResourceNameId name) {
  if (name == any_place) return requests.batches.begin();
  if (name < 0 || at(name) >= requests.mentions.size()) return requests.batches.end();
  const auto& mentions = requests.mentions[at(name)];
  std::size_t& first = requests.first_mention[at(name)];
  for (; first < mentions.size(); ++first) {
    const auto batch = requests.batches.find(mentions[first].batch);
    if (batch == requests.batches.end()) continue;
    // Later groups name no more hosts than the first remaining one, and groups never grow, so a mismatch is permanent.
    const Group& group = batch->second.groups[batch->second.first];
    if (mentions[first].position < (mentions[first].is_rack ? group.racks : group.hosts)) return batch;
  }
  requests.mentions[at(name)].clear();
  first = 0;
  return requests.batches.end();
}

std::optional<RequestsChanged> RequestTable::take(ProfileId profile, ResourceNameId name) {
  const auto row = profiles_.find(profile);
  if (row == profiles_.end()) return std::nullopt;
  const auto batch = oldest_at(row->second, name);
  if (batch == row->second.batches.end()) return std::nullopt;
  auto change = remove(profile, row->second, batch->second, batch->second.first, 1);
  if (batch->second.total == 0) row->second.batches.erase(batch);
  return change;
}

/// Length of the shortest prefix of a batch's hosts that contains a preferred host.
std::int32_t RequestTable::reach(const Batch& batch, const Preferred& preferred) {
  const auto& hosts = batch.places->hosts;
  for (std::size_t i = 0; i < hosts.size(); ++i)
    if (at(hosts[i]) < preferred.size() && preferred[at(hosts[i])]) return static_cast<std::int32_t>(i) + 1;
  return static_cast<std::int32_t>(hosts.size()) + 1;
}

PendingSplit RequestTable::split(ProfileId profile, const Preferred& preferred) const {
  PendingSplit split;
  const auto row = profiles_.find(profile);
  if (row == profiles_.end()) return split;
  for (const auto& [number, batch] : row->second.batches) {
    if (!batch.places) {
      split.free += batch.total;
      continue;
    }
    const std::int32_t needed = reach(batch, preferred);
    for (std::size_t i = batch.first; i < batch.groups.size(); ++i) {
      const Group& group = batch.groups[i];
      if (group.count == 0) continue;
      if (group.hosts < needed) {
        split.stale += group.count;
      } else {
        split.local += group.count;
        split.local_groups.push_back({group.count, std::span{batch.places->hosts}.first(at(group.hosts))});
      }
    }
  }
  return split;
}

std::int32_t RequestTable::cancel(ProfileId profile, RequestClass which, const Preferred& preferred, std::int32_t count,
                                  std::vector<RequestsChanged>& changes) {
  const auto row = profiles_.find(profile);
  if (row == profiles_.end()) return 0;
  std::int32_t left = count;
  auto& batches = row->second.batches;
  for (auto batch = batches.begin(); batch != batches.end() && left > 0;) {
    const std::int32_t needed = batch->second.places ? reach(batch->second, preferred) : 0;
    for (std::size_t i = batch->second.first; i < batch->second.groups.size() && left > 0; ++i) {
      const Group& group = batch->second.groups[i];
      const auto its = !batch->second.places  ? RequestClass::free
                       : group.hosts < needed ? RequestClass::stale
                                              : RequestClass::local;
      const std::int32_t some = its == which ? std::min(left, group.count) : 0;
      if (some == 0) continue;
      changes.push_back(remove(profile, row->second, batch->second, i, some));
      left -= some;
    }
    batch = batch->second.total == 0 ? batches.erase(batch) : std::next(batch);
  }
  return count - left;
}

std::int32_t RequestTable::pending(ProfileId profile) const {
  const auto row = profiles_.find(profile);
  return row == profiles_.end() ? 0 : row->second.total;
}

void RequestTable::release(ContainerId container) {
  releases_.insert(container);
  unconfirmed_releases_.insert(container);
}

void RequestTable::exclude(const ExclusionChanged& change) {
  for (const auto& host : change.added) {
    excluded_.insert(host);
    exclude_.insert(host);
    include_.erase(host);
  }
  for (const auto& host : change.removed) {
    excluded_.erase(host);
    include_.insert(host);
    exclude_.erase(host);
  }
}

bool RequestTable::has_call() const {
  return !releases_.empty() || !exclude_.empty() || !include_.empty() ||
         std::any_of(profiles_.begin(), profiles_.end(), [](const auto& row) { return !row.second.dirty.empty(); });
}

AllocateCall RequestTable::take_call(const ResourceNameTable& places) {
  AllocateCall call;
  call.response_id = response_id_;
  for (auto& [profile, requests] : profiles_) {
    std::sort(requests.dirty.begin(), requests.dirty.end(),
              [&places](ResourceNameId a, ResourceNameId b) { return places.name(a) < places.name(b); });
    for (const ResourceNameId place : requests.dirty) {
      call.asks.push_back({profile, places.name(place), requests.resource, requests.counts[at(place)]});
      requests.is_dirty[at(place)] = false;
    }
    requests.dirty.clear();
  }
  call.releases.assign(releases_.begin(), releases_.end());
  call.exclude.assign(exclude_.begin(), exclude_.end());
  call.include.assign(include_.begin(), include_.end());
  releases_.clear();
  exclude_.clear();
  include_.clear();
  last_call_ = call;
  return call;
}

void RequestTable::on_call_failed(const ResourceNameTable& places) {
  for (const auto& ask : last_call_.asks) mark(profiles_[ask.profile], places.find(ask.name));
  for (const ContainerId container : last_call_.releases)
    if (unconfirmed_releases_.contains(container)) releases_.insert(container);
  for (const auto& host : last_call_.exclude)
    if (!include_.contains(host)) exclude_.insert(host);
  for (const auto& host : last_call_.include)
    if (!exclude_.contains(host)) include_.insert(host);
  last_call_ = {};
}

void RequestTable::on_not_registered() {
  response_id_ = 0;
  last_call_ = {};
  releases_ = unconfirmed_releases_;
  exclude_ = excluded_;
  include_.clear();
  for (auto& [profile, requests] : profiles_)
    for (std::size_t place = 0; place < requests.counts.size(); ++place)
      if (requests.counts[place] > 0) mark(requests, static_cast<ResourceNameId>(place));
}

void RequestTable::check_invariants() const {
  for (const auto& [profile, requests] : profiles_) {
    std::int32_t total = 0;
    std::vector<std::int32_t> counts(requests.counts.size());
    for (const auto& [number, batch] : requests.batches) {
      std::int32_t batch_total = 0;
      for (const auto& group : batch.groups) {
        batch_total += group.count;
        for (std::int32_t i = 0; i < group.hosts; ++i) counts[at(batch.places->hosts[at(i)])] += group.count;
        for (std::int32_t i = 0; i < group.racks; ++i) counts[at(batch.places->racks[at(i)])] += group.count;
      }
      HEDDLE_ASSERT(batch_total == batch.total && batch_total > 0, "batch " + std::to_string(number));
      total += batch_total;
    }
    if (!counts.empty()) counts[any_place] = total;
    HEDDLE_ASSERT(total == requests.total && counts == requests.counts, "requests of profile " + to_string(profile));
  }
}

}  // namespace heddle::policies
