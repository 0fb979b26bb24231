// When a stage runs: after its missing parents, with its missing partitions.
//
//   idle --submit--> waiting (parents missing) --last parent done--> running --last task done--> idle
//     ^                                                                |
//     +------- resubmission, 200 ms later ------- failed <-- fetch failure
#include <algorithm>
#include <utility>

#include "model/assert.hpp"
#include "policies/stages/stage_scheduler_state.hpp"

namespace heddle::policies {
namespace {

std::optional<JobId> active_job(const StageSchedulerState& state, const Stage& stage) {
  for (const JobId job : stage.jobs) {
    if (state.jobs.contains(job)) return job;
  }
  return std::nullopt;
}

/// Stops at fully cached datasets. A complete parent that never ran counts as one attempt.
std::vector<StageId> missing_parents(StageSchedulerState& state, StageId id) {
  std::set<StageId> missing;
  std::set<DatasetId> seen;
  std::vector<DatasetId> stack{state.stages.at(id).dataset};
  while (!stack.empty()) {
    const DatasetId top = stack.back();
    stack.pop_back();
    if (!seen.insert(top).second || is_fully_cached(state, top)) continue;
    const Dataset& dataset = state.datasets.at(top);
    for (std::size_t i = 0; i < dataset.shuffles.size(); ++i) {
      const ShuffleId shuffle = dataset.shuffles[i];
      if (shuffle.is_none()) {
        stack.push_back(dataset.description.dependencies[i].parent);
        continue;
      }
      Stage& parent = state.stages.at(state.map_stage_of.at(shuffle));
      if (!state.outputs.is_complete(shuffle)) {
        missing.insert(parent.id);
      } else if (parent.next_attempt == 0) {
        parent.next_attempt = 1;
      }
    }
  }
  return {missing.begin(), missing.end()};
}

void submit_missing_tasks(StageSchedulerState& state, StageId id, JobId job, StageEffects& effects) {
  Stage& stage = state.stages.at(id);
  const Dataset& dataset = state.datasets.at(stage.dataset);
  const bool is_map = stage.kind == StageKind::map;
  if (is_map && (dataset.indeterminate || dataset.barrier) && !state.outputs.is_complete(stage.shuffle))
    state.outputs.remove_outputs_of_shuffle(stage.shuffle);
  SubmitTaskSet set;
  set.partitions = missing_partitions(state, stage);
  set.tasks = count_indices(set.partitions);
  state.running.insert(id);
  set.places = places_of(state, stage, set.partitions);
  stage.latest_attempt = stage.next_attempt;
  stage.next_attempt += 1;
  stage.epoch_of_attempt.resize(static_cast<std::size_t>(stage.next_attempt), -1);
  stage.epoch_of_attempt.back() = state.outputs.epoch();
  effects.emplace_back(
      StageSubmitted{id, stage.latest_attempt, set.tasks, set.partitions, set.places, dataset.description.profile});
  set.places.lists = without_repeats(std::move(set.places.lists));
  if (is_map) {
    stage.pending.reset(dataset.description.partitions);
    for (const IndexRange& range : set.partitions) stage.pending.insert(range);
  }
  if (set.tasks > 0) {
    set.stage = id;
    set.attempt = stage.latest_attempt;
    set.kind = stage.kind;
    set.job = job;
    set.dataset = stage.dataset;
    set.shuffle = stage.shuffle;
    set.is_barrier = dataset.barrier;
    effects.emplace_back(std::move(set));
  } else if (is_map) {
    finish_map_stage(state, id, effects);
  } else {
    complete_attempt(state, stage, true, false, effects);
  }
}

/// The parents that have to run first. None: the stage has been submitted, has failed, or waits or runs already.
std::optional<std::vector<StageId>> begin_submission(StageSchedulerState& state, StageId id, StageEffects& effects) {
  const auto found = state.stages.find(id);
  if (found == state.stages.end()) return std::nullopt;
  Stage& stage = found->second;
  if (state.waiting.contains(id) || state.running.contains(id) || state.failed.contains(id)) return std::nullopt;
  const std::optional<JobId> job = active_job(state, stage);
  HEDDLE_ASSERT(job.has_value(), "stage " + to_string(id) + " lives without a job");
  if (stage.next_attempt >= std::max(state.settings.max_stage_attempts, state.settings.max_consecutive_attempts)) {
    abort_stage(state, id, JobFailure::too_many_attempts, effects);
    return std::nullopt;
  }
  std::vector<StageId> missing = missing_parents(state, id);
  if (!missing.empty()) return missing;
  submit_missing_tasks(state, id, *job, effects);
  return std::nullopt;
}

/// By first job, then by id. An earlier submission may end the job of a later stage, which is then skipped.
void submit_in_order(StageSchedulerState& state, std::vector<StageId> ids, StageEffects& effects) {
  std::sort(ids.begin(), ids.end(), [&state](StageId left, StageId right) {
    return std::pair{state.stages.at(left).first_job, left} < std::pair{state.stages.at(right).first_job, right};
  });
  for (const StageId id : ids) submit_stage(state, id, effects);
}

void submit_waiting_children(StageSchedulerState& state, StageId parent, StageEffects& effects) {
  std::vector<StageId> children;
  for (const StageId id : state.waiting) {
    const std::vector<StageId>& parents = state.stages.at(id).parents;
    if (std::binary_search(parents.begin(), parents.end(), parent)) children.push_back(id);
  }
  for (const StageId child : children) state.waiting.erase(child);
  submit_in_order(state, std::move(children), effects);
}

}  // namespace

/// Missing parents come first, by id. Uses its own stack because lineages are long.
void submit_stage(StageSchedulerState& state, StageId stage, StageEffects& effects) {
  struct Frame {
    StageId stage;
    std::vector<StageId> missing;
    std::size_t next = 0;
  };
  std::vector<Frame> frames;
  const auto enter = [&](StageId id) {
    if (auto missing = begin_submission(state, id, effects)) frames.push_back({id, std::move(*missing)});
  };
  enter(stage);
  while (!frames.empty()) {
    Frame& top = frames.back();
    if (top.next < top.missing.size()) {
      const StageId parent = top.missing[top.next];
      top.next += 1;
      enter(parent);
      continue;
    }
    if (state.stages.contains(top.stage)) state.waiting.insert(top.stage);
    frames.pop_back();
  }
}

std::vector<IndexRange> missing_partitions(const StageSchedulerState& state, const Stage& stage) {
  if (stage.kind == StageKind::map) return state.outputs.missing(stage.shuffle);
  return state.jobs.at(stage.result_job).outputs.missing_partitions();
}

void finish_map_stage(StageSchedulerState& state, StageId id, StageEffects& effects) {
  Stage& stage = state.stages.at(id);
  complete_attempt(state, stage, true, false, effects);
  state.outputs.raise_epoch();
  state.cached.clear_looked_up();
  if (!state.outputs.is_complete(stage.shuffle)) {
    submit_stage(state, id, effects);  // an output was lost while the attempt ran
    return;
  }
  finish_map_stage_jobs(state, id, effects);
  submit_waiting_children(state, id, effects);
}

void resubmit_failed_stages(StageSchedulerState& state, StageEffects& effects) {
  if (state.failed.empty()) return;
  state.cached.clear_looked_up();
  std::vector<StageId> ids(state.failed.begin(), state.failed.end());
  state.failed.clear();
  submit_in_order(state, std::move(ids), effects);
}

void schedule_resubmission(StageSchedulerState& state, Instant now, StageEffects& effects) {
  const Instant due = now + state.settings.resubmit_delay;
  state.resubmissions.add(due);
  effects.emplace_back(ResubmitScheduled{due});
}

}  // namespace heddle::policies
