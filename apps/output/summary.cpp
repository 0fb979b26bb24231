#include "apps/output/summary.hpp"

#include <fmt/format.h>

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

}  // namespace

std::string print_summary(const JobSummary& summary) {
  auto text = fmt::format("{} {} in {}: {} in {}, {}\n", summary.name, summary.succeeded ? "done" : "FAILED",
                          human_duration(summary.wall), counted(summary.tasks, "task"),
                          counted(static_cast<std::int64_t>(summary.stages.size()), "stage"),
                          counted(summary.attempts_failed, "failed attempt"));
  if (!summary.text.empty()) text += fmt::format("  why       {}\n", summary.text);
  for (const auto& failure : summary.failures)
    text += fmt::format("  failed    {} x {}\n", failure.attempts, failure.reason);
  if (const auto locality = locality_percentages(sum_of(summary.stages)); !locality.empty())
    text += fmt::format("  locality  {} % process/node/rack/any\n", locality);
  text += fmt::format("  bytes     {} read, {} shuffled, {} written, {} spilled\n", human_bytes(summary.bytes_read),
                      human_bytes(summary.bytes_shuffled), human_bytes(summary.bytes_written),
                      human_bytes(summary.bytes_spilled));
  for (const auto& output : summary.outputs) text += fmt::format("  output    {}\n", output);
  for (const auto& log : summary.task_logs) text += fmt::format("  logs      {}\n", log);
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
                              {"task_logs", texts(summary.task_logs)},
                              {"event_log", summary.event_log}};
  return json::serialize(document) + "\n";
}

std::string print_error(Format format, const std::string& kind, const std::string& text) {
  if (format == Format::table) return fmt::format("heddle: {}\n", text);
  const json::object error{{"kind", kind}, {"text", text}};
  return json::serialize(json::object{{"schema", 1}, {"error", error}}) + "\n";
}

}  // namespace heddle::apps
