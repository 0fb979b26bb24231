// The deciders of the Driver. apply() records each input; operator-> gives read access.
#pragma once

#include "actors/driver/place_records.hpp"
#include "policies/executors/executor_allocation.hpp"
#include "policies/stages/stage_scheduler.hpp"
#include "policies/tasks/task_scheduler.hpp"
#include "runtime/event_log/recorded.hpp"

namespace heddle::actors {

namespace allocation_input = policies::allocation_input;
namespace stage_input = policies::stage_input;
namespace task_input = policies::task_input;

using RecordedAllocation = runtime::Recorded<policies::ExecutorAllocation, PlaceRecords>;
using RecordedStageScheduler = runtime::Recorded<policies::StageScheduler, PlaceRecords>;
using RecordedTaskScheduler = runtime::Recorded<policies::TaskScheduler, PlaceRecords>;

}  // namespace heddle::actors
