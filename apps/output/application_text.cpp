#include "apps/output/application_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <cmath>
#include <string_view>
#include <vector>

#include "apps/output/human_text.hpp"

namespace heddle::apps {
namespace {

namespace json = boost::json;

constexpr std::int64_t us_per_ms = 1000;
constexpr std::size_t column_count = 8;
using Cells = std::array<std::string, column_count>;

std::string percent(double progress) { return fmt::format("{} %", std::lround(progress * 100)); }

/// The final status has no meaning before the end.
std::string status_of(const ApplicationReport& application) {
  return application.is_over ? application.final_status : std::string{};
}

Cells cells_of(const ApplicationReport& application) {
  return {to_string(application.id),
          application.name,
          application.type,
          application.user,
          application.queue,
          application.state,
          percent(application.progress),
          status_of(application)};
}

json::value time_of(std::int64_t time_ms) {
  return time_ms > 0 ? json::value(rfc3339(time_ms * us_per_ms)) : json::value(nullptr);
}

json::value text_or_null(const std::string& text) { return text.empty() ? json::value(nullptr) : json::value(text); }

json::object document_of(const ApplicationReport& application) {
  json::array tags;
  for (const auto& tag : application.tags) tags.emplace_back(tag);
  return json::object{{"id", to_string(application.id)},
                      {"name", application.name},
                      {"type", application.type},
                      {"user", application.user},
                      {"queue", application.queue},
                      {"priority", application.priority},
                      {"tags", tags},
                      {"state", application.state},
                      {"final_status", text_or_null(status_of(application))},
                      {"progress", std::round(application.progress * 1e4) / 1e4},
                      {"submitted", time_of(application.submitted_ms)},
                      {"started", time_of(application.started_ms)},
                      {"ended", time_of(application.ended_ms)},
                      {"page", text_or_null(application.page)},
                      {"driver", text_or_null(application.driver)},
                      {"diagnostics", application.diagnostics}};
}

json::object document_of(const ApplicationAttemptReport& attempt) {
  return json::object{{"attempt", attempt.attempt},
                      {"state", attempt.state},
                      {"container", text_or_null(attempt.container)},
                      {"started", time_of(attempt.started_ms)},
                      {"ended", time_of(attempt.ended_ms)},
                      {"diagnostics", attempt.diagnostics}};
}

json::object document_of(const ContainerReport& container) {
  return json::object{{"id", container.name},
                      {"host", container.host},
                      {"state", container.state},
                      {"log", text_or_null(container.log)},
                      {"started", time_of(container.started_ms)}};
}

json::object with_schema(const json::object& members) {
  json::object document{{"schema", 1}};
  for (const auto& member : members) document.insert(member);
  return document;
}

/// Later lines of a text of several lines start below the first one.
std::string indented(const std::string& text, std::size_t width) {
  std::string made;
  for (const auto c : text) {
    made += c;
    if (c == '\n') made += std::string(width, ' ');
  }
  return made;
}

std::string field_line(std::string_view name, const std::string& value) {
  constexpr std::size_t name_width = 14;
  if (value.empty()) return {};
  return fmt::format("{:{}}{}\n", name, name_width, indented(value, name_width));
}

std::string shown_time(std::int64_t time_ms) { return time_ms > 0 ? rfc3339(time_ms * us_per_ms) : std::string{}; }

std::string attempt_text(const ApplicationAttemptReport& attempt) {
  auto text = attempt.state;
  if (!attempt.container.empty()) text += ", master " + attempt.container;
  if (!attempt.diagnostics.empty()) text += "\n" + attempt.diagnostics;
  return text;
}

/// Time from the submission to the end; empty before the end.
std::string time_taken(const ApplicationReport& application) {
  if (application.ended_ms <= 0 || application.submitted_ms <= 0) return {};
  return human_duration(Duration{(application.ended_ms - application.submitted_ms) * us_per_ms});
}

}  // namespace

std::string application_table(std::span<const ApplicationReport> applications) {
  if (applications.empty()) return {};
  std::vector<Cells> lines{{"ID", "NAME", "TYPE", "USER", "QUEUE", "STATE", "PROGRESS", "STATUS"}};
  for (const auto& application : applications) lines.push_back(cells_of(application));
  std::array<std::size_t, column_count> widths{};
  for (const auto& cells : lines)
    for (std::size_t i = 0; i < column_count; ++i) widths.at(i) = std::max(widths.at(i), cells.at(i).size());
  std::string text;
  for (const auto& cells : lines) {
    std::string shown;
    for (std::size_t i = 0; i < column_count; ++i) shown += fmt::format("{:{}}  ", cells.at(i), widths.at(i));
    text += shown.substr(0, shown.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::string application_documents(Format format, std::span<const ApplicationReport> applications) {
  if (format == Format::json) {
    json::array all;
    for (const auto& application : applications) all.push_back(document_of(application));
    return json::serialize(json::object{{"schema", 1}, {"applications", all}}) + "\n";
  }
  std::string lines;
  for (const auto& application : applications) lines += json::serialize(with_schema(document_of(application))) + "\n";
  return lines;
}

std::string application_details(const ApplicationReport& application,
                                std::span<const ApplicationAttemptReport> attempts,
                                std::span<const ContainerReport> containers) {
  auto text = field_line("application", to_string(application.id));
  text += field_line("name", application.name) + field_line("type", application.type) +
          field_line("user", application.user);
  text += field_line("queue", application.queue);
  if (application.priority != 0) text += field_line("priority", std::to_string(application.priority));
  text += field_line("tags", fmt::format("{}", fmt::join(application.tags, ", ")));
  text += field_line(
      "state", application.is_over ? application.state : application.state + ", " + percent(application.progress));
  text += field_line("final status", status_of(application));
  text += field_line("submitted", shown_time(application.submitted_ms)) +
          field_line("started", shown_time(application.started_ms));
  text += field_line("ended", shown_time(application.ended_ms)) + field_line("took", time_taken(application));
  text += field_line("page", application.page) + field_line("driver", application.driver);
  text += field_line("diagnostics", application.diagnostics);
  for (const auto& attempt : attempts)
    text += field_line(fmt::format("attempt {}", attempt.attempt), attempt_text(attempt));
  for (const auto& container : containers)
    text += field_line("container", fmt::format("{} on {}, {}\nlog {}", container.name, container.host, container.state,
                                                container.log));
  return text;
}

std::string application_document(const ApplicationReport& application,
                                 std::span<const ApplicationAttemptReport> attempts,
                                 std::span<const ContainerReport> containers) {
  auto document = with_schema(document_of(application));
  json::array listed;
  for (const auto& attempt : attempts) listed.push_back(document_of(attempt));
  document["attempts"] = std::move(listed);
  listed = {};
  for (const auto& container : containers) listed.push_back(document_of(container));
  document["containers"] = std::move(listed);
  return json::serialize(document) + "\n";
}

bool is_log_for_people(std::string_view name) {
  constexpr std::array<std::string_view, 3> of_node_manager{"launch_container.sh", "directory.info", "prelaunch.out"};
  return !name.ends_with(".jsonl") &&
         std::find(of_node_manager.begin(), of_node_manager.end(), name) == of_node_manager.end();
}

std::string log_header(const ShownLog& log) {
  return fmt::format("==> {} of {} on {} <==\n", log.name, log.container, log.host);
}

std::string log_documents(Format format, const std::string& application, std::span<const ShownLog> logs) {
  json::array files;
  for (const auto& log : logs)
    files.push_back(json::object{{"container", log.container},
                                 {"host", log.host},
                                 {"file", log.name},
                                 {"bytes", log.bytes},
                                 {"place", log.place}});
  if (format == Format::json)
    return json::serialize(json::object{{"schema", 1}, {"id", application}, {"files", files}}) + "\n";
  std::string lines;
  for (const auto& file : files) lines += json::serialize(with_schema(file.as_object())) + "\n";
  return lines;
}

std::string application_line(const ApplicationReport& application) {
  auto text = fmt::format("{} {}", to_string(application.id), application.state);
  if (application.state == "RUNNING") text += ", " + percent(application.progress);
  else if (!application.diagnostics.empty()) text += ": " + application.diagnostics;
  return text;
}

std::string application_end(const ApplicationReport& application) {
  const auto took = time_taken(application);
  auto text = to_string(application.id);
  if (application.state == "FINISHED" && application.final_status == "SUCCEEDED") text += " succeeded";
  else text += application.state == "KILLED" ? " was killed" : " failed";
  if (!took.empty()) text += " after " + took;
  if (!application.diagnostics.empty()) text += ": " + application.diagnostics;
  return text;
}

}  // namespace heddle::apps
