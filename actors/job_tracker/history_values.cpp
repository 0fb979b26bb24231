#include "actors/job_tracker/history_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <variant>

#include "ports/history_names.hpp"

namespace heddle::actors {
namespace {

using CountsByName = std::vector<std::pair<std::string, std::int64_t>>;

/// Groups of Hadoop 2 and 3, and their names in Hadoop 1.2.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> classic_groups{
    {{"org.apache.hadoop.mapreduce.JobCounter", "org.apache.hadoop.mapred.JobInProgress$Counter"},
     {"org.apache.hadoop.mapreduce.TaskCounter", "org.apache.hadoop.mapred.Task$Counter"},
     {"org.apache.hadoop.mapreduce.lib.input.FileInputFormatCounter",
      "org.apache.hadoop.mapreduce.lib.input.FileInputFormat$Counter"},
     {"org.apache.hadoop.mapreduce.lib.output.FileOutputFormatCounter",
      "org.apache.hadoop.mapreduce.lib.output.FileOutputFormat$Counter"}}};

constexpr std::array<std::string_view, 5> priority_names{"VERY_HIGH", "HIGH", "NORMAL", "LOW", "VERY_LOW"};

history::CounterGroup classic_group(std::string_view name) {
  const auto* const row = std::find_if(classic_groups.begin(), classic_groups.end(),
                                       [name](const auto& each) { return each.first == name; });
  const auto classic = row == classic_groups.end() ? name : row->second;
  return {std::string{classic}, std::string{history::shown_group(name)}, {}};
}

/// Those of Hadoop that are not 0, then the user's.
CountsByName counts_of(const TaskCounters& task, const CountsByName& user) {
  CountsByName counts;
  for (std::size_t i = 0; i < task.size() && i < task_counter_names.size(); ++i)
    if (task[i] != 0) counts.emplace_back(task_counter_names[i], task[i]);
  counts.insert(counts.end(), user.begin(), user.end());
  return counts;
}

}  // namespace

history::Counters classic_counters(std::string name, const std::vector<std::pair<std::string, std::int64_t>>& counts) {
  history::Counters made{std::move(name)};
  std::map<std::string_view, std::size_t> index;
  for (const auto& [key, value] : counts) {
    const std::string_view text{key};
    const auto tab = std::min(text.find('\t'), text.size());
    const auto [row, is_new] = index.try_emplace(text.substr(0, tab), made.groups.size());
    if (is_new) made.groups.push_back(classic_group(row->first));
    auto& group = made.groups[row->second];
    const auto counter = text.substr(std::min(tab + 1, text.size()));
    group.counters.push_back({std::string{counter}, std::string{history::shown_counter(row->first, counter)}, value});
  }
  return made;
}

history::Counters classic_counters(const AttemptCounters& counts) {
  return classic_counters("COUNTERS", counts_of(counts.task, counts.user));
}

std::vector<std::string> counter_texts(const TaskOutcome* outcome) {
  std::vector<std::string> texts;
  if (outcome == nullptr) return texts;
  std::size_t bytes = 0;
  for (const auto& [name, value] : counts_of(outcome->task_counters, outcome->counters)) {
    bytes += bytes_of_counter(name);
    if (bytes > user_counter_bytes_max) break;
    texts.push_back(fmt::format("{}={}", name, value));
  }
  return texts;
}

history::JobSucceeded with_counts_of(const std::vector<history::Event>& lines, history::JobSucceeded end) {
  std::set<history::TaskName> finished;
  for (const auto& line : lines) {
    // The setup and the cleanup of the job are no tasks of it.
    if (const auto* task = std::get_if<history::TaskFinished>(&line))
      if (task->type == AttemptType::map || task->type == AttemptType::reduce) finished.insert(task->task);
    if (const auto* attempt = std::get_if<history::AttemptUnsuccessful>(&line))
      if (attempt->type == AttemptType::map || attempt->type == AttemptType::reduce)
        ++(attempt->attempt.task.is_reduce ? end.failed_reduces : end.failed_maps);
  }
  for (const auto& task : finished) ++(task.is_reduce ? end.finished_reduces : end.finished_maps);
  return end;
}

std::string priority_name(JobPriority priority) {
  return std::string{priority_names[static_cast<std::size_t>(priority)]};
}

void add_rule_settings(policies::JobSettings& settings, const JobRules& rules) {
  const auto add = [&](std::string_view key, const auto& value) {
    settings.emplace_back(key, fmt::format("{}", value));
  };
  add("mapreduce.job.priority", priority_name(rules.priority));
  add("mapreduce.job.reduce.slowstart.completedmaps", rules.slow_start);
  add("mapreduce.map.speculative", rules.map_speculative);
  add("mapreduce.reduce.speculative", rules.reduce_speculative);
  add("heddle.job_tracker.speculative_gap", rules.speculative_gap);
  add("heddle.job_tracker.speculative_lag", fmt::format("{}ms", to_milliseconds(rules.speculative_lag)));
  add("mapreduce.map.maxattempts", rules.map_attempts_max);
  add("mapreduce.reduce.maxattempts", rules.reduce_attempts_max);
  add("mapreduce.job.maxtaskfailures.per.tracker", rules.tracker_failures_max);
  add("mapreduce.map.failures.maxpercent", rules.map_failures_percent);
  add("mapreduce.reduce.failures.maxpercent", rules.reduce_failures_percent);
  add("mapreduce.reduce.input.limit", rules.reduce_input_limit);
  add("mapreduce.job.jvm.numtasks", rules.tasks_per_process);
}

history::AttemptName attempt_name(const TrackedJob& job, const TaskAttemptId& attempt) {
  return {{job.application, attempt.is_reduce, attempt.task}, attempt.attempt};
}

AttemptType type_of(const TrackedJob& job, const TaskAttemptId& attempt) {
  if (job.work->is_task(attempt)) return attempt.is_reduce ? AttemptType::reduce : AttemptType::map;
  return attempt.task == job.work->tasks(attempt.is_reduce) ? AttemptType::job_cleanup : AttemptType::job_setup;
}

std::string state_text(const TrackedJob& job, const TaskAttemptId& attempt) {
  switch (type_of(job, attempt)) {
    case AttemptType::reduce: return "reduce > reduce";
    case AttemptType::job_setup: return "setup";
    case AttemptType::map: break;
    default: return "cleanup";
  }
  const auto* found = job.work->split(attempt.task);
  if (found == nullptr) return "map";
  const auto& split = found->split;
  return fmt::format("{}:{}+{}", split.path, split.offset, split.length);
}

}  // namespace heddle::actors
