// Applies effects of the StageScheduler: submits task sets, kills stages, ends jobs.
#pragma once

#include "actors/driver/driver_state.hpp"
#include "policies/tasks/types/task_effects.hpp"

namespace heddle::actors {

void apply(Turn& turn, const policies::StageEffect& effect);
/// Stores the text of the failure in the JobFinished of the job.
void describe_failure(Turn& turn, const policies::TaskSetFailed& failed);
/// Warns the clients about a task binary above the recommended size.
void warn_of_large_task_binary(Turn& turn, const policies::LargeTaskBinary& large);

}  // namespace heddle::actors
