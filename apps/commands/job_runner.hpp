// Runs one job for a person: settings, session, progress, Ctrl-C, summary.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "apps/cli/options.hpp"
#include "config/table/setting_entry.hpp"
#include "messages/client.hpp"
#include "model/job_graph.hpp"
#include "model/result.hpp"

namespace heddle::apps {

struct JobRequest {
  JobGraph graph;
  JobOptions options;
  std::vector<config::SettingEntry> entries;                       // [settings] of a job file
  std::vector<std::pair<std::string, std::string>> weak_settings;  // hold where nothing else names the key
  bool prints_summary = true;
};

/// How a job ended, for the exit code.
struct JobEnd {
  JobFinished finished;
  bool was_cancelled = false;
};

/// An Error means that the job did not run. Prints progress and summary to stderr, a result document to stdout with
/// --format json.
[[nodiscard]] Result<JobEnd> run_job(JobRequest request);

}  // namespace heddle::apps
