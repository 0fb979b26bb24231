// Speaks for the user: submits the application and its jobs, follows them through all Drivers, and settles what no
// Driver ends. Tells the session, which waits outside of the actors.
// A thin actor over client_protocol.hpp, which says what each message leads to.
// Receives from: ResourceManager, Driver, its session.  Sends to: ResourceManager, Driver.
#pragma once

#include <caf/typed_event_based_actor.hpp>
#include <functional>
#include <string>

#include "actors/client/client_protocol.hpp"
#include "messages/client_role.hpp"
#include "messages/handles.hpp"
#include "ports/background.hpp"
#include "runtime/actor_tools.hpp"
#include "runtime/timers.hpp"

namespace heddle::actors {

struct ClientStart {
  std::string resource_manager_address;  // empty: there is no cluster, and no application to submit
  SubmitApplication submission;
  ApplicationId application;
  DriverActor driver;             // in this process; none: each DriverReady names one
  bool is_driver_shared = false;  // others give jobs to `driver`: it is told when the application is over
};

/// All outlive the Client. The functions are called in the background and may block.
struct ClientPorts {
  ClientListener* listener = nullptr;
  ports::Background* background = nullptr;  // without a cluster: none
  std::function<void()> end_cluster = {};   // and the Driver of this process, with what it has begun
  std::function<OutputSettled(const SettleOutput&)> settle_output = {};
};

class Client {
public:
  using Handle = ClientRoleActor;
  Client(ClientRoleActor::pointer self, ClientStart start, runtime::ActorTools tools, ClientPorts ports);
  ClientRoleActor::behavior_type make_behavior();
  void on_role_failed(const std::string& why);

private:
  /// Hands the message to the protocol and applies the effects.
  template <class Message>
  void take(void (ClientProtocol::*step)(const Message&, ClientEffects&), const Message& message);
  void take_steps(Instant now, const std::function<void(ClientEffects&)>& step);
  // -- from the Driver
  [[nodiscard]] bool is_from_driver() const;
  void on_job_accepted(const JobAccepted& message);
  void on_job_progress(const JobProgress& message);
  void on_job_finished(const JobFinished& message);
  void on_notice(const Notice& message);
  void on_driver_connected(std::int32_t attempt, const DriverActor& found);
  void on_driver_unreachable(std::int32_t attempt);
  // -- from the ResourceManager
  void on_connected(const ResourceManagerActor& found);
  void on_unreachable();
  // -- from the session, background work, time
  void on_run_job(RunJob& message);
  void on_cancel_jobs();
  void on_cluster_gone();
  void on_client_tick(const ClientTick& message);
  void on_peer_down(const caf::actor_addr& peer);
  // -- effects (client_effects.cpp) ----------------------------------------------------------
  void begin();
  void apply_effects(Instant now, ClientEffects& effects);
  void apply(const ConnectCluster& effect);
  void apply(const SubmitToCluster& effect);
  void apply(const KillAtCluster& effect);
  void apply(const ConnectDriver& effect);
  void apply(SubmitToDriver& effect);
  void apply(const CancelAtDriver& effect);
  void apply(const StopAtDriver& effect);
  void apply(const FailAtDriver& effect);
  void apply(const EndCluster& effect);
  void apply(const SettleOutput& effect);
  void apply(ReportToSession& effect);
  void arm_tick(Instant now);
  // -- state ------------------------------------------------------------------------------------
  ClientRoleActor::pointer self_;
  runtime::ActorTools tools_;
  ClientStart start_;
  ClientPorts ports_;
  ClientProtocol protocol_;
  ResourceManagerActor resource_manager_;  // none until it is reached
  DriverActor driver_;                     // while the link is connected
  runtime::Timer tick_;
  Instant tick_due_{};  // while it is armed
};

/// Spawns a Client; it lives until it is ended from outside.
[[nodiscard]] ClientRoleActor spawn_client(caf::actor_system& system, const ClientStart& start,
                                           const runtime::ActorTools& tools, const ClientPorts& ports);

}  // namespace heddle::actors
