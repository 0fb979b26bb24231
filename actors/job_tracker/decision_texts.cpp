#include "actors/job_tracker/decision_texts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "actors/job_tracker/history_values.hpp"

namespace heddle::actors {

std::string end_text(policies::AttemptEndCause cause) {
  switch (cause) {
    case policies::AttemptEndCause::unreported: return "its TaskTracker did not report its start";
    case policies::AttemptEndCause::output_lost: return "reduces could not copy its output";
    case policies::AttemptEndCause::tracker_lost: return "its TaskTracker was lost";
    case policies::AttemptEndCause::reported: break;
  }
  return "its TaskTracker gave no reason";
}

std::string too_large_text(const policies::JobTooLarge& job) {
  return fmt::format(
      "the job has {} maps and reduces, more than the limit of {}; raise heddle.job_tracker.max_tasks_per_job of the "
      "JobTracker, or use fewer",
      job.tasks, job.tasks_max);
}

std::string too_large_text(const policies::ReduceInputTooLarge& job) {
  return fmt::format(
      "half of the estimated input of one reduce is {} bytes, more than the limit of {} (rule RE-5); raise "
      "heddle.reduce.input_limit, or use more reduces",
      job.input, job.input_max);
}

std::string lost_tracker_text(const std::string& tracker, const std::string& reason, std::size_t attempts,
                              std::int32_t maps) {
  auto text = fmt::format("TaskTracker {} is lost: {}", tracker, reason);
  if (attempts > 0)
    text += fmt::format("; its {} running attempt{} again (rule JT-4)", attempts, attempts == 1 ? " runs" : "s run");
  if (maps > 0)
    text += fmt::format("{} {} finished map{} again (rule JS-6)", attempts > 0 ? ", and" : "; its", maps,
                        maps == 1 ? " runs" : "s run");
  return text;
}

std::string queue_place_text(const policies::JobQueue& queue, JobId job) {
  const auto& rows = queue.rows();
  const auto row =
      std::find_if(rows.begin(), rows.end(), [job](const auto& each) { return each.second.job->number() == job; });
  if (row == rows.end() || rows.size() == 1) return {};
  return fmt::format(
      "is number {} of {} in the job queue, by priority (here {}), then by time of submission: a free slot goes to the "
      "first job that has a task for it (rule JQ-1)",
      std::distance(rows.begin(), row) + 1, rows.size(), priority_name(row->second.job->priority()));
}

std::string load_factor_text(const policies::MapShare& share, const std::string& tracker) {
  return fmt::format(
      "{} runs at most {} of {} maps at a time, to spread the load: {} remaining map{} / {} map slots of the cluster x "
      "{} (rule JQ-5)",
      tracker, share.maps, share.slots, share.load, share.load == 1 ? "" : "s", share.capacity, share.slots);
}

std::string locality_text(const std::vector<std::int64_t>& locality) {
  const std::int64_t on_host = locality.at(1), in_rack = locality.at(3), elsewhere = locality.at(4);
  if (in_rack + elsewhere == 0) return {};
  return fmt::format(
      "maps started at once on the closest free slot: {} on a host of their data, {} in a rack of it (rule JP-3), {} "
      "in other racks (rule JP-4)",
      on_host, in_rack, elsewhere);
}

std::string slow_start_text(const SlowStart& start) {
  if (start.needed <= 1) return {};
  return fmt::format("reduces start: {} of {} maps are done, and {} are needed (rule JS-1)", start.done, start.maps,
                     start.needed);
}

}  // namespace heddle::actors
