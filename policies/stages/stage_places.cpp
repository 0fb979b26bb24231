// Where the tasks of a stage would like to run: at cached copies, else where the dataset's own input lies or most of
// what it reads was written, else where the first narrow parent says. First answer wins, per partition.
#include <algorithm>
#include <utility>

#include "model/assert.hpp"
#include "policies/stages/stage_scheduler.hpp"

namespace heddle::policies {

namespace {

/// A host counts as holding much of a reduce task's input from this share on (MOT-4).
constexpr double reduce_locality_fraction = 0.2;

}  // namespace

void StageScheduler::apply(Instant, const stage_input::PartitionCached& input) {
  HEDDLE_ASSERT(index_of(input.dataset) < datasets_.size(), "dataset " + to_string(input.dataset) + " is not known");
  Dataset& entry = datasets_[index_of(input.dataset)];
  const auto index = static_cast<std::size_t>(input.partition);
  HEDDLE_ASSERT(input.partition >= 0 && input.partition < entry.description.partitions,
                "no partition " + std::to_string(input.partition));
  std::vector<PreferredLocation> wanted;
  wanted.reserve(input.places.size());
  for (const MapStatusLocation& place : input.places) {
    wanted.emplace_back(place.host, place.executor);
    cached_on_[place.executor].emplace_back(input.dataset, input.partition);
  }
  set_cached(entry, index, std::move(wanted));
}

void StageScheduler::set_cached(Dataset& dataset, std::size_t partition, std::vector<PreferredLocation> places) {
  if (!dataset.cached) {
    dataset.cached = std::make_shared<CachedPlaces>();
    dataset.cached->of_partition.resize(static_cast<std::size_t>(dataset.description.partitions));
  } else if (dataset.cached.use_count() > 1) {
    dataset.cached = std::make_shared<CachedPlaces>(*dataset.cached);  // somebody still reads the older state
  }
  CachedPlaces& cached = *dataset.cached;
  cached.partitions_cached += (places.empty() ? 0 : 1) - (cached.of_partition[partition].empty() ? 0 : 1);
  cached.of_partition[partition] = std::move(places);
}

/// An executor's blocks went with it. The list may name partitions that are no longer cached there.
void StageScheduler::drop_cached_on(ExecutorId executor) {
  const auto found = cached_on_.find(executor);
  if (found == cached_on_.end()) return;
  const auto partitions = std::move(found->second);
  cached_on_.erase(found);
  for (const auto& [id, partition] : partitions) {
    Dataset& dataset = datasets_[index_of(id)];
    if (!dataset.cached) continue;
    const auto index = static_cast<std::size_t>(partition);
    const std::vector<PreferredLocation>& places = dataset.cached->of_partition[index];
    const auto is_there = [executor](const PreferredLocation& place) { return place.executor == executor; };
    if (std::none_of(places.begin(), places.end(), is_there)) continue;
    std::vector<PreferredLocation> others = places;
    std::erase_if(others, is_there);
    set_cached(dataset, index, std::move(others));
  }
}

/// What was cached when this was first asked since the answers were last cleared; null for nothing.
const StageScheduler::CachedPlaces* StageScheduler::look_up_cached(DatasetId dataset) {
  Dataset& entry = datasets_[index_of(dataset)];
  if (!entry.description.cached) return nullptr;
  if (!entry.is_looked_up) {
    entry.looked_up = entry.cached;
    entry.is_looked_up = true;
    looked_up_.insert(dataset);
  }
  return entry.looked_up.get();
}

void StageScheduler::clear_looked_up() {
  for (const DatasetId id : looked_up_) {
    datasets_[index_of(id)].looked_up.reset();
    datasets_[index_of(id)].is_looked_up = false;
  }
  looked_up_.clear();
}

bool StageScheduler::is_fully_cached(DatasetId dataset) {
  const CachedPlaces* cached = look_up_cached(dataset);
  const std::int32_t partitions = datasets_[index_of(dataset)].description.partitions;
  return cached ? cached->partitions_cached == partitions : partitions == 0;
}

/// The lists that answer for every partition of a dataset, without looking at one; nothing if that cannot be said.
std::optional<std::shared_ptr<const PreferredLocationLists>> StageScheduler::shared_places(DatasetId dataset) {
  DatasetId at = dataset;
  while (true) {
    const CachedPlaces* cached = look_up_cached(at);
    const DatasetDescription& description = datasets_[index_of(at)].description;
    if ((cached != nullptr && cached->partitions_cached > 0) || description.reduce_locality) return std::nullopt;
    std::vector<DatasetId> narrow;
    for (const Dependency& dependency : description.dependencies) {
      if (dependency.kind == Dependency::Kind::narrow) narrow.push_back(dependency.parent);
    }
    const bool has_own = description.preferred && !description.preferred->is_blank();
    if (has_own && (narrow.empty() || description.preferred->is_full())) return description.preferred;
    if (has_own || narrow.size() > 1) return std::nullopt;
    if (narrow.empty()) return std::shared_ptr<const PreferredLocationLists>{};
    at = narrow.front();
  }
}

/// Depth first through narrow parents in their order; each dataset is asked once.
std::vector<PreferredLocation> StageScheduler::preferred_places(DatasetId dataset, std::int32_t partition) {
  std::set<DatasetId> seen;
  std::vector<DatasetId> stack{dataset};
  while (!stack.empty()) {
    const DatasetId top = stack.back();
    stack.pop_back();
    if (!seen.insert(top).second) continue;
    const DatasetDescription& description = datasets_[index_of(top)].description;
    if (partition >= description.partitions) continue;
    const auto index = static_cast<std::size_t>(partition);
    const CachedPlaces* cached = look_up_cached(top);
    if (cached != nullptr && !cached->of_partition[index].empty()) return cached->of_partition[index];
    if (description.preferred) {
      const auto own = description.preferred->of(index);
      if (!own.empty()) return {own.begin(), own.end()};
    }
    if (description.reduce_locality) {
      std::vector<PreferredLocation> hosts = reduce_places(top, partition);
      if (!hosts.empty()) return hosts;
    }
    const std::vector<Dependency>& dependencies = description.dependencies;
    for (auto dependency = dependencies.rbegin(); dependency != dependencies.rend(); ++dependency) {
      if (dependency->kind == Dependency::Kind::narrow) stack.push_back(dependency->parent);
    }
  }
  return {};
}

/// Hosts that hold much of what the partition reads of the dataset's first shuffle.
std::vector<PreferredLocation> StageScheduler::reduce_places(DatasetId dataset, std::int32_t partition) const {
  std::vector<PreferredLocation> places;
  for (const ShuffleId shuffle : datasets_[index_of(dataset)].shuffles) {
    if (shuffle.is_none()) continue;
    const auto hosts =
        outputs_.largest_hosts(shuffle, partition, reduce_locality_fraction, settings_.reduce_locality_by_host);
    for (const HostId host : hosts) places.emplace_back(host);
    break;
  }
  return places;
}

TaskSetLocations StageScheduler::places_of(const Stage& stage, const std::vector<IndexRange>& partitions) {
  TaskSetLocations places;
  if (const auto shared = shared_places(stage.dataset)) {
    places.lists = *shared;
    return places;
  }
  auto lists = std::make_shared<PreferredLocationLists>();
  for (const IndexRange& range : partitions) {
    for (std::int32_t offset = 0; offset < range.count; ++offset)
      lists->add(preferred_places(stage.dataset, range.first + offset));
  }
  if (lists->is_blank()) return places;
  places.lists = std::move(lists);
  places.by_partition = false;
  return places;
}

}  // namespace heddle::policies
