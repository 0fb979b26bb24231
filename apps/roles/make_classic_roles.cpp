#include "apps/roles/make_classic_roles.hpp"

#include <caf/typed_event_based_actor.hpp>
#include <filesystem>
#include <utility>
#include <variant>

#include "actors/job_tracker/job_tracker_settings.hpp"
#include "actors/task_child/child_start.hpp"
#include "actors/task_tracker/task_tracker_settings.hpp"
#include "apps/job_files/job_packages.hpp"
#include "apps/roles/map_reduce_settings.hpp"
#include "apps/roles/session_files.hpp"

namespace heddle::apps {

JobTrackerActor make_job_tracker(RoleWorld world, const JobTrackerLaunch& launch, const config::Settings& settings,
                                 const actors::JobTrackerPorts& ports, std::vector<actors::RecoveredJob> recovered,
                                 const std::string& log_directory) {
  auto start = job_tracker_settings(settings);
  start.cluster_start = launch.cluster_start;
  start.restarts = launch.restarts;
  start.recovered_jobs = std::move(recovered);
  start.wall_offset_ms = wall_clock_ms() - to_milliseconds(world.tools.clock->now().time_since_epoch());
  start.build_id = build_id();
  if (const auto folder = settings.job_history().directory; !folder.empty() && !log_directory.empty()) {
    start.history.folder = (std::filesystem::path{log_directory} / folder).string();
    start.history.settings = settings_of_jobs(settings);
  }
  auto wired = ports;
  if (!wired.read_package) wired.read_package = load_job_package;
  if (!wired.make_token) wired.make_token = random_token;
  return actors::spawn_job_tracker(world.system, start, world.tools, wired);
}

TaskTrackerActor make_task_tracker(RoleWorld world, const LaunchSpec& spec, const config::Settings& settings,
                                   const std::string& program, std::int64_t incarnation,
                                   const actors::TaskTrackerPorts& ports) {
  const auto& launch = std::get<TaskTrackerLaunch>(spec.role);
  actors::TaskTrackerSettings start;
  start.job_tracker_address = launch.job_tracker_address;
  start.name = "tracker_" + launch.host;
  start.incarnation = incarnation;
  start.host = launch.host;
  start.rack = launch.rack;
  start.build_id = build_id();
  start.map_slots = launch.map_slots;
  start.reduce_slots = launch.reduce_slots;
  start.program = program;
  start.child_settings = spec.settings;
  start.log_directory = spec.log_directory;
  start.owner = launch.owner;
  start.slowness_percent = launch.slowness_percent;
  start.limits.start_space_min = settings.task_tracker().start_space_min;
  start.limits.kill_space_min = settings.task_tracker().kill_space_min;
  start.limits.map_memory = settings.map_reduce().map_memory_mib << 20;
  start.limits.reduce_memory = settings.map_reduce().reduce_memory_mib << 20;
  start.limits.memory_check_interval = settings.node_manager().memory_check_interval;
  start.limits.log_bytes_max = settings.task_log().container_bytes_max;
  start.beat_on_change = settings.map_reduce().beat_on_change;
  start.attempt_timeout = task_timeout(settings);
  return actors::spawn_task_tracker(world.system, start, world.tools, ports);
}

TaskChildActor make_task_child(RoleWorld world, const LaunchSpec& spec, const config::Settings& settings,
                               const actors::TaskChildPorts& ports) {
  const auto& launch = std::get<TaskChildLaunch>(spec.role);
  actors::TaskChildStart start;
  start.parent_address = launch.parent_address;
  start.child = launch.child;
  start.secret = spec.container.token;
  const auto& place = spec.container;
  start.map_outputs = {place.node, place.node_epoch, place.host, place.shuffle_address, shuffle_folder(spec)};
  start.connect_timeout = settings.executor().register_timeout;
  start.progress_interval = progress_interval(settings);
  return actors::spawn_task_child(world.system, start, world.tools, ports);
}

}  // namespace heddle::apps
