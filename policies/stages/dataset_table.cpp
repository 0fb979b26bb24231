#include "policies/stages/dataset_table.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "model/assert.hpp"

namespace heddle::policies {

DatasetId DatasetTable::add(const DatasetDescription& description) {
  const DatasetId id{static_cast<std::int64_t>(datasets_.size())};
  HEDDLE_ASSERT(description.partitions >= 0, "dataset " + to_string(id) + " has a negative number of partitions");
  Dataset dataset;
  dataset.indeterminate = description.indeterminate;
  dataset.barrier = description.barrier;
  for (const Dependency& dependency : description.dependencies) {
    HEDDLE_ASSERT(!dependency.parent.is_none() && dependency.parent < id,
                  "a parent of dataset " + to_string(id) + " is not known");
    const Dataset& parent = at(dependency.parent);
    dataset.indeterminate = dataset.indeterminate || parent.indeterminate;
    if (dependency.kind == Dependency::Kind::narrow) {
      dataset.barrier = dataset.barrier || parent.barrier;
      dataset.shuffles.emplace_back();
      dataset.direct_shuffles.insert(dataset.direct_shuffles.end(), parent.direct_shuffles.begin(),
                                     parent.direct_shuffles.end());
    } else {
      const ShuffleId shuffle = shuffle_for(dependency, id, description.partitions);
      dataset.shuffles.push_back(shuffle);
      dataset.direct_shuffles.push_back(shuffle);
    }
  }
  std::sort(dataset.direct_shuffles.begin(), dataset.direct_shuffles.end());
  dataset.direct_shuffles.erase(std::unique(dataset.direct_shuffles.begin(), dataset.direct_shuffles.end()),
                                dataset.direct_shuffles.end());
  dataset.description = description;
  datasets_.push_back(std::move(dataset));
  return id;
}

/// The shuffle that the dependency shares, or a new one.
ShuffleId DatasetTable::shuffle_for(const Dependency& dependency, DatasetId child, std::int32_t partitions) {
  if (dependency.shared.is_none()) {
    shuffles_.push_back({dependency.parent, child});
    return ShuffleId{static_cast<std::int64_t>(shuffles_.size()) - 1};
  }
  HEDDLE_ASSERT(contains(dependency.shared), "shuffle " + to_string(dependency.shared) + " is not known");
  ShuffleEdge& edge = shuffles_[row_of(dependency.shared)];
  const bool is_alike = edge.parent == dependency.parent && at(edge.child).description.partitions == partitions;
  HEDDLE_ASSERT(is_alike && edge.children > 0,
                "dataset " + to_string(child) + " cannot read shuffle " + to_string(dependency.shared));
  edge.children += 1;
  return dependency.shared;
}

std::vector<ShuffleId> DatasetTable::forget(DatasetId dataset) {
  std::vector<ShuffleId> unread;
  Dataset& entry = datasets_[index_of(dataset)];
  for (const ShuffleId shuffle : entry.shuffles) {
    if (shuffle.is_none() || entry.forgotten) continue;
    std::int32_t& children = shuffles_[row_of(shuffle)].children;
    children -= 1;
    if (children == 0) unread.push_back(shuffle);
  }
  entry.forgotten = true;
  entry.description.preferred.reset();
  return unread;
}

bool DatasetTable::covers(DatasetId top, DatasetId wanted) const {
  std::set<DatasetId> seen;
  std::vector<DatasetId> stack{top};
  while (!stack.empty()) {
    const DatasetId dataset = stack.back();
    stack.pop_back();
    if (dataset == wanted) return true;
    if (dataset < wanted || !seen.insert(dataset).second) continue;
    for (const Dependency& dependency : at(dataset).description.dependencies) {
      if (dependency.kind == Dependency::Kind::narrow) stack.push_back(dependency.parent);
    }
  }
  return false;
}

}  // namespace heddle::policies
