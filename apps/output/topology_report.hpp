// Prints the result of a topology run: a table of applications and jobs, or documents.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "apps/cli/options.hpp"
#include "model/time.hpp"

namespace heddle::apps {

/// One job of one application.
struct TopologyRow {
  std::string application;     // displayed name: with a number if several are equal
  std::string application_id;  // empty: not submitted
  std::string user;
  std::string queue;
  std::string job;
  Duration submitted{};  // since the start of the cluster
  Duration took{};
  std::int64_t tasks = 0;
  std::int64_t attempts_failed = 0;
  std::int64_t executors = 0;  // maximum at any time
  bool has_launched = false;
  std::array<std::int64_t, 4> launches{};  // process, node, rack, any
  std::string outcome;                     // succeeded, failed, cancelled
  bool is_unreachable = false;             // failed because a role or file system could not be reached; not shown
  std::string text;                        // reason of the failure
  std::string event_log;
  std::string task_log_folder;  // empty: no attempt has written output
};

/// Formats a header, and a line per row in the order in which the jobs ended.
[[nodiscard]] std::string topology_table(std::span<const TopologyRow> rows);
/// json: one document with all rows; jsonl: a document for each row.
[[nodiscard]] std::string topology_documents(Format format, std::span<const TopologyRow> rows);

}  // namespace heddle::apps
