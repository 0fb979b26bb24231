// Translates the job graph of a user into the work of tasks: which stages run in one task, which shuffles connect them,
// and the program of each stage. Each role that runs jobs uses it; the role chooses the ids of the shuffles.
// Stages connected by a narrow edge (one parent, no shuffle) are fused into one task, as in Spark. Stages that read a
// parent with equal shuffle options and partitions share one shuffle, so that the parent runs once.
// Cost: make() and program_of() are linear in stages and their parents; shared_shuffles() also in the shuffles that the
// parents write.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/ids.hpp"
#include "model/job_package.hpp"
#include "model/result.hpp"
#include "model/stage_work.hpp"

namespace heddle::policies {

/// A shuffle of a job: one edge of the graph, or several with equal options.
struct PlannedShuffle {
  std::int32_t parent = 0;  // stage index of the writer
  std::int32_t child = 0;   // stage index of its first reader
};

/// A checked job graph with its splits and shuffles. Stages are named by their index in the graph.
class JobPlan {
public:
  /// Checks the graph: parents come before children, a stage without shuffle has at most one parent, and a stage with
  /// parents has no input files. Otherwise a usage error with the stage name.
  [[nodiscard]] static Result<JobPlan> make(JobPackage package);

  [[nodiscard]] const JobGraph& graph() const { return package_.graph; }
  [[nodiscard]] std::int32_t stages() const { return static_cast<std::int32_t>(graph().stages.size()); }
  [[nodiscard]] const StageDescription& stage(std::int32_t stage) const {
    return graph().stages[static_cast<std::size_t>(stage)];
  }
  [[nodiscard]] std::int32_t partitions(std::int32_t stage) const {
    return partitions_[static_cast<std::size_t>(stage)];
  }
  /// Stages without children, and stages with an output.
  [[nodiscard]] std::vector<std::int32_t> result_stages() const;
  [[nodiscard]] std::vector<std::string> output_paths() const;
  /// Any stage sets the size of its executors.
  [[nodiscard]] bool names_executors() const;

  // -- fused stages: those that run in the tasks of `stage`, which is the last of them --------------
  /// The first of the fused stages: its tasks read the input of that stage.
  [[nodiscard]] std::int32_t root_of(std::int32_t stage) const;
  /// Their names, such as "split + count".
  [[nodiscard]] std::string name_of(std::int32_t stage) const;
  /// Any of them is a barrier stage.
  [[nodiscard]] bool is_barrier(std::int32_t stage) const;
  /// Task slots per task: the maximum over the fused stages; 0: from the settings.
  [[nodiscard]] std::int32_t task_cores(std::int32_t stage) const;

  // -- splits --------------------------------------------------------------------------------------
  /// All splits of a stage; empty if it reads no files.
  [[nodiscard]] const std::vector<TaskSplit>& splits(std::int32_t root) const {
    return package_.splits[static_cast<std::size_t>(root)].splits;
  }
  /// The split of one partition; null if the stage reads no files.
  [[nodiscard]] const TaskSplit* split(std::int32_t root, std::int32_t partition) const;

  // -- shuffles ------------------------------------------------------------------------------------
  /// By parent of the stage: the shuffle of an earlier stage that it shares; none: it needs a new shuffle. Empty for a
  /// stage without shuffle.
  [[nodiscard]] std::vector<ShuffleId> shared_shuffles(std::int32_t stage) const;
  /// Sets the shuffle from each parent of the stage. Call it once for each stage with a shuffle, in order of stages,
  /// with the result of shared_shuffles and new ids in the place of none.
  void set_shuffles(std::int32_t stage, const std::vector<ShuffleId>& shuffles);
  /// The same for all stages: new shuffles get ascending ids from `next` on. Returns the first id that is not used.
  ShuffleId number_shuffles(ShuffleId next);
  [[nodiscard]] const std::map<ShuffleId, PlannedShuffle>& shuffles() const { return shuffles_; }

  /// What all tasks of `stage` share. They write `shuffle`, or the result if it is none. The caller sets key,
  /// application, application attempt and barrier hosts.
  [[nodiscard]] StageProgram program_of(std::int32_t stage, ShuffleId shuffle) const;

private:
  [[nodiscard]] ShuffleId shared_shuffle(std::int32_t stage, std::int32_t parent,
                                         const std::vector<ShuffleId>& taken) const;

  JobPackage package_;
  std::vector<std::int32_t> partitions_;
  std::map<ShuffleId, PlannedShuffle> shuffles_;
  std::map<std::int32_t, std::vector<ShuffleId>> written_by_;  // by stage index
  std::map<std::int32_t, std::vector<ShuffleId>> read_by_;
};

}  // namespace heddle::policies
