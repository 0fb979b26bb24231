// One job of classic MapReduce: which of its tasks a tracker gets, and what its attempts' reports do to it.
// Order: failed maps (most failures first, then number), maps near the tracker, maps of other racks in the order the
// racks became known, maps without a place, then speculation in the same order. Cost: an offer looks at what it purges,
// and at one list per level. After Hadoop 1.2's JobInProgress and ResourceEstimator; progress is added up in float, as
// there.
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
#include "policies/job_tracker/classic_task.hpp"

namespace heddle::policies {

enum class JobPriority : std::uint8_t { very_high, high, normal, low, very_low };
enum class JobRunState : std::uint8_t { prep, running, succeeded, failed, killed };

struct ClassicJobDescription {
  std::int32_t job = 0;
  std::vector<std::vector<std::string>> splits;  // hosts of each split; none: anywhere
  std::int32_t reduces = 0;
  JobPriority priority = JobPriority::normal;
  float slow_start = 0.05F;
  bool map_speculative = true;
  bool reduce_speculative = true;
  std::int32_t map_attempts_max = 4;
  std::int32_t reduce_attempts_max = 4;
  std::int32_t tracker_failures_max = 4;
  std::int32_t map_failures_percent = 0;
  std::int32_t reduce_failures_percent = 0;
  std::int64_t split_length = 1000;
  std::int64_t reduce_input_limit = -1;  // none
};

enum class LaunchType : std::uint8_t { map, reduce, job_setup, job_cleanup, task_cleanup };
enum class ClassicLocality : std::uint8_t { node_local, rack_local, off_switch };

struct ClassicLaunch {
  ClassicAttempt attempt;
  LaunchType type = LaunchType::map;
  bool reduce_slot = false;
  ClassicLocality locality = ClassicLocality::off_switch;  // of a map
  bool speculative = false;
};

class ClassicJob {
public:
  /// The caller's cluster learns the splits' hosts here.
  ClassicJob(const ClassicJobDescription& description, bool setup_and_cleanup, ClassicCluster& cluster);

  [[nodiscard]] std::int32_t number() const { return description_.job; }
  [[nodiscard]] JobRunState state() const { return state_; }
  [[nodiscard]] bool is_running() const { return state_ == JobRunState::running; }
  [[nodiscard]] bool has_ended() const { return state_ != JobRunState::prep && state_ != JobRunState::running; }
  [[nodiscard]] JobPriority priority() const { return description_.priority; }
  void set_priority(JobPriority priority) { description_.priority = priority; }
  [[nodiscard]] Instant submitted() const { return submitted_; }
  [[nodiscard]] std::int32_t maps() const { return static_cast<std::int32_t>(maps_.size()); }
  [[nodiscard]] std::int32_t reduces() const { return static_cast<std::int32_t>(reduces_.size()); }
  [[nodiscard]] std::int32_t finished(bool reduces) const { return reduces ? finished_reduces_ : finished_maps_; }
  [[nodiscard]] std::int32_t running(bool reduces) const { return reduces ? running_reduces_ : running_maps_; }
  [[nodiscard]] std::int32_t failed_tasks(bool reduces) const {
    return reduces ? failed_reduces_count_ : failed_maps_count_;
  }
  [[nodiscard]] std::int32_t flaky_trackers() const { return flaky_trackers_; }
  [[nodiscard]] const std::map<HostIndex, std::int32_t>& tracker_failures() const { return tracker_failures_; }
  [[nodiscard]] bool reduces_may_start() const { return finished_maps_ + failed_maps_count_ >= slow_start_maps_; }

  [[nodiscard]] std::optional<ClassicLaunch> new_local_map(const ClassicTracker& tracker, ClassicCluster& cluster);
  [[nodiscard]] std::optional<ClassicLaunch> new_far_map(const ClassicTracker& tracker, ClassicCluster& cluster);
  [[nodiscard]] std::optional<ClassicLaunch> new_reduce(const ClassicTracker& tracker, ClassicCluster& cluster);
  [[nodiscard]] std::optional<ClassicLaunch> new_job_cleanup(const ClassicTracker& tracker, ClassicCluster& cluster,
                                                             bool reduce_slot);
  [[nodiscard]] std::optional<ClassicLaunch> new_task_cleanup(const ClassicTracker& tracker, ClassicCluster& cluster,
                                                              bool reduce_slot);
  [[nodiscard]] std::optional<ClassicLaunch> new_job_setup(const ClassicTracker& tracker, ClassicCluster& cluster,
                                                           bool reduce_slot);

  [[nodiscard]] ClassicTask* find_task(const ClassicAttempt& attempt);
  void on_report(AttemptReport report, ClassicCluster& cluster);
  /// An attempt of a lost tracker ends; true if the job counts that as a failure of the tracker's host.
  bool on_attempt_lost(const ClassicAttempt& attempt, TrackerIndex tracker, ClassicCluster& cluster);
  void add_tracker_failure(HostIndex host);
  void kill(ClassicCluster& cluster);
  /// The job has more tasks than jobs may have: it fails before anything runs.
  void refuse(ClassicCluster& cluster) { end(JobRunState::failed, cluster); }
  [[nodiscard]] std::int32_t tracker_failures_max() const { return description_.tracker_failures_max; }
  void check_invariants() const;

private:
  /// Task numbers in the order of their coming, each once.
  class OrderedTasks {
  public:
    void add(std::int32_t task) {
      if (place_.try_emplace(task, next_).second) tasks_.emplace(next_++, task);
    }
    void remove(std::int32_t task) {
      const auto row = place_.find(task);
      if (row == place_.end()) return;
      tasks_.erase(row->second);
      place_.erase(row);
    }
    [[nodiscard]] std::map<std::int64_t, std::int32_t>& in_order() { return tasks_; }
    void remove_at(std::map<std::int64_t, std::int32_t>::iterator row) {
      place_.erase(row->second);
      tasks_.erase(row);
    }

  private:
    std::map<std::int64_t, std::int32_t> tasks_;
    std::map<std::int32_t, std::int64_t> place_;
    std::int64_t next_ = 0;
  };
  /// Most failures first, then by number; failures as they were when the task came.
  using FailedFirst = std::set<std::pair<std::int32_t, std::int32_t>>;
  static std::int32_t task_of(std::int32_t task) { return task; }
  static std::int32_t task_of(const std::pair<std::int32_t, std::int32_t>& entry) { return entry.second; }

  void list_maps(ClassicCluster& cluster);
  template <class Tasks>
  std::optional<std::int32_t> find_waiting(Tasks& list, std::vector<ClassicTask>& tasks, const ClassicTracker& tracker,
                                           std::int32_t unique_hosts, bool drop_failed_here);
  std::optional<std::int32_t> find_slow(OrderedTasks& list, const std::vector<ClassicTask>& tasks,
                                        const ClassicTracker& tracker, double average, Instant now, bool drop);
  std::optional<std::int32_t> find_map(const ClassicTracker& tracker, ClassicCluster& cluster, bool is_local_call);
  std::optional<std::int32_t> find_listed_map(std::map<std::int32_t, std::list<std::int32_t>>& lists,
                                              std::int32_t place, const ClassicTracker& tracker,
                                              std::int32_t unique_hosts, bool drop_failed_here);
  std::optional<std::int32_t> find_far_map(const ClassicTracker& tracker, ClassicCluster& cluster);
  std::optional<std::int32_t> find_slow_map(const ClassicTracker& tracker, ClassicCluster& cluster);
  std::optional<std::int32_t> find_reduce(const ClassicTracker& tracker, ClassicCluster& cluster);
  std::optional<ClassicLaunch> new_map(const ClassicTracker& tracker, ClassicCluster& cluster, bool is_local_call);
  std::optional<ClassicLaunch> launch(ClassicTask& task, const ClassicTracker& tracker, ClassicCluster& cluster,
                                      LaunchType type);
  std::optional<ClassicLaunch> new_special(ClassicTask& task, const ClassicTracker& tracker, ClassicCluster& cluster,
                                           LaunchType type);
  [[nodiscard]] ClassicLocality locality_of(const ClassicTask& map, const ClassicTracker& tracker,
                                            const ClassicCluster& cluster) const;
  [[nodiscard]] bool accepts(const ClassicTracker& tracker) const;
  void list_running(const ClassicTask& map, const ClassicCluster& cluster);
  void unlist_running(const ClassicTask& map, const ClassicCluster& cluster);

  void apply_report(ClassicTask& task, AttemptReport& report, ClassicCluster& cluster);
  void on_success(ClassicTask& task, const AttemptReport& report, ClassicCluster& cluster);
  void on_failure(ClassicTask& task, AttemptReport& report, ClassicCluster& cluster, bool was_running,
                  bool was_complete, bool was_attempt_active);
  void requeue(ClassicTask& task, const ClassicCluster& cluster);
  void on_task_failed_for_good(ClassicTask& task, ClassicCluster& cluster);
  void end_without_special_tasks(ClassicCluster& cluster);
  void fail(ClassicCluster& cluster) { terminate(JobRunState::failed, cluster); }
  void terminate(JobRunState how, ClassicCluster& cluster);
  void end(JobRunState how, ClassicCluster& cluster);
  void mark_ended_attempts(const std::vector<ClassicTask>& tasks, bool with_unclean, ClassicCluster& cluster);
  [[nodiscard]] bool is_setup_finished() const;
  [[nodiscard]] bool all_tasks_ended() const;
  [[nodiscard]] bool may_launch_cleanup() const;
  [[nodiscard]] std::int64_t estimated_output() const;

  ClassicJobDescription description_;
  bool special_tasks_;  // job setup and job cleanup
  JobRunState state_ = JobRunState::prep;
  Instant submitted_;
  std::vector<ClassicTask> maps_;
  std::vector<ClassicTask> reduces_;
  std::vector<ClassicTask> setup_;    // on a map slot, on a reduce slot
  std::vector<ClassicTask> cleanup_;  // likewise
  bool setup_launched_ = false;
  bool cleanup_launched_ = false;
  bool job_failed_ = false;
  bool job_killed_ = false;
  bool lists_dropped_ = false;
  std::int32_t slow_start_maps_ = 0;
  std::int32_t finished_maps_ = 0;
  std::int32_t finished_reduces_ = 0;
  std::int32_t running_maps_ = 0;
  std::int32_t running_reduces_ = 0;
  std::int32_t failed_maps_count_ = 0;
  std::int32_t failed_reduces_count_ = 0;
  float map_progress_ = 0;
  float reduce_progress_ = 0;
  std::int32_t cluster_size_ = 0;
  std::int32_t flaky_trackers_ = 0;
  std::map<HostIndex, std::int32_t> tracker_failures_;
  FailedFirst failed_maps_;
  std::map<std::int32_t, std::list<std::int32_t>> waiting_on_host_;
  std::map<std::int32_t, std::list<std::int32_t>> waiting_on_rack_;
  std::list<std::int32_t> waiting_anywhere_;
  std::map<std::int32_t, OrderedTasks> running_on_host_;
  std::map<std::int32_t, OrderedTasks> running_on_rack_;
  OrderedTasks running_anywhere_;
  FailedFirst waiting_reduces_;
  OrderedTasks running_reduce_tasks_;
  std::list<ClassicAttempt> map_cleanups_;
  std::list<ClassicAttempt> reduce_cleanups_;
  std::int32_t estimate_after_ = 0;
  std::int32_t estimate_maps_ = 0;
  std::int64_t completed_input_ = 0;
  std::int64_t completed_output_ = 0;
};

}  // namespace heddle::policies
