// State that classic MapReduce jobs share: hosts and racks, trackers with their last reports, and attempts by tracker.
// Racks are in the order in which their first host was added. After the tables of Hadoop 1.2's JobTracker.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "model/time.hpp"
#include "policies/job_tracker/classic_task.hpp"

namespace heddle::policies {

struct ClassicTracker {
  TrackerIndex index = -1;
  HostIndex host = -1;
  std::int32_t map_slots = 0;
  std::int32_t reduce_slots = 0;
  std::int64_t free_space = std::numeric_limits<std::int64_t>::max();
  std::vector<AttemptReport> reports;  // of its last heartbeat
  std::set<ClassicAttempt> runs;       // launched there, without a reported end
  std::set<std::int32_t> jobs_to_end;  // ended jobs that were not sent yet

  [[nodiscard]] std::int32_t running(bool reduces) const;
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
  [[nodiscard]] std::int32_t capacity(bool reduces) const { return reduces ? reduce_slots_ : map_slots_; }
  [[nodiscard]] std::int32_t running(bool reduces) const { return reduces ? running_reduces_ : running_maps_; }
  void set_reports(TrackerIndex tracker, std::vector<AttemptReport> reports);

  void enter_attempt(const ClassicAttempt& attempt, TrackerIndex tracker);
  void drop_attempt(const ClassicAttempt& attempt);
  [[nodiscard]] bool is_entered(const ClassicAttempt& attempt) const { return tracker_of_attempt_.contains(attempt); }
  /// The attempt is removed when its tracker's heartbeat is answered.
  void mark_attempt(TrackerIndex tracker, const ClassicAttempt& attempt) { marked_[tracker].insert(attempt); }
  void drop_marked(TrackerIndex tracker);
  [[nodiscard]] std::set<ClassicAttempt> attempts_on(TrackerIndex tracker) const;
  /// Removes all attempts of a lost tracker from its list and returns them. They remain known.
  std::set<ClassicAttempt> remove_attempts_of(TrackerIndex tracker);

  Instant now{};
  bool safe_mode = false;

private:
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
  std::map<ClassicAttempt, TrackerIndex> tracker_of_attempt_;
  std::map<TrackerIndex, std::set<ClassicAttempt>> attempts_of_tracker_;
  std::map<TrackerIndex, std::set<ClassicAttempt>> marked_;
  std::int32_t map_slots_ = 0;
  std::int32_t reduce_slots_ = 0;
  std::int32_t running_maps_ = 0;
  std::int32_t running_reduces_ = 0;
};

}  // namespace heddle::policies
