// Task attempts: their launches, what executors report of them, and what the TaskScheduler decides.
#pragma once

#include <vector>

#include "actors/driver/driver_state.hpp"

namespace heddle::actors {

// -- messages: a status update is applied in parts, each with its effects ------------------------
/// False if the executor is not known in this epoch.
[[nodiscard]] bool begin_status_update(Turn& turn, const StatusUpdate& message);
void finish_range(Turn& turn, ExecutorId executor, const FinishedRange& range);
void take_status(Turn& turn, ExecutorId executor, const TaskStatus& status);
/// What attempts have read so far; only speculation by rates looks at it.
void take_task_progress(Turn& turn, const std::vector<RunningTask>& running);

// -- steps -------------------------------------------------------------------------------------
void apply(Turn& turn, const policies::TaskSchedulerEffect& effect, const TaskEffects& cause);
void launch_tasks(Turn& turn, const TaskEffects& effects);
/// A queued attempt runs: dynamic allocation counts it from now on.
void note_running(Turn& turn, policies::LaunchId attempt);

}  // namespace heddle::actors
