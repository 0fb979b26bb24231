#include "apps/roles/make_map_reduce_master.hpp"

#include <caf/typed_event_based_actor.hpp>
#include <filesystem>
#include <utility>
#include <variant>
#include <vector>

#include "actors/map_reduce_master/master_start.hpp"
#include "apps/job_files/job_packages.hpp"
#include "apps/roles/map_reduce_settings.hpp"
#include "apps/roles/session_files.hpp"
#include "config/table/setting_rows.hpp"
#include "config/text/environment.hpp"

namespace heddle::apps {
namespace {

/// Each application attempt finds the same folder.
actors::MasterHistoryStart history_start(const LaunchSpec& spec, const config::Settings& settings, Instant now) {
  const auto section = settings.job_history();
  const auto application = settings.application();
  actors::MasterHistoryStart made;
  if (!section.directory.empty() && !spec.log_directory.empty())
    made.folder = (std::filesystem::path{spec.log_directory} / section.directory).string();
  made.format = section.format == "json" ? ports::JobHistoryFormat::avro_json : ports::JobHistoryFormat::avro_binary;
  made.user = application.user.empty() ? config::read_environment().user : application.user;
  made.queue = application.queue;
  made.settings = settings_of_jobs(settings);
  made.container = spec.container.container;
  made.host = spec.container.host;
  made.clock_offset_ms = wall_clock_ms() - to_milliseconds(now.time_since_epoch());
  return made;
}

}  // namespace

MapReduceMasterActor make_map_reduce_master(RoleWorld world, const LaunchSpec& spec, const config::Settings& settings,
                                            const std::string& address, const actors::MapReduceMasterPorts& ports) {
  const auto& launch = std::get<ApplicationMasterLaunch>(spec.role);
  auto start = map_reduce_master_start(settings);
  start.attempt = spec.container.attempt;
  start.resource_manager_address = spec.container.resource_manager_address;
  start.address = address;
  for (const auto& [host, rack] : launch.racks) start.racks.set(host, rack);
  start.child_settings = yarn_child_settings(settings);
  start.log_directory = spec.log_directory;
  start.owner = launch.owner;
  start.history = history_start(spec, settings, world.tools.clock->now());
  auto wired = ports;
  if (!wired.read_package) wired.read_package = load_job_package;
  return actors::spawn_map_reduce_master(world.system, start, world.tools, wired);
}

}  // namespace heddle::apps
