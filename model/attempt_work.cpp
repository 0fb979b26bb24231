#include "model/attempt_work.hpp"

#include <algorithm>

namespace heddle {
namespace {

bool are_sound(const TaskCounters& counters) {
  return counters.size() == task_counter_names.size() &&
         std::all_of(counters.begin(), counters.end(), [](std::int64_t value) { return value >= 0; });
}

bool are_sound(const std::vector<std::pair<std::string, std::int64_t>>& counters, std::int32_t counters_max) {
  if (std::ssize(counters) > counters_max) return false;
  std::size_t bytes = 0;
  for (const auto& [name, value] : counters) bytes += bytes_of_counter(name);
  return bytes <= user_counter_bytes_max;
}

}  // namespace

void update_counters(AttemptCounters& known, AttemptCounters report, std::int32_t counters_max) {
  if (are_sound(report.task)) known.task = std::move(report.task);
  if (!report.user.empty() && are_sound(report.user, counters_max)) known.user = std::move(report.user);
}

void add_missing_counters(TaskOutcome& outcome, AttemptCounters last) {
  if (outcome.task_counters.empty()) outcome.task_counters = std::move(last.task);
  if (outcome.counters.empty()) outcome.counters = std::move(last.user);
}

}  // namespace heddle
