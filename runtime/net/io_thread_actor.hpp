// A role on the thread that reads and writes the connections of its process. A message from another process is then
// handled where it was read, without the wake-up of a scheduler thread.
#pragma once

#include <caf/actor_system.hpp>
#include <caf/io/middleman.hpp>
#include <caf/io/network/multiplexer.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/resumable.hpp>
#include <tuple>
#include <utility>

#include "runtime/spawn_role.hpp"

namespace heddle::runtime {

/// `Base` is the class of an event-based actor. Its handlers must be short and must not block, because all connections
/// of the process wait for them. The actor system must have a middleman.
template <class Base>
class IoThreadActor : public Base {
public:
  using Base::Base;
  using Base::enqueue;

  void enqueue(caf::mailbox_element_ptr message, caf::execution_unit*) override {
    Base::enqueue(std::move(message), io_thread());
  }
  void launch(caf::execution_unit*, bool is_lazy, bool is_hidden) override {
    Base::launch(io_thread(), is_lazy, is_hidden);
  }
  /// The multiplexer passes other kinds of actors on to the scheduler.
  caf::resumable::subtype_t subtype() const override { return caf::resumable::io_actor; }

private:
  caf::execution_unit* io_thread() { return &this->system().middleman().backend(); }
};

template <class Role, class Settings, class... Parts>
class IoThreadRole final : public IoThreadActor<RoleBase<Role>> {
public:
  IoThreadRole(caf::actor_config& config, Settings settings, ActorTools tools, Parts... parts)
      : IoThreadActor<RoleBase<Role>>{config}, arguments_{std::move(settings), std::move(tools), std::move(parts)...} {}

  typename Role::Handle::behavior_type make_behavior() override {
    return std::apply([this](const auto&... arguments) { return begin_role<Role>(this, arguments...); }, arguments_);
  }

private:
  std::tuple<Settings, ActorTools, Parts...> arguments_;
};

/// As spawn_role, on the I/O thread.
template <class Role, class Settings, class... Parts>
typename Role::Handle spawn_io_thread_role(caf::actor_system& system, const Settings& settings, const ActorTools& tools,
                                           const Parts&... parts) {
  return system.spawn<IoThreadRole<Role, Settings, Parts...>>(settings, tools, parts...);
}

}  // namespace heddle::runtime
