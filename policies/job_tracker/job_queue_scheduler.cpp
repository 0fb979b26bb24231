#include "policies/job_tracker/job_queue_scheduler.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "model/assert.hpp"
#include "model/java_number.hpp"

namespace heddle::policies {
namespace {

/// Clusters up to this size keep no slots free.
constexpr std::int32_t unpadded_trackers_max = 3;
constexpr std::int32_t heartbeat_interval_min_ms = 300;

/// Appends an effect if the host has turned gray, or is not gray any more.
void record_gray(ClassicCluster& cluster, HostFaults& faults, HostIndex host, bool was_gray) {
  if (faults.is_gray(host) == was_gray) return;
  cluster.effects.emplace_back(HostGrayChanged{cluster.host_name(host), !was_gray, faults.count(cluster.now, host)});
}

/// A task of a known job; null: there is none.
struct Found {
  ClassicJob* job = nullptr;
  ClassicTask* task = nullptr;
  explicit operator bool() const { return job != nullptr; }
};

Found find_task(std::map<JobId, ClassicJob>& jobs, const TaskAttemptId& attempt) {
  const auto row = jobs.find(attempt.job);
  if (row == jobs.end()) return {};
  auto& task = *row->second.find_task(attempt);
  // A tracker may report a task that the job does not have.
  return task.number() == attempt.task ? Found{&row->second, &task} : Found{};
}

bool is_listed(const Found& found, const TaskAttemptId& attempt) {
  return found && found.task->known(attempt.attempt).marks.listed_by >= 0;
}

/// The task of an attempt that was launched and not dropped.
Found find_listed(std::map<JobId, ClassicJob>& jobs, const TaskAttemptId& attempt) {
  const auto found = find_task(jobs, attempt);
  return is_listed(found, attempt) ? found : Found{};
}

void drop_marked(ClassicCluster& cluster, std::map<JobId, ClassicJob>& jobs, TrackerIndex tracker) {
  for (const auto& attempt : cluster.take_marked(tracker))
    if (const auto listed = find_listed(jobs, attempt)) cluster.drop_attempt(*listed.task, attempt);
}

/// `unconfirmed`: number of unconfirmed attempts.
void confirm(ClassicTask& task, std::int32_t attempt, std::int64_t& unconfirmed) {
  if (!task.known(attempt).marks.unconfirmed) return;
  task.marks(attempt).unconfirmed.reset();
  --unconfirmed;
}

/// Calls visit(task) for each task of the job, in the order of TaskAttemptId.
template <class Visit>
void for_each_task(ClassicJob& job, const Visit& visit) {
  for (const bool is_reduce : {false, true}) {
    const std::int32_t setup = (is_reduce ? job.reduces() : job.maps()) + 1;  // it follows the cleanup
    for (std::int32_t task = 0; task <= setup; ++task) visit(*job.find_task({job.number(), is_reduce, task, 0}));
  }
}

}  // namespace

// -- inputs -----------------------------------------------------------------------

void JobQueueScheduler::on_host(const std::string& host, const std::string& rack) { cluster_.set_rack(host, rack); }

void JobQueueScheduler::on_tracker(Instant now, const std::string& tracker, const std::string& host,
                                   const std::string& rack, std::int32_t map_slots, std::int32_t reduce_slots) {
  cluster_.now = now;
  if (const TrackerIndex known = cluster_.find_tracker(tracker); known >= 0) {
    lose(known);
    cluster_.remove_tracker(known);
  }
  cluster_.set_rack(host, rack);
  const HostIndex index = cluster_.add_known_host(host);
  const bool was_gray = faults_.is_gray(index);
  faults_.forget(index);
  record_gray(cluster_, faults_, index, was_gray);
  cluster_.add_tracker(tracker, index, map_slots, reduce_slots);
}

void JobQueueScheduler::on_tracker_lost(Instant now, const std::string& tracker) {
  cluster_.now = now;
  const TrackerIndex known = cluster_.find_tracker(tracker);
  if (known < 0) return;
  lose(known);
  cluster_.remove_tracker(known);
}

void JobQueueScheduler::lose(TrackerIndex tracker) {
  cluster_.tracker(tracker).jobs_to_end.clear();
  std::set<JobId> jobs_with_failures;
  for (const auto& attempt : cluster_.remove_attempts_of(tracker)) {
    auto& job = jobs_.at(attempt.job);
    if (job.on_attempt_lost(attempt, tracker, cluster_)) jobs_with_failures.insert(attempt.job);
    queue_.recount(job);
  }
  for (const JobId job : jobs_with_failures)
    jobs_.at(job).add_tracker_failure(cluster_.host_of_tracker(tracker), cluster_);
  drop_marked(cluster_, jobs_, tracker);
}

void JobQueueScheduler::on_job(Instant now, ClassicJobDescription description) {
  cluster_.now = now;
  const SpecialTasks special{settings_.setup_and_cleanup, settings_.cleanup_wait, settings_.keeps_unread_outputs};
  const JobId job = description.job;
  const auto [row, is_new] = jobs_.try_emplace(job, std::move(description), special, cluster_);
  HEDDLE_ASSERT(is_new, "job " + to_string(job) + " was submitted before");
  const std::int32_t tasks = row->second.maps() + row->second.reduces();
  if (settings_.tasks_of_job_max < 0 || tasks <= settings_.tasks_of_job_max) return queue_.add(row->second);
  cluster_.effects.emplace_back(JobTooLarge{job, tasks, settings_.tasks_of_job_max});
  row->second.refuse(cluster_);
}

void JobQueueScheduler::on_priority(JobId job, JobPriority priority) {
  const auto row = jobs_.find(job);
  if (row == jobs_.end()) return;
  const bool is_queued = queue_.remove(row->second);
  row->second.set_priority(priority);
  if (is_queued) queue_.add(row->second);
}

void JobQueueScheduler::on_kill_job(Instant now, JobId job) {
  cluster_.now = now;
  const auto row = jobs_.find(job);
  if (row == jobs_.end()) return;
  row->second.stop(JobRunState::killed, cluster_);
  queue_.recount(row->second);
}

void JobQueueScheduler::on_fail_job(Instant now, JobId job, bool at_once) {
  cluster_.now = now;
  const auto row = jobs_.find(job);
  if (row == jobs_.end()) return;
  if (at_once) row->second.refuse(cluster_);
  else row->second.stop(JobRunState::failed, cluster_);
  queue_.recount(row->second);
}

void JobQueueScheduler::remove_job(JobId job) {
  const auto row = jobs_.find(job);
  if (row == jobs_.end()) return;
  HEDDLE_ASSERT(row->second.has_ended(), "job " + to_string(job) + " is removed before its end");
  queue_.remove(row->second);
  cluster_.drop_job(job);
  for_each_task(row->second, [this](const ClassicTask& task) {
    for (const auto& attempt : task.attempts()) unconfirmed_ -= attempt.marks.unconfirmed ? 1 : 0;
  });
  jobs_.erase(row);
}

std::vector<std::string> JobQueueScheduler::take_trackers_to_wake() {
  std::vector<std::string> names;
  if (!std::exchange(cluster_.has_wake_ups, false)) return names;
  const auto is_launchable = [this](bool reduces) {
    return std::any_of(jobs_.begin(), jobs_.end(), [&](const auto& row) { return row.second.has_launchable(reduces); });
  };
  std::optional<bool> launchable[2];
  for (auto& [index, tracker] : cluster_.trackers()) {
    bool is_wanted = std::exchange(tracker.has_kills, false);
    if (tracker.seen_version < cluster_.launch_version)
      for (const bool reduces : {false, true}) {
        if (is_wanted) break;
        auto& known = launchable[reduces ? 1 : 0];
        if (!known) known = is_launchable(reduces);
        is_wanted = *known && tracker.has_free_slot(reduces);
      }
    tracker.seen_version = cluster_.launch_version;
    if (is_wanted) names.push_back(cluster_.tracker_name(index));
  }
  return names;
}

bool JobQueueScheduler::on_kill_attempt(const TaskAttemptId& attempt, bool as_failed) {
  const auto listed = find_listed(jobs_, attempt);
  return listed && listed.task->request_end(attempt.attempt, as_failed);
}

void JobQueueScheduler::on_map_output_lost(Instant now, const TaskAttemptId& map) {
  cluster_.now = now;
  const auto row = jobs_.find(map.job);
  if (row == jobs_.end() || row->second.has_ended()) return;
  if (settings_.keeps_unread_outputs && all_reduces_ended(row->second)) return;
  const auto* kept = row->second.find_task(map)->report(map.attempt);
  if (kept == nullptr || kept->state != TaskAttemptState::succeeded) return;
  row->second.on_report({map, TaskAttemptState::failed, 0, -1, false, kept->tracker, AttemptEndCause::output_lost},
                        cluster_);
  queue_.recount(row->second);
}

TrackerOrders JobQueueScheduler::on_heartbeat(Instant now, TrackerReport heartbeat) {
  cluster_.now = now;
  TrackerOrders orders;
  const TrackerIndex index = cluster_.find_tracker(heartbeat.tracker);
  orders.tracker = index;
  if (index < 0) return orders;
  for (auto& report : heartbeat.reports) report.tracker = index;
  ClassicTracker& tracker = cluster_.tracker(index);
  tracker.free_space = heartbeat.free_space;
  cluster_.set_reports(index, heartbeat.reports);
  const bool was_gray = faults_.is_gray(tracker.host);
  faults_.review(now, tracker.host, cluster_.tracker_count());
  record_gray(cluster_, faults_, tracker.host, was_gray);
  apply_reports(index, std::move(heartbeat.reports));
  if (heartbeat.accepts_tasks && !cluster_.safe_mode) {
    if (const auto special = next_special(tracker)) orders.launches.push_back(*special);
    else assign(tracker, orders.launches);
    for (const auto& launch : orders.launches) tracker.runs.insert(launch.attempt);
    record_launches(orders.launches);
  }
  orders.kills = kills_for(tracker);
  orders.ended_jobs = std::exchange(tracker.jobs_to_end, {});
  std::sort(orders.ended_jobs.begin(), orders.ended_jobs.end());
  orders.commits = commits_for(tracker);
  tracker.has_kills = false;
  tracker.seen_version = cluster_.launch_version;
  drop_marked(cluster_, jobs_, index);
  return orders;
}

void JobQueueScheduler::apply_reports(TrackerIndex index, std::vector<AttemptReport> reports) {
  ClassicTracker& tracker = cluster_.tracker(index);
  for (const auto& report : reports) {
    const auto found = find_task(jobs_, report.attempt);
    if (found) confirm(*found.task, report.attempt.attempt, unconfirmed_);
    const bool runs = report.state == TaskAttemptState::running || report.state == TaskAttemptState::commit_pending ||
                      (report.cleanup_phase && report.state != TaskAttemptState::failed &&
                       report.state != TaskAttemptState::killed && report.state != TaskAttemptState::succeeded);
    if (!runs) tracker.runs.erase(report.attempt);
    if (!is_listed(found, report.attempt)) continue;
    ClassicJob& job = *found.job;
    job.on_report(report, cluster_);
    queue_.recount(job);
    if (job.has_ended() && queue_.remove(job) && job.state() == JobRunState::succeeded) count_faults(job);
  }
}

void JobQueueScheduler::count_faults(const ClassicJob& job) {
  for (const auto& [host, failures] : job.faults().failures()) {
    if (failures < job.faults().failures_max()) continue;
    const bool was_gray = faults_.is_gray(host);
    faults_.add(cluster_.now, host, cluster_.tracker_count(), gray_trackers());
    record_gray(cluster_, faults_, host, was_gray);
  }
}

std::int32_t JobQueueScheduler::gray_trackers() const {
  return static_cast<std::int32_t>(std::count_if(cluster_.trackers().begin(), cluster_.trackers().end(),
                                                 [this](const auto& row) { return faults_.is_gray(row.second.host); }));
}

// -- unconfirmed launches -----------------------------------------------------------

void JobQueueScheduler::record_launches(const std::vector<ClassicLaunch>& launches) {
  if (unconfirmed_ == 0 && !launches.empty()) next_look_ = cluster_.now + settings_.tracker_expiry / 3;
  for (const auto& launch : launches) {
    auto& task = *jobs_.at(launch.attempt.job).find_task(launch.attempt);
    auto& unconfirmed = task.marks(launch.attempt.attempt).unconfirmed;
    if (unconfirmed) continue;
    unconfirmed = cluster_.now;
    ++unconfirmed_;
  }
}

void JobQueueScheduler::on_time(Instant now) {
  if (unconfirmed_ == 0 || now < *next_look_) return;
  cluster_.now = now;
  next_look_ = now + settings_.tracker_expiry / 3;
  std::map<TrackerIndex, std::vector<AttemptReport>> overdue;
  const auto take_overdue = [&](JobId job, ClassicTask& task, const ClassicAttempt& row) {
    if (!row.marks.unconfirmed || now - *row.marks.unconfirmed <= settings_.tracker_expiry) return;
    const TaskAttemptId attempt{job, task.is_reduce(), task.number(), row.number};
    for (const auto& [index, tracker] : cluster_.trackers())
      if (tracker.runs.contains(attempt))
        overdue[index].push_back({attempt, TaskAttemptState::failed, 0, -1, false, index, AttemptEndCause::unreported});
    confirm(task, row.number, unconfirmed_);
  };
  for (auto& [number, job] : jobs_)
    for_each_task(job, [&, id = number](ClassicTask& task) {
      for (const auto& row : task.attempts()) take_overdue(id, task, row);
    });
  for (auto& [index, reports] : overdue) apply_reports(index, std::move(reports));
}

Duration JobQueueScheduler::heartbeat_interval() const {
  const double by_size = 1000.0F * settings_.heartbeat_scaling * static_cast<double>(cluster_.tracker_count()) /
                         settings_.heartbeats_per_second;
  return std::chrono::milliseconds{std::max(java::to_int(by_size), heartbeat_interval_min_ms)};
}

// -- assignment -------------------------------------------------------------------

std::optional<ClassicLaunch> JobQueueScheduler::next_special(const ClassicTracker& tracker) {
  for (const bool reduces : {false, true}) {
    if (tracker.running(reduces) >= (reduces ? tracker.reduce_slots : tracker.map_slots)) continue;
    for (const auto choose : {&ClassicJob::new_job_cleanup, &ClassicJob::new_task_cleanup, &ClassicJob::new_job_setup})
      for (const auto& [number, job] : queue_.special_jobs())
        if (auto launch = (job->*choose)(tracker, cluster_, reduces)) {
          queue_.recount(*job);
          return launch;
        }
  }
  return std::nullopt;
}

/// One task per call: maps, then reduces, of jobs below their limit, spread over the trackers; then of any job.
void JobQueueScheduler::assign_limited(const ClassicTracker& tracker, std::vector<ClassicLaunch>& launches) {
  for (const bool is_bounded : {true, false})
    for (const bool reduces : {false, true})
      if (const auto launch = limited_launch(tracker, reduces, is_bounded)) {
        launches.push_back(*launch);
        return;
      }
}

std::optional<ClassicLaunch> JobQueueScheduler::limited_launch(const ClassicTracker& tracker, bool reduces,
                                                               bool is_bounded) {
  std::int32_t needed = 0;
  for (const auto& [place, row] : queue_.rows()) {
    const ClassicJob& job = *row.job;
    if (job.is_running()) needed += (reduces ? job.reduces() : job.maps()) - job.counts(reduces).finished;
  }
  const std::int32_t slots = reduces ? tracker.reduce_slots : tracker.map_slots;
  const std::int32_t spread = (needed + cluster_.tracker_count() - 1) / cluster_.tracker_count();
  if (tracker.running(reduces) >= (is_bounded ? std::min(slots, spread) : slots)) return std::nullopt;
  for (const auto& [place, row] : queue_.rows()) {
    ClassicJob& job = *row.job;
    if (!job.is_running() || (reduces && job.reduces() == 0)) continue;
    if (is_bounded && job.counts(false).running + job.counts(true).running >= *settings_.running_tasks_of_job_max)
      continue;
    auto launch = reduces ? job.new_reduce(tracker, cluster_) : job.new_map(tracker, cluster_, true);
    queue_.recount(job);  // it may have failed (RE-5)
    if (!launch && !reduces) launch = job.new_map(tracker, cluster_, false);
    if (launch) return launch;
  }
  return std::nullopt;
}

void JobQueueScheduler::assign(const ClassicTracker& tracker, std::vector<ClassicLaunch>& launches) {
  if (settings_.running_tasks_of_job_max) return assign_limited(tracker, launches);
  const auto load = queue_.load();  // before the launches
  assign_maps(tracker, load.maps, launches);
  assign_reduce(tracker, load.reduces, launches);
}

std::int32_t JobQueueScheduler::available(const ClassicTracker& tracker, std::int32_t load, bool reduces) const {
  const std::int32_t capacity = cluster_.capacity(reduces);
  const double factor = capacity > 0 ? static_cast<double>(load) / capacity : 0.0;
  const std::int32_t slots = reduces ? tracker.reduce_slots : tracker.map_slots;
  return std::min(java::to_int(std::ceil(factor * slots)), slots) - tracker.running(reduces);
}

void JobQueueScheduler::assign_maps(const ClassicTracker& tracker, std::int32_t load,
                                    std::vector<ClassicLaunch>& launches) {
  const std::int32_t slots = available(tracker, load, false);
  const bool is_padded = slots > 0 && exceeds_padding(false, tracker.map_slots);
  for (std::int32_t i = 0; i < slots; ++i) {
    for (const auto& [place, row] : queue_.rows()) {
      ClassicJob& job = *row.job;
      if (!job.is_running()) continue;
      if (const auto local = job.new_map(tracker, cluster_, true)) {
        launches.push_back(*local);
        if (is_padded) return;
        break;
      }
      if (const auto far = job.new_map(tracker, cluster_, false)) {
        launches.push_back(*far);
        return;
      }
    }
  }
  if (launches.empty() || static_cast<std::int32_t>(launches.size()) < slots) return;
  const std::int32_t maps = tracker.running(false) + slots;
  if (maps < tracker.map_slots)
    launches.back().share = MapShare{load, cluster_.capacity(false), tracker.map_slots, maps};
}

void JobQueueScheduler::assign_reduce(const ClassicTracker& tracker, std::int32_t load,
                                      std::vector<ClassicLaunch>& launches) {
  if (available(tracker, load, true) <= 0) return;
  const bool is_padded = exceeds_padding(true, tracker.reduce_slots);
  for (const auto& [place, row] : queue_.rows()) {
    ClassicJob& job = *row.job;
    if (!job.is_running() || job.reduces() == 0) continue;
    const auto reduce = job.new_reduce(tracker, cluster_);
    queue_.recount(job);  // it may have failed (RE-5)
    if (reduce) {
      launches.push_back(*reduce);
      return;
    }
    // Later jobs must not use the slots that stay free for this one.
    if (is_padded) return;
  }
}

/// Hadoop adds the jobs one by one and stops at the first that exceeds the capacity. Each job adds to the padding, so
/// the sum over all jobs gives the same answer.
bool JobQueueScheduler::exceeds_padding(bool reduces, std::int32_t tracker_slots) const {
  const auto& wanted = queue_.reduce_jobs();
  if (wanted.jobs == 0) return false;
  std::int32_t padding = 0;
  if (cluster_.tracker_count() > unpadded_trackers_max) {
    const float part = static_cast<float>(reduces ? wanted.reduces : wanted.maps) * settings_.capacity_pad;
    padding = std::min(tracker_slots, java::to_int(static_cast<double>(part)));
  }
  return cluster_.running(reduces) + padding >= cluster_.capacity(reduces);
}

// -- kills and commits --------------------------------------------------------------

std::vector<TaskAttemptId> JobQueueScheduler::kills_for(const ClassicTracker& tracker) {
  std::vector<TaskAttemptId> kills;
  for (const auto& attempt : tracker.runs) {  // not all attempts of the tracker: most of them ended long ago
    const auto listed = find_listed(jobs_, attempt);
    if (!listed) continue;
    const bool must_close = listed.task->should_close(attempt.attempt, listed.job->has_ended());
    if (must_close && !listed.job->has_ended()) kills.push_back(attempt);
  }
  return kills;
}

std::vector<TaskAttemptId> JobQueueScheduler::commits_for(const ClassicTracker& tracker) {
  std::vector<TaskAttemptId> commits;
  for (const auto& report : tracker.reports) {
    if (report.state != TaskAttemptState::commit_pending) continue;
    const auto listed = find_listed(jobs_, report.attempt);
    if (listed && listed.task->should_commit(report.attempt.attempt)) commits.push_back(report.attempt);
  }
  return commits;
}

// -- questions ----------------------------------------------------------------------

JobRefusal JobQueueScheduler::explain(JobId number) const {
  const auto row = jobs_.find(number);
  if (row == jobs_.end()) return JobRefusal::unknown;
  const ClassicJob& job = row->second;
  if (job.has_ended()) return JobRefusal::ended;
  if (cluster_.safe_mode) return JobRefusal::safe_mode;
  if (!job.is_running()) return JobRefusal::waits_for_setup;
  const bool maps_wait = job.maps() - job.counts(false).finished - job.counts(false).failed > job.counts(false).running;
  const bool reduces_wait =
      job.reduces() - job.counts(true).finished - job.counts(true).failed > job.counts(true).running;
  if (!maps_wait && !reduces_wait) return JobRefusal::nothing_waits;
  if (!maps_wait && !reduces_may_start(job)) return JobRefusal::reduces_wait_for_maps;
  return explain_slot(job, !maps_wait);
}

/// Why the job gets no slot of this kind: none is free, or none of the free ones is for it.
JobRefusal JobQueueScheduler::explain_slot(const ClassicJob& job, bool reduces) const {
  bool has_free = false;
  bool has_accepted = false;
  bool has_room = reduces;
  for (const auto& [index, tracker] : cluster_.trackers()) {
    const std::int32_t slots = reduces ? tracker.reduce_slots : tracker.map_slots;
    if (tracker.running(reduces) >= slots) continue;
    has_free = true;
    if (!job.faults().accepts(tracker.host)) continue;
    if (reduces && exceeds_padding(true, slots)) return JobRefusal::padding;
    has_accepted = true;
    has_room = has_room || tracker.free_space >= job.map_output_estimate();
  }
  if (!has_free) return JobRefusal::waits_for_slot;
  if (!has_accepted) return JobRefusal::avoids_free_hosts;
  return has_room ? JobRefusal::waits_for_slot : JobRefusal::waits_for_space;
}

void JobQueueScheduler::check_invariants() const {
  for (const auto& [number, job] : jobs_) policies::check_invariants(job);
  queue_.check_invariants();
}

}  // namespace heddle::policies
