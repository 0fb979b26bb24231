#include "policies/stages/cached_partitions.hpp"

#include <algorithm>

namespace heddle::policies {

CachedPartitions::Row& CachedPartitions::row_of(DatasetId dataset) {
  if (index_of(dataset) >= rows_.size()) rows_.resize(index_of(dataset) + 1);
  return rows_[index_of(dataset)];
}

void CachedPartitions::set(DatasetId dataset, std::int32_t partitions, std::int32_t partition,
                           std::span<const MapStatusLocation> places) {
  std::vector<PreferredLocation> wanted;
  wanted.reserve(places.size());
  for (const MapStatusLocation& place : places) {
    wanted.emplace_back(place.host, place.executor);
    cached_on_[place.executor].emplace_back(dataset, partition);
  }
  set_places(row_of(dataset), partitions, static_cast<std::size_t>(partition), std::move(wanted));
}

void CachedPartitions::set_places(Row& row, std::int32_t partitions, std::size_t partition,
                                  std::vector<PreferredLocation> places) {
  if (!row.cached) {
    row.cached = std::make_shared<CachedPlaces>();
    row.cached->of_partition.resize(static_cast<std::size_t>(partitions));
  } else if (row.cached.use_count() > 1) {
    row.cached = std::make_shared<CachedPlaces>(*row.cached);  // a lookup, or a copied decider, holds the old state
  }
  CachedPlaces& cached = *row.cached;
  cached.partitions_cached += (places.empty() ? 0 : 1) - (cached.of_partition[partition].empty() ? 0 : 1);
  cached.of_partition[partition] = std::move(places);
}

void CachedPartitions::drop_executor(ExecutorId executor) {
  const auto found = cached_on_.find(executor);
  if (found == cached_on_.end()) return;
  const auto partitions = std::move(found->second);
  cached_on_.erase(found);
  const auto is_there = [executor](const PreferredLocation& place) { return place.executor == executor; };
  for (const auto& [dataset, partition] : partitions) {
    Row& row = row_of(dataset);
    if (!row.cached) continue;
    const auto index = static_cast<std::size_t>(partition);
    const std::vector<PreferredLocation>& places = row.cached->of_partition[index];
    // The list also names partitions that are no longer cached there.
    if (std::none_of(places.begin(), places.end(), is_there)) continue;
    std::vector<PreferredLocation> others = places;
    std::erase_if(others, is_there);
    set_places(row, static_cast<std::int32_t>(row.cached->of_partition.size()), index, std::move(others));
  }
}

void CachedPartitions::forget(DatasetId dataset) {
  if (index_of(dataset) >= rows_.size()) return;
  Row& row = row_of(dataset);
  row.cached.reset();
  row.looked_up.reset();
}

const CachedPlaces* CachedPartitions::look_up(DatasetId dataset) {
  Row& row = row_of(dataset);
  if (!row.is_looked_up) {
    row.looked_up = row.cached;
    row.is_looked_up = true;
    looked_up_.insert(dataset);
  }
  return row.looked_up.get();
}

void CachedPartitions::clear_looked_up() {
  for (const DatasetId dataset : looked_up_) {
    Row& row = row_of(dataset);
    row.looked_up.reset();
    row.is_looked_up = false;
  }
  looked_up_.clear();
}

}  // namespace heddle::policies
