// Datasets of a job in the StageScheduler: one per stage of the job's plan. The StageScheduler numbers the shuffles
// between them.
// A plain class: no actor, no clock.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "actors/driver/deciders.hpp"
#include "policies/stages/job_plan.hpp"
#include "policies/stages/stage_scheduler.hpp"

namespace heddle::actors {

class JobDatasets {
public:
  using Places = std::function<std::shared_ptr<const PreferredLocationLists>(const std::vector<TaskSplit>&)>;

  JobDatasets() = default;
  /// `profiles`: resource profile of each stage. `prefers_large_inputs`: tasks that read a shuffle prefer hosts with a
  /// large part of it.
  JobDatasets(std::vector<ProfileId> profiles, bool prefers_large_inputs)
      : profiles_{std::move(profiles)}, prefers_large_inputs_{prefers_large_inputs} {}

  /// Adds a dataset per stage and sets the shuffles of the plan. `places` returns the preferred locations of a stage's
  /// splits.
  void add_to(RecordedStageScheduler& scheduler, Instant now, policies::JobPlan& plan, const Places& places);
  /// Removes the datasets. Precondition: no job of the scheduler uses them.
  void forget(RecordedStageScheduler& scheduler, Instant now) const;

  [[nodiscard]] policies::DatasetId of(std::int32_t stage) const { return datasets_[static_cast<std::size_t>(stage)]; }
  /// -1 if no stage has this dataset.
  [[nodiscard]] std::int32_t stage_of(policies::DatasetId dataset) const;
  [[nodiscard]] ProfileId profile(std::int32_t stage) const { return profiles_[static_cast<std::size_t>(stage)]; }

private:
  [[nodiscard]] policies::DatasetDescription describe(const policies::JobPlan& plan, std::int32_t stage) const;

  std::vector<ProfileId> profiles_;
  std::vector<policies::DatasetId> datasets_;
  bool prefers_large_inputs_ = false;
};

}  // namespace heddle::actors
