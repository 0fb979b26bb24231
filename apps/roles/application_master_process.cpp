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

/// The process of a master container: ApplicationMaster, and the role that runs the jobs if it lives here.
class MasterProcess {
public:
  MasterProcess(const LaunchSpec& spec, const ApplicationMasterLaunch& launch, const config::Settings& settings)
      : spec_{spec},
        launch_{launch},
        settings_{settings},
        world_{settings, role_events(spec, settings, log_name(spec, launch.job_service)), place_of(spec, launch)} {
    exit_with_parent(spec, [this] { world_.close_log(); });
  }

  Result<Done> connect_to_yarn() {
    if (!is_on_yarn(spec_)) return Done{};
    auto made = YarnMasterLinks::make(world_, spec_);
    if (!made) return made.error();
    links_ = std::move(*made);
    return Done{};
  }

  /// Starts the MapReduceMaster or the Driver, if it runs in this container.
  Result<Done> start_job_service() {
    if (launch_.job_service == JobServiceKind::map_reduce_master) map_reduce_.emplace(world_, spec_, commit());
    if (!has_driver(launch_)) return Done{};
    if (!launch_.staging_folder.empty()) staged_.emplace(world_, spec_, launch_);
    const AttemptId& attempt = spec_.container.attempt;
    driver_.emplace(world_, DriverLaunch{attempt.application, attempt.attempt, launch_.racks, {}, is_on_yarn(spec_)},
                    commit(), std::function<bool()>{}, staged_ ? staged_->reporter() : JobReporterActor{});
    if (staged_ && driver_->address().empty()) return Error{Errc::io, "cannot open a port for the Driver"};
    return Done{};
  }

  /// Runs until the ApplicationMaster ends. Returns the exit code.
  int run() {
    const auto role = make_role();
    if (staged_) staged_->begin({driver_->driver(), driver_->address()});
    ExitLatch end;
    world_.end_with(caf::actor_cast<caf::actor>(role), end, 0);
    const int code = end.wait();
    if (staged_ && is_finished_) staged_->remove_folder();
    if (!has_driver(launch_) && is_finished_) remove_left_folder(settings_, launch_.staging_folder);
    world_.close_log();
    return code;
  }

private:
  static bool has_driver(const ApplicationMasterLaunch& launch) { return launch.job_service == JobServiceKind::driver; }

  static NetworkPlace place_of(const LaunchSpec& spec, const ApplicationMasterLaunch& launch) {
    auto place = network_place(spec, has_driver(launch));
    if (is_on_yarn(spec)) place.host = spec.container.host;  // the settings of addresses are those of the client's host
    return place;
  }

  [[nodiscard]] work::OutputCommitSettings commit() const { return commit_of(spec_, launch_, settings_); }

  ApplicationMasterActor make_role() {
    const RoleWorld here{world_.system(), world_.tools()};
    if (map_reduce_) return make_application_master(here, spec_, settings_, map_reduce_->own());
    return make_application_master(
        here, spec_, settings_,
        driver_ ? std::optional{OwnDriver{driver_->driver(), driver_->address()}} : std::nullopt,
        [this](bool is_recorded) { is_finished_ = is_recorded; });
  }

  const LaunchSpec& spec_;
  const ApplicationMasterLaunch& launch_;
  const config::Settings& settings_;
  RoleRuntime world_;
  std::unique_ptr<YarnMasterLinks> links_;
  std::optional<MapReduceMasterHost> map_reduce_;
  std::optional<StagedRun> staged_;
  std::optional<DriverHost> driver_;
  std::atomic<bool> is_finished_ = false;
};

}  // namespace

void play_application_master(const LaunchSpec& spec, const ApplicationMasterLaunch& launch,
                             const config::Settings& settings) {
  MasterProcess master{spec, launch, settings};
  if (const auto connected = master.connect_to_yarn(); !connected) ::_exit(fail_role(connected.error().text));
  if (const auto started = master.start_job_service(); !started) ::_exit(fail_role(started.error().text));
  ::_exit(master.run());
}

}  // namespace heddle::apps
