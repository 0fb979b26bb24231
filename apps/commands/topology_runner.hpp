// Runs the applications of a topology file on one local cluster: each at its time, with its user and queue.
#pragma once

#include "apps/cli/options.hpp"
#include "model/result.hpp"

namespace heddle::apps {

/// Result of all applications, for the exit code.
struct TopologyRunResult {
  bool succeeded = true;
  bool was_cancelled = false;
  bool was_unreachable = false;  // a job failed because a role or file system could not be reached
};

/// Prints events with times on stderr, and the table of applications and jobs, or documents, on stdout. An Error means
/// that nothing ran.
[[nodiscard]] Result<TopologyRunResult> run_topology(const JobOptions& options);

}  // namespace heddle::apps
