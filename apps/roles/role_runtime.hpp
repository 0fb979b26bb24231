// Runtime of a role process: settings, clock, events, an actor system with a network, and its end.
#pragma once

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>

#include "config/table/settings.hpp"
#include "ports/event_sink.hpp"
#include "runtime/actor_tools.hpp"
#include "runtime/system_settings.hpp"
#include "runtime/world/real_clock.hpp"

namespace heddle::apps {

/// Settings of an actor system with a network, with a new identity.
[[nodiscard]] runtime::SystemSettings network_settings(const config::Settings& settings);

/// Lets the first thread of a process wait for the end of its role.
class ExitLatch {
public:
  void set(int exit_code);
  [[nodiscard]] int wait();

private:
  std::mutex mutex_;
  std::condition_variable is_set_;
  bool is_finished_ = false;
  int exit_code_ = 0;
};

/// Actor system with a network on loopback: an own one, or `of_others`, which must outlive this object. The order of
/// the members is their order of construction.
class RoleRuntime {
public:
  RoleRuntime(config::Settings settings, std::unique_ptr<ports::EventSink> events,
              caf::actor_system* of_others = nullptr);

  [[nodiscard]] runtime::ActorTools tools();
  /// Tools get this connector from now on.
  void use_connector(PeerConnectorActor connector) { connector_ = std::move(connector); }
  /// Closes the event log; call before an exit without destructors.
  void close_log();
  [[nodiscard]] caf::actor_system& system() { return system_; }
  [[nodiscard]] const config::Settings& settings() const { return settings_; }
  [[nodiscard]] const ports::Clock& clock() const { return clock_; }
  /// Sets `exit_code` at `end` when the actor has ended.
  void end_with(const caf::actor& actor, ExitLatch& end, int exit_code);

private:
  config::Settings settings_;
  runtime::RealClock clock_;
  std::unique_ptr<ports::EventSink> events_;
  caf::actor_system_config config_;
  std::unique_ptr<caf::actor_system> own_;
  caf::actor_system& system_;
  PeerConnectorActor connector_;
};

}  // namespace heddle::apps
