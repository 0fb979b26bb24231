#include "actors/driver/attempt_counts.hpp"

namespace heddle::actors {
namespace {

using Counter = policies::MapReduceJobCounter;

bool is_reduce(const TaskSetRecord& set) { return !set.work.shuffle_inputs.empty(); }

policies::MapPlace place_of(const JobRecord& job, const TaskSetRecord& set, const policies::TaskLaunch& launch) {
  const auto* split = job.plan.split(set.root, launch.partition);
  const bool has_hosts = split != nullptr && split->split.length > 0 &&
                         set.work.inputs[static_cast<std::size_t>(split->input)].format != InputFormat::n_line;
  if (!has_hosts || job.map_reduce.failed_maps.contains({set.stage, launch.partition}))
    return policies::MapPlace::other;
  switch (launch.level) {
    case LocalityLevel::process:
    case LocalityLevel::node:
    case LocalityLevel::no_pref: return policies::MapPlace::node;  // the file is there on each host
    case LocalityLevel::rack: return policies::MapPlace::rack;
    case LocalityLevel::any: break;
  }
  return policies::MapPlace::other;
}

}  // namespace

void count_launch(JobRecord& job, const TaskSetRecord& set, const policies::TaskLaunch& launch, std::int64_t amount) {
  if (!set.work.map_reduce) return;
  job.map_reduce.counters.add(policies::counter_of(is_reduce(set), Counter::total_launched_maps), amount);
  if (!is_reduce(set)) job.map_reduce.counters.add_place(place_of(job, set, launch), amount);
}

void count_end(JobRecord& job, TaskSetRecord& set, const policies::TaskEnded& ended) {
  using policies::AttemptOutcome;
  if (ended.outcome == AttemptOutcome::success) set.unreachable.erase(ended.partition);
  if (!set.work.map_reduce) return;
  switch (ended.outcome) {
    case AttemptOutcome::success:
    case AttemptOutcome::resubmitted: return;
    case AttemptOutcome::killed:
    case AttemptOutcome::executor_lost:
    case AttemptOutcome::commit_denied:
      return job.map_reduce.counters.add(policies::counter_of(is_reduce(set), Counter::num_killed_maps), 1);
    case AttemptOutcome::exception:
    case AttemptOutcome::fetch_failed:
    case AttemptOutcome::result_lost:
    case AttemptOutcome::unknown:
    case AttemptOutcome::executor_lost_by_application: break;
  }
  job.map_reduce.counters.add(policies::counter_of(is_reduce(set), Counter::num_failed_maps), 1);
  if (!is_reduce(set)) ++job.map_reduce.failed_maps[{set.stage, ended.partition}];
}

bool let_fail(JobRecord& job, const TaskSetRecord& set, std::int32_t partition, std::int32_t failures_max) {
  if (!set.work.map_reduce || is_reduce(set)) return false;
  const std::pair map{set.stage, partition};
  const auto earlier = job.map_reduce.failed_maps.find(map);
  if ((earlier == job.map_reduce.failed_maps.end() ? 0 : earlier->second) + 1 < failures_max) return false;
  const auto allowed = std::int64_t{set.work.map_reduce->failed_maps_percent} * job.plan.partitions(set.stage);
  if ((std::ssize(job.map_reduce.skipped_maps) + 1) * 100 > allowed) return false;
  job.map_reduce.skipped_maps.insert(map);
  job.map_reduce.counters.add(Counter::num_failed_maps, 1);
  return true;
}

bool forgives(TaskSetRecord& set, std::int32_t partition, const TaskOutcome& outcome) {
  constexpr std::int32_t interruptions_max = 3;
  return outcome.failure == FailureKind::output_interrupted && ++set.interruptions[partition] <= interruptions_max;
}

bool stays_unreachable(TaskSetRecord& set, std::int32_t partition, const TaskOutcome& outcome) {
  // A map that may fail is given up after all its attempts only.
  const bool may_fail = set.work.map_reduce && !is_reduce(set) && set.work.map_reduce->failed_maps_percent > 0;
  return outcome.failure == FailureKind::unreachable && !may_fail &&
         set.unreachable.stays_unreachable(partition, Duration{outcome.run_us});
}

}  // namespace heddle::actors
