// Runtime of a role process: settings, clock, events, an actor system with a network, and its end.
#pragma once

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>

#include "config/table/settings.hpp"
#include "model/launch_spec.hpp"
#include "model/result.hpp"
#include "ports/event_sink.hpp"
#include "ports/transport_key.hpp"
#include "runtime/actor_tools.hpp"
#include "runtime/net/peer_network.hpp"
#include "runtime/system_settings.hpp"
#include "runtime/world/real_clock.hpp"

namespace heddle::apps {

/// Who this process is to others, and what they must prove.
struct NetworkPlace {
  ports::TransportKey key;
  std::string role;         // "node-manager"
  bool has_driver = false;  // a Driver listens here: the address settings of Drivers apply
  std::string host = {};    // with a Driver: address to listen on, in the place of those in the settings; empty: none
};
[[nodiscard]] NetworkPlace network_place(const LaunchSpec& spec, bool has_driver = false);

/// The network of a process cannot start, mostly because the system has no more threads, memory or descriptors.
struct NoNetwork : std::runtime_error {
  using std::runtime_error::runtime_error;
};

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

/// Actor system with a network: an own one, or `of_others`, which must outlive this object and have an identity of
/// network_settings. The order of the members is their order of construction.
class RoleRuntime {
public:
  /// Throws NoNetwork if the network cannot start.
  RoleRuntime(config::Settings settings, std::unique_ptr<ports::EventSink> events, const NetworkPlace& place,
              caf::actor_system* of_others = nullptr);

  /// Opens a port for an actor. Returns its address for other processes; "" if it has none, with a message on stderr.
  template <class Handle>
  [[nodiscard]] std::string publish(const Handle& actor, std::uint16_t port = 0, bool is_reusable = false) {
    return address_or_empty(network_->publish(actor, port, is_reusable));
  }

  [[nodiscard]] runtime::ActorTools tools();
  /// Tools get this connector from now on. It may pass addresses on to the one before.
  void use_connector(PeerConnectorActor connector) { connector_ = std::move(connector); }
  /// Ends all connectors. An attempt to connect would delay the end of an own actor system by its patience.
  void stop_connecting();
  /// Closes the event log; call before an exit without destructors.
  void close_log();
  [[nodiscard]] caf::actor_system& system() { return system_; }
  [[nodiscard]] const config::Settings& settings() const { return settings_; }
  [[nodiscard]] const ports::Clock& clock() const { return clock_; }
  /// Sets `exit_code` at `end` when the actor has ended.
  void end_with(const caf::actor& actor, ExitLatch& end, int exit_code);

private:
  [[nodiscard]] static std::string address_or_empty(const Result<std::string>& address);

  config::Settings settings_;
  runtime::RealClock clock_;
  std::unique_ptr<ports::EventSink> events_;
  caf::actor_system_config config_;
  std::unique_ptr<caf::actor_system> own_;
  caf::actor_system& system_;
  std::unique_ptr<runtime::PeerNetwork> network_;
  PeerConnectorActor own_connector_;
  PeerConnectorActor connector_;
};

}  // namespace heddle::apps
