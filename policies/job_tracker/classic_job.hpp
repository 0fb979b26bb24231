// One job of classic MapReduce: chooses its task for a tracker, and applies the reports of attempts. Order: failed maps
// (most failures first, then number), maps near the tracker, maps of other racks in the order in which the racks were
// added, maps without a location, then speculation in the same order. Cost: an offer costs the entries it purges and
// one list per level. After Hadoop 1.2's JobInProgress and ResourceEstimator; progress is summed in float, as there.
#pragma once

#include <cstdint>
#include <limits>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "policies/job_tracker/classic_cluster.hpp"
#include "policies/job_tracker/classic_job_description.hpp"
#include "policies/job_tracker/classic_job_machine.hpp"
#include "policies/job_tracker/classic_task.hpp"
#include "policies/job_tracker/map_lists.hpp"
#include "policies/job_tracker/output_estimate.hpp"
#include "policies/job_tracker/tracker_faults.hpp"

namespace heddle::policies {

enum class ClassicLocality : std::uint8_t { node_local, rack_local, off_switch };

/// Map slots of a tracker that stay free because of the load factor (JQ-5).
struct MapShare {
  std::int32_t load = 0;      // remaining maps of running jobs
  std::int32_t capacity = 0;  // map slots of the cluster
  std::int32_t slots = 0;     // map slots of the tracker
  std::int32_t maps = 0;      // maps that the tracker runs at most
};

struct ClassicLaunch {
  TaskAttemptId attempt;
  AttemptType type = AttemptType::map;
  bool reduce_slot = false;
  ClassicLocality locality = ClassicLocality::off_switch;  // of a map
  bool speculative = false;
  double progress = 0;  // speculative: of the task, and the average of its kind
  double average_progress = 0;
  TaskAttemptState state = TaskAttemptState::running;  // task cleanup: how the attempt ended
  bool is_commit = false;  // job cleanup: all tasks have ended, and the job has neither failed nor been killed
  std::optional<MapShare> share = std::nullopt;  // last map of a heartbeat, if the load factor leaves slots free
};

/// Job setup and job cleanup, and the maps that run again before it.
struct SpecialTasks {
  bool is_on = true;
  /// Time for which a job cleanup waits until all other attempts of the job have ended. Hadoop does not wait.
  Duration cleanup_wait{0};
  /// A finished map does not run again once all reduces have ended. In Hadoop it does, even while the cleanup commits.
  bool keeps_unread_outputs = false;
};

class ClassicJob {
public:
  /// Tasks of one kind.
  struct Counts {
    std::int32_t finished = 0;
    std::int32_t running = 0;
    std::int32_t failed = 0;
    float progress = 0;
  };
  /// Adds the hosts of the splits to the cluster.
  ClassicJob(ClassicJobDescription description, const SpecialTasks& special_tasks, ClassicCluster& cluster);

  [[nodiscard]] JobId number() const { return description_.job; }
  [[nodiscard]] JobRunState state() const { return machine_.run_state(); }
  [[nodiscard]] bool is_running() const { return state() == JobRunState::running; }
  [[nodiscard]] bool has_ended() const { return machine_.has_ended(); }
  [[nodiscard]] JobPriority priority() const { return description_.priority; }
  void set_priority(JobPriority priority) { description_.priority = priority; }
  [[nodiscard]] Instant submitted() const { return submitted_; }
  [[nodiscard]] std::int32_t maps() const { return static_cast<std::int32_t>(maps_.size()); }
  [[nodiscard]] std::int32_t reduces() const { return static_cast<std::int32_t>(reduces_.size()); }
  [[nodiscard]] const Counts& counts(bool reduces) const { return reduces ? of_reduces_ : of_maps_; }
  [[nodiscard]] const TrackerFaults& faults() const { return faults_; }
  /// Bytes that one map is expected to write (RE-4); 0: unknown.
  [[nodiscard]] std::int64_t map_output_estimate() const { return maps_.empty() ? 0 : estimate_.of_all() / maps(); }
  void add_tracker_failure(HostIndex host, ClassicCluster& cluster);
  /// Number of ended maps after which reduces may start (JS-1).
  [[nodiscard]] std::int32_t slow_start_maps() const { return slow_start_maps_; }

  /// `is_local_call`: only a map near the tracker, or a failed one.
  [[nodiscard]] std::optional<ClassicLaunch> new_map(const ClassicTracker& tracker, ClassicCluster& cluster,
                                                     bool is_local_call);
  [[nodiscard]] std::optional<ClassicLaunch> new_reduce(const ClassicTracker& tracker, ClassicCluster& cluster);
  [[nodiscard]] std::optional<ClassicLaunch> new_job_cleanup(const ClassicTracker& tracker, ClassicCluster& cluster,
                                                             bool reduce_slot);
  [[nodiscard]] std::optional<ClassicLaunch> new_task_cleanup(const ClassicTracker& tracker, ClassicCluster& cluster,
                                                              bool reduce_slot);
  [[nodiscard]] std::optional<ClassicLaunch> new_job_setup(const ClassicTracker& tracker, ClassicCluster& cluster,
                                                           bool reduce_slot);

  [[nodiscard]] ClassicTask* find_task(const TaskAttemptId& attempt);
  void on_report(AttemptReport report, ClassicCluster& cluster);
  /// The tracker of the attempt is lost. True if the job counts this as a failure of the tracker's host.
  bool on_attempt_lost(const TaskAttemptId& attempt, TrackerIndex tracker, ClassicCluster& cluster);
  /// Anything of the job could start in a free slot of this kind.
  [[nodiscard]] bool has_launchable(bool reduce_slot) const;
  /// A cleanup of the job or of an attempt, or the setup, could start.
  [[nodiscard]] bool may_launch_special() const;
  /// Kills or fails the job; its attempts are killed, then its cleanup runs.
  void stop(JobRunState how, ClassicCluster& cluster);
  /// The job fails before any of its attempts runs.
  void refuse(ClassicCluster& cluster) { end(JobRunState::failed, ClassicJobEvent::refuse, cluster); }

private:
  struct Marks {
    bool setup_launched = false;
    bool cleanup_launched = false;
    bool is_committing = false;  // a cleanup that commits was launched: failures of tasks do not count any more
    bool lists_dropped = false;
  };
  std::optional<std::int32_t> find_map(const ClassicTracker& tracker, ClassicCluster& cluster, bool is_local_call);
  std::optional<std::int32_t> find_reduce(const ClassicTracker& tracker, ClassicCluster& cluster);
  std::optional<ClassicLaunch> launch(ClassicTask& task, const ClassicTracker& tracker, ClassicCluster& cluster,
                                      AttemptType type);
  std::optional<ClassicLaunch> new_special(ClassicTask& task, const ClassicTracker& tracker, ClassicCluster& cluster,
                                           AttemptType type);

  void store_report(ClassicTask& task, AttemptReport& report, ClassicCluster& cluster);
  void on_success(ClassicTask& task, const AttemptReport& report, ClassicCluster& cluster);
  void on_failure(ClassicTask& task, AttemptReport& report, ClassicCluster& cluster, bool was_running,
                  bool was_complete, bool was_attempt_active);
  void requeue(ClassicTask& task);
  /// The task has failed for good, and the job with it.
  void fail_with(ClassicTask& task, ClassicCluster& cluster);
  void end_without_special_tasks(ClassicCluster& cluster);
  void terminate(JobRunState how, ClassicCluster& cluster);
  void end(JobRunState how, ClassicJobEvent event, ClassicCluster& cluster);
  [[nodiscard]] bool may_launch_cleanup() const;

  ClassicJobDescription description_;
  SpecialTasks special_tasks_;
  ClassicJobMachine machine_;
  Instant submitted_;
  std::vector<ClassicTask> maps_;
  std::vector<ClassicTask> reduces_;
  std::vector<ClassicTask> setup_;    // one for a map slot, one for a reduce slot
  std::vector<ClassicTask> cleanup_;  // as setup_
  Marks marks_;
  std::int32_t slow_start_maps_ = 0;
  std::optional<Instant> cleanup_due_;  // the job cleanup waits for attempts until then
  Counts of_maps_;
  Counts of_reduces_;
  TrackerFaults faults_;
  MapLists map_lists_;
  FailedFirst waiting_reduces_;
  RunningTasks running_reduces_;  // one list; its places are the reduces
  std::list<TaskAttemptId> map_cleanups_;
  std::list<TaskAttemptId> reduce_cleanups_;
  OutputEstimate estimate_;
};

[[nodiscard]] inline bool reduces_may_start(const ClassicJob& job) {
  const auto& maps = job.counts(false);
  return maps.finished + maps.failed >= job.slow_start_maps();
}

/// No reduce reads the outputs of maps any more.
[[nodiscard]] inline bool all_reduces_ended(const ClassicJob& job) {
  const auto& reduces = job.counts(true);
  return reduces.finished + reduces.failed >= job.reduces();
}

[[nodiscard]] inline bool all_tasks_ended(const ClassicJob& job) {
  const auto& maps = job.counts(false);
  const auto& reduces = job.counts(true);
  return maps.finished + maps.failed == job.maps() && reduces.finished + reduces.failed == job.reduces();
}

void check_invariants(const ClassicJob& job);

}  // namespace heddle::policies
