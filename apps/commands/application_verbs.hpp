// Runs the verbs that show and end applications of a running cluster.
#pragma once

#include "apps/cli/options.hpp"
#include "model/result.hpp"

namespace heddle::apps {

/// `list`, `info`, `wait`, `cancel` and `logs`: prints results, and returns the exit code.
[[nodiscard]] Result<int> application_verb(const ApplicationOptions& options);

}  // namespace heddle::apps
