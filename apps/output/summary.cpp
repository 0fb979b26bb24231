#include "apps/output/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>

#include "apps/output/human_text.hpp"

namespace heddle::apps {
namespace {

namespace json = boost::json;

std::string counted(std::int64_t count, const char* noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

StageProgress sum_of(const std::vector<StageProgress>& stages) {
  StageProgress all;
  for (const auto& stage : stages) {
    for (std::size_t level = 0; level < all.launches.size(); ++level) all.launches[level] += stage.launches[level];
  }
  return all;
}

json::object stage_document(const StageProgress& stage) {
  const auto& [process, node, rack, any] = stage.launches;
  const json::object locality{{"process", process}, {"node", node}, {"rack", rack}, {"any", any}};
  return json::object{{"id", stage.id},      {"name", stage.name},     {"tasks", stage.tasks},
                      {"done", stage.done},  {"failed", stage.failed}, {"elapsed_ms", to_milliseconds(stage.elapsed)},
                      {"locality", locality}};
}

json::array texts(const std::vector<std::string>& values) {
  json::array result;
  for (const auto& value : values) result.emplace_back(value);
  return result;
}

/// The counters of users, then those of Hadoop without the package of their group.
std::string counter_lines(const JobSummary& summary) {
  constexpr std::size_t shown_max = 50;
  constexpr std::string_view hadoop = "org.apache.hadoop.";
  std::size_t users = 0;
  std::string text;
  std::string of_hadoop;
  for (const auto& [name, value] : summary.counters) {
    const auto tab = name.find('\t');
    const auto group = std::string_view{name}.substr(0, tab);
    const bool is_of_hadoop = group.starts_with(hadoop);
    if (!is_of_hadoop && ++users > shown_max) continue;
    const auto shown = is_of_hadoop ? group.substr(group.rfind('.') + 1) : group;
    const auto rest = tab == std::string::npos ? std::string{} : ": " + name.substr(tab + 1);
    (is_of_hadoop ? of_hadoop : text) += fmt::format("  counter   {}{} = {}\n", shown, rest, value);
  }
  if (users > shown_max) text += fmt::format("  counter   {} more; --format json prints all\n", users - shown_max);
  return text + of_hadoop;
}

/// Returns "12 tasks in 2 stages"; for a failed job "5 of 12 tasks in 2 stages".
std::string work_done(const JobSummary& summary) {
  const auto stages = counted(static_cast<std::int64_t>(summary.stages.size()), "stage");
  std::int64_t all = 0;
  for (const auto& stage : summary.stages) all += stage.tasks;
  if (summary.succeeded || all < summary.tasks) return fmt::format("{} in {}", counted(summary.tasks, "task"), stages);
  return fmt::format("{} of {} in {}", summary.tasks, counted(all, "task"), stages);
}

json::object counters_document(const JobSummary& summary) {
  json::object groups;
  for (const auto& [name, value] : summary.counters) {
    const auto tab = name.find('\t');
    auto& group = groups[name.substr(0, tab)];
    if (!group.is_object()) group = json::object{};
    group.as_object()[tab == std::string::npos ? std::string{} : name.substr(tab + 1)] = value;
  }
  return groups;
}

/// Returns true if the summary names the log folder instead of each file.
bool has_many_logs(const JobSummary& summary) {
  constexpr std::size_t named_max = 6;
  return summary.task_logs.size() > named_max;
}

std::string log_lines(const JobSummary& summary) {
  if (has_many_logs(summary))
    return fmt::format("  logs      {} ({} files, STAGE.TRY/TASK.ATTEMPT.stdout and .stderr)\n",
                       summary.task_log_folder, summary.task_logs.size());
  std::string text;
  for (const auto& log : summary.task_logs) text += fmt::format("  logs      {}\n", log);
  return text;
}

/// The most frequent reasons first. A reason may name the logs of one container, so there can be one for each attempt.
std::string failure_lines(std::vector<FailureCount> failures) {
  constexpr std::size_t named_max = 6;
  std::stable_sort(failures.begin(), failures.end(),
                   [](const auto& a, const auto& b) { return a.attempts > b.attempts; });
  std::string text;
  for (std::size_t i = 0; i < std::min(named_max, failures.size()); ++i)
    text += fmt::format("  failed    {} x {}\n", failures[i].attempts, failures[i].reason);
  if (failures.size() <= named_max) return text;
  std::int64_t others = 0;
  for (std::size_t i = named_max; i < failures.size(); ++i) others += failures[i].attempts;
  return text + fmt::format("  failed    {} x for {} other reasons\n", others, failures.size() - named_max);
}

}  // namespace

std::string print_summary(const JobSummary& summary) {
  const bool has_begun = summary.succeeded || !summary.stages.empty() || summary.tasks > 0;
  auto text =
      fmt::format("{} {} in {}", summary.name, summary.succeeded ? "done" : "FAILED", human_duration(summary.wall));
  text += has_begun ? fmt::format(": {}, {}\n", work_done(summary), counted(summary.attempts_failed, "failed attempt"))
                    : std::string{", before any task ran\n"};
  if (!summary.text.empty()) text += fmt::format("  why       {}\n", summary.text);
  text += failure_lines(summary.failures);
  if (const auto locality = locality_percentages(sum_of(summary.stages)); !locality.empty())
    text += fmt::format("  locality  {} % process/node/rack/any\n", locality);
  if (has_begun)
    text += fmt::format("  bytes     {} read, {} shuffled, {} written, {} spilled\n", human_bytes(summary.bytes_read),
                        human_bytes(summary.bytes_shuffled), human_bytes(summary.bytes_written),
                        human_bytes(summary.bytes_spilled));
  text += counter_lines(summary);
  for (const auto& output : summary.outputs) text += fmt::format("  output    {}\n", output);
  text += log_lines(summary);
  if (!summary.event_log.empty()) text += fmt::format("  events    {}\n", summary.event_log);
  return text;
}

std::string summary_json(const JobSummary& summary) {
  json::array stages;
  for (const auto& stage : summary.stages) stages.push_back(stage_document(stage));
  json::array failures;
  for (const auto& failure : summary.failures)
    failures.push_back(json::object{{"reason", failure.reason}, {"attempts", failure.attempts}});
  const json::object bytes{{"read", summary.bytes_read},
                           {"shuffled", summary.bytes_shuffled},
                           {"written", summary.bytes_written},
                           {"spilled", summary.bytes_spilled}};
  const json::object document{{"schema", 1},
                              {"name", summary.name},
                              {"application", summary.application},
                              {"succeeded", summary.succeeded},
                              {"text", summary.text},
                              {"started", rfc3339(summary.started_us)},
                              {"ended", rfc3339(summary.started_us + summary.wall.count())},
                              {"wall_ms", to_milliseconds(summary.wall)},
                              {"tasks", summary.tasks},
                              {"attempts_failed", summary.attempts_failed},
                              {"failures", failures},
                              {"bytes", bytes},
                              {"stages", stages},
                              {"counters", counters_document(summary)},
                              {"outputs", texts(summary.outputs)},
                              {"task_logs", has_many_logs(summary) ? json::array{} : texts(summary.task_logs)},
                              {"task_log_folder", summary.task_log_folder},
                              {"event_log", summary.event_log}};
  return json::serialize(document) + "\n";
}

std::string text_json(const std::string& text) {
  return json::serialize(json::object{{"schema", 1}, {"text", text}}) + "\n";
}

std::string print_error(Format format, const std::string& kind, const std::string& text) {
  if (format == Format::table) return fmt::format("heddle: {}\n", text);
  const json::object error{{"kind", kind}, {"text", text}};
  return json::serialize(json::object{{"schema", 1}, {"error", error}}) + "\n";
}

}  // namespace heddle::apps
