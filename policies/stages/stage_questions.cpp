// What the StageScheduler answers, explains and asserts.
#include "model/assert.hpp"
#include "policies/stages/stage_scheduler.hpp"
#include "policies/stages/stage_scheduler_state.hpp"

namespace heddle::policies {

ShuffleId StageScheduler::shuffle_of(DatasetId dataset, std::size_t dependency) const {
  HEDDLE_ASSERT(state_->datasets.contains(dataset), "dataset " + to_string(dataset) + " is not known");
  const std::vector<ShuffleId>& shuffles = state_->datasets.at(dataset).shuffles;
  HEDDLE_ASSERT(dependency < shuffles.size(), "dataset " + to_string(dataset) + " has fewer dependencies");
  return shuffles[dependency];
}

std::optional<Instant> StageScheduler::next_due() const { return state_->resubmissions.next_due(); }

const MapOutputTable& StageScheduler::outputs() const { return state_->outputs; }

StageId StageScheduler::stage_of(ShuffleId shuffle) const {
  const auto found = state_->map_stage_of.find(shuffle);
  return found == state_->map_stage_of.end() ? StageId{} : found->second;
}

const std::set<StageId>& StageScheduler::waiting() const { return state_->waiting; }
const std::set<StageId>& StageScheduler::running() const { return state_->running; }
const std::set<StageId>& StageScheduler::failed() const { return state_->failed; }
bool StageScheduler::is_active(JobId job) const { return state_->jobs.contains(job); }

std::vector<StageId> StageScheduler::parents(StageId stage) const {
  const auto found = state_->stages.find(stage);
  return found == state_->stages.end() ? std::vector<StageId>{} : found->second.parents;
}

std::vector<std::pair<StageId, ShuffleId>> StageScheduler::stages_of(JobId job) const {
  std::vector<std::pair<StageId, ShuffleId>> stages;
  const auto known = state_->jobs.find(job);
  if (known == state_->jobs.end()) return stages;
  for (const StageId stage : known->second.stages) stages.emplace_back(stage, state_->stages.at(stage).shuffle);
  return stages;
}

StageExplanation StageScheduler::explain(StageId id) const {
  const StageSchedulerState& state = *state_;
  StageExplanation answer;
  const auto found = state.stages.find(id);
  if (found == state.stages.end()) {
    answer.text = "stage " + to_string(id) + " is not known, or its jobs have ended";
    return answer;
  }
  const Stage& stage = found->second;
  answer.missing_partitions = count_indices(missing_partitions(state, stage));
  for (const StageId parent : stage.parents) {
    if (!state.outputs.is_complete(state.stages.at(parent).shuffle)) answer.missing_parents.push_back(parent);
  }
  const std::string missing = std::to_string(answer.missing_partitions) +
                              (answer.missing_partitions == 1 ? " partition is missing" : " partitions are missing");
  if (state.waiting.contains(id)) {
    answer.state = StageExplanation::State::waiting;
    answer.text = "waits for stage";
    for (const StageId parent : answer.missing_parents) answer.text += " " + to_string(parent);
  } else if (state.running.contains(id)) {
    answer.state = StageExplanation::State::running;
    answer.text = "attempt " + std::to_string(stage.latest_attempt) + " runs, " + missing;
  } else if (state.failed.contains(id)) {
    answer.state = StageExplanation::State::failed;
    answer.retry_at = next_due();
    answer.text = "lost outputs that it or a child needs, " + missing + "; submitted again after the delay";
  } else {
    answer.state = StageExplanation::State::idle;
    answer.text = missing + "; no running job needs it";
  }
  return answer;
}

void StageScheduler::check_invariants() const {
  const StageSchedulerState& state = *state_;
  state.outputs.check_invariants();
  for (const auto& [id, stage] : state.stages) {
    HEDDLE_ASSERT(!stage.jobs.empty(), "stage " + to_string(id) + " lives without a job");
    for (const JobId job : stage.jobs)
      HEDDLE_ASSERT(state.jobs.contains(job), "stage " + to_string(id) + " needs a job that has ended");
    for (const StageId parent : stage.parents) {
      HEDDLE_ASSERT(parent < id && state.stages.contains(parent),
                    "stage " + to_string(id) + " has no parent " + to_string(parent));
    }
    HEDDLE_ASSERT(stage.pending.is_consistent(), "pending partitions of stage " + to_string(id));
    const bool has_map_stage = stage.kind != StageKind::map || state.map_stage_of.at(stage.shuffle) == id;
    HEDDLE_ASSERT(has_map_stage, "stage " + to_string(id) + " is not the stage of its shuffle");
    HEDDLE_ASSERT(!(state.waiting.contains(id) && state.running.contains(id)),
                  "stage " + to_string(id) + " waits and runs");
  }
  for (const auto& [id, job] : state.jobs) {
    HEDDLE_ASSERT(job.stages.contains(job.final_stage), "job " + to_string(id) + " does not need its final stage");
    HEDDLE_ASSERT(job.outputs.is_consistent(), "outputs of job " + to_string(id));
  }
  for (const std::set<StageId>* group : {&state.waiting, &state.running, &state.failed}) {
    for (const StageId id : *group)
      HEDDLE_ASSERT(state.stages.contains(id), "stage " + to_string(id) + " is gone but has a state");
  }
}

}  // namespace heddle::policies
