#include "actors/map_reduce_master/running_job.hpp"

#include <fmt/format.h>

#include <utility>

#include "ports/output_commit.hpp"

namespace heddle::actors {
namespace {

constexpr std::size_t failure_text_max = 200;

}  // namespace

void RunningJob::begin(policies::JobWork made, Instant now) {
  work = std::move(made);
  begun = now;
  winners.resize(static_cast<std::size_t>(work->tasks(false)));
  progress.stage = StageId{work->stage(false)};
  progress.name = work->stage_name(false);
  progress.tasks = work->tasks(false);
  progress.locality.assign(5, 0);
}

std::string RunningJob::folder_of(policies::MapReduceAttempt attempt) const {
  return ports::task_attempt_name(work->programs().front().key, attempt.index, attempt.attempt);
}

std::vector<std::string> RunningJob::output_paths() const {
  std::vector<std::string> paths;
  for (const auto& output : work->outputs()) paths.push_back(output.path);
  return paths;
}

std::vector<OutputWinners> RunningJob::outputs() const {
  auto made = work->outputs();
  for (auto& output : made)
    for (const auto& winner : winners)
      if (!winner.empty()) output.task_attempts.push_back(winner);
  return made;
}

// -- ends of attempts and tasks ------------------------------------------------------------------------

void RunningJob::count_failure(const TaskOutcome& outcome, const std::string& host) {
  last_failure = outcome;
  last_failure_host = host;
  failures[outcome.text.substr(0, failure_text_max)] += 1;
}

void RunningJob::count_winner(policies::MapReduceAttempt attempt) {
  const auto outcome = outcomes.find(attempt);
  accepted.accept({work->stage(false), ShuffleId{}}, attempt.index,
                  outcome == outcomes.end() ? nullptr : &outcome->second, totals);
  if (outcome != outcomes.end()) outcomes.erase(outcome);
  winners[static_cast<std::size_t>(attempt.index)] = folder_of(attempt);
  progress.finished += 1;
}

void RunningJob::forget_winner(policies::MapReduceTaskId task) {
  winners[static_cast<std::size_t>(task.index)].clear();
  progress.finished -= 1;
}

void RunningJob::describe_failure(policies::MapReduceTaskId task, std::int32_t attempts_max) {
  if (!end.text.empty() || !last_failure) return;
  end.text = fmt::format("stage '{}': task {} failed {} time{}; last on {}: {}", work->stage_name(false), task.index,
                         attempts_max, attempts_max == 1 ? "" : "s", last_failure_host, last_failure->text);
  end.exit_code = last_failure->exit_code;
  end.failure = last_failure->failure;
}

void RunningJob::finish(JobStatus status, Instant now) {
  end.status = status == JobStatus::failed && !cancel_reason.empty() ? JobStatus::cancelled : status;
  if (end.status == JobStatus::cancelled) end.text = cancel_reason;
  if (end.status == JobStatus::succeeded) {
    end.text.clear();
    end.exit_code = 0;
    end.failure = FailureKind::none;
  } else if (end.text.empty()) {
    end.text = "the job failed";
  }
  progress.is_done = true;
  progress.elapsed_us = (now - begun).count();
  end.totals = totals;
  end.totals.counters.assign(accepted.counters().begin(), accepted.counters().end());
  end.totals.failures.assign(failures.begin(), failures.end());
}

}  // namespace heddle::actors
