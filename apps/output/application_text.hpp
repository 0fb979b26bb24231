// Prints the applications of a cluster: tables and details for people, documents for programs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "apps/cli/options.hpp"
#include "ports/application_report.hpp"

namespace heddle::apps {

/// Formats a header and a line per application; nothing for no application.
[[nodiscard]] std::string application_table(std::span<const ApplicationReport> applications);
/// json: one document with all applications; jsonl: a document for each.
[[nodiscard]] std::string application_documents(Format format, std::span<const ApplicationReport> applications);

/// Formats the fields of one application that are known, a line for each, then its attempts and containers.
[[nodiscard]] std::string application_details(const ApplicationReport& application,
                                              std::span<const ApplicationAttemptReport> attempts,
                                              std::span<const ContainerReport> containers);
/// The same as one document.
[[nodiscard]] std::string application_document(const ApplicationReport& application,
                                               std::span<const ApplicationAttemptReport> attempts,
                                               std::span<const ContainerReport> containers);

/// A log file in the folder of a container.
struct ShownLog {
  std::string container;
  std::string host;
  std::string name;
  std::int64_t bytes = 0;
  std::string place;  // URL, or path of the file that has it
};
/// The files that heddle and its tasks write for people; not event logs and files of NodeManagers.
[[nodiscard]] bool is_log_for_people(std::string_view name);
/// "==> stderr of container_… on node7 <==": the line in front of its content, with newline.
[[nodiscard]] std::string log_header(const ShownLog& log);
/// json: one document with all files; jsonl: a document for each.
[[nodiscard]] std::string log_documents(Format format, const std::string& application, std::span<const ShownLog> logs);

/// "application_1700000000000_0007 RUNNING, 45 %, driver on …": one line of progress, without newline.
[[nodiscard]] std::string application_line(const ApplicationReport& application);
/// "application_1700000000000_0007 failed after 12.3 s: text": its end, without newline.
[[nodiscard]] std::string application_end(const ApplicationReport& application);

}  // namespace heddle::apps
