// When a stage runs: after its missing parents, with the partitions that are missing, once per attempt.
//
//   idle --submit--> waiting (parents missing) --last parent done--> running --last task done--> idle
//     ^                                                                |
//     +------- resubmission, 200 ms later ------- failed <-- fetch failure
#include <algorithm>
#include <utility>

#include "model/assert.hpp"
#include "policies/stages/stage_scheduler.hpp"

namespace heddle::policies {

std::optional<JobId> StageScheduler::active_job(const Stage& stage) const {
  for (const JobId job : stage.jobs) {
    if (jobs_.contains(job)) return job;
  }
  return std::nullopt;
}

/// Submits missing parents first, in order of their ids, with a stack of its own: lineages are long.
void StageScheduler::submit_stage(StageId stage, StageEffects& effects) {
  struct Frame {
    StageId stage;
    std::vector<StageId> missing;
    std::size_t next = 0;
  };
  std::vector<Frame> frames;
  const auto enter = [&](StageId id) {
    if (auto missing = begin_submission(id, effects)) frames.push_back({id, std::move(*missing)});
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
    if (stages_.contains(top.stage)) waiting_.insert(top.stage);
    frames.pop_back();
  }
}

/// The parents that have to run before the stage; nothing if the stage needs no waiting (it runs, or cannot).
std::optional<std::vector<StageId>> StageScheduler::begin_submission(StageId id, StageEffects& effects) {
  const auto found = stages_.find(id);
  if (found == stages_.end()) return std::nullopt;
  Stage& stage = found->second;
  if (waiting_.contains(id) || running_.contains(id) || failed_.contains(id)) return std::nullopt;
  const std::optional<JobId> job = active_job(stage);
  HEDDLE_ASSERT(job.has_value(), "stage " + to_string(id) + " lives without a job");
  if (stage.next_attempt >= std::max(settings_.max_stage_attempts, settings_.max_consecutive_attempts)) {
    abort_stage(id, JobFailure::too_many_attempts, effects);
    return std::nullopt;
  }
  std::vector<StageId> missing = missing_parents(id);
  if (!missing.empty()) return missing;
  submit_missing_tasks(id, *job, effects);
  return std::nullopt;
}

/// Stops at datasets that are cached whole. A parent that is found complete before it ever ran counts as one attempt.
std::vector<StageId> StageScheduler::missing_parents(StageId id) {
  std::set<StageId> missing;
  std::set<DatasetId> seen;
  std::vector<DatasetId> stack{stages_.at(id).dataset};
  while (!stack.empty()) {
    const DatasetId top = stack.back();
    stack.pop_back();
    if (!seen.insert(top).second || is_fully_cached(top)) continue;
    const Dataset& dataset = datasets_[static_cast<std::size_t>(top.value)];
    for (std::size_t i = 0; i < dataset.shuffles.size(); ++i) {
      const ShuffleId shuffle = dataset.shuffles[i];
      if (shuffle.is_none()) {
        stack.push_back(dataset.description.dependencies[i].parent);
        continue;
      }
      Stage& parent = stages_.at(map_stage_of_.at(shuffle));
      if (!outputs_.is_complete(shuffle)) {
        missing.insert(parent.id);
      } else if (parent.next_attempt == 0) {
        parent.next_attempt = 1;
      }
    }
  }
  return {missing.begin(), missing.end()};
}

/// Partitions to compute: of a map stage ascending, of a result stage in the order of its outputs.
std::vector<IndexRange> StageScheduler::missing_partitions(const Stage& stage) const {
  if (stage.kind == StageKind::map) return outputs_.missing(stage.shuffle);
  const Job& job = jobs_.at(stage.result_job);
  if (job.finished.empty()) return job.partitions;
  std::vector<IndexRange> missing;
  std::int32_t output = 0;
  for (const IndexRange& range : job.partitions) {
    for (std::int32_t offset = 0; offset < range.count; ++offset, ++output) {
      if (!job.finished.contains(output)) append_index(missing, range.first + offset);
    }
  }
  return missing;
}

void StageScheduler::submit_missing_tasks(StageId id, JobId job, StageEffects& effects) {
  Stage& stage = stages_.at(id);
  const Dataset& dataset = datasets_[static_cast<std::size_t>(stage.dataset.value)];
  const bool is_map = stage.kind == StageKind::map;
  if (is_map && (dataset.indeterminate || dataset.barrier) && !outputs_.is_complete(stage.shuffle))
    outputs_.remove_outputs_of_shuffle(stage.shuffle);
  SubmitTaskSet set;
  set.partitions = missing_partitions(stage);
  set.tasks = count_indices(set.partitions);
  running_.insert(id);
  set.places = places_of(stage, set.partitions);
  stage.latest_attempt = stage.next_attempt;
  stage.next_attempt += 1;
  stage.epoch_of_attempt.resize(static_cast<std::size_t>(stage.next_attempt), -1);
  stage.epoch_of_attempt.back() = outputs_.epoch();
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
    finish_map_stage(id, effects);
  } else {
    mark_finished(stage, true, false, effects);
  }
}

void StageScheduler::finish_map_stage(StageId id, StageEffects& effects) {
  Stage& stage = stages_.at(id);
  mark_finished(stage, true, false, effects);
  outputs_.raise_epoch();
  clear_looked_up();
  if (!outputs_.is_complete(stage.shuffle)) {
    submit_stage(id, effects);  // something was lost in the meantime
    return;
  }
  finish_map_stage_jobs(id, effects);
  submit_waiting_children(id, effects);
}

void StageScheduler::submit_waiting_children(StageId parent, StageEffects& effects) {
  std::vector<StageId> children;
  for (const StageId id : waiting_) {
    const std::vector<StageId>& parents = stages_.at(id).parents;
    if (std::binary_search(parents.begin(), parents.end(), parent)) children.push_back(id);
  }
  for (const StageId child : children) waiting_.erase(child);
  submit_in_order(std::move(children), effects);
}

/// By first job, then by id. A stage may end with its job while an earlier one is submitted.
void StageScheduler::submit_in_order(std::vector<StageId> ids, StageEffects& effects) {
  std::sort(ids.begin(), ids.end(), [this](StageId left, StageId right) {
    return std::pair{stages_.at(left).first_job, left} < std::pair{stages_.at(right).first_job, right};
  });
  for (const StageId id : ids) submit_stage(id, effects);
}

void StageScheduler::resubmit_failed_stages(StageEffects& effects) {
  if (failed_.empty()) return;
  clear_looked_up();
  std::vector<StageId> ids(failed_.begin(), failed_.end());
  failed_.clear();
  submit_in_order(std::move(ids), effects);
}

/// One resubmission takes all that failed until then; each first failure of a stage schedules one.
void StageScheduler::schedule_resubmission(Instant now, StageEffects& effects) {
  const Instant due = now + settings_.resubmit_delay;
  resubmissions_.insert(std::upper_bound(resubmissions_.begin(), resubmissions_.end(), due), due);
  effects.emplace_back(ResubmitScheduled{due});
}

std::optional<Instant> StageScheduler::next_due() const {
  if (resubmissions_.empty()) return std::nullopt;
  return resubmissions_.front();
}

void StageScheduler::apply(Instant now, const stage_input::TimePassed&, StageEffects& effects) {
  while (!resubmissions_.empty() && resubmissions_.front() <= now) {
    resubmissions_.erase(resubmissions_.begin());
    resubmit_failed_stages(effects);
  }
}

}  // namespace heddle::policies
