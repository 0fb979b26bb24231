#include "policies/job_tracker/classic_cluster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "model/assert.hpp"
#include "model/rack_table.hpp"

namespace heddle::policies {
namespace {

template <class Table, class Step>
void check_step(const Table& table, const Step& step, const auto& state_names, const auto& event_names) {
  HEDDLE_ASSERT(
      table.at(step.from, step.event).to.has(step.to),
      fmt::format("no transition from {} to {} by {}", state_names[static_cast<std::size_t>(step.from)],
                  state_names[static_cast<std::size_t>(step.to)], event_names[static_cast<std::size_t>(step.event)]));
}

}  // namespace

std::int32_t ClassicTracker::running(bool reduces) const {
  const auto runs_there = [reduces](const AttemptReport& report) {
    const bool is_cleanup = report.cleanup_phase && (report.state == TaskAttemptState::failed_unclean ||
                                                     report.state == TaskAttemptState::killed_unclean);
    return report.attempt.is_reduce == reduces && (report.state == TaskAttemptState::running || is_cleanup);
  };
  return static_cast<std::int32_t>(std::count_if(reports.begin(), reports.end(), runs_there));
}

bool ClassicTracker::has_free_slot(bool reduces) const {
  const auto is_of_kind = [reduces](const TaskAttemptId& attempt) { return attempt.is_reduce == reduces; };
  return std::count_if(runs.begin(), runs.end(), is_of_kind) < (reduces ? reduce_slots : map_slots);
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
  tracker.name = name;
  tracker.index = row->second;
  tracker.host = host;
  tracker.map_slots = map_slots;
  tracker.reduce_slots = reduce_slots;
  slots_.maps += map_slots;
  slots_.reduces += reduce_slots;
  ++trackers_on_host_[host];
  return tracker;
}

void ClassicCluster::remove_tracker(TrackerIndex index) {
  set_reports(index, {});
  const ClassicTracker& tracker = trackers_.at(index);
  slots_.maps -= tracker.map_slots;
  slots_.reduces -= tracker.reduce_slots;
  if (--trackers_on_host_.at(tracker.host) == 0) trackers_on_host_.erase(tracker.host);
  trackers_.erase(index);
}

TrackerIndex ClassicCluster::find_tracker(const std::string& name) const {
  const auto row = tracker_numbers_.find(name);
  return row == tracker_numbers_.end() || !trackers_.contains(row->second) ? -1 : row->second;
}

void ClassicCluster::set_reports(TrackerIndex index, std::vector<AttemptReport> reports) {
  ClassicTracker& tracker = trackers_.at(index);
  running_.maps -= tracker.running(false);
  running_.reduces -= tracker.running(true);
  tracker.reports = std::move(reports);
  running_.maps += tracker.running(false);
  running_.reduces += tracker.running(true);
}

void ClassicCluster::enter_attempt(ClassicTask& task, const TaskAttemptId& attempt, TrackerIndex tracker) {
  task.marks(attempt.attempt).listed_by = tracker;
  trackers_.at(tracker).attempts.insert(attempt);
}

void ClassicCluster::drop_attempt(ClassicTask& task, const TaskAttemptId& attempt) {
  auto& listed_by = task.marks(attempt.attempt).listed_by;
  const auto row = trackers_.find(listed_by);
  if (row != trackers_.end()) row->second.attempts.erase(attempt);
  listed_by = -1;
}

std::set<TaskAttemptId> ClassicCluster::take_marked(TrackerIndex tracker) {
  auto row = marked_.extract(tracker);
  return row.empty() ? std::set<TaskAttemptId>{} : std::move(row.mapped());
}

void ClassicCluster::drop_job(JobId job) {
  for (auto& [index, tracker] : trackers_) {
    tracker.runs.erase_all_of(job);  // its tracker reports no end of an attempt of an ended job
    auto end = tracker.attempts.lower_bound(TaskAttemptId{job, false, 0, 0});
    const auto begin = end;
    while (end != tracker.attempts.end() && end->job == job) ++end;
    tracker.attempts.erase(begin, end);
  }
}

void ClassicCluster::record(const ClassicAttemptStep& step) {
  check_step(classic_attempt_table, step, classic_attempt_state_names, classic_attempt_event_names);
  effects.emplace_back(step);
}

void ClassicCluster::record(JobId job, const ClassicTask& task, ClassicTaskEvent event, ClassicTaskState before) {
  const ClassicTaskStep step{{job, task.is_reduce(), task.number(), 0}, before, event, task.state()};
  check_step(classic_task_table, step, classic_task_state_names, classic_task_event_names);
  effects.emplace_back(step);
}

void ClassicCluster::record(const ClassicJobStep& step) {
  check_step(classic_job_table, step, classic_job_state_names, classic_job_event_names);
  effects.emplace_back(step);
}

void ClassicCluster::give_up(JobId job, ClassicTask& task) {
  const auto before = task.state();
  task.give_up();
  record(job, task, ClassicTaskEvent::given_up, before);
}

}  // namespace heddle::policies
