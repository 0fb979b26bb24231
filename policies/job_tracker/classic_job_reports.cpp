// Applies the reports of attempts to their tasks and to the job.
#include <algorithm>

#include "policies/job_tracker/classic_job.hpp"

namespace heddle::policies {
namespace {

float added(float progress, double delta) {
  return static_cast<float>(
      std::min(1.0, std::max(0.0, static_cast<double>(static_cast<float>(static_cast<double>(progress) + delta)))));
}

}  // namespace

void ClassicJob::on_report(AttemptReport report, ClassicCluster& cluster) {
  ClassicTask& task = *find_task(report.attempt);
  const std::int32_t attempt = report.attempt.attempt;
  if ((task.is_complete() || task.is_end_asked(attempt)) && report.state == TaskAttemptState::succeeded)
    report.state = TaskAttemptState::killed;
  if ((has_ended() || machine_.is_stopping()) && !task.is_cleanup_attempt(attempt)) {
    if (report.state == TaskAttemptState::failed_unclean) report.state = TaskAttemptState::failed;
    if (report.state == TaskAttemptState::killed_unclean) report.state = TaskAttemptState::killed;
  }
  ClassicAttemptStep step{report.attempt, task.state_of(attempt), report_event(report.state)};
  store_report(task, report, cluster);
  step.to = task.state_of(attempt);
  cluster.record(step);
  end_without_special_tasks(cluster);
}

bool ClassicJob::on_attempt_lost(const TaskAttemptId& attempt, TrackerIndex tracker, ClassicCluster& cluster) {
  ClassicTask& task = *find_task(attempt);
  const bool has_readers = reduces() != 0 && !(special_tasks_.keeps_unread_outputs && all_reduces_ended(*this));
  const bool output_is_needed = !task.is_reduce() && task.kind() != ClassicTaskKind::job_setup && has_readers;
  // Hadoop forgets a copy of a finished task that still runs, except of a map whose output is needed.
  const bool is_copy_to_end = special_tasks_.keeps_unread_outputs && task.is_attempt_active(attempt.attempt);
  if (task.is_complete() && !output_is_needed && !is_copy_to_end) {
    cluster.mark_attempt(tracker, attempt);
    return false;
  }
  if (has_ended()) return false;
  const auto* kept = task.report(attempt.attempt);
  const bool ran = kept != nullptr && kept->state == TaskAttemptState::running;
  AttemptReport report;
  report.attempt = attempt;
  report.state = ran && task.is_work() ? TaskAttemptState::killed_unclean : TaskAttemptState::killed;
  report.tracker = tracker;
  report.cause = AttemptEndCause::tracker_lost;
  on_report(report, cluster);
  return true;
}

void ClassicJob::store_report(ClassicTask& task, AttemptReport& report, ClassicCluster& cluster) {
  const std::int32_t attempt = report.attempt.attempt;
  const double before = task.progress();
  const bool was_running = task.is_running();
  const bool was_complete = task.is_complete();
  const bool was_pending = task.is_commit_pending_somewhere();
  const bool was_active = task.is_attempt_active(attempt);
  const bool is_known_end = task.is_cleanup_attempt(attempt);  // reported before its task cleanup
  if (task.update(report, cluster.safe_mode)) {
    const TaskAttemptState state = report.state;
    if (state == TaskAttemptState::commit_pending) {
      if (!was_complete && !was_pending) task.choose_commit(attempt);
      return;
    }
    if (is_unclean(state)) {
      const auto* kept = task.report(attempt);
      const auto task_before = task.state();
      const HostIndex host = cluster.host_of_tracker(kept->tracker);
      task.on_incomplete(attempt, machine_.run_state() == JobRunState::succeeded, host);
      cluster.record(number(), task, ClassicTaskEvent::attempt_ended, task_before);
      (task.is_reduce() ? reduce_cleanups_ : map_cleanups_).push_back(report.attempt);
      cluster.drop_attempt(task, report.attempt);
      if (!is_known_end)
        cluster.effects.emplace_back(AttemptEnded{report.attempt, kept->state, report.cause, cluster.host_name(host)});
      cluster.mark_launchable();
    }
    if (is_end(state)) on_failure(task, report, cluster, was_running, was_complete, was_active);
    if (state == TaskAttemptState::succeeded) on_success(task, report, cluster);
  }
  if (!task.is_work()) return;
  const double delta = task.progress() - before;
  if (task.is_reduce()) of_reduces_.progress = added(of_reduces_.progress, delta / reduces());
  else of_maps_.progress = added(of_maps_.progress, delta / maps());
}

void ClassicJob::on_success(ClassicTask& task, const AttemptReport& report, ClassicCluster& cluster) {
  const auto before = task.state();
  task.on_completed(report.attempt.attempt);
  cluster.record(number(), task, ClassicTaskEvent::attempt_succeeded, before);
  cluster.effects.emplace_back(TaskWon{report.attempt});
  // A copy of a task that has failed for good can succeed before it is killed: the task counts once.
  if (task.is_work() && task.is_failed() && !machine_.is_stopping())
    --(task.is_reduce() ? of_reduces_ : of_maps_).failed;
  if (!task.is_reduce() && report.output != -1) {
    estimate_.add((task.is_work() ? task.split_length : 0) + 1, report.output);
  }
  if (task.kind() == ClassicTaskKind::job_setup) {
    cluster.give_up(number(), setup_[task.is_reduce() ? 0 : 1]);
    if (state() == JobRunState::prep) {
      const auto job_before = machine_.state();
      machine_.start();
      cluster.record(ClassicJobStep{number(), job_before, ClassicJobEvent::setup_succeeded, machine_.state()});
      cluster.effects.emplace_back(JobStarted{number()});
      cluster.mark_launchable();
    }
  } else if (task.kind() == ClassicTaskKind::job_cleanup) {
    cluster.give_up(number(), cleanup_[task.is_reduce() ? 0 : 1]);
    end(machine_.ending(), ClassicJobEvent::cleanup_succeeded, cluster);
    cluster.mark_attempt(report.tracker, report.attempt);
  } else if (task.is_reduce()) {
    --of_reduces_.running;
    ++of_reduces_.finished;
    running_reduces_.remove(task.number());
    if (of_reduces_.finished + of_reduces_.failed == reduces()) of_reduces_.progress = 1.0F;
  } else {
    --of_maps_.running;
    ++of_maps_.finished;
    map_lists_.remove_running(task.number());
    if (of_maps_.finished + of_maps_.failed == maps()) of_maps_.progress = 1.0F;
    if (of_maps_.finished + of_maps_.failed == slow_start_maps_) cluster.mark_launchable();
  }
  if (task.is_work() && all_tasks_ended(*this)) cluster.mark_launchable();
}

void ClassicJob::on_failure(ClassicTask& task, AttemptReport& report, ClassicCluster& cluster, bool was_running,
                            bool was_complete, bool was_attempt_active) {
  const std::int32_t attempt = report.attempt.attempt;
  const bool was_failed = task.is_failed();
  const HostIndex host = cluster.host_of_tracker(task.report(attempt)->tracker);
  const auto task_before = task.state();
  task.on_incomplete(attempt, state() == JobRunState::succeeded, host);
  cluster.record(number(), task, ClassicTaskEvent::attempt_ended, task_before);
  if (!task.is_cleanup_attempt(attempt)) {
    report.state = task.report(attempt)->state;
    cluster.effects.emplace_back(AttemptEnded{report.attempt, report.state, report.cause, cluster.host_name(host)});
  }
  if (was_attempt_active && task.is_work() && !has_ended()) --(task.is_reduce() ? of_reduces_ : of_maps_).running;
  if (was_running && !task.is_running()) requeue(task);
  cluster.mark_launchable();
  const bool is_reopened = was_complete && !task.is_complete() && !task.is_reduce();
  if (is_reopened) {
    if (!marks_.lists_dropped) map_lists_.add_failed(task);
    --of_maps_.finished;
    cluster.effects.emplace_back(TaskReopened{report.attempt});
  }
  if (report.state == TaskAttemptState::failed) add_tracker_failure(host, cluster);
  cluster.mark_attempt(report.tracker, report.attempt);
  // A late success after a failure for good was lost: the task has failed again.
  const bool fails_again = was_failed && is_reopened && !machine_.is_stopping();
  if (!task.is_failed() || (was_failed && !fails_again)) return;
  bool fails_job = !task.is_work();
  if (!fails_job) {
    const bool is_too_much = task.is_reduce()
                                 ? ++of_reduces_.failed * 100 > description_.reduce_failures_percent * reduces()
                                 : ++of_maps_.failed * 100 > description_.map_failures_percent * maps();
    fails_job = is_too_much && !marks_.is_committing;
  }
  cluster.effects.emplace_back(TaskGivenUp{report.attempt, fails_job});
  if (fails_job) fail_with(task, cluster);
}

void ClassicJob::add_tracker_failure(HostIndex host, ClassicCluster& cluster) {
  if (!faults_.add(host)) return;
  cluster.effects.emplace_back(HostAvoided{number(), cluster.host_name(host), faults_.failures_max(), faults_.flaky(),
                                           faults_.trackers(), faults_.are_avoided()});
}

void ClassicJob::requeue(ClassicTask& task) {
  if (task.kind() == ClassicTaskKind::job_cleanup) {
    marks_.cleanup_launched = false;
  } else if (task.kind() == ClassicTaskKind::job_setup) {
    marks_.setup_launched = false;
  } else if (!task.is_complete() && !marks_.lists_dropped) {
    if (task.is_reduce()) {
      running_reduces_.remove(task.number());
      waiting_reduces_.insert({-task.failures(), task.number()});
    } else {
      map_lists_.remove_running(task.number());
      map_lists_.add_failed(task);
    }
  }
}

void ClassicJob::fail_with(ClassicTask& task, ClassicCluster& cluster) {
  if (task.kind() == ClassicTaskKind::job_cleanup) {
    cluster.give_up(number(), cleanup_[task.is_reduce() ? 0 : 1]);
    end(JobRunState::failed, ClassicJobEvent::cleanup_failed, cluster);
    return;
  }
  if (task.kind() == ClassicTaskKind::job_setup) cluster.give_up(number(), setup_[task.is_reduce() ? 0 : 1]);
  terminate(JobRunState::failed, cluster);
}

}  // namespace heddle::policies
