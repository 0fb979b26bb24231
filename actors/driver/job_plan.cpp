#include "actors/driver/job_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::actors {
namespace {

bool is_narrow(const StageDescription& stage) { return !stage.parents.empty() && !stage.shuffle; }

Result<Done> check_stage(const JobGraph& graph, std::size_t index) {
  const auto& stage = graph.stages[index];
  for (const auto parent : stage.parents)
    if (parent < 0 || static_cast<std::size_t>(parent) >= index)
      return Error{Errc::usage,
                   fmt::format("stage '{}' has a parent that does not come before it in the graph", stage.name)};
  if (is_narrow(stage) && stage.parents.size() > 1)
    return Error{Errc::usage,
                 fmt::format("stage '{}' has {} parents and no shuffle; a stage without a shuffle has exactly one",
                             stage.name, stage.parents.size())};
  if (!stage.parents.empty() && !stage.inputs.empty())
    return Error{Errc::usage,
                 fmt::format("stage '{}' has both parents and input files; remove one of them", stage.name)};
  return Done{};
}

}  // namespace

Result<JobPlan> JobPlan::make(JobGraph graph, std::vector<StageSplits> splits) {
  if (graph.stages.empty()) return Error{Errc::usage, "the job has no stages"};
  JobPlan plan;
  plan.graph_ = std::move(graph);
  plan.splits_ = std::move(splits);
  plan.splits_.resize(plan.graph_.stages.size());
  plan.profiles_.resize(plan.graph_.stages.size(), ProfileId{0});
  for (std::size_t index = 0; index < plan.graph_.stages.size(); ++index) {
    if (auto checked = check_stage(plan.graph_, index); !checked) return checked.error();
    const auto& stage = plan.graph_.stages[index];
    std::int32_t partitions = std::max(stage.partitions, 1);
    if (is_narrow(stage)) partitions = plan.partitions_[static_cast<std::size_t>(stage.parents.front())];
    else if (!stage.inputs.empty()) partitions = static_cast<std::int32_t>(plan.splits_[index].splits.size());
    plan.partitions_.push_back(partitions);
  }
  return plan;
}

policies::DatasetDescription JobPlan::describe(std::size_t stage) const {
  const auto& description = graph_.stages[stage];
  const auto kind = description.shuffle ? policies::Dependency::Kind::shuffle : policies::Dependency::Kind::narrow;
  policies::DatasetDescription dataset;
  dataset.partitions = partitions_[stage];
  dataset.barrier = description.barrier;
  dataset.profile = profiles_[stage];
  dataset.reduce_locality = prefers_large_inputs_ && description.shuffle.has_value();
  for (const auto parent : description.parents) {
    policies::Dependency dependency{kind, datasets_[static_cast<std::size_t>(parent)]};
    if (description.shuffle) dependency.shared = shuffle_alike(stage, parent, dataset.dependencies);
    dataset.dependencies.push_back(dependency);
  }
  return dataset;
}

/// A shuffle of `parent` that this stage can share: an earlier stage reads it with equal options and partitions. A
/// stage that names a parent twice needs two shuffles, so shuffles in `others` are not returned.
ShuffleId JobPlan::shuffle_alike(std::size_t stage, std::int32_t parent,
                                 const std::vector<policies::Dependency>& others) const {
  const auto written = written_by_.find(parent);
  if (written == written_by_.end()) return {};
  for (const auto shuffle : written->second) {
    const auto reader = static_cast<std::size_t>(shuffles_.at(shuffle).child);
    const bool is_alike =
        partitions_[reader] == partitions_[stage] && graph_.stages[reader].shuffle == graph_.stages[stage].shuffle;
    const bool is_taken =
        std::any_of(others.begin(), others.end(), [shuffle](const auto& other) { return other.shared == shuffle; });
    if (is_alike && !is_taken) return shuffle;
  }
  return {};
}

void JobPlan::record_shuffles(const RecordedStageScheduler& scheduler, std::size_t stage) {
  const auto& parents = graph_.stages[stage].parents;
  for (std::size_t edge = 0; edge < parents.size(); ++edge) {
    const auto shuffle = scheduler->shuffle_of(datasets_[stage], edge);
    if (shuffle.is_none()) continue;
    if (shuffles_.try_emplace(shuffle, PlannedShuffle{parents[edge], static_cast<std::int32_t>(stage)}).second)
      written_by_[parents[edge]].push_back(shuffle);
    read_by_[static_cast<std::int32_t>(stage)].push_back(shuffle);
  }
}

std::vector<std::int32_t> JobPlan::result_stages() const {
  std::vector<bool> is_read(graph_.stages.size(), false);
  for (const auto& stage : graph_.stages)
    for (const auto parent : stage.parents) is_read[static_cast<std::size_t>(parent)] = true;
  std::vector<std::int32_t> results;
  for (std::size_t index = 0; index < graph_.stages.size(); ++index)
    if (!is_read[index] || graph_.stages[index].output) results.push_back(static_cast<std::int32_t>(index));
  return results;
}

std::vector<std::string> JobPlan::output_paths() const {
  std::vector<std::string> paths;
  for (const auto& stage : graph_.stages)
    if (stage.output) paths.push_back(stage.output->path);
  return paths;
}

std::int32_t JobPlan::stage_of(policies::DatasetId dataset) const {
  const auto position = std::find(datasets_.begin(), datasets_.end(), dataset);
  return position == datasets_.end() ? -1 : static_cast<std::int32_t>(position - datasets_.begin());
}

std::int32_t JobPlan::root_of(std::int32_t stage) const {
  while (is_narrow(this->stage(stage))) stage = this->stage(stage).parents.front();
  return stage;
}

const TaskSplit* JobPlan::split(std::int32_t root, std::int32_t partition) const {
  const auto& splits = splits_[static_cast<std::size_t>(root)].splits;
  return static_cast<std::size_t>(partition) < splits.size() ? &splits[static_cast<std::size_t>(partition)] : nullptr;
}

std::string JobPlan::name_of(std::int32_t stage) const {
  std::string name = this->stage(stage).name;
  for (auto at = stage; is_narrow(this->stage(at));) {
    at = this->stage(at).parents.front();
    name = this->stage(at).name + " + " + name;
  }
  return name;
}

bool JobPlan::is_barrier(std::int32_t stage) const {
  if (this->stage(stage).barrier) return true;
  return is_narrow(this->stage(stage)) && is_barrier(this->stage(stage).parents.front());
}

std::int32_t JobPlan::task_cores(std::int32_t stage) const {
  auto cores = this->stage(stage).cores;
  for (auto at = stage; is_narrow(this->stage(at));) {
    at = this->stage(at).parents.front();
    cores = std::max(cores, this->stage(at).cores);
  }
  return cores;
}

bool JobPlan::names_executors() const {
  return std::any_of(graph_.stages.begin(), graph_.stages.end(),
                     [](const auto& stage) { return stage.executor_cores > 0; });
}

StageProgram JobPlan::work_of(std::int32_t stage, ShuffleId shuffle) const {
  StageProgram work;
  const auto root = root_of(stage);
  work.name = name_of(stage);
  work.tasks = partitions(root);
  work.inputs = this->stage(root).inputs;
  for (auto at = stage;; at = this->stage(at).parents.front()) {
    const auto& bodies = this->stage(at).bodies;
    work.bodies.insert(work.bodies.begin(), bodies.begin(), bodies.end());
    work.pass_through = work.pass_through || this->stage(at).pass_through;
    if (work.terminal.empty()) work.terminal = this->stage(at).terminal;
    work.keep_standard_output = work.keep_standard_output || this->stage(at).keep_standard_output;
    if (at == root) break;
  }
  if (const auto read = read_by_.find(root); read != read_by_.end())
    for (const auto id : read->second)
      work.shuffle_inputs.push_back({id, partitions(shuffles_.at(id).parent), *this->stage(root).shuffle});
  if (const auto edge = shuffles_.find(shuffle); edge != shuffles_.end())
    work.shuffle_output =
        ShuffleOutput{shuffle, partitions(edge->second.child), *this->stage(edge->second.child).shuffle};
  else work.output = this->stage(stage).output;
  return work;
}

}  // namespace heddle::actors
