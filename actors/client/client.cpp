// The Client's message handlers. client_protocol.cpp decides the effects; client_effects.cpp sends.
#include "actors/client/client.hpp"

#include <utility>

#include "runtime/spawn_role.hpp"

namespace heddle::actors {

Client::Client(ClientRoleActor::pointer self, ClientStart start, runtime::ActorTools tools, ClientPorts ports)
    : self_{self},
      tools_{std::move(tools)},
      start_{std::move(start)},
      ports_{std::move(ports)},
      protocol_{{!start_.resource_manager_address.empty() || !start_.job_tracker_address.empty(),
                 static_cast<bool>(start_.driver), start_.is_driver_shared, start_.job_tracker_address,
                 start_.has_map_reduce_master, start_.recovers_jobs, start_.follows_jobs,
                 static_cast<bool>(ports_.settle_output)}},
      job_service_{start_.driver} {}

ClientRoleActor::behavior_type Client::make_behavior() {
  self_->set_down_handler([this](const caf::down_msg& message) { on_peer_down(message.source); });
  begin();
  return {
      // CAF tries the handlers in order: first those of each job.
      [this](RunJob& message) { on_run_job(message); },
      [this](const JobAccepted& message) { on_job_accepted(message); },
      [this](const JobProgress& message) { on_job_progress(message); },
      [this](const JobFinished& message) { on_job_finished(message); },
      [this](const ApplicationAccepted& message) { handle(&ClientProtocol::on_application_accepted, message); },
      [this](const ApplicationRefused& message) { handle(&ClientProtocol::on_application_refused, message); },
      [this](const ApplicationEnded& message) { handle(&ClientProtocol::on_application_ended, message); },
      [this](const DriverReady& message) { handle(&ClientProtocol::on_driver_ready, message); },
      [this](const Notice& message) { on_notice(message); },
      [this](const CancelJobs&) { on_cancel_jobs(); },
      [this](const LeaveApplication& message) { handle(&ClientProtocol::on_leave_application, message); },
      [this](const NodesLost& message) { handle(&ClientProtocol::on_nodes_lost, message); },
      [this](const ClusterGone&) { on_cluster_gone(); },
      [this](const OutputSettled& message) { handle(&ClientProtocol::on_output_settled, message); },
      [this](const ClientTick& message) { on_client_tick(message); },
  };
}

void Client::apply_step(Instant now, const std::function<void(ClientEffects&)>& step) {
  const auto before = protocol_.phase();
  ClientEffects effects;
  step(effects);
  if (protocol_.phase() != before)
    write_event(now, "client_phase", ports::EventFields{}.add("phase", static_cast<int>(protocol_.phase())));
  for (const auto& effect : effects) {
    if (const auto* sent = std::get_if<SubmitToJobService>(&effect))
      write_event(now, "client_job_sent", ports::EventFields{}.add("request", sent->job.request));
    if (const auto* cancelled = std::get_if<CancelAtJobService>(&effect))
      write_event(now, "client_job_cancelled", ports::EventFields{}.add("job", cancelled->job));
  }
  apply_effects(now, effects);
}

void Client::write_event(Instant now, std::string_view name, const ports::EventFields& fields) {
  if (tools_.events != nullptr) tools_.events->write(now, name, fields);
}

template <class Message>
void Client::handle(void (ClientProtocol::*handler)(const Message&, ClientEffects&), const Message& message) {
  apply_step(tools_.clock->now(), [&](ClientEffects& effects) { (protocol_.*handler)(message, effects); });
}

// -- from the job service ------------------------------------------------------------------------

/// False for a message of an earlier job service, which may still send after a newer one has replaced it. Reports about
/// jobs that this Client follows come from the JobReporter in the process of the Driver.
bool Client::is_from_job_service() const {
  const auto& sender = self_->current_sender();
  if (!job_service_ || !sender) return false;
  return start_.follows_jobs ? job_service_.node() == sender->node() : job_service_.address() == sender->address();
}

void Client::on_job_accepted(const JobAccepted& message) {
  if (is_from_job_service()) handle(&ClientProtocol::on_job_accepted, message);
}

void Client::on_job_progress(const JobProgress& message) {
  if (is_from_job_service()) handle(&ClientProtocol::on_job_progress, message);
}

void Client::on_job_finished(const JobFinished& message) {
  if (is_from_job_service()) handle(&ClientProtocol::on_job_finished, message);
}

/// Sent by the job service or by the ResourceManager.
void Client::on_notice(const Notice& message) { handle(&ClientProtocol::on_notice, message); }

void Client::on_job_service_connected(std::int32_t attempt, const JobServiceActor& found) {
  if (attempt != protocol_.link().attempt()) return;
  job_service_ = found;
  apply_step(tools_.clock->now(), [&](ClientEffects& effects) { protocol_.on_job_service_reached(attempt, effects); });
}

void Client::on_job_service_unreachable(std::int32_t attempt) {
  const Instant now = tools_.clock->now();
  apply_step(now, [&](ClientEffects& effects) { protocol_.on_job_service_unreachable(now, attempt, effects); });
}

// -- from the ResourceManager ------------------------------------------------------------------------

void Client::on_connected(const ApplicationClientServiceActor& found) {
  resource_manager_ = found;
  apply_step(tools_.clock->now(), [&](ClientEffects& effects) { protocol_.on_cluster_reached(effects); });
}

void Client::on_unreachable() {
  apply_step(tools_.clock->now(), [&](ClientEffects& effects) { protocol_.on_cluster_unreachable(effects); });
}

// -- from the session, background work, timer -----------------------------------------------------------

void Client::on_run_job(RunJob& message) {
  apply_step(tools_.clock->now(), [&](ClientEffects& effects) { protocol_.on_run_job(std::move(message), effects); });
}

void Client::on_cancel_jobs() {
  const Instant now = tools_.clock->now();
  apply_step(now, [&](ClientEffects& effects) { protocol_.on_cancel_jobs(now, effects); });
}

void Client::on_cluster_gone() {
  apply_step(tools_.clock->now(), [&](ClientEffects& effects) { protocol_.on_cluster_gone(effects); });
}

void Client::on_client_tick(const ClientTick& message) {
  if (!tick_.accept(message.epoch)) return;
  const Instant now = tools_.clock->now();
  apply_step(now, [&](ClientEffects& effects) { protocol_.on_tick(now, effects); });
}

void Client::on_peer_down(const caf::actor_addr& peer) {
  const bool is_resource_manager = resource_manager_ && resource_manager_.address() == peer;
  const bool is_job_service = job_service_ && job_service_.address() == peer;
  if (is_job_service) job_service_ = nullptr;
  apply_step(tools_.clock->now(), [&](ClientEffects& effects) {
    if (is_resource_manager) protocol_.on_resource_manager_lost(effects);
    else if (is_job_service) protocol_.on_job_service_lost(effects);
  });
}

/// Ends all requests with an error, because the session waits for them.
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
