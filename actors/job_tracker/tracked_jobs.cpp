#include "actors/job_tracker/tracked_jobs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "actors/job_tracker/decision_texts.hpp"
#include "model/assert.hpp"
#include "model/java_number.hpp"
#include "model/job_graph.hpp"
#include "ports/output_commit.hpp"

namespace heddle::actors {
namespace {

constexpr std::size_t failure_text_max = 200;

/// Positions in the counts by locality level: process, node, no preference, rack, any.
std::size_t level_of(const policies::ClassicLaunch& launch, const policies::JobWork& work) {
  if (!work.has_hosts(launch.attempt.task)) return 2;
  switch (launch.locality) {
    case policies::ClassicLocality::node_local: return 1;
    case policies::ClassicLocality::rack_local: return 3;
    case policies::ClassicLocality::off_switch: return 4;
  }
  return 4;
}

/// Numbers of special tasks follow those of the maps or reduces: cleanup, then setup.
bool is_setup(const TrackedJob& job, const TaskAttemptId& attempt) {
  return attempt.task == job.work->tasks(attempt.is_reduce) + 1;
}

using AttemptCounter = policies::MapReduceJobCounter;

/// Locality counts for each map attempt, as in Hadoop 1.2, where maps without a location on the node or in its rack
/// count nowhere.
void count_attempt(TrackedJob& job, const policies::ClassicLaunch& launch, LaunchedAttempt attempt) {
  auto& counters = job.attempts.counters;
  job.attempts.launched.insert_or_assign(launch.attempt, std::move(attempt));
  if (launch.type != AttemptType::map && launch.type != AttemptType::reduce) return;
  counters.add(policies::counter_of(launch.attempt.is_reduce, AttemptCounter::total_launched_maps), 1);
  if (launch.type == AttemptType::reduce) return;
  if (launch.locality == policies::ClassicLocality::node_local) counters.add_place(policies::MapPlace::node, 1);
  if (launch.locality == policies::ClassicLocality::rack_local) counters.add_place(policies::MapPlace::rack, 1);
}

/// Time in a slot, from the launch to the report of the end; setup and cleanup attempts count too, as in Hadoop 1.2.
void count_slot_time(TrackedJob& job, const TaskAttemptId& attempt, Instant now) {
  const auto row = job.attempts.launched.extract(attempt);
  if (!row.empty())
    job.attempts.counters.add(policies::counter_of(attempt.is_reduce, AttemptCounter::slots_millis_maps),
                              to_milliseconds(now - row.mapped().at));
}

std::string locality_name(policies::ClassicLocality locality) {
  switch (locality) {
    case policies::ClassicLocality::node_local: return "NODE_LOCAL";
    case policies::ClassicLocality::rack_local: return "RACK_LOCAL";
    case policies::ClassicLocality::off_switch: break;
  }
  return "OFF_SWITCH";
}

void add_reduce_counters(TrackedJob& job, const TaskOutcome& outcome) {
  auto& sums = job.attempts.reduce_counters;
  for (const auto& [name, count] : outcome.counters) sums[name] = java::wrap_add(sums[name], count);
  for (std::size_t i = 0; i < outcome.task_counters.size() && i < task_counter_names.size(); ++i)
    if (outcome.task_counters[i] != 0) sums[std::string{task_counter_names[i]}] += outcome.task_counters[i];
}

}  // namespace

// -- ends of attempts --------------------------------------------------------------------------------

void count_launch(TrackedJob& job, const policies::ClassicLaunch& launch, const std::string& tracker,
                  const std::string& host, Instant now) {
  if (launch.type == AttemptType::job_setup) job.is_set_up = true;
  if (launch.type != AttemptType::task_cleanup)
    count_attempt(job, launch, {now, tracker, host, locality_name(launch.locality), launch.speculative});
  if (job.work->is_task(launch.attempt) && launch.type != AttemptType::task_cleanup)
    if (auto& begun = job.tasks(launch.attempt.is_reduce).begun; !begun) begun = now;
  if (launch.type != AttemptType::map) return;
  const auto level = level_of(launch, *job.work);
  job.maps.progress.locality[level] += 1;
  job.totals.locality[level] += 1;
}

void count_end(TrackedJob& job, const policies::AttemptEnded& ended, const ReportedOutcomes& outcomes, Instant now) {
  count_slot_time(job, ended.attempt, now);
  const bool has_failed = ended.state == TaskAttemptState::failed || ended.state == TaskAttemptState::failed_unclean;
  if (job.work->is_task(ended.attempt))
    ++(ended.attempt.is_reduce ? job.attempts.unsuccessful_reduces : job.attempts.unsuccessful_maps);
  if (!has_failed) return;
  TaskOutcome lost;
  lost.state = TaskState::failed;
  lost.failure = FailureKind::internal;
  lost.text = end_text(ended.cause);
  const auto* reported = outcomes.find(ended.attempt);
  auto& failures = job.failures;
  failures.last = reported == nullptr ? lost : *reported->outcome;
  failures.last_host = ended.host;
  failures.texts[failures.last->text.substr(0, failure_text_max)] += 1;
  if (!job.work->is_task(ended.attempt)) return;
  job.tasks(ended.attempt.is_reduce).progress.failed_attempts += 1;
  job.totals.failed_attempts += 1;
}

void count_winner(TrackedJob& job, const policies::TaskWon& won, const ReportedOutcomes& outcomes, Instant now) {
  const auto& attempt = won.attempt;
  count_slot_time(job, attempt, now);
  job.failures.unreachable.erase({attempt.is_reduce, attempt.task});
  if (!job.work->is_task(attempt)) return;
  const auto* reported = outcomes.find(attempt);
  auto& tasks = job.tasks(attempt.is_reduce);
  const ShuffleId shuffle = attempt.is_reduce ? ShuffleId{} : job.work->shuffle();
  job.accepted.accept({job.work->stage(attempt.is_reduce), shuffle}, attempt.task,
                      reported == nullptr ? nullptr : &*reported->outcome, job.totals);
  if (attempt.is_reduce && reported != nullptr) add_reduce_counters(job, *reported->outcome);
  tasks.progress.finished += 1;
  tasks.winners[static_cast<std::size_t>(attempt.task)] = attempt;
  if (reported != nullptr && reported->place)
    job.map_outputs.completions.add_success(attempt.task, attempt.attempt, *reported->place, reported->outcome->run_us);
  update_elapsed(tasks, now);
  tasks.progress.is_done = tasks.progress.finished >= tasks.progress.tasks;
}

void update_elapsed(TrackedTasks& tasks, Instant now) {
  if (tasks.begun && !tasks.progress.is_done) tasks.progress.elapsed_us = (now - *tasks.begun).count();
}

void forget_winner(TrackedJob& job, const TaskAttemptId& attempt) {
  if (!job.work->is_task(attempt)) return;
  auto& tasks = job.tasks(attempt.is_reduce);
  tasks.progress.finished -= 1;
  tasks.progress.is_done = false;
  tasks.winners[static_cast<std::size_t>(attempt.task)].reset();
  if (attempt.is_reduce) return;
  job.map_outputs.fetch_failures.erase(attempt);
  job.map_outputs.completions.add_loss(attempt.task, attempt.attempt);
}

std::string excess_of_counters(const TrackedJob& job) {
  const auto& rules = job.work->program(false).map_reduce;
  return rules && job.accepted.user_counters() > rules->counters_max ? heddle::excess_of_counters(*rules)
                                                                     : std::string{};
}

/// In Hadoop 1.2 the failed maps and reduces of a job are tasks, not attempts.
void give_up_task(TrackedJob& job, const TaskAttemptId& attempt) {
  if (!job.work->is_task(attempt)) return;
  job.attempts.counters.add(policies::counter_of(attempt.is_reduce, AttemptCounter::num_failed_maps), 1);
  if (job.work->has_reduces() && !attempt.is_reduce)
    job.map_outputs.completions.add_failed_map(attempt.task, attempt.attempt);
}

bool has_winner(TrackedJob& job, const TaskAttemptId& attempt) {
  return job.work->is_task(attempt) &&
         job.tasks(attempt.is_reduce).winners[static_cast<std::size_t>(attempt.task)].has_value();
}

bool is_map_winner(const TrackedJob& job, const TaskAttemptId& attempt) {
  const auto& winners = job.maps.winners;
  const auto map = static_cast<std::size_t>(attempt.task);
  return !attempt.is_reduce && attempt.task >= 0 && map < winners.size() && winners[map] == attempt;
}

namespace {

/// `what`: has happened to the task.
void describe_end(TrackedJob& job, const TaskAttemptId& attempt, const std::string& what) {
  if (!job.end.text.empty() || !job.failures.last) return;
  const auto& last = *job.failures.last;
  if (job.work->is_task(attempt)) {
    job.end.text = fmt::format("stage '{}': {}; last on {}: {}", job.work->stage_name(attempt.is_reduce), what,
                               job.failures.last_host, last.text);
  } else {
    job.end.text = fmt::format("the output could not be {}: {}",
                               is_setup(job, attempt) ? "set up"
                               : job.is_committing    ? "committed"
                                                      : "removed",
                               last.text);
  }
  job.end.exit_code = last.exit_code;
  job.end.failure = last.failure;
}

/// The job may succeed without some maps, or without some reduces: a task is given up after all its attempts only.
bool tolerates_failures(const TrackedJob& job, const TaskAttemptId& attempt) {
  const auto& rules = job.rules;
  return job.work->is_task(attempt) &&
         (attempt.is_reduce ? rules.reduce_failures_percent : rules.map_failures_percent) > 0;
}

}  // namespace

void describe_failure(TrackedJob& job, const TaskAttemptId& attempt, std::int32_t attempts_max) {
  describe_end(job, attempt,
               fmt::format("task {} failed {} time{}", attempt.task, attempts_max, attempts_max == 1 ? "" : "s"));
}

void describe_unreachable(TrackedJob& job, const TaskAttemptId& attempt) {
  describe_end(job, attempt, fmt::format("the file system of task {} stays unreachable", attempt.task));
}

/// A job that has failed for this reason has waited for the file system before its cleanup.
bool stays_unreachable(TrackedJob& job, const policies::AttemptEnded& ended, const ReportedOutcomes& outcomes) {
  const bool has_failed = ended.state == TaskAttemptState::failed || ended.state == TaskAttemptState::failed_unclean;
  const auto* reported = outcomes.find(ended.attempt);
  if (!has_failed || reported == nullptr || reported->outcome->failure != FailureKind::unreachable) return false;
  if (tolerates_failures(job, ended.attempt)) return false;
  return job.failures.unreachable.stays_unreachable({ended.attempt.is_reduce, ended.attempt.task},
                                                    Duration{reported->outcome->run_us}) ||
         job.end.failure == FailureKind::unreachable;
}

OutputWork output_work(const TrackedJob& job, AttemptType type, bool is_commit) {
  OutputWork work;
  if (type == AttemptType::map || type == AttemptType::reduce) return work;
  // Without a setup no folder was created: existing folders are not ours.
  if (type == AttemptType::job_cleanup && !job.is_set_up) return work;
  // The outputs of a recovered job are ready: see JobTrackerPorts::recover_outputs.
  if (type == AttemptType::job_setup && job.origin.is_recovered) return work;
  work.outputs = job.work->outputs();
  work.application_attempt = job.origin.application_attempt;
  work.is_commit = is_commit;
  if (!is_commit) return work;
  const bool reduces = job.work->has_reduces();
  const auto& stage = job.work->program(reduces).key;
  for (auto& output : work.outputs)
    for (const auto& winner : (reduces ? job.reduces : job.maps).winners)
      if (winner) output.task_attempts.push_back(ports::task_attempt_name(stage, winner->task, winner->attempt));
  return work;
}

void finish(TrackedJob& job, policies::JobRunState state) {
  auto& end = job.end;
  end.status = state == policies::JobRunState::succeeded ? JobStatus::succeeded : JobStatus::failed;
  if (state == policies::JobRunState::killed || (!job.cancel_reason.empty() && end.status == JobStatus::failed)) {
    end.status = JobStatus::cancelled;
    end.text = job.cancel_reason;
  }
  if (end.status == JobStatus::succeeded) {
    end.text.clear();
    end.exit_code = 0;
    end.failure = FailureKind::none;
  } else if (end.text.empty()) {
    end.text = "the job failed";
  }
  job.maps.progress.is_done = job.reduces.progress.is_done = true;
  end.totals = job.totals;
  end.totals.counters.assign(job.accepted.counters().begin(), job.accepted.counters().end());
  if (job.work && job.work->program(false).map_reduce) job.attempts.counters.add_to(end.totals.counters);
  end.totals.failures.assign(job.failures.texts.begin(), job.failures.texts.end());
}

// -- the table ---------------------------------------------------------------------------------------

TrackedJob& TrackedJobs::add(TrackedJob job) {
  const JobId id = job.id;
  return jobs_.emplace(id, std::move(job)).first->second;
}

TrackedJob* TrackedJobs::find(JobId id) {
  const auto row = jobs_.find(id);
  return row == jobs_.end() ? nullptr : &row->second;
}

TrackedJob* TrackedJobs::find_package(const std::string& file) {
  const auto row = std::find_if(jobs_.begin(), jobs_.end(),
                                [&file](const auto& each) { return each.second.origin.package_file == file; });
  return file.empty() || row == jobs_.end() ? nullptr : &row->second;
}

void TrackedJobs::set_reader(const std::string& tracker, const std::vector<CompletionsWanted>& wanted) {
  const auto is_same = [](JobId read, const CompletionsWanted& now) { return read == now.job; };
  if (wanted.empty() && !read_by_.contains(tracker)) return;
  auto& read = read_by_[tracker];
  if (std::equal(read.begin(), read.end(), wanted.begin(), wanted.end(), is_same)) return;
  for (const auto id : read)
    if (auto* job = find(id)) job->map_outputs.readers.erase(tracker);
  read.clear();
  for (const auto& [id, from] : wanted) {
    read.push_back(id);
    if (auto* job = find(id)) job->map_outputs.readers.insert(tracker);
  }
}

void TrackedJobs::forget_tracker(const std::string& tracker) {
  for (auto& [id, job] : jobs_) { job.trackers.erase(tracker); }
  set_reader(tracker, {});
  read_by_.erase(tracker);
}

void TrackedJobs::check_invariants() const {
  for (const auto& [id, job] : jobs_) {
    for (const auto* tasks : {&job.maps, &job.reduces}) {
      const auto winners = std::count_if(tasks->winners.begin(), tasks->winners.end(),
                                         [](const auto& winner) { return winner.has_value(); });
      HEDDLE_ASSERT(winners == tasks->progress.finished, "winners of job " + to_string(id));
    }
  }
}

}  // namespace heddle::actors
