#include "apps/roles/application_master_process.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <caf/typed_event_based_actor.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "apps/roles/driver_host.hpp"
#include "apps/roles/make_roles.hpp"
#include "apps/roles/map_reduce_master_host.hpp"
#include "apps/roles/role_settings.hpp"
#include "apps/roles/role_tools.hpp"
#include "apps/roles/session_files.hpp"
#include "apps/roles/staged_run.hpp"
#include "apps/roles/yarn_container.hpp"

namespace heddle::apps {
namespace {

/// Outputs belong to the client, because the application ends with it, regardless of the attempt that writes them.
work::OutputCommitSettings commit_of(const LaunchSpec& spec, const ApplicationMasterLaunch& launch,
                                     const config::Settings& settings) {
  auto made = commit_settings(settings, spec.container.attempt.application);
  if (auto client = work::read_owner(launch.owner)) made.owner = std::move(*client);
  made.journal = launch.staging_folder.empty() ? spec.log_directory : launch.staging_folder;
  return made;
}

/// The role that runs the jobs writes the main event log of the application.
std::string log_name(const LaunchSpec& spec, JobServiceKind kind) {
  const auto attempt = spec.container.attempt.attempt;
  return kind == JobServiceKind::driver_of_client ? attempt_log_name("application_master", attempt)
                                                  : driver_log_name(attempt);
}

}  // namespace

void play_application_master(const LaunchSpec& spec, const ApplicationMasterLaunch& launch,
                             const config::Settings& settings) {
  const AttemptId& attempt = spec.container.attempt;
  const bool has_driver = launch.job_service == JobServiceKind::driver;
  auto place = network_place(spec, has_driver);
  if (is_on_yarn(spec)) place.host = spec.container.host;  // the settings of addresses are those of the client's host
  RoleRuntime world{settings, role_events(spec, settings, log_name(spec, launch.job_service)), place};
  exit_with_parent(spec, [&world] { world.close_log(); });
  std::unique_ptr<YarnMasterLinks> links;
  if (is_on_yarn(spec)) {
    auto made = YarnMasterLinks::make(world, spec);
    if (!made) ::_exit(fail_role(made.error().text));
    links = std::move(*made);
  }
  std::optional<DriverHost> home;
  std::optional<MapReduceMasterHost> of_job;
  if (launch.job_service == JobServiceKind::map_reduce_master)
    of_job.emplace(world, spec, commit_of(spec, launch, settings));
  std::optional<StagedRun> staged;
  if (has_driver && !launch.staging_folder.empty()) staged.emplace(world, spec, launch);
  if (has_driver)
    home.emplace(world, DriverLaunch{attempt.application, attempt.attempt, launch.racks, {}, is_on_yarn(spec)},
                 commit_of(spec, launch, settings), std::function<bool()>{},
                 staged ? staged->reporter() : JobReporterActor{});
  if (staged && home->address().empty()) ::_exit(fail_role("cannot open a port for the Driver"));
  std::atomic<bool> is_finished = false;
  const RoleWorld here{world.system(), world.tools()};
  const auto role =
      of_job ? make_application_master(here, spec, settings, of_job->own())
             : make_application_master(here, spec, settings,
                                       home ? std::optional{OwnDriver{home->driver(), home->address()}} : std::nullopt,
                                       [&is_finished](bool is_recorded) { is_finished = is_recorded; });
  if (staged) staged->begin({home->driver(), home->address()});
  ExitLatch end;
  world.end_with(caf::actor_cast<caf::actor>(role), end, 0);
  const int code = end.wait();
  if (staged && is_finished) staged->remove_folder();
  if (!has_driver && is_finished) remove_left_folder(settings, launch.staging_folder);
  world.close_log();
  ::_exit(code);
}

}  // namespace heddle::apps
