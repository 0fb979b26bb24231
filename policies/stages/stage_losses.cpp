// What a fetch failure or a lost executor costs. Each executor has two epochs, of its failure and of the loss of its
// files: with a shuffle service its death keeps the files, and a later fetch failure drops them, once.
#include <algorithm>
#include <utility>

#include "model/assert.hpp"
#include "policies/stages/stage_scheduler.hpp"

namespace heddle::policies {

std::int64_t StageScheduler::epoch_of(const Stage& stage, std::int32_t attempt) {
  const auto index = static_cast<std::size_t>(attempt);
  return attempt >= 0 && index < stage.epoch_of_attempt.size() ? stage.epoch_of_attempt[index] : -1;
}

void StageScheduler::apply(Instant now, const stage_input::FetchFailed& input, StageEffects& effects) {
  const auto found = stages_.find(input.stage);
  const auto map_stage = map_stage_of_.find(input.shuffle);
  if (found == stages_.end() || map_stage == map_stage_of_.end()) return;
  Stage& stage = found->second;
  if (input.attempt != stage.latest_attempt) return;
  const std::int64_t epoch = epoch_of(stage, input.attempt);
  const auto draining = decommissioned_.find(input.place.executor);
  // A barrier stage's outputs belong together: with one they all go, wherever they lie by now.
  const auto drop_output = [this, &input, source = map_stage->second] {
    if (is_barrier(stages_.at(source))) outputs_.remove_outputs_of_shuffle(input.shuffle);
    else if (input.map >= 0) outputs_.remove_output(input.shuffle, input.map, input.place);
  };
  if (is_barrier(stage)) {
    drop_output();
    if (running_.contains(input.stage)) failed_.insert(map_stage->second);
    apply(now, stage_input::BarrierFailed{input.stage, input.attempt}, effects);
    if (!input.place.is_none()) lose_executor(input.place.executor, true, std::nullopt, epoch, false, effects);
    return;
  }
  const bool is_draining = draining != decommissioned_.end();
  const bool is_host_draining = is_draining && draining->second;
  if (!(is_draining && settings_.ignore_decommission_fetch_failure)) stage.failed_attempts.insert(input.attempt);
  const bool is_over = static_cast<std::int64_t>(stage.failed_attempts.size()) >= settings_.max_consecutive_attempts;
  if (running_.contains(input.stage)) mark_finished(stage, false, !is_over, effects);
  drop_output();
  if (is_over) {
    abort_stage(input.stage, JobFailure::fetch_failures, effects);
  } else {
    const StageId source = map_stage->second;
    const bool is_first = !failed_.contains(input.stage);
    failed_.insert(input.stage);
    failed_.insert(source);
    if (is_first) {
      if (datasets_[static_cast<std::size_t>(stages_.at(source).dataset.value)].indeterminate)
        roll_back(source, effects);
      schedule_resubmission(now, effects);
    }
  }
  if (input.place.is_none()) return;
  std::optional<HostId> host;
  if ((settings_.shuffle_service || is_host_draining) && settings_.unregister_output_on_host) host = input.place.host;
  lose_executor(input.place.executor, true, host, epoch, is_host_draining, effects);
}

bool StageScheduler::is_barrier(const Stage& stage) const {
  return datasets_[static_cast<std::size_t>(stage.dataset.value)].barrier;
}

void StageScheduler::apply(Instant now, const stage_input::BarrierFailed& input, StageEffects& effects) {
  const auto found = stages_.find(input.stage);
  if (found == stages_.end() || input.attempt != found->second.latest_attempt || !running_.contains(input.stage))
    return;
  Stage& stage = found->second;
  HEDDLE_ASSERT(is_barrier(stage), "stage " + to_string(input.stage) + " is no barrier stage");
  effects.emplace_back(KillStageAttempts{input.stage});
  stage.failed_attempts.insert(input.attempt);
  const bool is_over = static_cast<std::int64_t>(stage.failed_attempts.size()) >= settings_.max_consecutive_attempts;
  const bool is_map = stage.kind == StageKind::map;
  mark_finished(stage, false, !is_over && is_map, effects);
  if (is_over || !is_map)
    return abort_stage(input.stage, is_over ? JobFailure::barrier_failures : JobFailure::barrier_result, effects);
  outputs_.remove_outputs_of_shuffle(stage.shuffle);
  if (failed_.insert(input.stage).second) schedule_resubmission(now, effects);
}

void StageScheduler::apply(Instant, const stage_input::ExecutorGone& input, StageEffects& effects) {
  const bool files_lost =
      !settings_.reliable_shuffle_storage && (input.lost_host.has_value() || !settings_.shuffle_service);
  lose_executor(input.executor, files_lost, input.lost_host, outputs_.epoch(), false, effects);
}

/// `epoch`: what was known when the news came about; older news than the last is no news.
void StageScheduler::lose_executor(ExecutorId executor, bool files_lost, std::optional<HostId> host, std::int64_t epoch,
                                   bool ignore_files_epoch, StageEffects& effects) {
  const auto is_news = [executor, epoch](std::map<ExecutorId, std::int64_t>& epochs) {
    const auto [position, is_new] = epochs.try_emplace(executor, epoch);
    if (!is_new && position->second >= epoch) return false;
    position->second = epoch;
    return true;
  };
  if (is_news(failure_epoch_)) {
    effects.emplace_back(BlocksRemoved{executor});
    drop_cached_on(executor);
    clear_looked_up();
  }
  if (!files_lost || !(ignore_files_epoch || is_news(file_lost_epoch_))) return;
  if (host) {
    outputs_.remove_outputs_on_host(*host);
  } else {
    outputs_.remove_outputs_on_executor(executor);
  }
}

void StageScheduler::apply(Instant, const stage_input::ExecutorRegistered& input) {
  failure_epoch_.erase(input.executor);
  file_lost_epoch_.erase(input.executor);
  decommissioned_.erase(input.executor);
}

bool StageScheduler::apply(Instant, const stage_input::OutputMoved& input) {
  if (!outputs_.move_output(input.shuffle, input.map, input.from, input.to)) return false;
  clear_looked_up();
  return true;
}

void StageScheduler::apply(Instant, const stage_input::ExecutorDecommissioned& input) {
  decommissioned_[input.executor] = input.host_too;
}

/// The stage and all that read from it, up to the final stages of active jobs.
std::set<StageId> StageScheduler::downstream_of(StageId stage) const {
  std::set<StageId> downstream{stage};
  for (const auto& [id, candidate] : stages_) {  // parents have smaller ids
    const std::vector<StageId>& above = candidate.parents;
    if (std::any_of(above.begin(), above.end(), [&](StageId parent) { return downstream.contains(parent); }))
      downstream.insert(id);
  }
  return downstream;
}

/// A second run of the map stage may write other records, so whatever was made from the first has to go: finished map
/// stages below run again in full, and a job that has handed out a result made from it fails.
void StageScheduler::roll_back(StageId map_stage, StageEffects& effects) {
  for (const StageId id : downstream_of(map_stage)) {
    const auto found = stages_.find(id);
    if (found == stages_.end()) continue;
    const Stage& stage = found->second;
    if (settings_.old_fetch_protocol && stage.kind == StageKind::map && outputs_.available(stage.shuffle) > 0) {
      // Without its attempt an output of the first run cannot be told from one of the second.
      abort_stage(id, JobFailure::indeterminate_output, effects);
      continue;
    }
    if (id == map_stage) continue;
    if (stage.kind == StageKind::map) {
      if (outputs_.is_complete(stage.shuffle)) outputs_.remove_outputs_of_shuffle(stage.shuffle);
    } else if (!jobs_.at(stage.result_job).finished.empty()) {
      abort_stage(id, JobFailure::indeterminate_output, effects);
    }
  }
}

}  // namespace heddle::policies
