#include "apps/output/topology_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <vector>

namespace heddle::apps {
namespace {

namespace json = boost::json;

std::vector<TopologyRow> by_end(std::span<const TopologyRow> rows) {
  std::vector<TopologyRow> sorted{rows.begin(), rows.end()};
  std::stable_sort(sorted.begin(), sorted.end(), [](const TopologyRow& a, const TopologyRow& b) {
    return a.submitted + a.took < b.submitted + b.took;
  });
  return sorted;
}

double seconds(Duration span) { return static_cast<double>(span.count()) / 1e6; }

json::object describe(const TopologyRow& row) {
  const auto& [process, node, rack, any] = row.launches;
  return json::object{{"application", row.application},
                      {"id", row.application_id},
                      {"user", row.user},
                      {"queue", row.queue},
                      {"job", row.job},
                      {"outcome", row.outcome},
                      {"text", row.text},
                      {"submitted_ms", to_milliseconds(row.submitted)},
                      {"wall_ms", to_milliseconds(row.took)},
                      {"tasks", row.tasks},
                      {"attempts_failed", row.attempts_failed},
                      {"executors", row.executors},
                      {"locality", {{"process", process}, {"node", node}, {"rack", rack}, {"any", any}}},
                      {"task_log_folder", row.task_log_folder},
                      {"event_log", row.event_log}};
}

}  // namespace

std::string topology_table(std::span<const TopologyRow> rows) {
  auto text =
      fmt::format("{:<14} {:<8} {:<14} {:<14} {:>9} {:>8} {:>6} {:>7} {:>9}  {:<12} {}\n", "application", "user",
                  "queue", "job", "submitted", "took", "tasks", "failed", "executors", "launches", "outcome");
  for (const auto& row : by_end(rows))
    text += fmt::format("{:<14} {:<8} {:<14} {:<14} {:>7.1f} s {:>6.1f} s {:>6} {:>7} {:>9}  {:<12} {}\n",
                        row.application, row.user, row.queue, row.job, seconds(row.submitted), seconds(row.took),
                        row.tasks, row.attempts_failed, row.executors,
                        row.has_launched ? fmt::format("{}", fmt::join(row.launches, "/")) : "-", row.outcome);
  return text;
}

std::string topology_documents(Format format, std::span<const TopologyRow> rows) {
  json::array jobs;
  std::string lines;
  for (const auto& row : by_end(rows)) {
    auto job = describe(row);
    jobs.push_back(job);
    job["schema"] = 1;
    lines += json::serialize(job) + "\n";
  }
  if (format == Format::jsonl) return lines;
  return json::serialize(json::object{{"schema", 1}, {"jobs", jobs}}) + "\n";
}

}  // namespace heddle::apps
