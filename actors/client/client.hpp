// Submits an application and its jobs, follows the jobs across Drivers, and completes or removes outputs that no Driver
// ends. Reports to the session, which is not an actor. A thin actor over client_protocol.hpp, which decides the effects
// of each message.
// The framework of the jobs is a value: with a JobTracker there is no ResourceManager and no Driver.
// Receives from: ResourceManager, job service, its session. Sends to: ResourceManager, job service.
#pragma once

#include <caf/typed_event_based_actor.hpp>
#include <functional>
#include <string>
#include <string_view>

#include "actors/client/client_protocol.hpp"
#include "messages/client_role.hpp"
#include "messages/handles.hpp"
#include "ports/background.hpp"
#include "ports/event_fields.hpp"
#include "runtime/actor_tools.hpp"
#include "runtime/timers.hpp"

namespace heddle::actors {

struct ClientStart {
  std::string resource_manager_address;  // empty: no application is submitted
  SubmitApplication submission;
  ApplicationId application;
  DriverActor driver;                    // the Driver of this process; empty: each DriverReady names one
  bool is_driver_shared = false;         // other Clients use `driver` too: it is notified when this application ends
  std::string job_tracker_address = {};  // framework classic; otherwise empty
  bool has_map_reduce_master = false;    // framework yarn
  bool recovers_jobs = false;            // framework classic: see ClientRules
  bool follows_jobs = false;             // cluster mode on YARN: see ClientRules
};

/// All pointers must outlive the Client. The functions run on a background thread and may block.
struct ClientPorts {
  ClientListener* listener = nullptr;
  ports::Background* background = nullptr;  // null without settle_output
  std::function<void()> end_cluster = {};   // ends the local cluster, and a Driver in this process with its work
  std::function<OutputSettled(const SettleOutput&)> settle_output = {};  // none: nobody settles outputs
};

class Client {
public:
  using Handle = ClientRoleActor;
  Client(ClientRoleActor::pointer self, ClientStart start, runtime::ActorTools tools, ClientPorts ports);
  ClientRoleActor::behavior_type make_behavior();
  void on_role_failed(const std::string& why);

private:
  /// Calls the protocol with the message and applies the effects.
  template <class Message>
  void handle(void (ClientProtocol::*handler)(const Message&, ClientEffects&), const Message& message);
  void apply_step(Instant now, const std::function<void(ClientEffects&)>& step);
  void write_event(Instant now, std::string_view name, const ports::EventFields& fields);
  // -- from the job service
  [[nodiscard]] bool is_from_job_service() const;
  void on_job_accepted(const JobAccepted& message);
  void on_job_progress(const JobProgress& message);
  void on_job_finished(const JobFinished& message);
  void on_notice(const Notice& message);
  void on_job_service_connected(std::int32_t attempt, const JobServiceActor& found);
  void on_job_service_unreachable(std::int32_t attempt);
  // -- from the ResourceManager
  void on_connected(const ApplicationClientServiceActor& found);
  void on_unreachable();
  // -- from the session, background work, timer
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
  void apply(const ConnectJobService& effect);
  void apply(SubmitToJobService& effect);
  void apply(const CancelAtJobService& effect);
  void apply(const StopAtDriver& effect);
  void apply(const FollowAtDriver& effect);
  void apply(const StopFollowingAtDriver& effect);
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
  ApplicationClientServiceActor resource_manager_;  // empty while not connected
  JobServiceActor job_service_;                     // set while the link is connected
  runtime::DeadlineTimer tick_;
};

/// The actor lives until its process or its session ends it.
[[nodiscard]] ClientRoleActor spawn_client(caf::actor_system& system, const ClientStart& start,
                                           const runtime::ActorTools& tools, const ClientPorts& ports);

}  // namespace heddle::actors
