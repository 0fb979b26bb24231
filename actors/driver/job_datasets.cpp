#include "actors/driver/job_datasets.hpp"

#include <algorithm>

namespace heddle::actors {

void JobDatasets::add_to(RecordedStageScheduler& scheduler, Instant now, policies::JobPlan& plan,
                         const Places& places) {
  for (std::int32_t stage = 0; stage < plan.stages(); ++stage) {
    auto description = describe(plan, stage);
    description.preferred = places(plan.splits(stage));
    const auto dataset = scheduler.apply(now, stage_input::DatasetAdded{std::move(description)});
    datasets_.push_back(dataset);
    if (!plan.stage(stage).shuffle) continue;
    std::vector<ShuffleId> shuffles;
    for (std::size_t edge = 0; edge < plan.stage(stage).parents.size(); ++edge)
      shuffles.push_back(scheduler->shuffle_of(dataset, edge));
    plan.set_shuffles(stage, shuffles);
  }
}

void JobDatasets::forget(RecordedStageScheduler& scheduler, Instant now) const {
  for (auto dataset = datasets_.rbegin(); dataset != datasets_.rend(); ++dataset)
    scheduler.apply(now, stage_input::DatasetForgotten{*dataset});
}

policies::DatasetDescription JobDatasets::describe(const policies::JobPlan& plan, std::int32_t stage) const {
  const auto& description = plan.stage(stage);
  const auto kind = description.shuffle ? policies::Dependency::Kind::shuffle : policies::Dependency::Kind::narrow;
  const auto shared = plan.shared_shuffles(stage);
  policies::DatasetDescription dataset;
  dataset.partitions = plan.partitions(stage);
  dataset.barrier = description.barrier;
  dataset.profile = profile(stage);
  dataset.reduce_locality = prefers_large_inputs_ && description.shuffle.has_value();
  for (std::size_t edge = 0; edge < description.parents.size(); ++edge)
    dataset.dependencies.push_back({kind, of(description.parents[edge]), shared.empty() ? ShuffleId{} : shared[edge]});
  return dataset;
}

std::int32_t JobDatasets::stage_of(policies::DatasetId dataset) const {
  const auto position = std::find(datasets_.begin(), datasets_.end(), dataset);
  return position == datasets_.end() ? -1 : static_cast<std::int32_t>(position - datasets_.begin());
}

}  // namespace heddle::actors
