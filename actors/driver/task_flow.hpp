// Task attempts: launches, status updates of executors, and effects of the TaskScheduler.
#pragma once

#include <vector>

#include "actors/driver/driver_state.hpp"
#include "policies/tasks/types/task_effects.hpp"
#include "policies/tasks/types/task_set_key.hpp"

namespace heddle::actors {

// -- messages: the parts of a status update, each followed by its effects ------------------------
/// False if the executor is unknown or has another epoch.
[[nodiscard]] bool begin_status_update(Turn& turn, const StatusUpdate& message);
void finish_range(Turn& turn, ExecutorId executor, const FinishedRange& range);
void apply_status(Turn& turn, ExecutorId executor, const TaskStatus& status);
/// Records that running attempts have read so far. Only speculation by rates uses it.
void apply_task_progress(Turn& turn, const std::vector<RunningTask>& running);

// -- steps -------------------------------------------------------------------------------------
void apply(Turn& turn, const policies::TaskSchedulerEffect& effect, const TaskEffects& cause);
void launch_tasks(Turn& turn, const TaskEffects& effects);
/// A queued attempt started to run: dynamic allocation counts it from now on.
void record_running(Turn& turn, policies::LaunchId attempt);

}  // namespace heddle::actors
