// The effects of fetch failures, failed barrier tasks and lost executors: which map outputs are removed, which stages
// run again, which jobs fail.
#include <utility>

#include "model/assert.hpp"
#include "policies/stages/stage_scheduler_state.hpp"

namespace heddle::policies {
namespace {

bool is_barrier(const StageSchedulerState& state, const Stage& stage) {
  return state.datasets.at(stage.dataset).barrier;
}

/// True if the stage has no attempt left.
bool has_failed_too_often(const StageSchedulerState& state, const Stage& stage) {
  return static_cast<std::int64_t>(stage.failed_attempts.size()) >= state.settings.max_consecutive_attempts;
}

/// Removes the output that could not be fetched. The outputs of a barrier stage are all removed, wherever they are by
/// now: they belong together.
void remove_failed_output(StageSchedulerState& state, StageId source, const stage_input::FetchFailed& input) {
  if (is_barrier(state, state.stages.at(source))) state.outputs.remove_outputs_of_shuffle(input.shuffle);
  else if (input.map >= 0) state.outputs.remove_output(input.shuffle, input.map, input.place);
}

/// A second run of an indeterminate map stage may write other records. So everything made from the first run is
/// invalid: complete map stages downstream run again in full, and a job with a finished output fails.
void roll_back(StageSchedulerState& state, StageId map_stage, StageEffects& effects) {
  for (const StageId id : downstream_of(state, map_stage)) {
    const auto found = state.stages.find(id);
    if (found == state.stages.end()) continue;
    const Stage& stage = found->second;
    if (state.settings.old_fetch_protocol && stage.kind == StageKind::map &&
        state.outputs.available(stage.shuffle) > 0) {
      // Without its attempt, an output of the first run looks like one of the second.
      abort_stage(state, id, JobFailure::indeterminate_output, effects);
      continue;
    }
    if (id == map_stage) continue;
    if (stage.kind == StageKind::map) {
      if (state.outputs.is_complete(stage.shuffle)) state.outputs.remove_outputs_of_shuffle(stage.shuffle);
    } else if (state.jobs.at(stage.result_job).outputs.has_finished_any()) {
      abort_stage(state, id, JobFailure::indeterminate_output, effects);
    }
  }
}

}  // namespace

void report_fetch_failure(StageSchedulerState& state, Instant now, const stage_input::FetchFailed& input,
                          StageEffects& effects) {
  const auto found = state.stages.find(input.stage);
  const auto map_stage = state.map_stage_of.find(input.shuffle);
  if (found == state.stages.end() || map_stage == state.map_stage_of.end()) return;
  Stage& stage = found->second;
  if (input.attempt != stage.latest_attempt) return;
  const StageId source = map_stage->second;
  const std::int64_t epoch = stage.epoch_of(input.attempt);
  if (is_barrier(state, stage)) {
    remove_failed_output(state, source, input);
    if (state.running.contains(input.stage)) state.failed.insert(source);
    fail_barrier_attempt(state, now, input.stage, input.attempt, effects);
    if (!input.place.is_none())
      lose_executor(state, {.executor = input.place.executor, .epoch = epoch, .files_lost = true, .host = {}}, effects);
    return;
  }
  const std::optional<bool> decommission = state.losses.decommission_of(input.place.executor);
  const bool is_host_draining = decommission.value_or(false);
  if (!(decommission && state.settings.ignore_decommission_fetch_failure)) stage.failed_attempts.insert(input.attempt);
  const bool is_over = has_failed_too_often(state, stage);
  if (state.running.contains(input.stage)) complete_attempt(state, stage, false, !is_over, effects);
  remove_failed_output(state, source, input);
  if (is_over) {
    abort_stage(state, input.stage, JobFailure::fetch_failures, effects);
  } else {
    const bool is_first = !state.failed.contains(input.stage);
    state.failed.insert(input.stage);
    state.failed.insert(source);
    if (is_first) {
      if (state.datasets.at(state.stages.at(source).dataset).indeterminate) roll_back(state, source, effects);
      schedule_resubmission(state, now, effects);
    }
  }
  if (input.place.is_none()) return;
  ExecutorLoss loss{.executor = input.place.executor, .epoch = epoch, .files_lost = true, .host = {}};
  loss.ignores_file_epoch = is_host_draining;
  if ((state.settings.shuffle_service || is_host_draining) && state.settings.unregister_output_on_host)
    loss.host = input.place.host;
  lose_executor(state, loss, effects);
}

void fail_barrier_attempt(StageSchedulerState& state, Instant now, StageId id, std::int32_t attempt,
                          StageEffects& effects) {
  const auto found = state.stages.find(id);
  if (found == state.stages.end() || attempt != found->second.latest_attempt || !state.running.contains(id)) return;
  Stage& stage = found->second;
  HEDDLE_ASSERT(is_barrier(state, stage), "stage " + to_string(id) + " is no barrier stage");
  effects.emplace_back(KillStageAttempts{id});
  stage.failed_attempts.insert(attempt);
  const bool is_over = has_failed_too_often(state, stage);
  const bool is_map = stage.kind == StageKind::map;
  complete_attempt(state, stage, false, !is_over && is_map, effects);
  if (is_over || !is_map) {
    const JobFailure failure = is_over ? JobFailure::barrier_failures : JobFailure::barrier_result;
    return abort_stage(state, id, failure, effects);
  }
  state.outputs.remove_outputs_of_shuffle(stage.shuffle);
  if (state.failed.insert(id).second) schedule_resubmission(state, now, effects);
}

void lose_executor(StageSchedulerState& state, const ExecutorLoss& loss, StageEffects& effects) {
  if (state.losses.record_failure(loss.executor, loss.epoch)) {
    effects.emplace_back(BlocksRemoved{loss.executor});
    state.cached.drop_executor(loss.executor);
    state.cached.clear_looked_up();
  }
  if (!loss.files_lost) return;
  if (!loss.ignores_file_epoch && !state.losses.record_file_loss(loss.executor, loss.epoch)) return;
  if (loss.host) {
    state.outputs.remove_outputs_on_host(*loss.host);
  } else {
    state.outputs.remove_outputs_on_executor(loss.executor);
  }
}

}  // namespace heddle::policies
