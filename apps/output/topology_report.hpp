// What a topology run leaves for its user: a table of applications and jobs, or documents.
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
  std::string application;     // as shown: its name, with a number where several have the same
  std::string application_id;  // empty: it was not submitted
  std::string user;
  std::string queue;
  std::string job;
  Duration submitted{};  // since the start of the cluster
  Duration took{};
  std::int64_t tasks = 0;
  std::int64_t attempts_failed = 0;
  std::int64_t executors = 0;  // most at once
  bool has_launched = false;
  std::array<std::int64_t, 4> launches{};  // process, node, rack, any
  std::string outcome;                     // succeeded, failed, cancelled
  std::string text;                        // why not
  std::string event_log;
  std::string task_log_folder;  // empty: no attempt has left anything
};

/// A header, and a line for each row in the order in which the jobs ended.
[[nodiscard]] std::string topology_table(std::span<const TopologyRow> rows);
/// json: one document with all rows; jsonl: a document for each row.
[[nodiscard]] std::string topology_documents(Format format, std::span<const TopologyRow> rows);

}  // namespace heddle::apps
