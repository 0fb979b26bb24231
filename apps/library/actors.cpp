#include "heddle/actors.hpp"

#include <fmt/format.h>

#include <caf/type_erased_value.hpp>

#include "apps/library/session_start.hpp"
#include "apps/session/local_roles.hpp"
#include "messages/registration.hpp"
#include "work/function_registry.hpp"

namespace heddle {

struct Roles::State {
  std::unique_ptr<apps::LocalRoles> roles;
};

Roles::Roles(std::unique_ptr<State> state) : state_{std::move(state)} {}
Roles::Roles(Roles&&) noexcept = default;
Roles& Roles::operator=(Roles&&) noexcept = default;
Roles::~Roles() = default;

const DriverActor& Roles::driver() const { return state_->roles->driver(); }

Result<SubmitJob> Roles::prepare(const JobBuilder& job, std::int64_t request) const {
  auto graph = job.build();
  if (!graph) return graph.error();
  auto submission = state_->roles->prepare(std::move(*graph));
  if (submission) submission->request = request;
  return submission;
}

std::string Roles::event_log() const { return state_->roles->event_log(); }

void configure(caf::actor_system_config& config) { register_messages(config); }

Result<Roles> spawn_roles(caf::actor_system& system, const SessionOptions& options, ports::TaskRunner* runner) {
  if (system.types().make_value(typeid(SubmitJob)) == nullptr)
    return Error{Errc::usage, "this actor system does not know heddle's messages; call heddle::configure(config) before it is made"};
  if (auto checked = work::FunctionRegistry::of_program().check(); !checked) return checked.error();
  auto prepared = apps::prepare_start(options, {}, "heddle");
  if (!prepared) return prepared.error();
  if (prepared->options.master.kind != config::MasterKind::local)
    return Error{Errc::usage, fmt::format("roles within an actor system run on local[N], not on {}; for a cluster open a heddle::Session",
                                          options.master)};
  auto roles = apps::LocalRoles::open(system, prepared->options, runner);
  if (!roles) return roles.error();
  auto state = std::make_unique<Roles::State>();
  state->roles = std::move(*roles);
  return Roles{std::move(state)};
}

}  // namespace heddle
