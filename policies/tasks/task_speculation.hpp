// Finds attempts that run too long and requests a copy of each. Cost: linear in the running attempts of the set.
// Source: Spark 3.5.3 TaskSetManager.checkSpeculatableTasks (spec TSM-15, TSM-16).
#pragma once

#include "policies/tasks/task_set.hpp"
#include "policies/tasks/types/task_effects.hpp"
#include "policies/tasks/types/task_scheduler_settings.hpp"

namespace heddle::policies {

/// Checks the running attempts of the set. True if a copy was requested.
bool check_speculation(Instant now, TaskSet& set, const TaskSchedulerSettings& settings, const AttemptTable& attempts,
                       const ExecutorDirectory& directory, TaskSchedulerEffects& effects);

}  // namespace heddle::policies
