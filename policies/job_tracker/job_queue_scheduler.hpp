// Slots of classic MapReduce: a FIFO queue of jobs with priorities shares the map and reduce slots of task trackers.
// Order: jobs by priority, submission time, number; job cleanup, task cleanup and job setup come before maps, maps
// before a reduce. A heartbeat gets as many maps as the cluster's load requires, at most one of them off-rack, and at
// most one reduce. Cost of a heartbeat: its reports, the jobs before the first that has a task for the tracker, and the
// entries that the jobs' lists purge.
// After Hadoop 1.2's JobQueueTaskScheduler (or, with a limit of running tasks per job, LimitTasksPerJobTaskScheduler)
// and its JobTracker.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "policies/job_tracker/classic_job.hpp"
#include "policies/job_tracker/host_faults.hpp"
#include "policies/job_tracker/job_queue.hpp"
#include "policies/job_tracker/job_queue_settings.hpp"

namespace heddle::policies {

struct TrackerReport {
  std::string tracker;
  std::vector<AttemptReport> reports;  // all attempts of the tracker; the scheduler sets their `tracker`
  bool accepts_tasks = true;
  std::int64_t free_space = std::numeric_limits<std::int64_t>::max();
};

/// Commands for a tracker, as answer to its heartbeat.
struct TrackerOrders {
  std::vector<ClassicLaunch> launches;  // in order
  std::vector<TaskAttemptId> kills;     // ascending; running attempts to kill
  std::vector<JobId> ended_jobs;        // ascending; each sent once
  std::vector<TaskAttemptId> commits;   // in the order of the reports
  TrackerIndex tracker = -1;            // its number; -1: it is not known
};

/// Why a job gets no slot now.
enum class JobRefusal : std::uint8_t {
  unknown,
  ended,
  waits_for_setup,
  safe_mode,
  nothing_waits,
  reduces_wait_for_maps,
  waits_for_slot,
  padding,            // JQ-10: the free reduce slots are kept for jobs before it
  avoids_free_hosts,  // JP-8
  waits_for_space     // JP-1: the output of a map is not expected to fit where slots are free
};

class JobQueueScheduler {
public:
  explicit JobQueueScheduler(JobQueueSettings settings)
      : settings_{settings}, faults_{settings.host_faults_max, settings.fault_window} {}
  JobQueueScheduler(const JobQueueScheduler&) = delete;
  JobQueueScheduler& operator=(const JobQueueScheduler&) = delete;

  void on_host(const std::string& host, const std::string& rack);
  /// First heartbeat of a tracker. A tracker that was known before loses its running attempts.
  void on_tracker(Instant now, const std::string& tracker, const std::string& host, const std::string& rack,
                  std::int32_t map_slots, std::int32_t reduce_slots);
  void on_tracker_lost(Instant now, const std::string& tracker);
  void on_job(Instant now, ClassicJobDescription description);
  void on_priority(JobId job, JobPriority priority);
  void on_kill_job(Instant now, JobId job);
  /// The job fails for a reason that no attempt reports. `at_once`: it has launched nothing, so nothing is cleaned up.
  void on_fail_job(Instant now, JobId job, bool at_once);
  /// Forgets a job that has ended, with its tasks and attempts. Trackers are still told that it ended.
  void remove_job(JobId job);
  /// False if the attempt does not run according to reports, or its end was requested before.
  bool on_kill_attempt(const TaskAttemptId& attempt, bool as_failed);
  /// The output of this finished map cannot be fetched: the attempt has failed, and the map runs again (JS-5).
  void on_map_output_lost(Instant now, const TaskAttemptId& map);
  /// Fails launches that no report has confirmed (JT-3).
  void on_time(Instant now);
  void on_safe_mode(bool is_on) { cluster_.safe_mode = is_on; }
  /// Effects of all inputs since the last call, in order. `storage`: its memory is used for the next effects.
  [[nodiscard]] JobQueueEffects take_effects(JobQueueEffects storage = {}) {
    storage.clear();
    return std::exchange(cluster_.effects, std::move(storage));
  }
  /// Names of the trackers that should send a heartbeat now: something became launchable since their last heartbeat and
  /// they have a free slot for it, or attempts of them must end. Each name is returned once per change.
  [[nodiscard]] std::vector<std::string> take_trackers_to_wake();
  [[nodiscard]] TrackerOrders on_heartbeat(Instant now, TrackerReport heartbeat);

  [[nodiscard]] const std::map<JobId, ClassicJob>& jobs() const { return jobs_; }
  /// Jobs that have not ended, in order.
  [[nodiscard]] const JobQueue& queue() const { return queue_; }
  /// Trackers and slots.
  [[nodiscard]] const ClassicCluster& cluster() const { return cluster_; }
  /// Time until a tracker's next heartbeat, by the size of the cluster (JT-5).
  [[nodiscard]] Duration heartbeat_interval() const;
  /// Number of jobs in the last three hours that succeeded and avoided this host.
  [[nodiscard]] std::int32_t faults_of(Instant now, const std::string& host) {
    return faults_.count(now, cluster_.add_known_host(host));
  }
  /// Number of trackers on gray hosts. Only for information: gray trackers still get tasks.
  [[nodiscard]] std::int32_t gray_trackers() const;
  /// When unconfirmed launches are checked next; none if all are confirmed.
  [[nodiscard]] std::optional<Instant> next_due() const { return unconfirmed_ == 0 ? std::nullopt : next_look_; }
  [[nodiscard]] JobRefusal explain(JobId job) const;
  void check_invariants() const;

private:
  void apply_reports(TrackerIndex tracker, std::vector<AttemptReport> reports);
  void lose(TrackerIndex tracker);
  [[nodiscard]] std::optional<ClassicLaunch> next_special(const ClassicTracker& tracker);
  void assign(const ClassicTracker& tracker, std::vector<ClassicLaunch>& launches);
  void assign_maps(const ClassicTracker& tracker, std::int32_t load, std::vector<ClassicLaunch>& launches);
  void assign_reduce(const ClassicTracker& tracker, std::int32_t load, std::vector<ClassicLaunch>& launches);
  void assign_limited(const ClassicTracker& tracker, std::vector<ClassicLaunch>& launches);
  [[nodiscard]] std::optional<ClassicLaunch> limited_launch(const ClassicTracker& tracker, bool reduces,
                                                            bool is_bounded);
  void count_faults(const ClassicJob& job);
  void record_launches(const std::vector<ClassicLaunch>& launches);
  [[nodiscard]] std::int32_t available(const ClassicTracker& tracker, std::int32_t load, bool reduces) const;
  [[nodiscard]] JobRefusal explain_slot(const ClassicJob& job, bool reduces) const;
  [[nodiscard]] bool exceeds_padding(bool reduces, std::int32_t tracker_slots) const;
  [[nodiscard]] std::vector<TaskAttemptId> kills_for(const ClassicTracker& tracker);
  [[nodiscard]] std::vector<TaskAttemptId> commits_for(const ClassicTracker& tracker);

  JobQueueSettings settings_;
  ClassicCluster cluster_;
  std::map<JobId, ClassicJob> jobs_;
  JobQueue queue_;
  HostFaults faults_;
  std::int64_t unconfirmed_ = 0;  // attempts that were launched and not reported yet
  std::optional<Instant> next_look_;
};

}  // namespace heddle::policies
