// Goal: whatever TaskTrackers report, in any order, about any attempt that was launched once, and whoever of them is
// lost, the machines of job, task and attempt have the transitions of their tables, each of them, and no other, and no
// attempt is launched twice. Method: random reports from memory, reports of ended attempts and lost trackers among
// them; each step of a machine is an effect.
#include <boost/test/unit_test.hpp>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "model/random_stream.hpp"
#include "policies/job_tracker/classic_attempt_table.hpp"
#include "policies/job_tracker/classic_job.hpp"
#include "policies/job_tracker/classic_task.hpp"
#include "policies/job_tracker/job_queue_scheduler.hpp"
#include "tests/support/schedule_count.hpp"
#include "tests/support/state_table_checks.hpp"

namespace heddle::policies {
namespace classic_schedules_test {
namespace {

/// Transitions of all schedules.
struct Seen {
  Arrivals<ClassicAttemptState, ClassicAttemptEvent> attempts;
  Arrivals<ClassicTaskState, ClassicTaskEvent> tasks;
  Arrivals<ClassicJobState, ClassicJobEvent> jobs;

  void operator()(const ClassicAttemptStep& step) { attempts.insert({{step.from, step.event}, step.to}); }
  void operator()(const ClassicTaskStep& step) { tasks.insert({{step.from, step.event}, step.to}); }
  void operator()(const ClassicJobStep& step) { jobs.insert({{step.from, step.event}, step.to}); }
  template <class Other>
  void operator()(const Other&) {}
};

class Schedule {
public:
  Schedule(std::uint64_t seed, Seen& seen)
      : random_{seed}, has_special_tasks_{pick(3) > 0}, scheduler_{settings()}, seen_{seen} {
    for (const std::string name : {"t1", "t2", "t3"}) add_tracker(name);
    ClassicJobDescription job;
    job.job = JobId{0};
    job.splits.resize(static_cast<std::size_t>(pick(3)));
    job.reduces = pick(3);
    job.slow_start = 0;
    job.map_attempts_max = job.reduce_attempts_max = 1 + pick(3);
    job.map_failures_percent = job.reduce_failures_percent = pick(2) * 50;
    job.speculative_gap = 0;
    job.speculative_lag = Duration{0};
    job.tracker_failures_max = 100;
    scheduler_.on_job(now_, job);
  }

  void run() {
    for (int step = 0; step < 60; ++step) {
      take_step();
      for (const auto& effect : scheduler_.take_effects()) std::visit(seen_, effect);
    }
  }

private:
  std::int32_t pick(std::uint64_t count) { return static_cast<std::int32_t>(random_.below(count)); }
  [[nodiscard]] JobQueueSettings settings() const {
    JobQueueSettings made;
    made.setup_and_cleanup = has_special_tasks_;
    made.tracker_expiry = std::chrono::seconds{60};
    return made;
  }
  std::string any_tracker() { return "t" + std::to_string(1 + pick(3)); }
  void add_tracker(const std::string& name) { scheduler_.on_tracker(now_, name, "host_of_" + name, "/r", 2, 2); }
  TaskAttemptId any_attempt() {
    return launched_.empty() ? TaskAttemptId{} : launched_[static_cast<std::size_t>(pick(launched_.size()))].attempt;
  }

  void take_step() {
    now_ += std::chrono::seconds{1};
    switch (pick(40)) {
      case 0: return scheduler_.on_kill_job(now_, JobId{0});
      case 1: return scheduler_.on_fail_job(now_, JobId{0}, false);
      case 2: return pick(8) == 0 ? scheduler_.on_fail_job(now_, JobId{0}, true) : void();
      case 3: scheduler_.on_tracker_lost(now_, any_tracker()); return;
      case 4: return add_tracker(any_tracker());
      case 5: return scheduler_.on_safe_mode(pick(2) == 0);
      case 6: return scheduler_.on_time(now_ += std::chrono::minutes{2});
      case 7: return scheduler_.on_map_output_lost(now_, any_attempt());
      case 8:
      case 9:
      case 10: static_cast<void>(scheduler_.on_kill_attempt(any_attempt(), pick(2) == 0)); return;
      case 11:
      case 12:
        if (!launched_.empty()) static_cast<void>(scheduler_.on_kill_attempt(launched_.back().attempt, pick(2) == 0));
        return;
      default: return beat(any_tracker());
    }
  }

  void beat(const std::string& tracker) {
    TrackerReport heartbeat;
    heartbeat.tracker = tracker;
    for (const auto& launch : launched_)
      if (pick(4) == 0) heartbeat.reports.push_back(report_of(launch));
    for (const auto& launch : scheduler_.on_heartbeat(now_, heartbeat).launches) {
      const bool is_new = launch.type == AttemptType::task_cleanup || ids_.insert(launch.attempt).second;
      BOOST_TEST(is_new, to_string(launch.attempt) << " is launched twice");
      launched_.push_back(launch);
    }
  }
  /// Success more often than any other state, so that jobs proceed; of task cleanups often that they still run.
  AttemptReport report_of(const ClassicLaunch& launch) {
    AttemptReport report;
    report.attempt = launch.attempt;
    report.cleanup_phase = launch.type == AttemptType::task_cleanup;
    const bool is_likely = pick(3) == 0;
    report.state = static_cast<TaskAttemptState>(pick(7));
    if (is_likely && report.cleanup_phase) report.state = launch.state;
    else if (is_likely) report.state = TaskAttemptState::succeeded;
    report.progress = 0.5F;
    return report;
  }

  RandomStream random_;
  bool has_special_tasks_;
  Instant now_{};
  JobQueueScheduler scheduler_;
  Seen& seen_;
  std::vector<ClassicLaunch> launched_;
  std::set<TaskAttemptId> ids_;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(classic_schedules)

BOOST_AUTO_TEST_CASE(random_reports_take_each_transition_of_the_tables_and_no_other) {
  Seen seen;
  for (std::uint64_t seed = 1; seed <= tests::schedule_count(4'000); ++seed) BOOST_TEST_CONTEXT("seed " << seed) {
      Schedule{seed, seen}.run();
    }
  check_arrivals(classic_attempt_table, seen.attempts, classic_attempt_state_names, classic_attempt_event_names);
  check_arrivals(classic_task_table, seen.tasks, classic_task_state_names, classic_task_event_names);
  check_arrivals(classic_job_table, seen.jobs, classic_job_state_names, classic_job_event_names);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace classic_schedules_test
}  // namespace heddle::policies
