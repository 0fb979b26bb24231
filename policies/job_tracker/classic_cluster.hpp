// State that classic MapReduce jobs share: hosts and racks, trackers with their last reports, and attempts by tracker.
// Racks are in the order in which their first host was added. After the tables of Hadoop 1.2's JobTracker.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/time.hpp"
#include "policies/job_tracker/attempt_set.hpp"
#include "policies/job_tracker/classic_task.hpp"
#include "policies/job_tracker/job_queue_effects.hpp"

namespace heddle::policies {

struct ClassicTracker {
  std::string name;
  TrackerIndex index = -1;
  HostIndex host = -1;
  std::int32_t map_slots = 0;
  std::int32_t reduce_slots = 0;
  std::int64_t free_space = std::numeric_limits<std::int64_t>::max();
  std::vector<AttemptReport> reports;  // of its last heartbeat
  AttemptSet runs;                     // launched there, without a reported end
  std::set<TaskAttemptId> attempts;    // launched there, of jobs that are known; not those that were dropped
  std::vector<JobId> jobs_to_end;      // ended jobs that were not sent yet, each once
  std::uint64_t seen_version = 0;      // ClassicCluster::launch_version at its last heartbeat or wake-up
  bool has_kills = false;              // an attempt of it must end: wake it up

  [[nodiscard]] std::int32_t running(bool reduces) const;
  [[nodiscard]] bool has_free_slot(bool reduces) const;
};

class ClassicCluster {
public:
  void set_rack(const std::string& host, const std::string& rack) { stated_racks_[host] = rack; }
  /// Returns the number of a host. Adds it and its rack at first use.
  HostIndex add_known_host(const std::string& host);
  [[nodiscard]] std::int32_t rack_of(HostIndex host) const { return rack_of_host_[static_cast<std::size_t>(host)]; }
  [[nodiscard]] std::int32_t racks() const { return static_cast<std::int32_t>(racks_.size()); }
  [[nodiscard]] const std::string& host_name(HostIndex host) const { return hosts_[static_cast<std::size_t>(host)]; }

  ClassicTracker& add_tracker(const std::string& name, HostIndex host, std::int32_t map_slots,
                              std::int32_t reduce_slots);
  void remove_tracker(TrackerIndex tracker);
  [[nodiscard]] const std::string& tracker_name(TrackerIndex tracker) const { return trackers_.at(tracker).name; }
  [[nodiscard]] TrackerIndex find_tracker(const std::string& name) const;
  [[nodiscard]] bool has_tracker(TrackerIndex tracker) const { return trackers_.contains(tracker); }
  [[nodiscard]] ClassicTracker& tracker(TrackerIndex tracker) { return trackers_.at(tracker); }
  [[nodiscard]] std::map<TrackerIndex, ClassicTracker>& trackers() { return trackers_; }
  [[nodiscard]] const std::map<TrackerIndex, ClassicTracker>& trackers() const { return trackers_; }
  [[nodiscard]] HostIndex host_of_tracker(TrackerIndex tracker) const {
    return host_of_tracker_[static_cast<std::size_t>(tracker)];
  }
  [[nodiscard]] std::int32_t tracker_count() const { return static_cast<std::int32_t>(trackers_.size()); }
  [[nodiscard]] std::int32_t unique_hosts() const { return static_cast<std::int32_t>(trackers_on_host_.size()); }
  [[nodiscard]] std::int32_t capacity(bool reduces) const { return reduces ? slots_.reduces : slots_.maps; }
  [[nodiscard]] std::int32_t running(bool reduces) const { return reduces ? running_.reduces : running_.maps; }
  void set_reports(TrackerIndex tracker, std::vector<AttemptReport> reports);

  /// Adds the attempt to the list of its tracker. `task`: that of the attempt, here and below.
  void enter_attempt(ClassicTask& task, const TaskAttemptId& attempt, TrackerIndex tracker);
  void drop_attempt(ClassicTask& task, const TaskAttemptId& attempt);
  /// The attempt is dropped when its tracker's heartbeat is answered.
  void mark_attempt(TrackerIndex tracker, const TaskAttemptId& attempt) { marked_[tracker].insert(attempt); }
  /// Removes and returns the marked attempts of the tracker.
  std::set<TaskAttemptId> take_marked(TrackerIndex tracker);
  /// Removes all attempts of a lost tracker from its list and returns them. They remain known.
  std::set<TaskAttemptId> remove_attempts_of(TrackerIndex tracker) {
    return std::exchange(trackers_.at(tracker).attempts, {});
  }
  /// Forgets all attempts of a job.
  void drop_job(JobId job);
  /// Reports the steps of state machines; checks them against their tables.
  void record(const ClassicAttemptStep& step);
  void record(JobId job, const ClassicTask& task, ClassicTaskEvent event, ClassicTaskState before);
  void record(const ClassicJobStep& step);
  void give_up(JobId job, ClassicTask& task);
  /// Something became launchable: trackers with free slots should send a heartbeat.
  void mark_launchable() {
    ++launch_version;
    has_wake_ups = true;
  }

  Instant now{};
  bool safe_mode = false;
  std::uint64_t launch_version = 0;
  bool has_wake_ups = false;  // a tracker may have to be woken up
  JobQueueEffects effects;    // not taken yet

private:
  struct Slots {
    std::int32_t maps = 0;
    std::int32_t reduces = 0;
  };

  std::map<std::string, std::string> stated_racks_;
  std::map<std::string, HostIndex> host_numbers_;
  std::vector<std::string> hosts_;
  std::vector<std::int32_t> rack_of_host_;
  std::map<std::string, std::int32_t> rack_numbers_;
  std::vector<std::string> racks_;
  std::map<std::string, TrackerIndex> tracker_numbers_;
  std::vector<HostIndex> host_of_tracker_;
  std::map<TrackerIndex, ClassicTracker> trackers_;
  std::map<HostIndex, std::int32_t> trackers_on_host_;
  std::map<TrackerIndex, std::set<TaskAttemptId>> marked_;
  Slots slots_;    // of all trackers
  Slots running_;  // reported attempts
};

}  // namespace heddle::policies
