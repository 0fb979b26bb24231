// Processes of framework classic. Each function is the main function of one role.
#pragma once

#include "config/table/settings.hpp"
#include "model/launch_spec.hpp"

namespace heddle::apps {

/// They return only if the role cannot start: the exit code.
int play_job_tracker(const LaunchSpec& spec, const JobTrackerLaunch& launch, const config::Settings& settings);
int play_task_tracker(const LaunchSpec& spec, const TaskTrackerLaunch& launch, const config::Settings& settings);
int play_task_child(const LaunchSpec& spec, const config::Settings& settings);

}  // namespace heddle::apps
