#include "apps/session/local_application.hpp"

#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>

#include "apps/roles/file_systems_of.hpp"
#include "apps/roles/make_roles.hpp"
#include "apps/roles/role_settings.hpp"
#include "apps/session/job_input.hpp"
#include "apps/session/resource_validation.hpp"
#include "work/tasks/function_registry.hpp"
#include "work/tasks/task_attempt.hpp"

namespace heddle::apps {

Result<std::unique_ptr<LocalApplication>> LocalApplication::open(caf::actor_system& system,
                                                                 const SessionOptions& options,
                                                                 ports::TaskRunner* runner) {
  auto devices = find_devices(options.settings);
  if (!devices) return devices.error();
  ApplicationId application{wall_clock_ms(), 1};
  auto state = claim_state_folder(options.settings, application);
  if (!state) return state.error();
  std::unique_ptr<LocalApplication> roles{new LocalApplication{system, options, application, std::move(*state)}};
  if (auto made = roles->make_folders(); !made) return made.error();
  roles->devices_ = std::move(*devices);
  if (auto spawned = roles->spawn(runner); !spawned) return spawned.error();
  return roles;
}

LocalApplication::LocalApplication(caf::actor_system& system, const SessionOptions& options,
                                   const ApplicationId& application, std::string state_folder)
    : system_{system},
      options_{options},
      size_rules_{task_size_rules(options_)},
      application_{application},
      state_folder_{std::move(state_folder)},
      files_(file_systems_of(options_.settings, PathRules::local, options_.is_interrupted)),
      commit_{files_, commit_settings(options_.settings, application)},
      fetch_{fetch_settings(options.settings, application, "local")} {}

LocalApplication::~LocalApplication() { end_roles(); }

void LocalApplication::end_roles() {
  if (!driver_) return;
  for (const auto& actor : {caf::actor_cast<caf::actor>(executor_), caf::actor_cast<caf::actor>(driver_)})
    caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
  // An Executor that has not started yet would start the slots: waits for its end before stopping them.
  caf::scoped_actor self{system_};
  self->wait_for(executor_, driver_);
  driver_ = nullptr;
  executor_ = nullptr;
  runner_->stop();
}

Result<Done> LocalApplication::make_folders() {
  auto folder = WorkingFolder::make(options_.settings);
  if (!folder) return folder.error();
  folder_ = std::move(*folder);
  watch_ = LeftoverWatch::start(folder_->path(), std::chrono::milliseconds{0});
  auto events = open_event_log(options_.settings, state_folder_, "events", event_log_);
  if (!events) return events.error();
  events_ = std::move(*events);
  return Done{};
}

Result<Done> LocalApplication::spawn(ports::TaskRunner* runner) {
  if (runner == nullptr) {
    own_runner_ = std::make_unique<work::SlotTaskRunner>(slots(), work::FunctionRegistry::of_program(), fetch_, clock_);
    if (auto made = own_runner_->make_threads(); !made) return made;
  }
  runner_ = runner != nullptr ? runner : own_runner_.get();
  actors::DriverPorts ports{&commit_, &background_};
  if (runner == nullptr)  // a runner of the caller can have functions of its own
    ports.task_binary_error = [](const StageProgram& work) {
      return work::task_binary_error(work, work::FunctionRegistry::of_program());
    };
  DriverLaunch launch;
  launch.application = application_;
  launch.local_tries = options_.master.tries;
  driver_ = make_driver({system_, tools(1)}, launch, options_.settings, ports);
  shuffle_files_ = std::make_unique<work::ShuffleFiles>(background_, folder_->path() + "/shuffle", 0);
  executor_ = make_executor({system_, tools(2)}, executor_spec(), options_.settings, devices_,
                            {runner_, {}, nullptr, shuffle_files_.get()}, driver_);
  return Done{};
}

Result<SubmitJob> LocalApplication::prepare(JobGraph graph) const {
  if (auto fits = size_tasks(graph, options_, size_rules_); !fits) return fits.error();
  return prepare_job(std::move(graph), options_.settings, files_, nullptr);
}

std::string LocalApplication::output_path(const std::string& written) const {
  const auto resolved = files_.resolve(written, ports::PathKind::plain);
  return resolved ? *resolved : written;
}

runtime::ActorTools LocalApplication::tools(std::uint64_t salt) const {
  return {&clock_,
          events_.get(),
          RandomStream{salt ^ static_cast<std::uint64_t>(application_.cluster_start)},
          {},
          options_.settings.debug().check_invariants};
}

work::SlotTaskRunnerSettings LocalApplication::slots() const {
  auto made = runner_settings(options_.settings);
  made.files = &files_;
  made.slots = options_.master.slots;
  made.work_directory = folder_->path() + "/work";
  made.log_directory = task_logs();
  made.shuffle_writer.directory = folder_->path() + "/shuffle";
  return made;
}

LaunchSpec LocalApplication::executor_spec() const {
  LaunchSpec spec;
  spec.container.attempt = {application_, 1};
  spec.container.node = NodeId{0};
  spec.container.node_epoch = Epoch{0};
  spec.container.host = "localhost";
  spec.container.directory = folder_->path();
  ExecutorLaunch launch;
  launch.executor = ExecutorId{0};
  launch.cores = options_.master.slots;
  launch.profile = ProfileId{0};
  spec.role = launch;
  return spec;
}

}  // namespace heddle::apps
