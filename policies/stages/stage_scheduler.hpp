// Cuts the datasets of jobs into stages, decides when each stage runs, and which stages run again after a loss.
// Order: parents before children; several stages by first job, then by id; missing parents by id; jobs by id.
// Cost of a task event: logarithmic in the live stages, constant in the partitions. Cost of a submitted attempt: linear
// in its partitions. Source: Spark 3.5's DAGScheduler (spec DAG-1 to DAG-23; DAG-3 gives the order of stage ids).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/ids.hpp"
#include "model/time.hpp"
#include "policies/stages/map_output_table.hpp"
#include "policies/stages/stage_inputs.hpp"
#include "policies/stages/stage_scheduler_settings.hpp"

namespace heddle::policies {

struct StageSchedulerState;

/// The state of a stage, and why it does not run.
struct StageExplanation {
  enum class State : std::uint8_t { unknown, idle, waiting, running, failed };
  State state = State::unknown;
  std::vector<StageId> missing_parents;  // ascending
  std::int32_t missing_partitions = 0;
  std::optional<Instant> retry_at;  // failed stages: when they are submitted again
  std::string text;
};

/// A copyable value. One overload of apply per input, which appends to `effects` and never clears it. Partitions are
/// those of the stage's dataset, also for a result stage.
class StageScheduler {
public:
  explicit StageScheduler(StageSchedulerSettings settings);
  StageScheduler(const StageScheduler& other);
  StageScheduler(StageScheduler&& other) noexcept;
  StageScheduler& operator=(StageScheduler other) noexcept;
  ~StageScheduler();

  using Inputs = stage_input::Input;
  using Effects = StageEffects;

  // Inputs, each explained at its struct.
  DatasetId apply(Instant now, const stage_input::DatasetAdded& input);
  void apply(Instant now, const stage_input::DatasetForgotten& input);
  void apply(Instant now, const stage_input::JobSubmitted& input, StageEffects& effects);
  void apply(Instant now, const stage_input::MapStageSubmitted& input, StageEffects& effects);
  void apply(Instant now, const stage_input::JobCancelled& input, StageEffects& effects);
  void apply(Instant now, const stage_input::TaskSucceeded& input, StageEffects& effects);
  void apply(Instant now, const stage_input::FetchFailed& input, StageEffects& effects);
  void apply(Instant now, const stage_input::TaskFailed& input, StageEffects& effects);
  void apply(Instant now, const stage_input::BarrierFailed& input, StageEffects& effects);
  void apply(Instant now, const stage_input::TaskResubmitted& input, StageEffects& effects);
  void apply(Instant now, const stage_input::SetGivenUp& input, StageEffects& effects);
  void apply(Instant now, const stage_input::ExecutorRegistered& input);
  void apply(Instant now, const stage_input::ExecutorGone& input, StageEffects& effects);
  void apply(Instant now, const stage_input::ExecutorDecommissioned& input);
  bool apply(Instant now, const stage_input::OutputMoved& input);
  void apply(Instant now, const stage_input::PartitionCached& input);
  void apply(Instant now, const stage_input::TimePassed& input, StageEffects& effects);

  // -- questions -----------------------------------------------------------------
  /// The shuffle of a dataset's nth dependency; none for a narrow one.
  [[nodiscard]] ShuffleId shuffle_of(DatasetId dataset, std::size_t dependency) const;
  /// When TimePassed has something to do; none: no timer runs.
  [[nodiscard]] std::optional<Instant> next_due() const;
  [[nodiscard]] const MapOutputTable& outputs() const;
  /// The live stage that writes a shuffle; none if there is none.
  [[nodiscard]] StageId stage_of(ShuffleId shuffle) const;
  [[nodiscard]] const std::set<StageId>& waiting() const;
  [[nodiscard]] const std::set<StageId>& running() const;
  [[nodiscard]] const std::set<StageId>& failed() const;
  [[nodiscard]] bool is_active(JobId job) const;
  /// Direct parents of a live stage, ascending.
  [[nodiscard]] std::vector<StageId> parents(StageId stage) const;
  /// The stages that a job needs, ascending, each with the shuffle that it writes; none: it is a result stage. Empty
  /// after the job's end.
  [[nodiscard]] std::vector<std::pair<StageId, ShuffleId>> stages_of(JobId job) const;
  [[nodiscard]] StageExplanation explain(StageId stage) const;
  void check_invariants() const;

private:
  std::unique_ptr<StageSchedulerState> state_;  // never null, unless moved from
};

}  // namespace heddle::policies
