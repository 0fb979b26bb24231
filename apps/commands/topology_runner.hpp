// Runs the applications that a topology names on one local cluster: each at its time, for its user, in its queue.
#pragma once

#include "apps/cli/options.hpp"
#include "model/result.hpp"

namespace heddle::apps {

/// What became of them all, for the exit code.
struct TopologyEnd {
  bool succeeded = true;
  bool was_cancelled = false;
};

/// Says on stderr what happens, with times; the table of applications and jobs, or documents, go to stdout. An Error
/// means that nothing ran.
[[nodiscard]] Result<TopologyEnd> run_topology(const JobOptions& options);

}  // namespace heddle::apps
