// The search for attempts that run too long: a copy of each is wanted. Cost: linear in the running attempts of the set.
// Source: Spark 3.5.3 TaskSetManager.checkSpeculatableTasks (spec TSM-15, TSM-16).
#pragma once

#include "policies/tasks/task_set.hpp"

namespace heddle::policies {

/// One look at the running attempts of the set. True if something was found.
bool check_speculation(Instant now, TaskSet& set, const TaskSchedulerSettings& settings, const AttemptTable& attempts,
                       const ExecutorDirectory& directory, TaskSchedulerEffects& effects);

}  // namespace heddle::policies
