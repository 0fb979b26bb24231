// Prints the result of a job: the summary on stderr, and the result document on stdout.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "apps/cli/options.hpp"
#include "apps/output/progress.hpp"

namespace heddle::apps {

/// Number of failed task attempts with the same reason.
struct FailureCount {
  std::string reason;
  std::int64_t attempts = 0;
};

struct JobSummary {
  std::string name;
  std::string application;
  bool succeeded = false;
  std::string text;             // reason of the failure
  std::int64_t started_us = 0;  // microseconds since 1970
  Duration wall{};
  std::vector<StageProgress> stages;
  std::int64_t tasks = 0;
  std::int64_t attempts_failed = 0;
  std::vector<FailureCount> failures;
  std::int64_t bytes_read = 0;
  std::int64_t bytes_shuffled = 0;
  std::int64_t bytes_written = 0;
  std::int64_t bytes_spilled = 0;
  std::vector<std::string> outputs;
  std::vector<std::string> task_logs;
  std::string task_log_folder;  // logs of all task attempts; empty: no attempt has written output
  std::string event_log;
  std::vector<std::pair<std::string, std::int64_t>> counters;  // key "group\tname"
};

/// Formats the summary as text.
[[nodiscard]] std::string print_summary(const JobSummary& summary);
/// Formats one JSON document (`schema` 1) with a newline; the same for json and jsonl.
[[nodiscard]] std::string summary_json(const JobSummary& summary);
/// Formats a text as a document.
[[nodiscard]] std::string text_json(const std::string& text);
/// Formats an error as a line of text, or as a document.
[[nodiscard]] std::string print_error(Format format, const std::string& kind, const std::string& text);

}  // namespace heddle::apps
