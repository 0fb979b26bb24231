// Applies effects of the StageScheduler: submits task sets, kills stages, ends jobs.
#pragma once

#include "actors/driver/driver_state.hpp"

namespace heddle::actors {

void apply(Turn& turn, const policies::StageEffect& effect);
/// Stores the text of the failure in the JobFinished of the job.
void describe_failure(Turn& turn, const policies::TaskSetFailed& failed);
/// Warns the clients about a stage description above the recommended size.
void warn_of_large(Turn& turn, const policies::LargeTaskBinary& large);

}  // namespace heddle::actors
