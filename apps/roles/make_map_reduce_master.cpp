#include "apps/roles/make_map_reduce_master.hpp"

#include <caf/typed_event_based_actor.hpp>
#include <variant>

#include "actors/map_reduce_master/map_reduce_master.hpp"
#include "apps/roles/job_packages.hpp"
#include "apps/roles/map_reduce_settings.hpp"

namespace heddle::apps {

MapReduceMasterActor make_map_reduce_master(RoleWorld world, const LaunchSpec& spec, const config::Settings& settings,
                                            const std::string& address, const actors::MapReduceMasterPorts& ports) {
  const auto& launch = std::get<ApplicationMasterLaunch>(spec.role);
  auto start = map_reduce_master_start(settings);
  start.attempt = spec.container.attempt;
  start.resource_manager_address = spec.container.resource_manager_address;
  start.address = address;
  for (const auto& [host, rack] : launch.racks) start.racks.set(host, rack);
  start.child_settings = spec.settings;
  start.log_directory = spec.log_directory;
  start.owner = launch.owner;
  auto wired = ports;
  if (!wired.read_package) wired.read_package = load_job_package;
  return actors::spawn_map_reduce_master(world.system, start, world.tools, wired);
}

}  // namespace heddle::apps
