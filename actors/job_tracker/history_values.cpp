#include "actors/job_tracker/history_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

namespace heddle::actors {
namespace {

struct ClassicGroup {
  std::string_view name;     // of Hadoop 2 and 3
  std::string_view classic;  // of Hadoop 1.2
  std::string_view shown;    // for people; Hadoop has the spaces at the end
};

constexpr std::array<ClassicGroup, 4> classic_groups{
    {{"org.apache.hadoop.mapreduce.JobCounter", "org.apache.hadoop.mapred.JobInProgress$Counter", "Job Counters "},
     {"org.apache.hadoop.mapreduce.TaskCounter", "org.apache.hadoop.mapred.Task$Counter", "Map-Reduce Framework"},
     {"org.apache.hadoop.mapreduce.lib.input.FileInputFormatCounter",
      "org.apache.hadoop.mapreduce.lib.input.FileInputFormat$Counter", "File Input Format Counters "},
     {"org.apache.hadoop.mapreduce.lib.output.FileOutputFormatCounter",
      "org.apache.hadoop.mapreduce.lib.output.FileOutputFormat$Counter", "File Output Format Counters "}}};

/// Names for people; Hadoop 1.2 has none for the slot times.
constexpr std::array<std::pair<std::string_view, std::string_view>, 18> shown_counters{
    {{"TOTAL_LAUNCHED_MAPS", "Launched map tasks"},
     {"TOTAL_LAUNCHED_REDUCES", "Launched reduce tasks"},
     {"NUM_FAILED_MAPS", "Failed map tasks"},
     {"NUM_FAILED_REDUCES", "Failed reduce tasks"},
     {"DATA_LOCAL_MAPS", "Data-local map tasks"},
     {"RACK_LOCAL_MAPS", "Rack-local map tasks"},
     {"MAP_INPUT_RECORDS", "Map input records"},
     {"MAP_OUTPUT_RECORDS", "Map output records"},
     {"MAP_OUTPUT_BYTES", "Map output bytes"},
     {"COMBINE_INPUT_RECORDS", "Combine input records"},
     {"COMBINE_OUTPUT_RECORDS", "Combine output records"},
     {"REDUCE_INPUT_GROUPS", "Reduce input groups"},
     {"REDUCE_INPUT_RECORDS", "Reduce input records"},
     {"REDUCE_OUTPUT_RECORDS", "Reduce output records"},
     {"SPILLED_RECORDS", "Spilled Records"},
     {"SHUFFLED_MAPS", "Shuffled Maps "},
     {"BYTES_READ", "Bytes Read"},
     {"BYTES_WRITTEN", "Bytes Written"}}};

constexpr std::array<std::string_view, 5> priority_names{"VERY_HIGH", "HIGH", "NORMAL", "LOW", "VERY_LOW"};

history::CounterGroup classic_group(std::string_view name) {
  for (const auto& group : classic_groups)
    if (group.name == name) return {std::string{group.classic}, std::string{group.shown}, {}};
  return {std::string{name}, std::string{name}, {}};
}

history::Counter classic_counter(std::string_view name, bool is_of_hadoop, std::int64_t value) {
  const auto* const shown = std::find_if(shown_counters.begin(), shown_counters.end(),
                                         [&](const auto& row) { return is_of_hadoop && row.first == name; });
  return {std::string{name}, std::string{shown == shown_counters.end() ? name : shown->second}, value};
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
    group.counters.push_back(
        classic_counter(text.substr(std::min(tab + 1, text.size())), group.name != row->first, value));
  }
  return made;
}

history::Counters classic_counters(const TaskOutcome* outcome) {
  std::vector<std::pair<std::string, std::int64_t>> counts;
  if (outcome != nullptr) {
    for (std::size_t i = 0; i < outcome->task_counters.size() && i < task_counter_names.size(); ++i)
      if (outcome->task_counters[i] != 0) counts.emplace_back(task_counter_names[i], outcome->task_counters[i]);
    counts.insert(counts.end(), outcome->counters.begin(), outcome->counters.end());
  }
  return classic_counters("COUNTERS", counts);
}

std::string priority_name(JobPriority priority) {
  return std::string{priority_names[static_cast<std::size_t>(priority)]};
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
  const auto range = job.work->range_of(attempt);
  if (range.splits.empty()) return "map";
  const auto& split = range.splits.front().split;
  return fmt::format("{}:{}+{}", split.path, split.offset, split.length);
}

}  // namespace heddle::actors
