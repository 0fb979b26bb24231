#include "heddle/actors.hpp"

#include <fmt/format.h>

#include <caf/type_erased_value.hpp>
#include <cstdlib>

#include "apps/library/session_start.hpp"
#include "apps/roles/role_process.hpp"
#include "apps/roles/role_runtime.hpp"
#include "apps/roles/session_files.hpp"
#include "apps/session/cluster_session.hpp"
#include "apps/session/local_application.hpp"
#include "apps/session/resource_validation.hpp"
#include "messages/registration.hpp"
#include "runtime/net/node_identity.hpp"
#include "work/tasks/function_registry.hpp"

namespace heddle {

/// One of the two is set.
struct Roles::State {
  std::unique_ptr<apps::LocalApplication> local;
  std::unique_ptr<apps::ClusterRoles> cluster;
};

Roles::Roles(std::unique_ptr<State> state) : state_{std::move(state)} {}
Roles::Roles(Roles&&) noexcept = default;
Roles& Roles::operator=(Roles&&) noexcept = default;
Roles::~Roles() = default;

const DriverActor& Roles::driver() const { return state_->local ? state_->local->driver() : state_->cluster->driver(); }

Result<SubmitJob> Roles::prepare(const JobBuilder& job, std::int64_t request) const {
  auto graph = job.build();
  if (!graph) return graph.error();
  auto submission =
      state_->local ? state_->local->prepare(std::move(*graph)) : state_->cluster->prepare(std::move(*graph));
  if (submission) submission->request = request;
  return submission;
}

std::string Roles::event_log() const {
  return state_->local ? state_->local->event_log() : state_->cluster->event_log();
}

void configure(caf::actor_system_config& config) { register_messages(config); }

void configure(caf::actor_system_config& config, int argc, char** argv) {
  if (const auto code = apps::play_role(argc, argv)) std::_Exit(*code);
  register_messages(config);
  runtime::apply_network(config, apps::network_settings(config::Settings{}));
}

namespace {

Result<std::unique_ptr<apps::ClusterRoles>> open_cluster(caf::actor_system& system, const SessionOptions& given,
                                                         const apps::SessionOptions& options, bool has_runner) {
  if (!system.has_middleman() || !runtime::identity_of(system))
    return Error{Errc::usage, fmt::format("spawn_roles on {} needs the network: call heddle::configure(config, argc, "
                                          "argv) before creating the actor system",
                                          given.master)};
  if (options.master.kind == config::MasterKind::yarn)
    return Error{Errc::usage, "spawn_roles has no --master yarn; use a Session, or local-cluster[n,c,m]"};
  if (has_runner)
    return Error{Errc::usage, fmt::format("a custom task runner works in local[N] only, not on {}", given.master)};
  if (options.is_cluster_deploy)
    return Error{Errc::usage, "spawn_roles runs the Driver in this actor system: set deploy_mode to client"};
  apps::ignore_file_size_signal();
  if (auto fits = apps::check_executor_size(options); !fits) return fits.error();
  return apps::open_cluster_roles(options, system, given.is_cancelled);
}

}  // namespace

Result<Roles> spawn_roles(caf::actor_system& system, const SessionOptions& options, ports::TaskRunner* runner) {
  if (system.types().make_value(typeid(SubmitJob)) == nullptr)
    return Error{
        Errc::usage,
        "heddle's messages are not registered; call heddle::configure(config) before creating the actor system"};
  if (auto checked = work::FunctionRegistry::of_program().check(); !checked) return checked.error();
  auto prepared = apps::prepare_start(options, {}, "heddle");
  if (!prepared) return prepared.error();
  auto state = std::make_unique<Roles::State>();
  if (prepared->options.master.kind == config::MasterKind::local) {
    auto roles = apps::LocalApplication::open(system, prepared->options, runner);
    if (!roles) return roles.error();
    state->local = std::move(*roles);
  } else {
    auto roles = open_cluster(system, options, prepared->options, runner != nullptr);
    if (!roles) return roles.error();
    state->cluster = std::move(*roles);
  }
  return Roles{std::move(state)};
}

}  // namespace heddle
