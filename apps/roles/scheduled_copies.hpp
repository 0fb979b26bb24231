// The rules of MapReduce for failed copies of map outputs (ports/copy_rules.hpp), decided by a ShuffleSchedule.
#pragma once

#include "policies/map_reduce/shuffle_schedule.hpp"
#include "ports/clock.hpp"
#include "ports/copy_rules.hpp"

namespace heddle::apps {

/// Makes the rules of each reduce attempt. `settings.maps` is set per attempt. `clock` and `notices` must outlive the
/// rules; `notices` gets the failed copies that the master must know.
[[nodiscard]] ports::MakeCopyRules scheduled_copies(const policies::ShuffleScheduleSettings& settings,
                                                    const ports::Clock& clock, ports::CopyNotices& notices);

}  // namespace heddle::apps
