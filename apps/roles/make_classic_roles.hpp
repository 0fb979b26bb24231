// Creates the roles of framework classic from their launch specs, as make_roles.hpp does with the others.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "actors/job_tracker/job_tracker_settings.hpp"
#include "actors/task_child/child_start.hpp"
#include "actors/task_tracker/task_tracker_settings.hpp"
#include "apps/roles/make_roles.hpp"

namespace heddle::apps {

/// Without read_package and make_token in `ports`, it reads packages from files and makes tokens from the random source
/// of the system. `recovered`: jobs of an earlier JobTracker that run anew. `log_directory`: job histories go to a
/// folder in it; empty: nowhere.
[[nodiscard]] JobTrackerActor make_job_tracker(RoleWorld world, const JobTrackerLaunch& launch,
                                               const config::Settings& settings, const actors::JobTrackerPorts& ports,
                                               std::vector<actors::RecoveredJob> recovered = {},
                                               const std::string& log_directory = {});

/// `spec`: of a TaskTracker. `program`: started for each child. `incarnation`: greater than that of an earlier
/// TaskTracker with this host, such as the time of its start.
[[nodiscard]] TaskTrackerActor make_task_tracker(RoleWorld world, const LaunchSpec& spec,
                                                 const config::Settings& settings, const std::string& program,
                                                 std::int64_t incarnation, const actors::TaskTrackerPorts& ports);

/// `spec`: of a task child.
[[nodiscard]] TaskChildActor make_task_child(RoleWorld world, const LaunchSpec& spec, const config::Settings& settings,
                                             const actors::TaskChildPorts& ports);

}  // namespace heddle::apps
