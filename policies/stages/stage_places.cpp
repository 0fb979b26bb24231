// Preferred locations of the tasks of a stage. For each partition the first answer counts: cached copies, the preferred
// locations of the dataset, hosts with much of its shuffled input, then the same for each narrow parent in turn.
#include <utility>

#include "policies/stages/stage_scheduler_state.hpp"

namespace heddle::policies {

namespace {

/// A host is preferred from this share of a reduce task's input on (MOT-4).
constexpr double reduce_locality_fraction = 0.2;

/// Null: nothing is cached.
const CachedPlaces* look_up_cached(StageSchedulerState& state, DatasetId dataset) {
  return state.datasets.at(dataset).description.cached ? state.cached.look_up(dataset) : nullptr;
}

/// The lists that hold for every partition of a dataset, found without a look at each. None: there is no such list.
std::optional<std::shared_ptr<const PreferredLocationLists>> shared_places(StageSchedulerState& state,
                                                                           DatasetId dataset) {
  DatasetId at = dataset;
  while (true) {
    const CachedPlaces* cached = look_up_cached(state, at);
    const DatasetDescription& description = state.datasets.at(at).description;
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

/// Hosts with much of what the partition reads of the dataset's first shuffle.
std::vector<PreferredLocation> reduce_places(const StageSchedulerState& state, DatasetId dataset,
                                             std::int32_t partition) {
  std::vector<PreferredLocation> places;
  for (const ShuffleId shuffle : state.datasets.at(dataset).shuffles) {
    if (shuffle.is_none()) continue;
    const auto hosts = state.outputs.largest_hosts(shuffle, partition, reduce_locality_fraction,
                                                   state.settings.reduce_locality_by_host);
    for (const HostId host : hosts) places.emplace_back(host);
    break;
  }
  return places;
}

/// Depth first through narrow parents in their order. Visits each dataset once.
std::vector<PreferredLocation> preferred_places(StageSchedulerState& state, DatasetId dataset, std::int32_t partition) {
  std::set<DatasetId> seen;
  std::vector<DatasetId> stack{dataset};
  while (!stack.empty()) {
    const DatasetId top = stack.back();
    stack.pop_back();
    if (!seen.insert(top).second) continue;
    const DatasetDescription& description = state.datasets.at(top).description;
    if (partition >= description.partitions) continue;
    const auto index = static_cast<std::size_t>(partition);
    const CachedPlaces* cached = look_up_cached(state, top);
    if (cached != nullptr && !cached->of_partition[index].empty()) return cached->of_partition[index];
    if (description.preferred) {
      const auto own = description.preferred->of(index);
      if (!own.empty()) return {own.begin(), own.end()};
    }
    if (description.reduce_locality) {
      std::vector<PreferredLocation> hosts = reduce_places(state, top, partition);
      if (!hosts.empty()) return hosts;
    }
    const std::vector<Dependency>& dependencies = description.dependencies;
    for (auto dependency = dependencies.rbegin(); dependency != dependencies.rend(); ++dependency) {
      if (dependency->kind == Dependency::Kind::narrow) stack.push_back(dependency->parent);
    }
  }
  return {};
}

}  // namespace

bool is_fully_cached(StageSchedulerState& state, DatasetId dataset) {
  const CachedPlaces* cached = look_up_cached(state, dataset);
  const std::int32_t partitions = state.datasets.at(dataset).description.partitions;
  return cached ? cached->partitions_cached == partitions : partitions == 0;
}

TaskSetLocations places_of(StageSchedulerState& state, const Stage& stage, const std::vector<IndexRange>& partitions) {
  TaskSetLocations places;
  if (const auto shared = shared_places(state, stage.dataset)) {
    places.lists = *shared;
    return places;
  }
  auto lists = std::make_shared<PreferredLocationLists>();
  for (const IndexRange& range : partitions) {
    for (std::int32_t offset = 0; offset < range.count; ++offset)
      lists->add(preferred_places(state, stage.dataset, range.first + offset));
  }
  if (lists->is_blank()) return places;
  places.lists = std::move(lists);
  places.by_partition = false;
  return places;
}

}  // namespace heddle::policies
