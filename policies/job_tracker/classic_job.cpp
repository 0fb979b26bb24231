#include "policies/job_tracker/classic_job.hpp"

#include <algorithm>
#include <cmath>

#include "model/assert.hpp"
#include "model/java_number.hpp"

namespace heddle::policies {
namespace {

/// While fewer than this part of the trackers is flaky, flaky ones are refused and failures are counted.
constexpr double flaky_part = 0.25;

}  // namespace

ClassicJob::ClassicJob(const ClassicJobDescription& description, bool setup_and_cleanup, ClassicCluster& cluster)
    : description_{description}, special_tasks_{setup_and_cleanup}, submitted_{cluster.now} {
  const auto map_count = static_cast<std::int32_t>(description.splits.size());
  for (std::int32_t i = 0; i < map_count; ++i)
    maps_.emplace_back(ClassicTaskKind::work, false, i, description.map_attempts_max, cluster.now);
  list_maps(cluster);
  for (std::int32_t i = 0; i < description.reduces; ++i) {
    reduces_.emplace_back(ClassicTaskKind::work, true, i, description.reduce_attempts_max, cluster.now);
    waiting_reduces_.insert({0, i});
  }
  slow_start_maps_ =
      java::to_int(std::ceil(static_cast<double>(description.slow_start * static_cast<float>(map_count))));
  estimate_after_ = std::min(map_count / 10, slow_start_maps_);
  for (const bool is_reduce : {false, true}) {
    const std::int32_t behind = is_reduce ? description.reduces : map_count;
    const std::int32_t attempts = is_reduce ? description.reduce_attempts_max : description.map_attempts_max;
    cleanup_.emplace_back(ClassicTaskKind::job_cleanup, is_reduce, behind, attempts, cluster.now);
    setup_.emplace_back(ClassicTaskKind::job_setup, is_reduce, behind + 1, attempts, cluster.now);
  }
  if (!special_tasks_) state_ = JobRunState::running;
}

void ClassicJob::list_maps(ClassicCluster& cluster) {
  const auto append = [](std::list<std::int32_t>& list, std::int32_t map) {
    if (list.empty() || list.back() != map) list.push_back(map);
  };
  for (auto& map : maps_) {
    map.split_length = description_.split_length;
    const auto& hosts = description_.splits[static_cast<std::size_t>(map.number())];
    if (hosts.empty()) waiting_anywhere_.push_back(map.number());
    for (const auto& name : hosts) {
      const HostIndex host = cluster.know_host(name);
      map.hosts.push_back(host);
      append(waiting_on_host_[host], map.number());
      append(waiting_on_rack_[cluster.rack_of(host)], map.number());
    }
  }
}

// -- which task ------------------------------------------------------------------

bool ClassicJob::accepts(const ClassicTracker& tracker) const {
  const auto row = tracker_failures_.find(tracker.host);
  const std::int32_t failures = row == tracker_failures_.end() ? 0 : row->second;
  return !(flaky_trackers_ < cluster_size_ * flaky_part && failures >= description_.tracker_failures_max);
}

/// The first task of a list that may run there; it leaves the list, and so do those on the way that no longer wait.
template <class Tasks>
std::optional<std::int32_t> ClassicJob::find_waiting(Tasks& list, std::vector<ClassicTask>& tasks,
                                                     const ClassicTracker& tracker, std::int32_t unique_hosts,
                                                     bool drop_failed_here) {
  for (auto entry = list.begin(); entry != list.end();) {
    const std::int32_t number = task_of(*entry);
    const ClassicTask& task = tasks[static_cast<std::size_t>(number)];
    const bool waits = task.is_runnable() && !task.is_running();
    const bool fits =
        waits && (!task.has_failed_on(tracker.host) || static_cast<std::int32_t>(task.failed_hosts()) >= unique_hosts);
    if (fits) {
      list.erase(entry);
      return number;
    }
    entry = !waits || drop_failed_here ? list.erase(entry) : std::next(entry);
  }
  return std::nullopt;
}

std::optional<std::int32_t> ClassicJob::find_slow(OrderedTasks& list, const std::vector<ClassicTask>& tasks,
                                                  const ClassicTracker& tracker, double average, Instant now,
                                                  bool drop) {
  auto& rows = list.in_order();
  for (auto row = rows.begin(); row != rows.end();) {
    const auto here = row++;
    const std::int32_t number = here->second;
    const ClassicTask& task = tasks[static_cast<std::size_t>(number)];
    if (!task.is_running() || !task.is_runnable()) {
      list.remove_at(here);
      continue;
    }
    const bool has_run_here = task.has_run_on(tracker.host, tracker.index);
    const bool is_slow = task.may_be_speculated(now, average);
    if (drop && (is_slow || has_run_here)) list.remove_at(here);
    if (is_slow && !has_run_here) return number;
  }
  return std::nullopt;
}

std::optional<std::int32_t> ClassicJob::find_listed_map(std::map<std::int32_t, std::list<std::int32_t>>& lists,
                                                        std::int32_t place, const ClassicTracker& tracker,
                                                        std::int32_t unique_hosts, bool drop_failed_here) {
  const auto list = lists.find(place);
  if (list == lists.end()) return std::nullopt;
  return find_waiting(list->second, maps_, tracker, unique_hosts, drop_failed_here);
}

std::optional<std::int32_t> ClassicJob::find_map(const ClassicTracker& tracker, ClassicCluster& cluster,
                                                 bool is_local_call) {
  if (maps_.empty()) return std::nullopt;
  cluster_size_ = cluster.tracker_count();
  if (!accepts(tracker)) return std::nullopt;
  if (tracker.free_space < estimated_output() / maps()) return std::nullopt;
  auto found = find_waiting(failed_maps_, maps_, tracker, cluster.unique_hosts(), false);
  if (!found && is_local_call) {
    found = find_listed_map(waiting_on_host_, tracker.host, tracker, cluster.unique_hosts(), true);
    if (!found)
      found = find_listed_map(waiting_on_rack_, cluster.rack_of(tracker.host), tracker, cluster.unique_hosts(), false);
    if (!found) return std::nullopt;
  }
  if (!found) found = find_far_map(tracker, cluster);
  if (found) {
    list_running(maps_[static_cast<std::size_t>(*found)], cluster);
    return found;
  }
  return description_.map_speculative ? find_slow_map(tracker, cluster) : std::nullopt;
}

std::optional<std::int32_t> ClassicJob::find_far_map(const ClassicTracker& tracker, ClassicCluster& cluster) {
  for (std::int32_t rack = 0; rack < cluster.racks(); ++rack) {
    if (rack == cluster.rack_of(tracker.host)) continue;
    if (const auto found = find_listed_map(waiting_on_rack_, rack, tracker, cluster.unique_hosts(), false))
      return found;
  }
  return find_waiting(waiting_anywhere_, maps_, tracker, cluster.unique_hosts(), false);
}

std::optional<std::int32_t> ClassicJob::find_slow_map(const ClassicTracker& tracker, ClassicCluster& cluster) {
  const auto average = static_cast<double>(map_progress_);
  const auto look = [&](std::map<std::int32_t, OrderedTasks>& lists, std::int32_t place,
                        bool drop) -> std::optional<std::int32_t> {
    const auto list = lists.find(place);
    if (list == lists.end()) return std::nullopt;
    return find_slow(list->second, maps_, tracker, average, cluster.now, drop);
  };
  const std::int32_t own_rack = cluster.rack_of(tracker.host);
  if (const auto found = look(running_on_host_, tracker.host, true)) return found;
  if (const auto found = look(running_on_rack_, own_rack, false)) return found;
  for (std::int32_t rack = 0; rack < cluster.racks(); ++rack) {
    if (rack == own_rack) continue;
    if (const auto found = look(running_on_rack_, rack, false)) return found;
  }
  return find_slow(running_anywhere_, maps_, tracker, average, cluster.now, false);
}

std::optional<std::int32_t> ClassicJob::find_reduce(const ClassicTracker& tracker, ClassicCluster& cluster) {
  if (reduces_.empty()) return std::nullopt;
  cluster_size_ = cluster.tracker_count();
  if (!accepts(tracker)) return std::nullopt;
  auto found = find_waiting(waiting_reduces_, reduces_, tracker, cluster.unique_hosts(), false);
  if (!found && description_.reduce_speculative)
    found =
        find_slow(running_reduce_tasks_, reduces_, tracker, static_cast<double>(reduce_progress_), cluster.now, false);
  if (found && !lists_dropped_) running_reduce_tasks_.add(*found);
  return found;
}

void ClassicJob::list_running(const ClassicTask& map, const ClassicCluster& cluster) {
  if (lists_dropped_) return;
  if (map.hosts.empty()) running_anywhere_.add(map.number());
  for (const HostIndex host : map.hosts) {
    running_on_host_[host].add(map.number());
    running_on_rack_[cluster.rack_of(host)].add(map.number());
  }
}

void ClassicJob::unlist_running(const ClassicTask& map, const ClassicCluster& cluster) {
  if (map.hosts.empty()) running_anywhere_.remove(map.number());
  for (const HostIndex host : map.hosts) {
    running_on_host_[host].remove(map.number());
    running_on_rack_[cluster.rack_of(host)].remove(map.number());
  }
}

// -- launches --------------------------------------------------------------------

std::optional<ClassicLaunch> ClassicJob::launch(ClassicTask& task, const ClassicTracker& tracker,
                                                ClassicCluster& cluster, LaunchType type) {
  const auto attempt = task.next_attempt();
  if (!attempt) return std::nullopt;
  const ClassicAttempt id{number(), task.is_reduce(), task.number(), *attempt};
  task.start(*attempt, tracker.index, false);
  cluster.enter_attempt(id, tracker.index);
  ClassicLaunch launched{id, type, task.is_reduce(), ClassicLocality::off_switch, task.active_attempts() > 1};
  if (type == LaunchType::job_setup) setup_launched_ = true;
  if (type == LaunchType::job_cleanup) cleanup_launched_ = true;
  if (type == LaunchType::reduce) ++running_reduces_;
  if (type == LaunchType::map) {
    ++running_maps_;
    launched.locality = locality_of(task, tracker, cluster);
  }
  return launched;
}

ClassicLocality ClassicJob::locality_of(const ClassicTask& map, const ClassicTracker& tracker,
                                        const ClassicCluster& cluster) const {
  auto best = ClassicLocality::off_switch;
  for (const HostIndex host : map.hosts) {
    if (host == tracker.host) return ClassicLocality::node_local;
    if (cluster.rack_of(host) == cluster.rack_of(tracker.host)) best = ClassicLocality::rack_local;
  }
  return best;
}

std::optional<ClassicLaunch> ClassicJob::new_map(const ClassicTracker& tracker, ClassicCluster& cluster,
                                                 bool is_local_call) {
  const auto map = find_map(tracker, cluster, is_local_call);
  if (!map) return std::nullopt;
  return launch(maps_[static_cast<std::size_t>(*map)], tracker, cluster, LaunchType::map);
}

std::optional<ClassicLaunch> ClassicJob::new_local_map(const ClassicTracker& tracker, ClassicCluster& cluster) {
  return new_map(tracker, cluster, true);
}

std::optional<ClassicLaunch> ClassicJob::new_far_map(const ClassicTracker& tracker, ClassicCluster& cluster) {
  return new_map(tracker, cluster, false);
}

std::optional<ClassicLaunch> ClassicJob::new_reduce(const ClassicTracker& tracker, ClassicCluster& cluster) {
  if (!is_running()) return std::nullopt;
  const std::int64_t input = reduces_.empty() ? 0 : estimated_output() / reduces() / 2;
  if (description_.reduce_input_limit > 0 && input > description_.reduce_input_limit) {
    fail(cluster);
    return std::nullopt;
  }
  if (!reduces_may_start()) return std::nullopt;
  const auto reduce = find_reduce(tracker, cluster);
  if (!reduce) return std::nullopt;
  return launch(reduces_[static_cast<std::size_t>(*reduce)], tracker, cluster, LaunchType::reduce);
}

std::optional<ClassicLaunch> ClassicJob::new_special(ClassicTask& task, const ClassicTracker& tracker,
                                                     ClassicCluster& cluster, LaunchType type) {
  cluster_size_ = cluster.tracker_count();
  if (!accepts(tracker) || !task.is_runnable() || task.is_running()) return std::nullopt;
  const bool is_refused =
      task.has_failed_on(tracker.host) && static_cast<std::int32_t>(task.failed_hosts()) < cluster.unique_hosts();
  if (is_refused) return std::nullopt;
  return launch(task, tracker, cluster, type);
}

std::optional<ClassicLaunch> ClassicJob::new_job_cleanup(const ClassicTracker& tracker, ClassicCluster& cluster,
                                                         bool reduce_slot) {
  if (!special_tasks_ || !may_launch_cleanup()) return std::nullopt;
  return new_special(cleanup_[reduce_slot ? 1 : 0], tracker, cluster, LaunchType::job_cleanup);
}

std::optional<ClassicLaunch> ClassicJob::new_job_setup(const ClassicTracker& tracker, ClassicCluster& cluster,
                                                       bool reduce_slot) {
  if (!special_tasks_ || state_ != JobRunState::prep || setup_launched_ || job_killed_ || job_failed_)
    return std::nullopt;
  return new_special(setup_[reduce_slot ? 1 : 0], tracker, cluster, LaunchType::job_setup);
}

std::optional<ClassicLaunch> ClassicJob::new_task_cleanup(const ClassicTracker& tracker, ClassicCluster& cluster,
                                                          bool reduce_slot) {
  if (!is_running() || job_failed_ || job_killed_ || !accepts(tracker)) return std::nullopt;
  auto& waiting = reduce_slot ? reduce_cleanups_ : map_cleanups_;
  if (waiting.empty()) return std::nullopt;
  const ClassicAttempt attempt = waiting.front();
  waiting.pop_front();
  find_task(attempt)->start(attempt.attempt, tracker.index, true);
  cluster.enter_attempt(attempt, tracker.index);
  return ClassicLaunch{attempt, LaunchType::task_cleanup, reduce_slot, ClassicLocality::off_switch, false};
}

// -- the job as a whole ------------------------------------------------------------

ClassicTask* ClassicJob::find_task(const ClassicAttempt& attempt) {
  auto& tasks = attempt.is_reduce ? reduces_ : maps_;
  const auto number = static_cast<std::size_t>(attempt.task);
  if (number < tasks.size()) return &tasks[number];
  const std::size_t side = attempt.is_reduce ? 1 : 0;
  return number == tasks.size() ? &cleanup_[side] : &setup_[side];
}

bool ClassicJob::is_setup_finished() const {
  return std::any_of(setup_.begin(), setup_.end(),
                     [](const ClassicTask& task) { return task.is_complete() || task.is_failed(); });
}

bool ClassicJob::all_tasks_ended() const {
  return finished_maps_ + failed_maps_count_ == maps() && finished_reduces_ + failed_reduces_count_ == reduces();
}

bool ClassicJob::may_launch_cleanup() const {
  if (has_ended() || cleanup_launched_ || !is_setup_finished()) return false;
  return job_killed_ || job_failed_ || all_tasks_ended();
}

std::int64_t ClassicJob::estimated_output() const {
  if (estimate_maps_ < estimate_after_) return 0;
  const std::int64_t input = description_.split_length * maps() + maps();
  const double estimate = (static_cast<double>(input) * static_cast<double>(completed_output_) * 2.0) /
                          static_cast<double>(completed_input_);
  return java::to_long(std::floor(estimate + 0.5));
}

void ClassicJob::add_tracker_failure(HostIndex host) {
  if (flaky_trackers_ >= cluster_size_ * flaky_part) return;
  if (++tracker_failures_[host] == description_.tracker_failures_max) ++flaky_trackers_;
}

void ClassicJob::kill(ClassicCluster& cluster) {
  terminate(JobRunState::killed, cluster);
  end_without_special_tasks(cluster);
}

void ClassicJob::terminate(JobRunState how, ClassicCluster& cluster) {
  static_cast<void>(cluster);
  if (has_ended()) return;
  bool& flag = how == JobRunState::failed ? job_failed_ : job_killed_;
  if (flag) return;
  flag = true;
  // Unclean ends are not cleaned up any more.
  for (auto* list : {&map_cleanups_, &reduce_cleanups_}) {
    for (const auto& attempt : *list) {
      auto* report = find_task(attempt)->report(attempt.attempt);
      if (report == nullptr || find_task(attempt)->is_cleanup_attempt(attempt.attempt)) continue;
      if (report->state == ClassicAttemptState::failed_unclean) report->state = ClassicAttemptState::failed;
      if (report->state == ClassicAttemptState::killed_unclean) report->state = ClassicAttemptState::killed;
    }
    list->clear();
  }
  for (auto* tasks : {&setup_, &maps_, &reduces_})
    for (auto& task : *tasks) task.give_up();
}

void ClassicJob::end_without_special_tasks(ClassicCluster& cluster) {
  if (special_tasks_ || has_ended()) return;
  if (job_failed_) {
    end(JobRunState::failed, cluster);
  } else if (job_killed_) {
    end(JobRunState::killed, cluster);
  } else if (all_tasks_ended()) {
    end(JobRunState::succeeded, cluster);
  }
}

void ClassicJob::end(JobRunState how, ClassicCluster& cluster) {
  if (has_ended()) return;
  if (how != JobRunState::succeeded) map_progress_ = reduce_progress_ = 1.0F;
  state_ = how;
  mark_ended_attempts(setup_, true, cluster);
  mark_ended_attempts(maps_, false, cluster);
  mark_ended_attempts(reduces_, false, cluster);
  for (auto& row : cluster.trackers()) row.second.jobs_to_end.insert(number());
  lists_dropped_ = true;
  failed_maps_.clear();
  waiting_reduces_.clear();
}

void ClassicJob::mark_ended_attempts(const std::vector<ClassicTask>& tasks, bool with_unclean,
                                     ClassicCluster& cluster) {
  for (const auto& task : tasks)
    for (const auto& [attempt, report] : task.reports()) {
      const bool runs =
          report.state == ClassicAttemptState::running || report.state == ClassicAttemptState::commit_pending;
      if (!runs && (with_unclean || !is_unclean(report.state))) cluster.mark_attempt(report.tracker, report.attempt);
    }
}

void ClassicJob::check_invariants() const {
  if (has_ended()) return;
  HEDDLE_ASSERT(finished_maps_ >= 0 && finished_maps_ <= maps(), "finished maps of job " + std::to_string(number()));
  HEDDLE_ASSERT(finished_reduces_ >= 0 && finished_reduces_ <= reduces(),
                "finished reduces of job " + std::to_string(number()));
  HEDDLE_ASSERT(running_maps_ >= 0 && running_reduces_ >= 0, "running tasks of job " + std::to_string(number()));
}

}  // namespace heddle::policies
