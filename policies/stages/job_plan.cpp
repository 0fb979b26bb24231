#include "policies/stages/job_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "model/assert.hpp"

namespace heddle::policies {
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

Result<JobPlan> JobPlan::make(JobPackage package) {
  if (package.graph.stages.empty()) return Error{Errc::usage, "the job has no stages"};
  JobPlan plan;
  plan.package_ = std::move(package);
  plan.package_.splits.resize(plan.graph().stages.size());
  for (std::size_t index = 0; index < plan.graph().stages.size(); ++index) {
    if (auto checked = check_stage(plan.graph(), index); !checked) return checked.error();
    const auto& stage = plan.graph().stages[index];
    std::int32_t partitions = std::max(stage.partitions, 1);
    if (is_narrow(stage)) partitions = plan.partitions_[static_cast<std::size_t>(stage.parents.front())];
    else if (!stage.inputs.empty()) partitions = static_cast<std::int32_t>(plan.package_.splits[index].splits.size());
    plan.partitions_.push_back(partitions);
  }
  return plan;
}

std::vector<std::int32_t> JobPlan::result_stages() const {
  std::vector<bool> is_read(graph().stages.size(), false);
  for (const auto& stage : graph().stages)
    for (const auto parent : stage.parents) is_read[static_cast<std::size_t>(parent)] = true;
  std::vector<std::int32_t> results;
  for (std::size_t index = 0; index < graph().stages.size(); ++index)
    if (!is_read[index] || graph().stages[index].output) results.push_back(static_cast<std::int32_t>(index));
  return results;
}

std::vector<std::string> JobPlan::output_paths() const {
  std::vector<std::string> paths;
  for (const auto& stage : graph().stages)
    if (stage.output) paths.push_back(stage.output->path);
  return paths;
}

std::int32_t JobPlan::root_of(std::int32_t stage) const {
  while (is_narrow(this->stage(stage))) stage = this->stage(stage).parents.front();
  return stage;
}

const TaskSplit* JobPlan::split(std::int32_t root, std::int32_t partition) const {
  const auto& all = splits(root);
  return static_cast<std::size_t>(partition) < all.size() ? &all[static_cast<std::size_t>(partition)] : nullptr;
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
  return std::any_of(graph().stages.begin(), graph().stages.end(),
                     [](const auto& stage) { return stage.executor_cores > 0; });
}

// -- shuffles ------------------------------------------------------------------------------------

/// A shuffle of `parent` that the stage can share: an earlier stage reads it with equal options and partitions. A stage
/// that names a parent twice needs two shuffles, so shuffles in `taken` are not returned.
ShuffleId JobPlan::shared_shuffle(std::int32_t stage, std::int32_t parent, const std::vector<ShuffleId>& taken) const {
  const auto written = written_by_.find(parent);
  if (written == written_by_.end()) return {};
  for (const auto shuffle : written->second) {
    const auto reader = shuffles_.at(shuffle).child;
    const bool is_alike =
        partitions(reader) == partitions(stage) && this->stage(reader).shuffle == this->stage(stage).shuffle;
    if (is_alike && std::find(taken.begin(), taken.end(), shuffle) == taken.end()) return shuffle;
  }
  return {};
}

std::vector<ShuffleId> JobPlan::shared_shuffles(std::int32_t stage) const {
  std::vector<ShuffleId> shared;
  if (!this->stage(stage).shuffle) return shared;
  for (const auto parent : this->stage(stage).parents) shared.push_back(shared_shuffle(stage, parent, shared));
  return shared;
}

void JobPlan::set_shuffles(std::int32_t stage, const std::vector<ShuffleId>& shuffles) {
  const auto& parents = this->stage(stage).parents;
  HEDDLE_ASSERT(shuffles.size() == parents.size(), "a stage with a shuffle has one shuffle per parent");
  for (std::size_t edge = 0; edge < parents.size(); ++edge) {
    const auto shuffle = shuffles[edge];
    if (shuffles_.try_emplace(shuffle, PlannedShuffle{parents[edge], stage}).second)
      written_by_[parents[edge]].push_back(shuffle);
    read_by_[stage].push_back(shuffle);
  }
}

ShuffleId JobPlan::number_shuffles(ShuffleId next) {
  for (std::int32_t stage = 0; stage < stages(); ++stage) {
    if (!this->stage(stage).shuffle) continue;
    auto shuffles = shared_shuffles(stage);
    for (auto& shuffle : shuffles)
      if (shuffle.is_none()) shuffle = std::exchange(next, ShuffleId{next.value + 1});
    set_shuffles(stage, shuffles);
  }
  return next;
}

// -- programs ------------------------------------------------------------------------------------

StageProgram JobPlan::program_of(std::int32_t stage, ShuffleId shuffle) const {
  StageProgram program;
  const auto root = root_of(stage);
  program.name = name_of(stage);
  program.tasks = partitions(root);
  program.inputs = this->stage(root).inputs;
  program.map_reduce = this->stage(root).map_reduce;
  for (auto at = stage;; at = this->stage(at).parents.front()) {
    const auto& bodies = this->stage(at).bodies;
    program.bodies.insert(program.bodies.begin(), bodies.begin(), bodies.end());
    program.pass_through = program.pass_through || this->stage(at).pass_through;
    if (program.terminal.empty()) program.terminal = this->stage(at).terminal;
    program.keep_standard_output = program.keep_standard_output || this->stage(at).keep_standard_output;
    if (at == root) break;
  }
  if (const auto read = read_by_.find(root); read != read_by_.end())
    for (const auto id : read->second)
      program.shuffle_inputs.push_back({id, partitions(shuffles_.at(id).parent), *this->stage(root).shuffle});
  if (const auto edge = shuffles_.find(shuffle); edge != shuffles_.end())
    program.shuffle_output =
        ShuffleOutput{shuffle, partitions(edge->second.child), *this->stage(edge->second.child).shuffle};
  else program.output = this->stage(stage).output;
  return program;
}

}  // namespace heddle::policies
