// Jobs and their ends, results of tasks, failures of stages. How stages come about stands in stage_graph.cpp, when they
// run in stage_submission.cpp, where in stage_places.cpp, what losses cost in stage_losses.cpp.
#include "policies/stages/stage_scheduler.hpp"

#include <algorithm>
#include <utility>

#include "model/assert.hpp"

namespace heddle::policies {

// -- jobs ------------------------------------------------------------------------

void StageScheduler::apply(Instant, const stage_input::JobSubmitted& input, StageEffects& effects) {
  HEDDLE_ASSERT(index_of(input.dataset) < datasets_.size(), "dataset " + to_string(input.dataset) + " is not known");
  HEDDLE_ASSERT(!jobs_.contains(input.job), "job " + to_string(input.job) + " was submitted before");
  std::vector<IndexRange> partitions = input.partitions;
  std::erase_if(partitions, [](const IndexRange& range) { return range.count == 0; });
  if (partitions.empty()) {
    effects.emplace_back(JobEnded{input.job, true});
    return;
  }
  Stage stage;
  stage.kind = StageKind::result;
  stage.result_job = input.job;
  const StageId final_stage = make_stage(std::move(stage), input.dataset, input.job);
  Job& entry = jobs_.at(input.job);
  std::vector<std::pair<IndexRange, std::int32_t>> sorted;
  for (const IndexRange& range : partitions) {
    HEDDLE_ASSERT(
        range.first >= 0 && range.first + range.count <= datasets_[index_of(input.dataset)].description.partitions,
        "job " + to_string(input.job) + " asks for a partition that is not there");
    sorted.emplace_back(range, entry.outputs);
    entry.outputs += range.count;
  }
  std::sort(sorted.begin(), sorted.end());
  for (const auto& [range, first_output] : sorted) {
    const bool overlaps = !entry.sorted_ranges.empty() &&
                          entry.sorted_ranges.back().first + entry.sorted_ranges.back().count > range.first;
    HEDDLE_ASSERT(!overlaps, "job " + to_string(input.job) + " asks for a partition twice");
    entry.sorted_ranges.push_back(range);
    entry.first_output.push_back(first_output);
  }
  entry.partitions = std::move(partitions);
  entry.finished.reset(entry.outputs);
  entry.final_stage = final_stage;
  clear_looked_up();
  submit_stage(final_stage, effects);
}

void StageScheduler::apply(Instant, const stage_input::MapStageSubmitted& input, StageEffects& effects) {
  HEDDLE_ASSERT(static_cast<std::size_t>(input.shuffle.value) < shuffles_.size(),
                "shuffle " + to_string(input.shuffle) + " is not known");
  HEDDLE_ASSERT(!jobs_.contains(input.job), "job " + to_string(input.job) + " was submitted before");
  const StageId stage = ensure_map_stage(input.shuffle, input.job);
  register_job(input.job, stage);
  Job& entry = jobs_.at(input.job);
  entry.final_stage = stage;
  entry.wants_map_stage = true;
  entry.outputs = 1;
  stages_.at(stage).map_stage_jobs.insert(input.job);
  clear_looked_up();
  submit_stage(stage, effects);
  if (jobs_.contains(input.job) && outputs_.is_complete(input.shuffle)) finish_map_stage_jobs(stage, effects);
}

void StageScheduler::apply(Instant, const stage_input::JobCancelled& input, StageEffects& effects) {
  if (jobs_.contains(input.job)) fail_job(input.job, JobFailure::cancelled, StageId{}, effects);
}

/// Jobs that wanted nothing but this map stage have their one result.
void StageScheduler::finish_map_stage_jobs(StageId stage, StageEffects& effects) {
  const std::set<JobId> jobs = stages_.at(stage).map_stage_jobs;
  for (const JobId job : jobs) {
    effects.emplace_back(JobResult{job, 0});
    remove_job(job);
    effects.emplace_back(JobEnded{job, true});
  }
}

// -- results -----------------------------------------------------------------------

void StageScheduler::apply(Instant, const stage_input::TaskSucceeded& input, StageEffects& effects) {
  const auto found = stages_.find(input.stage);
  if (found == stages_.end()) return;
  Stage& stage = found->second;
  const bool is_indeterminate = datasets_[index_of(stage.dataset)].indeterminate;
  if (!is_indeterminate && input.attempt < stage.latest_attempt)
    effects.emplace_back(PartitionDone{input.stage, input.partition});
  if (stage.kind == StageKind::result) {
    finish_result_task(stage, input.partition, effects);
  } else {
    finish_map_task(stage, input.attempt, input.partition, input.place, input.sizes, effects);
  }
}

void StageScheduler::finish_result_task(Stage& stage, std::int32_t partition, StageEffects& effects) {
  const StageId id = stage.id;
  const JobId job_id = stage.result_job;
  Job& job = jobs_.at(job_id);
  const auto after = std::upper_bound(job.sorted_ranges.begin(), job.sorted_ranges.end(), partition,
                                      [](std::int32_t value, const IndexRange& range) { return value < range.first; });
  if (after == job.sorted_ranges.begin()) return;
  const IndexRange& range = *(after - 1);
  if (partition >= range.first + range.count) return;
  const auto position = static_cast<std::size_t>(after - job.sorted_ranges.begin()) - 1;
  const std::int32_t output = job.first_output[position] + (partition - range.first);
  if (!job.finished.insert(output)) return;
  effects.emplace_back(JobResult{job_id, output});
  if (job.finished.count() < job.outputs) return;
  mark_finished(stage, true, false, effects);
  cancel_independent_stages(job_id, effects);
  remove_job(job_id);
  effects.emplace_back(KillStageAttempts{id});
  effects.emplace_back(JobEnded{job_id, true});
}

void StageScheduler::finish_map_task(Stage& stage, std::int32_t attempt, std::int32_t partition,
                                     MapStatusLocation place, std::span<const std::int64_t> sizes,
                                     StageEffects& effects) {
  const Dataset& dataset = datasets_[index_of(stage.dataset)];
  if (partition < 0 || partition >= dataset.description.partitions) return;
  const bool is_over = dataset.barrier && (attempt != stage.latest_attempt || !running_.contains(stage.id));
  const bool is_rolled_back = is_over || (dataset.indeterminate && attempt < stage.latest_attempt);
  if (!is_rolled_back) {
    stage.pending.erase(partition);
    const auto lost_at = failure_epoch_.find(place.executor);
    const bool is_bogus = lost_at != failure_epoch_.end() && epoch_of(stage, attempt) <= lost_at->second;
    if (!is_bogus) outputs_.add_output(stage.shuffle, partition, place, sizes);
  }
  if (stage.pending.empty() && running_.contains(stage.id)) finish_map_stage(stage.id, effects);
}

void StageScheduler::apply(Instant, const stage_input::TaskFailed&, StageEffects&) {}

void StageScheduler::apply(Instant, const stage_input::TaskResubmitted& input, StageEffects&) {
  const auto found = stages_.find(input.stage);
  if (found == stages_.end() || found->second.kind != StageKind::map) return;
  if (input.partition < 0 || input.partition >= datasets_[index_of(found->second.dataset)].description.partitions)
    return;
  found->second.pending.insert(input.partition);
}

void StageScheduler::apply(Instant, const stage_input::SetGivenUp& input, StageEffects& effects) {
  abort_stage(input.stage, JobFailure::task_set_failed, effects);
}

// -- ends --------------------------------------------------------------------------

/// The latest attempt is over. Success clears the count of failed attempts.
void StageScheduler::mark_finished(Stage& stage, bool succeeded, bool will_retry, StageEffects& effects) {
  if (succeeded) stage.failed_attempts.clear();
  effects.emplace_back(StageCompleted{stage.id, stage.latest_attempt, succeeded, will_retry});
  running_.erase(stage.id);
}

/// Fails every job that depends on the stage.
void StageScheduler::abort_stage(StageId stage, JobFailure failure, StageEffects& effects) {
  if (!stages_.contains(stage)) return;
  std::vector<JobId> dependent;
  for (const auto& [id, job] : jobs_) {
    if (depends_on(job.final_stage, stage)) dependent.push_back(id);
  }
  for (const JobId job : dependent) fail_job(job, failure, stage, effects);
}

void StageScheduler::fail_job(JobId job, JobFailure failure, StageId stage, StageEffects& effects) {
  if (!settings_.can_kill_tasks && has_running_stage_of_its_own(job)) return;
  cancel_independent_stages(job, effects);
  remove_job(job);
  effects.emplace_back(JobFailed{job, failure, stage});
  effects.emplace_back(JobEnded{job, false});
}

bool StageScheduler::has_running_stage_of_its_own(JobId job) const {
  const auto& stages = jobs_.at(job).stages;
  return std::any_of(stages.begin(), stages.end(),
                     [&](StageId id) { return stages_.at(id).jobs.size() == 1 && running_.contains(id); });
}

/// Stages that run for this job alone need not run on.
void StageScheduler::cancel_independent_stages(JobId job, StageEffects& effects) {
  for (const StageId id : jobs_.at(job).stages) {
    Stage& stage = stages_.at(id);
    if (stage.jobs.size() != 1) continue;
    if (running_.contains(id)) {
      effects.emplace_back(CancelStage{id});
      mark_finished(stage, false, false, effects);
    } else if (settings_.cancel_stages_with_failed_attempts && !stage.failed_attempts.empty()) {
      effects.emplace_back(CancelStage{id});
    }
  }
}

/// Forgets the job, and the stages that no other job needs. Their map outputs stay known.
void StageScheduler::remove_job(JobId job) {
  const auto found = jobs_.find(job);
  const std::set<StageId> stages = std::move(found->second.stages);
  jobs_.erase(found);
  for (const StageId id : stages) {
    Stage& stage = stages_.at(id);
    stage.jobs.erase(job);
    stage.map_stage_jobs.erase(job);
    if (!stage.jobs.empty()) continue;
    waiting_.erase(id);
    running_.erase(id);
    failed_.erase(id);
    if (stage.kind == StageKind::map) map_stage_of_.erase(stage.shuffle);
    stages_.erase(id);
  }
}

// -- reading -----------------------------------------------------------------------

std::vector<StageId> StageScheduler::parents(StageId stage) const {
  const auto found = stages_.find(stage);
  return found == stages_.end() ? std::vector<StageId>{} : found->second.parents;
}

StageExplanation StageScheduler::explain(StageId id) const {
  StageExplanation answer;
  const auto found = stages_.find(id);
  if (found == stages_.end()) {
    answer.text = "stage " + to_string(id) + " is not known, or its jobs have ended";
    return answer;
  }
  const Stage& stage = found->second;
  answer.missing_partitions = count_indices(missing_partitions(stage));
  for (const StageId parent : stage.parents) {
    const Stage& above = stages_.at(parent);
    if (!outputs_.is_complete(above.shuffle)) answer.missing_parents.push_back(parent);
  }
  const std::string missing = std::to_string(answer.missing_partitions) + " partitions are missing";
  if (waiting_.contains(id)) {
    answer.state = StageExplanation::State::waiting;
    answer.text = "waits for stage";
    for (const StageId parent : answer.missing_parents) answer.text += " " + to_string(parent);
  } else if (running_.contains(id)) {
    answer.state = StageExplanation::State::running;
    answer.text = "attempt " + std::to_string(stage.latest_attempt) + " runs, " + missing;
  } else if (failed_.contains(id)) {
    answer.state = StageExplanation::State::failed;
    answer.retry_at = next_due();
    answer.text = "lost outputs that it or a child needs, " + missing + "; submitted again after the delay";
  } else {
    answer.state = StageExplanation::State::idle;
    answer.text = missing + "; nobody has asked for it";
  }
  return answer;
}

void StageScheduler::check_invariants() const {
  outputs_.check_invariants();
  for (const auto& [id, stage] : stages_) {
    HEDDLE_ASSERT(!stage.jobs.empty(), "stage " + to_string(id) + " lives without a job");
    for (const JobId job : stage.jobs)
      HEDDLE_ASSERT(jobs_.contains(job), "stage " + to_string(id) + " needs a job that has ended");
    for (const StageId parent : stage.parents) {
      HEDDLE_ASSERT(parent < id && stages_.contains(parent),
                    "stage " + to_string(id) + " has no parent " + to_string(parent));
    }
    HEDDLE_ASSERT(stage.pending.is_consistent(), "pending partitions of stage " + to_string(id));
    const bool has_map_stage = stage.kind != StageKind::map || map_stage_of_.at(stage.shuffle) == id;
    HEDDLE_ASSERT(has_map_stage, "stage " + to_string(id) + " is not the stage of its shuffle");
    const int places = static_cast<int>(waiting_.contains(id)) + static_cast<int>(running_.contains(id));
    HEDDLE_ASSERT(places <= 1, "stage " + to_string(id) + " waits and runs");
  }
  for (const auto& [id, job] : jobs_) {
    HEDDLE_ASSERT(job.stages.contains(job.final_stage), "job " + to_string(id) + " does not need its final stage");
    HEDDLE_ASSERT(job.finished.is_consistent() && job.finished.count() <= job.outputs,
                  "outputs of job " + to_string(id));
  }
  for (const std::set<StageId>* group : {&waiting_, &running_, &failed_}) {
    for (const StageId id : *group)
      HEDDLE_ASSERT(stages_.contains(id), "stage " + to_string(id) + " is gone but has a state");
  }
}

}  // namespace heddle::policies
