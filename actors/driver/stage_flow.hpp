// What the StageScheduler decides: its stages become task sets, their ends reach the jobs.
#pragma once

#include "actors/driver/driver_state.hpp"

namespace heddle::actors {

void apply(Turn& turn, const policies::StageEffect& effect);
/// Writes why the task set failed into the end of its job.
void describe_failure(Turn& turn, const policies::TaskSetFailed& failed);
void warn_of_large(Turn& turn, const policies::LargeDescription& large);

}  // namespace heddle::actors
