#include "apps/roles/master_process.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <caf/typed_event_based_actor.hpp>
#include <optional>

#include "actors/application_master/application_master.hpp"
#include "actors/yarn_allocator/yarn_allocator.hpp"
#include "apps/roles/container_extras.hpp"
#include "apps/roles/driver_home.hpp"
#include "apps/roles/role_settings.hpp"
#include "apps/roles/role_tools.hpp"
#include "apps/roles/session_files.hpp"
#include "config/table/joined_settings.hpp"

namespace heddle::apps {
namespace {

/// Shuffles of one Driver; the Driver of the next attempt counts on behind them, since files of both may meet on a
/// node.
constexpr std::int64_t shuffles_per_driver = 1'000'000'000;

actors::YarnAllocatorStart allocator_start(const LaunchSpec& spec, const ApplicationMasterLaunch& launch,
                                           const config::Settings& settings) {
  const auto application = settings.application();
  actors::YarnAllocatorStart start;
  start.attempt = spec.container.attempt;
  start.resource_manager_address = spec.container.resource_manager_address;
  start.driver_address = launch.driver_address;
  start.executor = executor_container(application);
  start.executor_cores = static_cast<std::int32_t>(application.executor_cores);
  start.memory_rules = executor_memory(application);
  start.executor_extras = executor_extras(settings);
  start.device_extras = device_extras(settings);
  start.settings = spec.settings;
  start.log_directory = spec.log_directory;
  for (const auto& [host, rack] : launch.racks) start.racks.set(host, rack);
  const auto dynamic = settings.dynamic_allocation();
  start.executors_max =
      static_cast<std::int32_t>(dynamic.enabled ? dynamic.executors_max : application.executor_instances);
  return start;
}

/// Outputs belong to the client: with it the application ends, whichever attempt writes them.
work::OutputCommitSettings commit_of(const LaunchSpec& spec, const ApplicationMasterLaunch& launch,
                                     const config::Settings& settings) {
  auto made = commit_settings(settings, spec.container.attempt.application);
  if (auto client = work::read_owner(launch.owner)) made.owner = std::move(*client);
  made.journal = spec.log_directory;
  return made;
}

actors::DriverSettings driver_of(const AttemptId& attempt, const ApplicationMasterLaunch& launch,
                                 const config::Settings& settings) {
  auto made = driver_settings(settings);
  made.application = attempt.application;
  made.application_attempt = attempt.attempt;
  made.build_id = build_id();
  made.racks = launch.racks;
  return made;
}

}  // namespace

void play_application_master(const LaunchSpec& spec, const ApplicationMasterLaunch& launch,
                             const config::Settings& settings) {
  const AttemptId& attempt = spec.container.attempt;
  ProcessWorld world{settings,
                     role_events(spec, settings,
                                 launch.holds_driver ? driver_log_name(attempt.attempt)
                                                     : attempt_log_name("application_master", attempt.attempt))};
  obey_leash(spec, [&world] { world.close_log(); });
  auto allocator = allocator_start(spec, launch, settings);
  std::optional<DriverHome> home;
  if (launch.holds_driver) {
    home.emplace(world, driver_of(attempt, launch, settings), commit_of(spec, launch, settings));
    allocator.driver = home->driver();
    allocator.driver_address = home->address();
    allocator.driver_ends_application = false;
    allocator.first_shuffle = (attempt.attempt - 1) * shuffles_per_driver;
  }
  actors::ApplicationMasterStart master;
  master.attempt = attempt;
  master.resource_manager_address = allocator.resource_manager_address;
  if (home) master.driver_address = home->address();
  master.token = spec.container.token;
  master.allocator =
      actors::spawn_yarn_allocator(world.system(), config::allocator_rules(settings), world.tools(), allocator);
  const auto role = actors::spawn_application_master(world.system(), settings.network(), world.tools(), master);
  EndOfRole end;
  world.end_with(caf::actor_cast<caf::actor>(role), end, 0);
  const int code = end.wait();
  world.close_log();
  ::_exit(code);
}

}  // namespace heddle::apps
