#include "policies/tasks/pending_tasks.hpp"

#include <algorithm>

namespace heddle::policies {

PendingList& PendingLists::of(std::int32_t key, std::uint32_t name_hash) {
  const auto place = static_cast<std::size_t>(key);
  if (place >= position_of_.size()) position_of_.resize(place + 1, -1);
  std::int32_t& position = position_of_[place];
  if (position < 0) {
    position = static_cast<std::int32_t>(lists_.size());
    lists_.emplace_back();
    keys_.push_back(key);
  }
  if (!table_.contains(position)) table_.add(position, name_hash);
  return lists_[static_cast<std::size_t>(position)];
}

// -- all stacks of a set -----------------------------------------------------------

void PendingTasks::fill(const TaskPartitions& partitions, const TaskSetLocations& places,
                        const ExecutorDirectory& directory) {
  all = PendingList::all_below(partitions.tasks());
  if (!places.lists || places.lists->is_blank()) {
    without_preference = PendingList::all_below(partitions.tasks());
    return;
  }
  fill_executors_and_none(partitions, places, directory);
  fill_hosts(partitions, places, directory);
  fill_racks(directory);
}

void PendingTasks::fill_executors_and_none(const TaskPartitions& partitions, const TaskSetLocations& places,
                                           const ExecutorDirectory& directory) {
  partitions.for_each_downwards([&](std::int32_t index, std::int32_t partition) {
    const std::span<const PreferredLocation> of_task = places.of(static_cast<std::size_t>(index), partition);
    if (of_task.empty()) without_preference.push(index);
    for (const PreferredLocation& place : of_task) {
      if (place.kind == PreferredLocation::Kind::host) continue;
      if (place.kind == PreferredLocation::Kind::cached_on_host) {
        push_cached(index, place.host, directory);
        continue;
      }
      const auto executor = static_cast<std::int32_t>(place.executor.value);
      by_executor.of(executor, directory.name_hash_of(executor)).push(index);
    }
  });
}

void PendingTasks::push_cached(std::int32_t index, HostId host, const ExecutorDirectory& directory) {
  const ExecutorDirectory::Host* record = directory.find_host(host);
  if (record == nullptr) return;
  for (const std::int32_t executor : record->executors)
    if (!directory.executors()[static_cast<std::size_t>(executor)].is_decommissioned)
      by_executor.of(executor, directory.name_hash_of(executor)).push(index);
}

void PendingTasks::fill_hosts(const TaskPartitions& partitions, const TaskSetLocations& places,
                              const ExecutorDirectory& directory) {
  // Counts entries first, so that all lists lie in one array. A host's list is created when the walk from the last task
  // first finds the host, which fixes the walk order of the name hash table.
  std::vector<std::int32_t> count;
  std::vector<HostId> met;
  partitions.for_each_downwards([&](std::int32_t index, std::int32_t partition) {
    for (const PreferredLocation& place : places.of(static_cast<std::size_t>(index), partition)) {
      const auto host = static_cast<std::size_t>(place.host.value);
      if (host >= count.size()) count.resize(std::max(host + 1, count.size() * 2), 0);
      if (count[host]++ == 0) met.push_back(place.host);
    }
  });
  std::vector<std::int32_t> cursor(count.size(), 0);
  std::int32_t total = 0;
  for (const HostId host : met) {
    const auto at = static_cast<std::size_t>(host.value);
    cursor[at] = total;
    by_host.of(host.value, directory.name_hash_of(host)).put({total, total + count[at]});
    total += count[at];
  }
  store.resize(static_cast<std::size_t>(total));
  partitions.for_each_upwards([&](std::int32_t index, std::int32_t partition) {
    for (const PreferredLocation& place : places.of(static_cast<std::size_t>(index), partition))
      store[static_cast<std::size_t>(cursor[static_cast<std::size_t>(place.host.value)]++)] = index;
  });
}

void PendingTasks::fill_racks(const ExecutorDirectory& directory) {
  // The list of a rack is the concatenation of its hosts' lists, in walk order. It shares their store.
  by_host.any_list([&](std::int32_t host, const PendingList& list) {
    const std::int32_t rack = directory.rack_of(HostId{host});
    if (rack >= 0) by_rack.of(rack, directory.rack(rack).name_hash).put(list.filled());
    return false;
  });
}

void PendingTasks::push(std::int32_t index, std::span<const PreferredLocation> places,
                        const ExecutorDirectory& directory) {
  for (const PreferredLocation& place : places) {
    if (place.kind == PreferredLocation::Kind::executor) {
      const auto executor = static_cast<std::int32_t>(place.executor.value);
      by_executor.of(executor, directory.name_hash_of(executor)).push(index);
    } else if (place.kind == PreferredLocation::Kind::cached_on_host) {
      push_cached(index, place.host, directory);
    }
    by_host.of(place.host.value, directory.name_hash_of(place.host)).push(index);
    const std::int32_t rack = directory.rack_of(place.host);
    if (rack >= 0) by_rack.of(rack, directory.rack(rack).name_hash).push(index);
  }
  if (places.empty()) without_preference.push(index);
  all.push(index);
}

PendingList* PendingTasks::find(PendingSource source, const OfferPlace& place) {
  switch (source) {
    case PendingSource::executor: return by_executor.find(place.executor);
    case PendingSource::host: return by_host.find(place.host.value);
    case PendingSource::without_preference: return &without_preference;
    case PendingSource::rack: return place.rack < 0 ? nullptr : by_rack.find(place.rack);
    case PendingSource::all: return &all;
  }
  return nullptr;
}

}  // namespace heddle::policies
