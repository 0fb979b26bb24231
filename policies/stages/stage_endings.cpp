// How stage attempts and jobs end: success, failure, cancellation.
#include <algorithm>
#include <utility>

#include "policies/stages/stage_scheduler_state.hpp"

namespace heddle::policies {
namespace {

bool has_running_stage_of_its_own(const StageSchedulerState& state, JobId job) {
  const auto& stages = state.jobs.at(job).stages;
  return std::any_of(stages.begin(), stages.end(),
                     [&](StageId id) { return state.stages.at(id).jobs.size() == 1 && state.running.contains(id); });
}

/// Cancels the running stages that only this job needs.
void cancel_independent_stages(StageSchedulerState& state, JobId job, StageEffects& effects) {
  for (const StageId id : state.jobs.at(job).stages) {
    Stage& stage = state.stages.at(id);
    if (stage.jobs.size() != 1) continue;
    if (state.running.contains(id)) {
      effects.emplace_back(CancelStage{id});
      complete_attempt(state, stage, false, false, effects);
    } else if (state.settings.cancel_stages_with_failed_attempts && !stage.failed_attempts.empty()) {
      effects.emplace_back(CancelStage{id});
    }
  }
}

/// Removes the job, and the stages that no other job needs. Their map outputs remain.
void remove_job(StageSchedulerState& state, JobId job) {
  const auto found = state.jobs.find(job);
  const std::set<StageId> stages = std::move(found->second.stages);
  state.jobs.erase(found);
  for (const StageId id : stages) {
    Stage& stage = state.stages.at(id);
    stage.jobs.erase(job);
    stage.map_stage_jobs.erase(job);
    if (!stage.jobs.empty()) continue;
    state.waiting.erase(id);
    state.running.erase(id);
    state.failed.erase(id);
    if (stage.kind == StageKind::map) state.map_stage_of.erase(stage.shuffle);
    state.stages.erase(id);
  }
}

}  // namespace

void complete_attempt(StageSchedulerState& state, Stage& stage, bool succeeded, bool will_retry,
                      StageEffects& effects) {
  if (succeeded) stage.failed_attempts.clear();
  effects.emplace_back(StageCompleted{stage.id, stage.latest_attempt, succeeded, will_retry});
  state.running.erase(stage.id);
}

void finish_map_stage_jobs(StageSchedulerState& state, StageId stage, StageEffects& effects) {
  const std::set<JobId> jobs = state.stages.at(stage).map_stage_jobs;
  for (const JobId job : jobs) {
    effects.emplace_back(JobResult{job, 0});
    remove_job(state, job);
    effects.emplace_back(JobEnded{job, true});
  }
}

void finish_job(StageSchedulerState& state, JobId job, StageEffects& effects) {
  const StageId stage = state.jobs.at(job).final_stage;
  complete_attempt(state, state.stages.at(stage), true, false, effects);
  cancel_independent_stages(state, job, effects);
  remove_job(state, job);
  effects.emplace_back(KillStageAttempts{stage});
  effects.emplace_back(JobEnded{job, true});
}

void abort_stage(StageSchedulerState& state, StageId stage, JobFailure failure, StageEffects& effects) {
  if (!state.stages.contains(stage)) return;
  std::vector<JobId> dependent;
  for (const auto& [id, job] : state.jobs) {
    if (depends_on(state, job.final_stage, stage)) dependent.push_back(id);
  }
  for (const JobId job : dependent) fail_job(state, job, failure, stage, effects);
}

void fail_job(StageSchedulerState& state, JobId job, JobFailure failure, StageId stage, StageEffects& effects) {
  if (!state.settings.can_kill_tasks && has_running_stage_of_its_own(state, job)) return;
  cancel_independent_stages(state, job, effects);
  remove_job(state, job);
  effects.emplace_back(JobFailed{job, failure, stage});
  effects.emplace_back(JobEnded{job, false});
}

}  // namespace heddle::policies
