#include "policies/stages/stage_scheduler.hpp"

#include <algorithm>
#include <utility>

#include "model/assert.hpp"
#include "policies/stages/stage_scheduler_state.hpp"

namespace heddle::policies {

StageScheduler::StageScheduler(StageSchedulerSettings settings)
    : state_{std::make_unique<StageSchedulerState>(settings)} {}
StageScheduler::StageScheduler(const StageScheduler& other)
    : state_{std::make_unique<StageSchedulerState>(*other.state_)} {}
StageScheduler::StageScheduler(StageScheduler&& other) noexcept = default;
StageScheduler& StageScheduler::operator=(StageScheduler other) noexcept {
  state_.swap(other.state_);
  return *this;
}
StageScheduler::~StageScheduler() = default;

// -- datasets ----------------------------------------------------------------------

DatasetId StageScheduler::apply(Instant, const stage_input::DatasetAdded& input) {
  return state_->datasets.add(input.description);
}

void StageScheduler::apply(Instant, const stage_input::DatasetForgotten& input) {
  StageSchedulerState& state = *state_;
  HEDDLE_ASSERT(state.datasets.contains(input.dataset), "dataset " + to_string(input.dataset) + " is not known");
  const auto& shuffles = state.datasets.at(input.dataset).shuffles;
  for (const auto& [id, stage] : state.stages) {
    const bool writes_for_it =
        stage.kind == StageKind::map && std::find(shuffles.begin(), shuffles.end(), stage.shuffle) != shuffles.end();
    if (writes_for_it || (stage.dataset >= input.dataset && state.datasets.covers(stage.dataset, input.dataset)))
      return;
  }
  for (const ShuffleId unread : state.datasets.forget(input.dataset)) state.outputs.remove_shuffle(unread);
  state.cached.forget(input.dataset);
}

void StageScheduler::apply(Instant, const stage_input::PartitionCached& input) {
  StageSchedulerState& state = *state_;
  HEDDLE_ASSERT(state.datasets.contains(input.dataset), "dataset " + to_string(input.dataset) + " is not known");
  const std::int32_t partitions = state.datasets.at(input.dataset).description.partitions;
  HEDDLE_ASSERT(input.partition >= 0 && input.partition < partitions,
                "no partition " + std::to_string(input.partition));
  state.cached.set(input.dataset, partitions, input.partition, input.places);
}

// -- jobs --------------------------------------------------------------------------

void StageScheduler::apply(Instant, const stage_input::JobSubmitted& input, StageEffects& effects) {
  StageSchedulerState& state = *state_;
  HEDDLE_ASSERT(state.datasets.contains(input.dataset), "dataset " + to_string(input.dataset) + " is not known");
  HEDDLE_ASSERT(!state.jobs.contains(input.job), "job " + to_string(input.job) + " was submitted before");
  std::vector<IndexRange> partitions = input.partitions;
  std::erase_if(partitions, [](const IndexRange& range) { return range.count == 0; });
  if (partitions.empty()) {
    effects.emplace_back(JobEnded{input.job, true});
    return;
  }
  const StageId final_stage = make_result_stage(state, input.dataset, input.job);
  ActiveJob& job = state.jobs.at(input.job);
  job.final_stage = final_stage;
  job.outputs = JobOutputs{input.job, std::move(partitions), state.datasets.at(input.dataset).description.partitions};
  state.cached.clear_looked_up();
  submit_stage(state, final_stage, effects);
}

void StageScheduler::apply(Instant, const stage_input::MapStageSubmitted& input, StageEffects& effects) {
  StageSchedulerState& state = *state_;
  HEDDLE_ASSERT(state.datasets.contains(input.shuffle), "shuffle " + to_string(input.shuffle) + " is not known");
  HEDDLE_ASSERT(!state.jobs.contains(input.job), "job " + to_string(input.job) + " was submitted before");
  const StageId stage = ensure_map_stage(state, input.shuffle, input.job);
  register_job(state, input.job, stage);
  state.jobs.at(input.job).final_stage = stage;
  state.stages.at(stage).map_stage_jobs.insert(input.job);
  state.cached.clear_looked_up();
  submit_stage(state, stage, effects);
  if (state.jobs.contains(input.job) && state.outputs.is_complete(input.shuffle))
    finish_map_stage_jobs(state, stage, effects);
}

void StageScheduler::apply(Instant, const stage_input::JobCancelled& input, StageEffects& effects) {
  if (is_active(input.job)) fail_job(*state_, input.job, JobFailure::cancelled, StageId{}, effects);
}

// -- tasks -------------------------------------------------------------------------

namespace {

void finish_result_task(StageSchedulerState& state, const Stage& stage, std::int32_t partition, StageEffects& effects) {
  const JobId id = stage.result_job;
  JobOutputs& outputs = state.jobs.at(id).outputs;
  const std::optional<std::int32_t> output = outputs.finish(partition);
  if (!output) return;
  effects.emplace_back(JobResult{id, *output});
  if (outputs.has_finished_all()) finish_job(state, id, effects);
}

void finish_map_task(StageSchedulerState& state, Stage& stage, const stage_input::TaskSucceeded& input,
                     StageEffects& effects) {
  const Dataset& dataset = state.datasets.at(stage.dataset);
  if (input.partition < 0 || input.partition >= dataset.description.partitions) return;
  const bool is_over = dataset.barrier && (input.attempt != stage.latest_attempt || !state.running.contains(stage.id));
  const bool is_rolled_back = is_over || (dataset.indeterminate && input.attempt < stage.latest_attempt);
  if (!is_rolled_back) {
    stage.pending.erase(input.partition);
    // An output from before the loss of its executor went with it.
    const bool is_lost = state.losses.has_failed_since(input.place.executor, stage.epoch_of(input.attempt));
    if (!is_lost) state.outputs.add_output(stage.shuffle, input.partition, input.place, input.sizes);
  }
  if (stage.pending.empty() && state.running.contains(stage.id)) finish_map_stage(state, stage.id, effects);
}

}  // namespace

void StageScheduler::apply(Instant, const stage_input::TaskSucceeded& input, StageEffects& effects) {
  StageSchedulerState& state = *state_;
  const auto found = state.stages.find(input.stage);
  if (found == state.stages.end()) return;
  Stage& stage = found->second;
  const bool is_indeterminate = state.datasets.at(stage.dataset).indeterminate;
  if (!is_indeterminate && input.attempt < stage.latest_attempt)
    effects.emplace_back(PartitionDone{input.stage, input.partition});
  if (stage.kind == StageKind::result) {
    finish_result_task(state, stage, input.partition, effects);
  } else {
    finish_map_task(state, stage, input, effects);
  }
}

void StageScheduler::apply(Instant now, const stage_input::FetchFailed& input, StageEffects& effects) {
  report_fetch_failure(*state_, now, input, effects);
}

void StageScheduler::apply(Instant, const stage_input::TaskFailed&, StageEffects&) {}

void StageScheduler::apply(Instant now, const stage_input::BarrierFailed& input, StageEffects& effects) {
  fail_barrier_attempt(*state_, now, input.stage, input.attempt, effects);
}

void StageScheduler::apply(Instant, const stage_input::TaskResubmitted& input, StageEffects&) {
  const auto found = state_->stages.find(input.stage);
  if (found == state_->stages.end() || found->second.kind != StageKind::map) return;
  const std::int32_t partitions = state_->datasets.at(found->second.dataset).description.partitions;
  if (input.partition >= 0 && input.partition < partitions) found->second.pending.insert(input.partition);
}

void StageScheduler::apply(Instant, const stage_input::SetGivenUp& input, StageEffects& effects) {
  abort_stage(*state_, input.stage, JobFailure::task_set_failed, effects);
}

// -- executors and time ------------------------------------------------------------

void StageScheduler::apply(Instant, const stage_input::ExecutorRegistered& input) {
  state_->losses.forget(input.executor);
}

void StageScheduler::apply(Instant, const stage_input::ExecutorGone& input, StageEffects& effects) {
  const StageSchedulerSettings& settings = state_->settings;
  ExecutorLoss loss{.executor = input.executor, .epoch = state_->outputs.epoch(), .host = input.lost_host};
  loss.files_lost = !settings.reliable_shuffle_storage && (input.lost_host.has_value() || !settings.shuffle_service);
  lose_executor(*state_, loss, effects);
}

void StageScheduler::apply(Instant, const stage_input::ExecutorDecommissioned& input) {
  state_->losses.record_decommission(input.executor, input.host_too);
}

bool StageScheduler::apply(Instant, const stage_input::OutputMoved& input) {
  if (!state_->outputs.move_output(input.shuffle, input.map, input.from, input.to)) return false;
  state_->cached.clear_looked_up();
  return true;
}

void StageScheduler::apply(Instant now, const stage_input::TimePassed&, StageEffects& effects) {
  while (state_->resubmissions.take_due(now)) resubmit_failed_stages(*state_, effects);
}

}  // namespace heddle::policies
