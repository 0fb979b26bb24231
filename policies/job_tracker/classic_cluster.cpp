#include "policies/job_tracker/classic_cluster.hpp"

#include <algorithm>
#include <utility>

#include "model/rack_table.hpp"

namespace heddle::policies {

std::int32_t ClassicTracker::running(bool reduces) const {
  const auto runs_there = [reduces](const AttemptReport& report) {
    const bool is_cleanup = report.cleanup_phase && (report.state == ClassicAttemptState::failed_unclean ||
                                                     report.state == ClassicAttemptState::killed_unclean);
    return report.attempt.is_reduce == reduces && (report.state == ClassicAttemptState::running || is_cleanup);
  };
  return static_cast<std::int32_t>(std::count_if(reports.begin(), reports.end(), runs_there));
}

HostIndex ClassicCluster::add_known_host(const std::string& host) {
  const auto [row, is_new] = host_numbers_.try_emplace(host, static_cast<HostIndex>(hosts_.size()));
  if (!is_new) return row->second;
  const auto stated = stated_racks_.find(host);
  const std::string rack = stated == stated_racks_.end() ? std::string{RackTable::default_rack} : stated->second;
  const auto [known, is_new_rack] = rack_numbers_.try_emplace(rack, static_cast<std::int32_t>(racks_.size()));
  if (is_new_rack) racks_.push_back(rack);
  hosts_.push_back(host);
  rack_of_host_.push_back(known->second);
  return row->second;
}

ClassicTracker& ClassicCluster::add_tracker(const std::string& name, HostIndex host, std::int32_t map_slots,
                                            std::int32_t reduce_slots) {
  const auto [row, is_new] = tracker_numbers_.try_emplace(name, static_cast<TrackerIndex>(host_of_tracker_.size()));
  if (is_new) host_of_tracker_.push_back(host);
  host_of_tracker_[static_cast<std::size_t>(row->second)] = host;
  ClassicTracker& tracker = trackers_[row->second];
  tracker = {};
  tracker.index = row->second;
  tracker.host = host;
  tracker.map_slots = map_slots;
  tracker.reduce_slots = reduce_slots;
  map_slots_ += map_slots;
  reduce_slots_ += reduce_slots;
  ++trackers_on_host_[host];
  return tracker;
}

void ClassicCluster::remove_tracker(TrackerIndex index) {
  set_reports(index, {});
  const ClassicTracker& tracker = trackers_.at(index);
  map_slots_ -= tracker.map_slots;
  reduce_slots_ -= tracker.reduce_slots;
  if (--trackers_on_host_.at(tracker.host) == 0) trackers_on_host_.erase(tracker.host);
  trackers_.erase(index);
}

TrackerIndex ClassicCluster::find_tracker(const std::string& name) const {
  const auto row = tracker_numbers_.find(name);
  return row == tracker_numbers_.end() || !trackers_.contains(row->second) ? -1 : row->second;
}

void ClassicCluster::set_reports(TrackerIndex index, std::vector<AttemptReport> reports) {
  ClassicTracker& tracker = trackers_.at(index);
  running_maps_ -= tracker.running(false);
  running_reduces_ -= tracker.running(true);
  tracker.reports = std::move(reports);
  running_maps_ += tracker.running(false);
  running_reduces_ += tracker.running(true);
}

void ClassicCluster::enter_attempt(const ClassicAttempt& attempt, TrackerIndex tracker) {
  tracker_of_attempt_[attempt] = tracker;
  attempts_of_tracker_[tracker].insert(attempt);
}

void ClassicCluster::drop_attempt(const ClassicAttempt& attempt) {
  const auto row = tracker_of_attempt_.find(attempt);
  if (row == tracker_of_attempt_.end()) return;
  const auto list = attempts_of_tracker_.find(row->second);
  if (list != attempts_of_tracker_.end()) list->second.erase(attempt);
  tracker_of_attempt_.erase(row);
}

void ClassicCluster::drop_marked(TrackerIndex tracker) {
  const auto row = marked_.find(tracker);
  if (row == marked_.end()) return;
  for (const auto& attempt : row->second) drop_attempt(attempt);
  marked_.erase(row);
}

std::set<ClassicAttempt> ClassicCluster::attempts_on(TrackerIndex tracker) const {
  const auto row = attempts_of_tracker_.find(tracker);
  return row == attempts_of_tracker_.end() ? std::set<ClassicAttempt>{} : row->second;
}

std::set<ClassicAttempt> ClassicCluster::remove_attempts_of(TrackerIndex tracker) {
  const auto row = attempts_of_tracker_.find(tracker);
  if (row == attempts_of_tracker_.end()) return {};
  auto attempts = std::move(row->second);
  attempts_of_tracker_.erase(row);
  return attempts;
}

}  // namespace heddle::policies
