#include "apps/roles/make_map_reduce_master.hpp"

#include <algorithm>
#include <caf/typed_event_based_actor.hpp>
#include <variant>

#include "actors/map_reduce_master/map_reduce_master.hpp"
#include "apps/roles/job_packages.hpp"

namespace heddle::apps {
namespace {

/// One core, and its part of the memory that the master URL names for an executor.
Resource task_container(const config::ApplicationSettings& application) {
  return {std::max<std::int64_t>(application.executor_memory_mib / application.executor_cores, 1), 1};
}

}  // namespace

MapReduceMasterActor make_map_reduce_master(RoleWorld world, const LaunchSpec& spec, const config::Settings& settings,
                                            const std::string& address, const actors::MapReduceMasterPorts& ports) {
  const auto& launch = std::get<ApplicationMasterLaunch>(spec.role);
  actors::MapReduceMasterStart start;
  start.attempt = spec.container.attempt;
  start.resource_manager_address = spec.container.resource_manager_address;
  start.address = address;
  for (const auto& [host, rack] : launch.racks) start.racks.set(host, rack);
  start.map = start.reduce = task_container(settings.application());
  start.attempts_max = static_cast<std::int32_t>(settings.task_scheduler().failures_max);
  start.child_settings = spec.settings;
  start.log_directory = spec.log_directory;
  start.owner = launch.owner;
  auto wired = ports;
  if (!wired.read_package) wired.read_package = load_job_package;
  return actors::spawn_map_reduce_master(world.system, start, world.tools, wired);
}

}  // namespace heddle::apps
