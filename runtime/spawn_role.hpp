// Spawns a role as an actor, with the handling of unknown messages and of exceptions that all roles share.
#pragma once

#include <caf/actor_system.hpp>
#include <caf/error.hpp>
#include <caf/message.hpp>
#include <caf/sec.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <exception>
#include <optional>
#include <string>

#include "ports/event_fields.hpp"
#include "runtime/actor_tools.hpp"

namespace heddle::runtime {

/// State of the actor. CAF destroys it when the actor ends; until then the handlers of the role refer to it.
template <class Role>
struct RoleState {
  std::optional<Role> role;
};

[[nodiscard]] inline std::string text_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& caught) { return caught.what(); } catch (...) {
    return "an object that is not a std::exception was thrown";
  }
}

template <class Role>
void notify_role_failed(Role& role, const std::string& why) {
  if constexpr (requires { role.on_role_failed(why); }) role.on_role_failed(why);
}

/// An actor class with the state of a role.
template <class Role>
using RoleBase = typename Role::Handle::template stateful_base<RoleState<Role>>;

/// Creates Role(self, settings, tools, parts…) in the state of the actor `self`. Records and drops an unknown message.
/// An exception ends the role but not its process: it is recorded and passed to on_role_failed(why), if the role has
/// that method.
template <class Role, class Settings, class... Parts>
typename Role::Handle::behavior_type begin_role(RoleBase<Role>* self, const Settings& settings, const ActorTools& tools,
                                                const Parts&... parts) {
  const auto* clock = tools.clock;
  auto* events = tools.events;
  self->set_default_handler([clock, events](caf::scheduled_actor*, caf::message_view&) -> caf::result<caf::message> {
    if (events != nullptr) events->write(clock->now(), "unexpected_message");
    return caf::make_error(caf::sec::unexpected_message);
  });
  self->set_exception_handler([self, clock, events](caf::scheduled_actor*, std::exception_ptr& thrown) -> caf::error {
    const auto why = text_of(thrown);
    if (events != nullptr) events->write(clock->now(), "role_failed", ports::EventFields{}.add("text", why));
    if (self->state.role) notify_role_failed(*self->state.role, why);
    return caf::make_error(caf::sec::runtime_error);
  });
  self->state.role.emplace(typename Role::Handle::pointer{self}, settings, tools, parts...);
  return self->state.role->make_behavior();
}

/// Spawns a role on the threads of the scheduler.
template <class Role, class Settings, class... Parts>
typename Role::Handle spawn_role(caf::actor_system& system, const Settings& settings, const ActorTools& tools,
                                 const Parts&... parts) {
  return system.spawn(
      [](RoleBase<Role>* self, const Settings& own_settings, const ActorTools& own_tools, const Parts&... own_parts) ->
      typename Role::Handle::behavior_type { return begin_role<Role>(self, own_settings, own_tools, own_parts...); },
      settings, tools, parts...);
}

}  // namespace heddle::runtime
