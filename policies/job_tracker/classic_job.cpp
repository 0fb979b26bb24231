#include "policies/job_tracker/classic_job.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "model/assert.hpp"
#include "model/java_number.hpp"

namespace heddle::policies {
namespace {

ClassicLocality locality_of(const ClassicTask& map, const ClassicTracker& tracker, const ClassicCluster& cluster) {
  auto best = ClassicLocality::off_switch;
  for (const HostIndex host : map.hosts) {
    if (host == tracker.host) return ClassicLocality::node_local;
    if (cluster.rack_of(host) == cluster.rack_of(tracker.host)) best = ClassicLocality::rack_local;
  }
  return best;
}

void mark_ended_attempts(const std::vector<ClassicTask>& tasks, bool with_unclean, ClassicCluster& cluster) {
  for (const auto& task : tasks)
    for (const auto& attempt : task.attempts()) {
      if (!attempt.report || attempt.is_in(TaskAttemptState::running) ||
          attempt.is_in(TaskAttemptState::commit_pending))
        continue;
      const auto& report = *attempt.report;
      if (with_unclean || !is_unclean(report.state)) cluster.mark_attempt(report.tracker, report.attempt);
    }
}

}  // namespace

ClassicJob::ClassicJob(ClassicJobDescription description, const SpecialTasks& special_tasks, ClassicCluster& cluster)
    : description_{std::move(description)},
      special_tasks_{special_tasks},
      submitted_{cluster.now},
      faults_{description_.tracker_failures_max} {
  const auto map_count = static_cast<std::int32_t>(description_.splits.size());
  maps_.reserve(description_.splits.size());
  for (std::int32_t i = 0; i < map_count; ++i)
    maps_.emplace_back(ClassicTaskKind::work, false, i, description_.map_attempts_max, description_.first_attempt,
                       cluster.now);
  std::int64_t input_length = 0;
  for (auto& map : maps_) {
    const auto number = static_cast<std::size_t>(map.number());
    map.split_length =
        description_.split_lengths.empty() ? description_.split_length : description_.split_lengths[number];
    input_length += map.split_length;
    for (const auto& name : description_.splits[number]) map.hosts.push_back(cluster.add_known_host(name));
  }
  map_lists_ = MapLists{maps_, cluster};
  description_.splits = {};  // the maps have their hosts and lengths
  description_.split_lengths = {};
  running_reduces_.add_list();
  for (std::int32_t i = 0; i < description_.reduces; ++i) {
    reduces_.emplace_back(ClassicTaskKind::work, true, i, description_.reduce_attempts_max, description_.first_attempt,
                          cluster.now);
    waiting_reduces_.insert({0, i});
    running_reduces_.add_place(0, i);
  }
  slow_start_maps_ =
      java::to_int(std::ceil(static_cast<double>(description_.slow_start * static_cast<float>(map_count))));
  estimate_.begin_after(std::min(map_count / 10, slow_start_maps_), input_length + map_count);
  for (const bool is_reduce : {false, true}) {
    const std::int32_t behind = is_reduce ? description_.reduces : map_count;
    const std::int32_t attempts = is_reduce ? description_.reduce_attempts_max : description_.map_attempts_max;
    cleanup_.emplace_back(ClassicTaskKind::job_cleanup, is_reduce, behind, attempts, description_.first_attempt,
                          cluster.now);
    setup_.emplace_back(ClassicTaskKind::job_setup, is_reduce, behind + 1, attempts, description_.first_attempt,
                        cluster.now);
  }
  if (!special_tasks_.is_on) machine_.start();
  cluster.mark_launchable();
}

// -- choice of a task -------------------------------------------------------------

std::optional<std::int32_t> ClassicJob::find_map(const ClassicTracker& tracker, ClassicCluster& cluster,
                                                 bool is_local_call) {
  if (maps_.empty()) return std::nullopt;
  faults_.see_trackers(cluster.tracker_count());
  if (!faults_.accepts(tracker.host)) return std::nullopt;
  if (tracker.free_space < map_output_estimate()) return std::nullopt;
  const TaskSearch search{maps_, tracker, cluster, description_};
  if (const auto found = map_lists_.take(search, is_local_call)) {
    if (!marks_.lists_dropped) map_lists_.add_running(*found);
    return found;
  }
  if (is_local_call || !description_.map_speculative) return std::nullopt;
  return map_lists_.find_slow_map(search, static_cast<double>(of_maps_.progress));
}

std::optional<std::int32_t> ClassicJob::find_reduce(const ClassicTracker& tracker, ClassicCluster& cluster) {
  if (reduces_.empty()) return std::nullopt;
  faults_.see_trackers(cluster.tracker_count());
  if (!faults_.accepts(tracker.host)) return std::nullopt;
  const TaskSearch search{reduces_, tracker, cluster, description_};
  auto found = pop_waiting(waiting_reduces_, search);
  if (!found && description_.reduce_speculative)
    found = find_slow(running_reduces_, 0, search, static_cast<double>(of_reduces_.progress), false);
  if (found && !marks_.lists_dropped) running_reduces_.add(*found);
  return found;
}

// -- launches --------------------------------------------------------------------

std::optional<ClassicLaunch> ClassicJob::launch(ClassicTask& task, const ClassicTracker& tracker,
                                                ClassicCluster& cluster, AttemptType type) {
  const auto attempt = task.next_attempt();
  if (!attempt) return std::nullopt;
  const TaskAttemptId id{number(), task.is_reduce(), task.number(), *attempt};
  const auto before = task.state();
  task.start(*attempt, tracker.index, false);
  cluster.record(number(), task, ClassicTaskEvent::launched, before);
  cluster.enter_attempt(task, id, tracker.index);
  ClassicLaunch launched{id, type, task.is_reduce(), ClassicLocality::off_switch, task.active_attempts() > 1};
  launched.progress = task.progress();
  launched.average_progress = static_cast<double>(counts(task.is_reduce()).progress);
  if (type == AttemptType::job_setup) marks_.setup_launched = true;
  if (type == AttemptType::job_cleanup) marks_.cleanup_launched = true;
  if (type == AttemptType::reduce) ++of_reduces_.running;
  if (type == AttemptType::map) {
    ++of_maps_.running;
    launched.locality = locality_of(task, tracker, cluster);
  }
  return launched;
}

std::optional<ClassicLaunch> ClassicJob::new_map(const ClassicTracker& tracker, ClassicCluster& cluster,
                                                 bool is_local_call) {
  const auto map = find_map(tracker, cluster, is_local_call);
  if (!map) return std::nullopt;
  return launch(maps_[static_cast<std::size_t>(*map)], tracker, cluster, AttemptType::map);
}

std::optional<ClassicLaunch> ClassicJob::new_reduce(const ClassicTracker& tracker, ClassicCluster& cluster) {
  if (!is_running() || marks_.is_committing) return std::nullopt;
  const std::int64_t input = reduces_.empty() ? 0 : estimate_.of_all() / reduces() / 2;
  if (description_.reduce_input_limit > 0 && input > description_.reduce_input_limit) {
    if (!machine_.is_stopping())
      cluster.effects.emplace_back(ReduceInputTooLarge{number(), input, description_.reduce_input_limit});
    terminate(JobRunState::failed, cluster);
    return std::nullopt;
  }
  if (!reduces_may_start(*this)) return std::nullopt;
  const auto reduce = find_reduce(tracker, cluster);
  if (!reduce) return std::nullopt;
  return launch(reduces_[static_cast<std::size_t>(*reduce)], tracker, cluster, AttemptType::reduce);
}

std::optional<ClassicLaunch> ClassicJob::new_special(ClassicTask& task, const ClassicTracker& tracker,
                                                     ClassicCluster& cluster, AttemptType type) {
  faults_.see_trackers(cluster.tracker_count());
  if (!faults_.accepts(tracker.host) || !task.is_runnable() || task.is_running()) return std::nullopt;
  const bool is_refused =
      task.has_failed_on(tracker.host) && static_cast<std::int32_t>(task.failed_hosts()) < cluster.unique_hosts();
  if (is_refused) return std::nullopt;
  return launch(task, tracker, cluster, type);
}

std::optional<ClassicLaunch> ClassicJob::new_job_cleanup(const ClassicTracker& tracker, ClassicCluster& cluster,
                                                         bool reduce_slot) {
  if (!special_tasks_.is_on || !may_launch_cleanup()) return std::nullopt;
  const bool is_setup_running =
      std::any_of(setup_.begin(), setup_.end(), [](const auto& task) { return task.is_running(); });
  const bool runs_attempts = of_maps_.running + of_reduces_.running > 0 || is_setup_running;
  if (special_tasks_.cleanup_wait > Duration{0} && runs_attempts) {
    if (!cleanup_due_) cleanup_due_ = cluster.now + special_tasks_.cleanup_wait;
    if (cluster.now < *cleanup_due_) return std::nullopt;
  }
  auto launched = new_special(cleanup_[reduce_slot ? 1 : 0], tracker, cluster, AttemptType::job_cleanup);
  if (launched) launched->is_commit = !machine_.is_stopping();
  if (launched && launched->is_commit) marks_.is_committing = true;
  return launched;
}

std::optional<ClassicLaunch> ClassicJob::new_job_setup(const ClassicTracker& tracker, ClassicCluster& cluster,
                                                       bool reduce_slot) {
  if (!special_tasks_.is_on || state() != JobRunState::prep || marks_.setup_launched || machine_.is_stopping())
    return std::nullopt;
  return new_special(setup_[reduce_slot ? 1 : 0], tracker, cluster, AttemptType::job_setup);
}

std::optional<ClassicLaunch> ClassicJob::new_task_cleanup(const ClassicTracker& tracker, ClassicCluster& cluster,
                                                          bool reduce_slot) {
  if (!is_running() || machine_.is_stopping() || !faults_.accepts(tracker.host)) return std::nullopt;
  auto& waiting = reduce_slot ? reduce_cleanups_ : map_cleanups_;
  if (waiting.empty()) return std::nullopt;
  const TaskAttemptId attempt = waiting.front();
  waiting.pop_front();
  ClassicTask& task = *find_task(attempt);
  const auto* kept = task.report(attempt.attempt);
  const auto ended = kept == nullptr ? TaskAttemptState::killed_unclean : kept->state;
  const auto before = task.state();
  task.start(attempt.attempt, tracker.index, true);
  cluster.record(number(), task, ClassicTaskEvent::launched, before);
  cluster.enter_attempt(task, attempt, tracker.index);
  ClassicLaunch launched{attempt, AttemptType::task_cleanup, reduce_slot};
  launched.state = ended;
  return launched;
}

// -- state of the job --------------------------------------------------------------

ClassicTask* ClassicJob::find_task(const TaskAttemptId& attempt) {
  auto& tasks = attempt.is_reduce ? reduces_ : maps_;
  const auto number = static_cast<std::size_t>(attempt.task);
  if (number < tasks.size()) return &tasks[number];
  const std::size_t side = attempt.is_reduce ? 1 : 0;
  return number == tasks.size() ? &cleanup_[side] : &setup_[side];
}

bool ClassicJob::may_launch_cleanup() const {
  const bool is_setup_finished = std::any_of(
      setup_.begin(), setup_.end(), [](const ClassicTask& task) { return task.is_complete() || task.is_failed(); });
  if (has_ended() || marks_.cleanup_launched || !is_setup_finished) return false;
  return machine_.is_stopping() || all_tasks_ended(*this);
}

bool ClassicJob::may_launch_special() const {
  if (has_ended()) return false;
  if (!map_cleanups_.empty() || !reduce_cleanups_.empty()) return true;
  if (!special_tasks_.is_on) return false;
  return may_launch_cleanup() || (state() == JobRunState::prep && !marks_.setup_launched && !machine_.is_stopping());
}

bool ClassicJob::has_launchable(bool reduce_slot) const {
  if (special_tasks_.is_on && may_launch_cleanup()) return true;
  if (machine_.is_stopping() || has_ended()) return false;
  if (state() == JobRunState::prep) return special_tasks_.is_on && !marks_.setup_launched;
  const auto waits = [](std::int32_t tasks, const Counts& counts) {
    return tasks - counts.finished - counts.failed > counts.running;
  };
  if (reduce_slot) return !reduce_cleanups_.empty() || (reduces_may_start(*this) && waits(reduces(), of_reduces_));
  return !map_cleanups_.empty() || waits(maps(), of_maps_);
}

void ClassicJob::stop(JobRunState how, ClassicCluster& cluster) {
  terminate(how, cluster);
  end_without_special_tasks(cluster);
}

void ClassicJob::terminate(JobRunState how, ClassicCluster& cluster) {
  const auto event = how == JobRunState::failed ? ClassicJobEvent::fail : ClassicJobEvent::kill;
  const auto before = machine_.state();
  const bool is_marked = machine_.mark(how);
  cluster.record(ClassicJobStep{number(), before, event, machine_.state()});
  if (!is_marked) return;
  cluster.mark_launchable();
  for (auto& row : cluster.trackers()) row.second.has_kills |= row.second.runs.contains_any_of(number());
  // Attempts that failed or were killed get no cleanup any more.
  for (auto* list : {&map_cleanups_, &reduce_cleanups_}) {
    for (const auto& attempt : *list) {
      auto& task = *find_task(attempt);
      const auto unclean = task.state_of(attempt.attempt);
      if (task.is_cleanup_attempt(attempt.attempt) ||
          !classic_attempt_table.at(unclean, ClassicAttemptEvent::stopped).is_possible())
        continue;
      task.skip_cleanup(attempt.attempt);
      cluster.record(
          ClassicAttemptStep{attempt, unclean, ClassicAttemptEvent::stopped, task.state_of(attempt.attempt)});
    }
    list->clear();
  }
  for (auto* tasks : {&setup_, &maps_, &reduces_})
    for (auto& task : *tasks) cluster.give_up(number(), task);
}

void ClassicJob::end_without_special_tasks(ClassicCluster& cluster) {
  if (special_tasks_.is_on || has_ended()) return;
  if (machine_.is_stopping() || all_tasks_ended(*this)) end(machine_.ending(), ClassicJobEvent::tasks_ended, cluster);
}

void ClassicJob::end(JobRunState how, ClassicJobEvent event, ClassicCluster& cluster) {
  const auto before = machine_.state();
  if (has_ended()) return cluster.record(ClassicJobStep{number(), before, event, before});
  if (how != JobRunState::succeeded) of_maps_.progress = of_reduces_.progress = 1.0F;
  machine_.end(how);
  cluster.record(ClassicJobStep{number(), before, event, machine_.state()});
  mark_ended_attempts(setup_, true, cluster);
  mark_ended_attempts(maps_, false, cluster);
  mark_ended_attempts(reduces_, false, cluster);
  for (auto& row : cluster.trackers()) {
    row.second.jobs_to_end.push_back(number());
    row.second.has_kills |= row.second.runs.contains_any_of(number());
  }
  cluster.has_wake_ups = true;
  cluster.effects.emplace_back(ClassicJobEnded{number(), how});
  marks_.lists_dropped = true;
  map_lists_.drop_failed();
  waiting_reduces_.clear();
}

void check_invariants(const ClassicJob& job) {
  if (job.has_ended()) return;
  const auto& maps = job.counts(false);
  const auto& reduces = job.counts(true);
  HEDDLE_ASSERT(maps.finished >= 0 && maps.finished <= job.maps(), "finished maps of job " + to_string(job.number()));
  HEDDLE_ASSERT(reduces.finished >= 0 && reduces.finished <= job.reduces(),
                "finished reduces of job " + to_string(job.number()));
  HEDDLE_ASSERT(maps.running >= 0 && reduces.running >= 0, "running tasks of job " + to_string(job.number()));
}

}  // namespace heddle::policies
