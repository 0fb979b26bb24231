// From datasets to stages: which stages a job needs, in which order they are made, which stage depends on which.
// A stage covers a dataset and the datasets that it reaches through narrow dependencies. The map stages of the shuffles
// met there are its parents.
#include <algorithm>
#include <utility>

#include "policies/stages/stage_scheduler_state.hpp"

namespace heddle::policies {
namespace {

/// Shuffles above the dataset without a stage, ancestors first. May name a shuffle twice.
std::vector<ShuffleId> missing_ancestors(const StageSchedulerState& state, DatasetId dataset) {
  std::vector<ShuffleId> found;  // in reverse order
  std::set<DatasetId> seen;
  std::vector<DatasetId> stack{dataset};
  while (!stack.empty()) {
    const DatasetId top = stack.back();
    stack.pop_back();
    if (!seen.insert(top).second) continue;
    for (const ShuffleId shuffle : state.datasets.at(top).direct_shuffles) {
      if (state.map_stage_of.contains(shuffle)) continue;
      found.push_back(shuffle);
      stack.push_back(state.datasets.at(shuffle).parent);
    }
  }
  std::reverse(found.begin(), found.end());
  return found;
}

/// Makes the missing parents of the stage, then gives it the next id.
StageId make_stage(StageSchedulerState& state, Stage stage, DatasetId dataset, JobId job) {
  std::vector<StageId> parents;
  for (const ShuffleId shuffle : state.datasets.at(dataset).direct_shuffles)
    parents.push_back(ensure_map_stage(state, shuffle, job));
  std::sort(parents.begin(), parents.end());
  const StageId id{state.next_stage};
  ++state.next_stage;
  stage.id = id;
  stage.dataset = dataset;
  stage.first_job = job;
  stage.parents = std::move(parents);
  state.stages.emplace(id, std::move(stage));
  register_job(state, job, id);
  return id;
}

StageId make_map_stage(StageSchedulerState& state, ShuffleId shuffle, JobId job) {
  const ShuffleEdge edge = state.datasets.at(shuffle);
  Stage stage;
  stage.kind = StageKind::map;
  stage.shuffle = shuffle;
  const StageId id = make_stage(state, std::move(stage), edge.parent, job);
  state.map_stage_of[shuffle] = id;
  state.outputs.add_shuffle(shuffle, state.datasets.at(edge.parent).description.partitions,
                            state.datasets.at(edge.child).description.partitions);
  return id;
}

}  // namespace

StageId make_result_stage(StageSchedulerState& state, DatasetId dataset, JobId job) {
  Stage stage;
  stage.kind = StageKind::result;
  stage.result_job = job;
  return make_stage(state, std::move(stage), dataset, job);
}

StageId ensure_map_stage(StageSchedulerState& state, ShuffleId shuffle, JobId job) {
  const auto found = state.map_stage_of.find(shuffle);
  if (found != state.map_stage_of.end()) return found->second;
  for (const ShuffleId ancestor : missing_ancestors(state, state.datasets.at(shuffle).parent)) {
    if (!state.map_stage_of.contains(ancestor)) make_map_stage(state, ancestor, job);
  }
  return make_map_stage(state, shuffle, job);
}

void register_job(StageSchedulerState& state, JobId job, StageId stage) {
  std::vector<StageId> stack{stage};
  while (!stack.empty()) {
    const StageId top = stack.back();
    stack.pop_back();
    Stage& entry = state.stages.at(top);
    entry.jobs.insert(job);
    state.jobs[job].stages.insert(top);
    for (const StageId parent : entry.parents) {
      if (!state.stages.at(parent).jobs.contains(job)) stack.push_back(parent);
    }
  }
}

bool depends_on(const StageSchedulerState& state, StageId stage, StageId target) {
  if (stage == target) return true;
  const DatasetId wanted = state.stages.at(target).dataset;
  std::set<DatasetId> seen;
  std::vector<DatasetId> stack{state.stages.at(stage).dataset};
  while (!stack.empty()) {
    const DatasetId top = stack.back();
    stack.pop_back();
    if (!seen.insert(top).second) continue;
    if (top == wanted) return true;
    const Dataset& dataset = state.datasets.at(top);
    for (std::size_t i = 0; i < dataset.shuffles.size(); ++i) {
      const ShuffleId shuffle = dataset.shuffles[i];
      if (shuffle.is_none() || !state.outputs.is_complete(shuffle))
        stack.push_back(dataset.description.dependencies[i].parent);
    }
  }
  return false;
}

std::set<StageId> downstream_of(const StageSchedulerState& state, StageId stage) {
  std::set<StageId> downstream{stage};
  for (const auto& [id, candidate] : state.stages) {  // parents have smaller ids
    const std::vector<StageId>& above = candidate.parents;
    if (std::any_of(above.begin(), above.end(), [&](StageId parent) { return downstream.contains(parent); }))
      downstream.insert(id);
  }
  return downstream;
}

}  // namespace heddle::policies
