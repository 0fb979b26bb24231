// Translates the job graph of a user into the work of tasks: which stages run in one task, and which shuffles connect
// them. Pure: no actor, no clock. Each stage of the user is a dataset of the StageScheduler. Stages connected by a
// narrow edge (one parent, no shuffle) are fused into one task, as in Spark. Stages that read a parent with equal
// shuffle options and partitions share one shuffle, so that the parent runs once.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "actors/driver/deciders.hpp"
#include "messages/driver.hpp"
#include "model/result.hpp"
#include "policies/stages/stage_scheduler.hpp"

namespace heddle::actors {

/// A shuffle of the StageScheduler: one edge of the graph, or several with equal options.
struct PlannedShuffle {
  std::int32_t parent = 0;  // stage index of the writer
  std::int32_t child = 0;   // stage index of its first reader
};

/// A job graph with its datasets and shuffles in the StageScheduler.
class JobPlan {
public:
  /// Checks the graph: parents come before children, a stage without shuffle has at most one parent, and a stage with
  /// parents has no input files. Otherwise a usage error with the stage name.
  [[nodiscard]] static Result<JobPlan> make(JobGraph graph, std::vector<StageSplits> splits);

  /// Adds the datasets to the scheduler. `places` returns the preferred locations of a stage's splits.
  template <class Places>
  void add_to(RecordedStageScheduler& scheduler, Places&& places) {
    for (std::size_t stage = 0; stage < graph_.stages.size(); ++stage) {
      auto description = describe(stage);
      description.preferred = places(splits_[stage].splits);
      datasets_.push_back(scheduler.apply(stage_input::DatasetAdded{std::move(description)}));
      record_shuffles(scheduler, stage);
    }
  }

  /// Removes the datasets. Precondition: no job of the scheduler uses them.
  void forget_datasets(RecordedStageScheduler& scheduler) const {
    for (auto dataset = datasets_.rbegin(); dataset != datasets_.rend(); ++dataset)
      scheduler.apply(stage_input::DatasetForgotten{*dataset});
  }

  /// Stages without children, and stages with an output. Each becomes one job of the StageScheduler.
  [[nodiscard]] std::vector<std::int32_t> result_stages() const;
  [[nodiscard]] std::vector<std::string> output_paths() const;
  [[nodiscard]] policies::DatasetId dataset(std::int32_t stage) const {
    return datasets_[static_cast<std::size_t>(stage)];
  }
  [[nodiscard]] std::int32_t stage_of(policies::DatasetId dataset) const;
  [[nodiscard]] std::int32_t partitions(std::int32_t stage) const {
    return partitions_[static_cast<std::size_t>(stage)];
  }
  [[nodiscard]] const StageDescription& stage(std::int32_t stage) const {
    return graph_.stages[static_cast<std::size_t>(stage)];
  }
  [[nodiscard]] const JobGraph& graph() const { return graph_; }
  [[nodiscard]] const std::map<ShuffleId, PlannedShuffle>& shuffles() const { return shuffles_; }

  /// The description that all tasks of `stage` share. They write `shuffle`, or the result if it is none.
  [[nodiscard]] StageProgram work_of(std::int32_t stage, ShuffleId shuffle) const;
  /// The first stage of the fused chain that ends in `stage`: its tasks read the input of that stage.
  [[nodiscard]] std::int32_t root_of(std::int32_t stage) const;
  /// The split of one partition; null if the stage reads no files.
  [[nodiscard]] const TaskSplit* split(std::int32_t root, std::int32_t partition) const;
  /// Names of the fused stages, such as "split + count".
  [[nodiscard]] std::string name_of(std::int32_t stage) const;
  /// Any of the fused stages is a barrier stage.
  [[nodiscard]] bool is_barrier(std::int32_t stage) const;
  /// Task slots per task: the maximum over the fused stages; 0: from the settings.
  [[nodiscard]] std::int32_t task_cores(std::int32_t stage) const;

  /// Any stage sets the size of its executors.
  [[nodiscard]] bool names_executors() const;
  /// Sets the resource profile of a stage. Call it before add_to.
  void set_profile(std::int32_t stage, ProfileId profile) { profiles_[static_cast<std::size_t>(stage)] = profile; }
  [[nodiscard]] ProfileId profile(std::int32_t stage) const { return profiles_[static_cast<std::size_t>(stage)]; }

  /// True: tasks that read a shuffle prefer hosts with a large part of it. Call it before add_to.
  void prefer_large_inputs(bool is_wanted) { prefers_large_inputs_ = is_wanted; }

private:
  [[nodiscard]] policies::DatasetDescription describe(std::size_t stage) const;
  [[nodiscard]] ShuffleId shuffle_alike(std::size_t stage, std::int32_t parent,
                                        const std::vector<policies::Dependency>& others) const;
  void record_shuffles(const RecordedStageScheduler& scheduler, std::size_t stage);

  JobGraph graph_;
  std::vector<StageSplits> splits_;
  std::vector<std::int32_t> partitions_;
  std::vector<ProfileId> profiles_;
  std::vector<policies::DatasetId> datasets_;
  std::map<ShuffleId, PlannedShuffle> shuffles_;
  std::map<std::int32_t, std::vector<ShuffleId>> written_by_;  // by stage index
  std::map<std::int32_t, std::vector<ShuffleId>> read_by_;
  bool prefers_large_inputs_ = false;
};

}  // namespace heddle::actors
