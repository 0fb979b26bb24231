#include "actors/map_reduce_master/running_job.hpp"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "model/java_number.hpp"
#include "ports/output_commit.hpp"

namespace heddle::actors {
namespace {

constexpr std::size_t failure_text_max = 200;

}  // namespace

void RunningJob::begin(policies::JobWork made, Instant now) {
  work = std::move(made);
  begun = now;
  for (const bool is_reduce : {false, true}) {
    if (is_reduce && !work->has_reduces()) break;
    auto& [progress, winners, accepted] = tasks(is_reduce);
    winners.resize(static_cast<std::size_t>(work->tasks(is_reduce)));
    progress.stage = StageId{work->stage(is_reduce)};
    progress.name = work->stage_name(is_reduce);
    progress.tasks = work->tasks(is_reduce);
    progress.locality.assign(5, 0);
  }
}

std::string RunningJob::folder_of(policies::MapReduceAttempt attempt) const {
  return ports::task_attempt_name(work->program(attempt.is_reduce).key, attempt.index, attempt.attempt);
}

std::vector<MapCompletion> RunningJob::completions_from(std::int32_t from) const {
  std::vector<MapCompletion> rows;
  const auto& events = machines->job().completion_events().of_maps();
  for (auto next = static_cast<std::size_t>(from); next < events.size() && rows.size() < map_completions_max; ++next) {
    const auto& [attempt, ending] = events[next];
    auto& row = rows.emplace_back(MapCompletion{attempt.index, attempt.attempt, ending});
    const auto output = map_outputs.outputs.find(attempt);
    if (ending != AttemptEnding::succeeded || output == map_outputs.outputs.end()) continue;
    row.place = output->second.place;
    row.run_us = output->second.run_us;
  }
  return rows;
}

std::vector<std::string> RunningJob::output_paths() const {
  std::vector<std::string> paths;
  for (const auto& output : work->outputs()) paths.push_back(output.path);
  return paths;
}

std::vector<OutputWinners> RunningJob::outputs() const {
  auto made = work->outputs();
  for (auto& output : made)
    for (const auto& winner : (work->has_reduces() ? reduces : maps).winners)
      if (!winner.empty()) output.task_attempts.push_back(winner);
  return made;
}

// -- ends of attempts and tasks ------------------------------------------------------------------------

void RunningJob::count_failure(policies::MapReduceAttempt attempt, const TaskOutcome& outcome,
                               const std::string& host) {
  failed.last = outcome;
  failed.last_host = host;
  auto text = outcome.text.substr(0, failure_text_max);
  failed.by_text[text] += 1;
  failed.texts.insert_or_assign(attempt, std::move(text));
}

void RunningJob::count_winner(policies::MapReduceAttempt attempt) {
  const auto outcome = outcomes.find(attempt);
  const ShuffleId shuffle = attempt.is_reduce ? ShuffleId{} : work->shuffle();
  auto& of_kind = tasks(attempt.is_reduce);
  of_kind.accepted.accept({work->stage(attempt.is_reduce), shuffle}, attempt.index,
                          outcome == outcomes.end() ? nullptr : &outcome->second, totals);
  if (outcome != outcomes.end()) outcomes.erase(outcome);
  failed.unreachable.erase(policies::task_of(attempt));
  of_kind.winners[static_cast<std::size_t>(attempt.index)] = folder_of(attempt);
  of_kind.progress.finished += 1;
}

void RunningJob::forget_winner(policies::MapReduceTaskId task) {
  auto& of_kind = tasks(task.is_reduce);
  of_kind.winners[static_cast<std::size_t>(task.index)].clear();
  of_kind.progress.finished -= 1;
}

/// A file without locations is on each host. An attempt after a failure is requested for any host.
void RunningJob::count_place(policies::MapReduceAttempt map, policies::MapPlace place, bool is_retry) {
  const bool is_local = !is_retry && work->is_on_each_host(map.index);
  counters.add_place(is_local ? policies::MapPlace::node : place, 1);
}

std::string RunningJob::excess_of_counters() const {
  const auto& rules = work->program(false).map_reduce;
  if (!rules || maps.accepted.user_counters() + reduces.accepted.user_counters() <= rules->counters_max) return {};
  std::int32_t common = 0;  // counted by maps and by reduces
  const auto& of_reduces = reduces.accepted.counters();
  for (const auto& [name, value] : maps.accepted.counters())
    if (!is_counter_of_hadoop(name) && of_reduces.contains(name)) ++common;
  const auto all = maps.accepted.user_counters() + reduces.accepted.user_counters() - common;
  return all > rules->counters_max ? heddle::excess_of_counters(*rules) : std::string{};
}

std::vector<std::pair<std::string, std::int64_t>> RunningJob::sum_counters() const {
  auto sums = maps.accepted.counters();
  for (const auto& [name, value] : reduces.accepted.counters()) {
    auto& sum = sums[name];
    sum = java::wrap_add(sum, value);
  }
  std::vector<std::pair<std::string, std::int64_t>> made(sums.begin(), sums.end());
  counters.add_to(made);
  return made;
}

void RunningJob::describe_failure(policies::MapReduceTaskId task, std::int32_t attempts_max) {
  describe_end(task, fmt::format("task {} failed {} time{}", task.index, attempts_max, attempts_max == 1 ? "" : "s"));
}

void RunningJob::describe_unreachable(policies::MapReduceTaskId task) {
  describe_end(task, fmt::format("the file system of task {} stays unreachable", task.index));
}

/// `what`: has happened to the task.
void RunningJob::describe_end(policies::MapReduceTaskId task, const std::string& what) {
  if (!end.text.empty() || !failed.last) return;
  end.text = fmt::format("stage '{}': {}; last on {}: {}", work->stage_name(task.is_reduce), what, failed.last_host,
                         failed.last->text);
  end.exit_code = failed.last->exit_code;
  end.failure = failed.last->failure;
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
  for (auto* progress : {&maps.progress, &reduces.progress}) {
    progress->is_done = true;
    progress->elapsed_us = (now - begun).count();
  }
  end.totals = totals;
  end.totals.counters = sum_counters();
  end.totals.failures.assign(failed.by_text.begin(), failed.by_text.end());
}

}  // namespace heddle::actors
