// Runs one job on the command line: settings, session, progress, Ctrl-C, summary.
#pragma once

#include <optional>
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
  std::vector<config::SettingEntry> entries;                           // [settings] of a job file
  std::vector<std::pair<std::string, std::string>> fallback_settings;  // lowest precedence
  bool prints_summary = true;
  bool is_map_reduce = false;                       // it has a framework
  std::optional<config::Framework> framework = {};  // absent: the setting decides
};

/// Result of a job, for the exit code.
struct JobRunResult {
  JobFinished finished;
  bool was_cancelled = false;
};

/// Runs a job. Prints progress and summary on stderr, and with --format json a result document on stdout. An Error
/// means that the job did not run.
[[nodiscard]] Result<JobRunResult> run_job(JobRequest request);

/// Submits a job to YARN in cluster mode, and prints the id of its application, which goes on without this process, on
/// stdout.
[[nodiscard]] Result<Done> submit_job(const JobRequest& request);

}  // namespace heddle::apps
