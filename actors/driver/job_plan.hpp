// From a job as its user wrote it to what its tasks do: which stages are piped into one task, who shuffles to whom.
// Pure: no actor, no clock. A user's stage is a dataset of the StageScheduler; narrow edges are fused, as Spark fuses
// them. Stages that read a parent in the same way, into as many partitions, share one shuffle: the parent runs once for
// all of them.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "actors/driver/deciders.hpp"
#include "messages/driver.hpp"
#include "model/result.hpp"
#include "policies/stages/stage_scheduler.hpp"

namespace heddle::actors {

/// What the StageScheduler gave a number: one shuffle edge of the graph, or several that are alike.
struct PlannedShuffle {
  std::int32_t parent = 0;  // index of the user's stage
  std::int32_t child = 0;   // the first that reads it
};

/// A graph and its place in the StageScheduler.
class JobPlan {
public:
  /// Checks the graph: parents come first, a narrow stage has one parent, every stage has something to read or a number
  /// of tasks.
  [[nodiscard]] static Result<JobPlan> make(const SubmitJob& submission);

  /// Adds the datasets; `places` gives the preferred places of a stage's splits.
  template <class Places>
  void add_to(RecordedStageScheduler& scheduler, Places&& places) {
    for (std::size_t stage = 0; stage < graph_.stages.size(); ++stage) {
      auto description = describe(stage);
      description.preferred = places(splits_[stage].splits);
      datasets_.push_back(scheduler.apply(stage_input::DatasetAdded{std::move(description)}));
      note_shuffles(scheduler, stage);
    }
  }

  /// Once no job of the scheduler needs them.
  void forget_datasets(RecordedStageScheduler& scheduler) const {
    for (auto dataset = datasets_.rbegin(); dataset != datasets_.rend(); ++dataset)
      scheduler.apply(stage_input::DatasetForgotten{*dataset});
  }

  /// Stages whose records nobody else reads, or that are written: each is a job of the StageScheduler.
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

  /// What tasks share that compute `stage` for `shuffle` (none: for the result).
  [[nodiscard]] StageWork work_of(std::int32_t stage, ShuffleId shuffle) const;
  /// The stage whose input the tasks of `stage` read: itself, or the first of the narrow chain that ends in it.
  [[nodiscard]] std::int32_t root_of(std::int32_t stage) const;
  /// The split of one partition; null if its tasks read none.
  [[nodiscard]] const TaskSplit* split(std::int32_t root, std::int32_t partition) const;
  /// "split + count": the names of the stages that are piped into one task.
  [[nodiscard]] std::string name_of(std::int32_t stage) const;
  /// It is a barrier stage, or one whose records its tasks go on with is.
  [[nodiscard]] bool is_barrier(std::int32_t stage) const;
  /// Slots of one task: the most that any stage asks for whose records pass through it; 0: as the settings say.
  [[nodiscard]] std::int32_t task_cores(std::int32_t stage) const;

  /// Some stage asks for executors of its own size.
  [[nodiscard]] bool names_executors() const;
  /// Whose executors run the tasks of a stage; said before the plan is added to a scheduler.
  void set_profile(std::int32_t stage, ProfileId profile) { profiles_[static_cast<std::size_t>(stage)] = profile; }
  [[nodiscard]] ProfileId profile(std::int32_t stage) const { return profiles_[static_cast<std::size_t>(stage)]; }

  /// Tasks that read a shuffle prefer hosts that hold much of it; said before the plan is added to a scheduler.
  void prefer_large_inputs(bool is_wanted) { prefers_large_inputs_ = is_wanted; }

private:
  [[nodiscard]] policies::DatasetDescription describe(std::size_t stage) const;
  [[nodiscard]] ShuffleId shuffle_alike(std::size_t stage, std::int32_t parent,
                                        const std::vector<policies::Dependency>& others) const;
  void note_shuffles(const RecordedStageScheduler& scheduler, std::size_t stage);

  JobGraph graph_;
  std::vector<StageSplits> splits_;
  std::vector<std::int32_t> partitions_;
  std::vector<ProfileId> profiles_;
  std::vector<policies::DatasetId> datasets_;
  std::map<ShuffleId, PlannedShuffle> shuffles_;
  std::map<std::int32_t, std::vector<ShuffleId>> written_by_;  // stages by index
  std::map<std::int32_t, std::vector<ShuffleId>> read_by_;
  bool prefers_large_inputs_ = false;
};

}  // namespace heddle::actors
