// Messages of the Client. What they lead to: client_protocol.cpp; what is sent: client_effects.cpp.
#include "actors/client/client.hpp"

#include <utility>

#include "runtime/spawn_role.hpp"

namespace heddle::actors {

Client::Client(ClientRoleActor::pointer self, ClientStart start, runtime::ActorTools tools, ClientPorts ports)
    : self_{self},
      tools_{std::move(tools)},
      start_{std::move(start)},
      ports_{std::move(ports)},
      protocol_{{!start_.resource_manager_address.empty(), static_cast<bool>(start_.driver), start_.is_driver_shared}},
      driver_{start_.driver} {}

ClientRoleActor::behavior_type Client::make_behavior() {
  self_->set_down_handler([this](const caf::down_msg& message) { on_peer_down(message.source); });
  begin();
  return {
      [this](const ApplicationAccepted& message) { take(&ClientProtocol::on_application_accepted, message); },
      [this](const ApplicationRefused& message) { take(&ClientProtocol::on_application_refused, message); },
      [this](const ApplicationEnded& message) { take(&ClientProtocol::on_application_ended, message); },
      [this](const DriverReady& message) { take(&ClientProtocol::on_driver_ready, message); },
      [this](const JobAccepted& message) { on_job_accepted(message); },
      [this](const JobProgress& message) { on_job_progress(message); },
      [this](const JobFinished& message) { on_job_finished(message); },
      [this](const Notice& message) { on_notice(message); },
      [this](RunJob& message) { on_run_job(message); },
      [this](const CancelJobs&) { on_cancel_jobs(); },
      [this](const LeaveApplication& message) { take(&ClientProtocol::on_leave_application, message); },
      [this](const NodesLost& message) { take(&ClientProtocol::on_nodes_lost, message); },
      [this](const ClusterGone&) { on_cluster_gone(); },
      [this](const OutputSettled& message) { take(&ClientProtocol::on_output_settled, message); },
      [this](const ClientTick& message) { on_client_tick(message); },
  };
}

void Client::take_steps(Instant now, const std::function<void(ClientEffects&)>& step) {
  ClientEffects effects;
  step(effects);
  apply_effects(now, effects);
}

template <class Message>
void Client::take(void (ClientProtocol::*step)(const Message&, ClientEffects&), const Message& message) {
  take_steps(tools_.clock->now(), [&](ClientEffects& effects) { (protocol_.*step)(message, effects); });
}

// -- from the Driver -------------------------------------------------------------------------------

/// A Driver that another one has replaced may still send.
bool Client::is_from_driver() const {
  const auto& sender = self_->current_sender();
  return driver_ && sender && driver_.address() == sender->address();
}

void Client::on_job_accepted(const JobAccepted& message) {
  if (is_from_driver()) take(&ClientProtocol::on_job_accepted, message);
}

void Client::on_job_progress(const JobProgress& message) {
  if (is_from_driver()) take(&ClientProtocol::on_job_progress, message);
}

void Client::on_job_finished(const JobFinished& message) {
  if (is_from_driver()) take(&ClientProtocol::on_job_finished, message);
}

/// From the ResourceManager too.
void Client::on_notice(const Notice& message) { take(&ClientProtocol::on_notice, message); }

void Client::on_driver_connected(std::int32_t attempt, const DriverActor& found) {
  if (attempt != protocol_.link().attempt()) return;
  driver_ = found;
  take_steps(tools_.clock->now(), [&](ClientEffects& effects) { protocol_.on_driver_reached(attempt, effects); });
}

void Client::on_driver_unreachable(std::int32_t attempt) {
  const Instant now = tools_.clock->now();
  take_steps(now, [&](ClientEffects&) { protocol_.on_driver_unreachable(now, attempt); });
}

// -- from the ResourceManager ------------------------------------------------------------------------

void Client::on_connected(const ResourceManagerActor& found) {
  resource_manager_ = found;
  take_steps(tools_.clock->now(), [&](ClientEffects& effects) { protocol_.on_cluster_reached(effects); });
}

void Client::on_unreachable() {
  take_steps(tools_.clock->now(), [&](ClientEffects& effects) { protocol_.on_cluster_unreachable(effects); });
}

// -- from the session, background work, time ------------------------------------------------------------

void Client::on_run_job(RunJob& message) {
  take_steps(tools_.clock->now(), [&](ClientEffects& effects) { protocol_.on_run_job(std::move(message), effects); });
}

void Client::on_cancel_jobs() {
  const Instant now = tools_.clock->now();
  take_steps(now, [&](ClientEffects& effects) { protocol_.on_cancel_jobs(now, effects); });
}

void Client::on_cluster_gone() {
  take_steps(tools_.clock->now(), [&](ClientEffects& effects) { protocol_.on_cluster_gone(effects); });
}

void Client::on_client_tick(const ClientTick& message) {
  if (!tick_.accept(message.epoch)) return;
  const Instant now = tools_.clock->now();
  take_steps(now, [&](ClientEffects& effects) { protocol_.on_tick(now, effects); });
}

void Client::on_peer_down(const caf::actor_addr& peer) {
  const bool is_resource_manager = resource_manager_ && resource_manager_.address() == peer;
  const bool is_driver = driver_ && driver_.address() == peer;
  if (is_driver) driver_ = nullptr;
  take_steps(tools_.clock->now(), [&](ClientEffects& effects) {
    if (is_resource_manager) protocol_.on_resource_manager_lost(effects);
    else if (is_driver) protocol_.on_driver_lost();
  });
}

/// Its session would wait for ever.
void Client::on_role_failed(const std::string& why) {
  const Error failed{Errc::internal, "the client failed: " + why};
  for (const auto& [request, row] : protocol_.requests().all())
    ports_.listener->on_report(RequestEnded{request, failed});
  ports_.listener->on_report(ApplicationOver{failed});
}

ClientRoleActor spawn_client(caf::actor_system& system, const ClientStart& start, const runtime::ActorTools& tools,
                             const ClientPorts& ports) {
  return runtime::spawn_role<Client>(system, start, tools, ports);
}

}  // namespace heddle::actors
