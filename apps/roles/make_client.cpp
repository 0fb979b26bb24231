// Creates the roles of a client's process: the Client, and the Driver unless it runs in the master container.
#include <caf/typed_event_based_actor.hpp>
#include <utility>

#include "apps/job_files/job_packages.hpp"
#include "apps/roles/make_roles.hpp"
#include "apps/roles/requested_containers.hpp"
#include "apps/roles/role_settings.hpp"
#include "apps/roles/session_files.hpp"
#include "config/files/settings_text.hpp"

namespace heddle::apps {
namespace {

ApplicationMasterLaunch master_launch(const ClientLaunch& launch) {
  ApplicationMasterLaunch made;
  if (launch.has_map_reduce_master) made.job_service = JobServiceKind::map_reduce_master;
  else if (!launch.driver) made.job_service = JobServiceKind::driver;
  if (launch.driver) made.driver_address = launch.driver->address;
  else made.owner = launch.owner;
  made.racks = launch.racks;
  made.staging_folder = launch.staging_folder;
  made.is_followed = launch.is_followed;
  return made;
}

SubmitApplication submission(const ClientLaunch& launch, const config::Settings& settings) {
  const auto application = settings.application();
  SubmitApplication message;
  message.name = launch.name;
  message.queue = application.queue;
  message.user = application.user.empty() ? launch.user : application.user;
  message.master = {application.master_memory_mib, application.master_cores,
                    master_others(settings, !launch.driver && !launch.has_map_reduce_master)};
  message.attempts_max = static_cast<std::int32_t>(application.attempts_max);
  message.node_label = application.executor_node_label;
  message.priority = static_cast<std::int32_t>(application.priority);
  message.launch = {config::write_settings(settings), launch.log_directory, master_launch(launch)};
  return message;
}

}  // namespace

actors::DriverSettings driver_settings(const DriverLaunch& launch, const config::Settings& settings) {
  auto made = driver_settings(settings);
  made.application = launch.application;
  made.application_attempt = launch.attempt;
  made.build_id = build_id();
  made.racks = launch.racks;
  made.map_outputs.executors_serve = launch.executors_serve_outputs;
  if (launch.executors_serve_outputs) made.allocation.monitor.shuffle_service = false;  // shuffle tracking acts
  if (launch.local_tries) {
    made.allocation.dynamic = false;
    made.task_scheduler.dynamic_allocation = false;
    made.allocation.executors_initial = 1;
    if (!settings.is_set("heddle.task.max_failures")) made.task_scheduler.max_failures = *launch.local_tries;
  }
  return made;
}

DriverActor make_driver(RoleWorld world, const DriverLaunch& launch, const config::Settings& settings,
                        const actors::DriverPorts& ports) {
  auto wired = ports;
  if (!wired.read_package) wired.read_package = load_job_package;
  return actors::spawn_driver(world.system, driver_settings(launch, settings), world.tools, wired);
}

ClientRoleActor make_client(RoleWorld world, const ClientLaunch& launch, const config::Settings& settings,
                            const actors::ClientPorts& ports) {
  actors::ClientStart start;
  start.resource_manager_address = launch.resource_manager_address;
  if (!start.resource_manager_address.empty()) start.submission = submission(launch, settings);
  start.application = launch.application;
  if (launch.driver) start.driver = launch.driver->driver;
  start.is_driver_shared = launch.is_driver_shared;
  start.job_tracker_address = launch.job_tracker_address;
  start.has_map_reduce_master = launch.has_map_reduce_master;
  start.follows_jobs = !launch.driver && !launch.staging_folder.empty();
  start.recovers_jobs = !launch.job_tracker_address.empty() && settings.job_tracker().recovers_jobs;
  return actors::spawn_client(world.system, start, world.tools, ports);
}

}  // namespace heddle::apps
