// What a job leaves for its user: the summary on stderr, and the result document on stdout.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "apps/cli/options.hpp"
#include "apps/output/progress.hpp"

namespace heddle::apps {

/// Why attempts failed, alike ones together.
struct FailureCount {
  std::string reason;
  std::int64_t attempts = 0;
};

struct JobSummary {
  std::string name;
  std::string application;
  bool succeeded = false;
  std::string text;             // why not
  std::int64_t started_us = 0;  // wall clock, since 1970
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
  std::string task_log_folder;  // of all attempts, where any has left something
  std::string event_log;
  std::vector<std::pair<std::string, std::int64_t>> counters;  // "group\tname"
};

/// A few lines for a person.
[[nodiscard]] std::string print_summary(const JobSummary& summary);
/// One JSON document (`schema` 1), ended by a newline; the same for json and jsonl.
[[nodiscard]] std::string summary_json(const JobSummary& summary);
/// A text that was asked for as a document.
[[nodiscard]] std::string text_json(const std::string& text);
/// A line for a person, or the document of a failure.
[[nodiscard]] std::string print_error(Format format, const std::string& kind, const std::string& text);

}  // namespace heddle::apps
