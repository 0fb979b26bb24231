// From datasets to stages: which stages a job needs, in which order they are made, who depends on whom.
// A stage covers a dataset and all that it reaches through narrow dependencies; the shuffles met there are its parents.
#include <algorithm>
#include <utility>

#include "model/assert.hpp"
#include "policies/stages/stage_scheduler.hpp"

namespace heddle::policies {

DatasetId StageScheduler::apply(Instant, const stage_input::DatasetAdded& input) {
  const DatasetId id{static_cast<std::int64_t>(datasets_.size())};
  HEDDLE_ASSERT(input.description.partitions >= 0, "dataset " + to_string(id) + " has a negative number of partitions");
  Dataset dataset;
  dataset.indeterminate = input.description.indeterminate;
  dataset.barrier = input.description.barrier;
  for (const Dependency& dependency : input.description.dependencies) {
    HEDDLE_ASSERT(!dependency.parent.is_none() && dependency.parent < id,
                  "a parent of dataset " + to_string(id) + " is not known");
    const Dataset& parent = datasets_[index_of(dependency.parent)];
    dataset.indeterminate = dataset.indeterminate || parent.indeterminate;
    if (dependency.kind == Dependency::Kind::narrow) {
      dataset.barrier = dataset.barrier || parent.barrier;
      dataset.shuffles.emplace_back();
      dataset.direct_shuffles.insert(dataset.direct_shuffles.end(), parent.direct_shuffles.begin(),
                                     parent.direct_shuffles.end());
    } else {
      const ShuffleId shuffle = shuffle_for(dependency, id, input.description.partitions);
      dataset.shuffles.push_back(shuffle);
      dataset.direct_shuffles.push_back(shuffle);
    }
  }
  std::sort(dataset.direct_shuffles.begin(), dataset.direct_shuffles.end());
  dataset.direct_shuffles.erase(std::unique(dataset.direct_shuffles.begin(), dataset.direct_shuffles.end()),
                                dataset.direct_shuffles.end());
  dataset.description = input.description;
  datasets_.push_back(std::move(dataset));
  return id;
}

/// The shuffle that the dependency shares, or a new one.
ShuffleId StageScheduler::shuffle_for(const Dependency& dependency, DatasetId child, std::int32_t partitions) {
  if (dependency.shared.is_none()) {
    shuffles_.push_back({dependency.parent, child});
    return ShuffleId{static_cast<std::int64_t>(shuffles_.size()) - 1};
  }
  HEDDLE_ASSERT(static_cast<std::size_t>(dependency.shared.value) < shuffles_.size(),
                "shuffle " + to_string(dependency.shared) + " is not known");
  ShuffleEdge& edge = shuffles_[static_cast<std::size_t>(dependency.shared.value)];
  const bool is_alike =
      edge.parent == dependency.parent && datasets_[index_of(edge.child)].description.partitions == partitions;
  HEDDLE_ASSERT(is_alike && edge.children > 0,
                "dataset " + to_string(child) + " cannot read shuffle " + to_string(dependency.shared));
  edge.children += 1;
  return dependency.shared;
}

void StageScheduler::apply(Instant, const stage_input::DatasetForgotten& input) {
  HEDDLE_ASSERT(index_of(input.dataset) < datasets_.size(), "dataset " + to_string(input.dataset) + " is not known");
  Dataset& entry = datasets_[index_of(input.dataset)];
  for (const auto& [id, stage] : stages_) {
    const auto& shuffles = entry.shuffles;
    const bool writes_for_it =
        stage.kind == StageKind::map && std::find(shuffles.begin(), shuffles.end(), stage.shuffle) != shuffles.end();
    if (writes_for_it || (stage.dataset >= input.dataset && covers(stage.dataset, input.dataset))) return;
  }
  for (const ShuffleId shuffle : entry.shuffles) {
    if (shuffle.is_none() || entry.forgotten) continue;
    std::int32_t& children = shuffles_[static_cast<std::size_t>(shuffle.value)].children;
    children -= 1;
    if (children == 0) outputs_.remove_shuffle(shuffle);
  }
  entry.forgotten = true;
  entry.description.preferred.reset();
  entry.cached.reset();
  entry.looked_up.reset();
}

/// True if the first dataset is the other or reaches it through narrow dependencies.
bool StageScheduler::covers(DatasetId top, DatasetId wanted) const {
  std::set<DatasetId> seen;
  std::vector<DatasetId> stack{top};
  while (!stack.empty()) {
    const DatasetId at = stack.back();
    stack.pop_back();
    if (at == wanted) return true;
    if (at < wanted || !seen.insert(at).second) continue;
    for (const Dependency& dependency : datasets_[index_of(at)].description.dependencies) {
      if (dependency.kind == Dependency::Kind::narrow) stack.push_back(dependency.parent);
    }
  }
  return false;
}

ShuffleId StageScheduler::shuffle_of(DatasetId dataset, std::size_t dependency) const {
  HEDDLE_ASSERT(index_of(dataset) < datasets_.size(), "dataset " + to_string(dataset) + " is not known");
  const std::vector<ShuffleId>& shuffles = datasets_[index_of(dataset)].shuffles;
  HEDDLE_ASSERT(dependency < shuffles.size(), "dataset " + to_string(dataset) + " has fewer dependencies");
  return shuffles[dependency];
}

/// Shuffles above the dataset that have no stage, ancestors ahead of those that need them. May name one twice.
std::vector<ShuffleId> StageScheduler::missing_ancestors(DatasetId dataset) const {
  std::vector<ShuffleId> found;  // last found is first made
  std::set<DatasetId> seen;
  std::vector<DatasetId> stack{dataset};
  while (!stack.empty()) {
    const DatasetId top = stack.back();
    stack.pop_back();
    if (!seen.insert(top).second) continue;
    for (const ShuffleId shuffle : datasets_[index_of(top)].direct_shuffles) {
      if (map_stage_of_.contains(shuffle)) continue;
      found.push_back(shuffle);
      stack.push_back(shuffles_[static_cast<std::size_t>(shuffle.value)].parent);
    }
  }
  std::reverse(found.begin(), found.end());
  return found;
}

StageId StageScheduler::ensure_map_stage(ShuffleId shuffle, JobId job) {
  const auto found = map_stage_of_.find(shuffle);
  if (found != map_stage_of_.end()) return found->second;
  for (const ShuffleId ancestor : missing_ancestors(shuffles_[static_cast<std::size_t>(shuffle.value)].parent)) {
    if (!map_stage_of_.contains(ancestor)) make_map_stage(ancestor, job);
  }
  return make_map_stage(shuffle, job);
}

StageId StageScheduler::make_map_stage(ShuffleId shuffle, JobId job) {
  const ShuffleEdge edge = shuffles_[static_cast<std::size_t>(shuffle.value)];
  Stage stage;
  stage.kind = StageKind::map;
  stage.shuffle = shuffle;
  const StageId id = make_stage(std::move(stage), edge.parent, job);
  map_stage_of_[shuffle] = id;
  const std::int32_t maps = datasets_[index_of(edge.parent)].description.partitions;
  outputs_.add_shuffle(shuffle, maps, datasets_[index_of(edge.child)].description.partitions);
  return id;
}

/// Ensures the stage's parents, then gives it the next id.
StageId StageScheduler::make_stage(Stage stage, DatasetId dataset, JobId job) {
  std::vector<StageId> parents;
  for (const ShuffleId shuffle : datasets_[index_of(dataset)].direct_shuffles)
    parents.push_back(ensure_map_stage(shuffle, job));
  std::sort(parents.begin(), parents.end());
  stage.id = StageId{next_stage_};
  ++next_stage_;
  stage.dataset = dataset;
  stage.first_job = job;
  stage.parents = std::move(parents);
  const StageId id = stage.id;
  stages_.emplace(id, std::move(stage));
  register_job(job, id);
  return id;
}

/// Notes that the job needs the stage and all its ancestors.
void StageScheduler::register_job(JobId job, StageId stage) {
  std::vector<StageId> stack{stage};
  while (!stack.empty()) {
    const StageId top = stack.back();
    stack.pop_back();
    Stage& entry = stages_.at(top);
    entry.jobs.insert(job);
    jobs_[job].stages.insert(top);
    for (const StageId parent : entry.parents) {
      if (!stages_.at(parent).jobs.contains(job)) stack.push_back(parent);
    }
  }
}

/// True if the stage needs the target's dataset, through narrow dependencies and map stages that are not complete.
bool StageScheduler::depends_on(StageId stage, StageId target) const {
  if (stage == target) return true;
  const DatasetId wanted = stages_.at(target).dataset;
  std::set<DatasetId> seen;
  std::vector<DatasetId> stack{stages_.at(stage).dataset};
  while (!stack.empty()) {
    const DatasetId top = stack.back();
    stack.pop_back();
    if (!seen.insert(top).second) continue;
    if (top == wanted) return true;
    const Dataset& dataset = datasets_[index_of(top)];
    for (std::size_t i = 0; i < dataset.shuffles.size(); ++i) {
      const ShuffleId shuffle = dataset.shuffles[i];
      if (shuffle.is_none() || !outputs_.is_complete(shuffle))
        stack.push_back(dataset.description.dependencies[i].parent);
    }
  }
  return false;
}

std::vector<std::pair<StageId, ShuffleId>> StageScheduler::stages_of(JobId job) const {
  std::vector<std::pair<StageId, ShuffleId>> stages;
  const auto known = jobs_.find(job);
  if (known == jobs_.end()) return stages;
  for (const StageId stage : known->second.stages) stages.emplace_back(stage, stages_.at(stage).shuffle);
  return stages;
}

}  // namespace heddle::policies
