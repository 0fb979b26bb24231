#include "interop/yarn/submission_link.hpp"

#include <fmt/format.h>

#include <utility>

#include "interop/yarn/launch_context.hpp"
#include "interop/yarn/yarn_ids.hpp"
#include "runtime/spawn_role.hpp"

namespace heddle::interop {
namespace {

LaunchSpec spec_of(const SubmitApplication& message, const SubmissionLinkSettings& settings) {
  LaunchSpec spec;
  spec.settings = message.launch.settings;
  spec.container.resource_manager_address = settings.scheduler_address;
  spec.container.token = settings.token;
  spec.cluster = settings.transport_key.name;
  spec.cluster_secret = settings.transport_key.secret;
  std::visit([&spec](const auto& role) { spec.role = role; }, message.launch.role);
  return spec;
}

}  // namespace

SubmissionLink::SubmissionLink(SubmissionLinkActor::pointer self, SubmissionLinkSettings settings,
                               runtime::ActorTools tools, RpcClient* client)
    : self_{self}, settings_{std::move(settings)}, tools_{std::move(tools)}, client_{client} {}

SubmissionLinkActor::behavior_type SubmissionLink::make_behavior() {
  return {
      [this](const SubmitApplication& message) { on_submit(message); },
      [this](const KillApplication& message) { on_kill(message); },
      [this](const ReportSoon&) { on_report_soon(); },
      [this](const ReportDue& message) { on_report_due(message); },
      [](const LinkWork& message) { message.run(); },
  };
}

template <class Message>
void SubmissionLink::send_client(Message message) {
  if (applicant_) self_->send(applicant_, std::move(message));
}

template <class Response, class Request, class Handler>
void SubmissionLink::call(std::string_view method, const Request& request, Handler handler) {
  client_->call<Response>(method, request, {},
                          answer_to<RpcResult<Response>>(SubmissionLinkActor{self_}, std::move(handler)));
}

void SubmissionLink::on_submit(const SubmitApplication& message) {
  if (phase_ != Phase::idle) return;
  phase_ = Phase::submitted;
  applicant_ = caf::actor_cast<ClientActor>(self_->current_sender());
  proto::ContainerLaunchContext master;
  if (settings_.rules.is_unmanaged) {
    unmanaged_ = spec_of(message, settings_);
  } else {
    proto::ContainerLaunchContext program;
    static_cast<void>(program.ParseFromString(settings_.program));
    master = launch_context(std::move(program), spec_of(message, settings_), settings_.credentials);
  }
  const auto request = submission_request(message, settings_.rules, std::move(master));
  call<proto::Empty>("submitApplication", request, [this](const RpcResult<proto::Empty>& answer) {
    is_submitted_ = true;
    if (kill_) send_kill(kill_->reason);
    if (answer) return request_report();
    // Without an answer the ResourceManager may have accepted the application: its outputs are settled then.
    const auto kind = answer.fault().kind;
    if (kind == RpcFault::Kind::timed_out || kind == RpcFault::Kind::connection_lost) return leave(answer.fault());
    phase_ = Phase::over;
    send_client(ApplicationRefused{describe(answer.fault(), "ResourceManager")});
  });
}

/// An application that is not submitted yet cannot be killed, and has no report: both wait for the answer to the
/// submission.
void SubmissionLink::on_kill(const KillApplication& message) {
  if (phase_ == Phase::over) return;
  if (is_submitted_) send_kill(message.reason);
  else kill_ = message;
}

/// The answer comes with the reports.
void SubmissionLink::send_kill(const std::string& reason) {
  proto::ForceKillApplicationRequest request;
  *request.mutable_application_id() = to_proto(settings_.rules.application);
  request.set_diagnostics(reason);
  call<proto::ForceKillApplicationResponse>(
      "forceKillApplication", request, [this](const RpcResult<proto::ForceKillApplicationResponse>& answer) {
        if (answer) return on_report_soon();
        send_client(Notice{fmt::format("application {} could not be killed: {}", to_string(settings_.rules.application),
                                       describe(answer.fault(), "ResourceManager"))});
      });
}

// -- reports --------------------------------------------------------------------------------------

Duration SubmissionLink::interval() const {
  return is_running_ && !is_ending_ ? settings_.report_interval : settings_.report_interval_begin;
}

void SubmissionLink::on_report_soon() {
  is_ending_ = true;
  if (phase_ == Phase::submitted || phase_ == Phase::accepted) request_report();
}

void SubmissionLink::on_report_due(const ReportDue& message) {
  if (tick_.accept(message.epoch)) request_report();
}

void SubmissionLink::request_report() {
  if (!is_submitted_ || std::exchange(is_report_requested_, true)) return;
  proto::GetApplicationReportRequest request;
  *request.mutable_application_id() = to_proto(settings_.rules.application);
  call<proto::GetApplicationReportResponse>("getApplicationReport", request,
                                            [this](const auto& answer) { handle_report(answer); });
}

void SubmissionLink::handle_report(const RpcResult<proto::GetApplicationReportResponse>& answer) {
  is_report_requested_ = false;
  if (phase_ == Phase::over) return;
  const auto& application = settings_.rules.application;
  if (!answer && answer.fault().is("ApplicationNotFoundException"))
    return end({application, false,
                fmt::format("the ResourceManager no longer knows application {}", to_string(application))});
  if (!answer) return leave(answer.fault());
  follow(answer->report());
  if (phase_ != Phase::over) tick_.arm<ReportDue>(self_, interval());
}

/// The application of this link goes on without it, if there is one.
void SubmissionLink::leave(const RpcFault& fault) {
  const auto text = describe(fault, "ResourceManager");
  send_client(Notice{text});
  phase_ = Phase::over;
  self_->quit(caf::make_error(caf::sec::runtime_error, text));
}

void SubmissionLink::follow(const proto::ApplicationReport& report) {
  const auto ended = ended_application(report);
  const bool has_run = report.current_attempt_id().attempt_id() > 0;  // an application can end between two reports
  if (phase_ == Phase::submitted && is_final(report.state()) && !is_accepted(report.state()) && !has_run) {
    phase_ = Phase::over;
    return send_client(ApplicationRefused{ended.text});
  }
  if (phase_ == Phase::submitted && (is_accepted(report.state()) || is_final(report.state()))) {
    phase_ = Phase::accepted;
    send_client(ApplicationAccepted{settings_.rules.application, report.queue()});
  }
  start_master(report);
  if (is_final(report.state())) {
    const auto last = report.current_attempt_id().attempt_id();
    return !ended.succeeded && last > 1 ? end_with_attempts(ended, last) : end(ended);
  }
  is_running_ = report.state() == proto::APPLICATION_RUNNING;
  if (is_running_) report_to_driver(report);
  report_waiting(report);
}

/// The report has the token of an unmanaged master from the moment that the ResourceManager waits for it.
void SubmissionLink::start_master(const proto::ApplicationReport& report) {
  if (!unmanaged_ || !report.has_master_token()) return;
  auto spec = *std::exchange(unmanaged_, std::nullopt);
  spec.container.attempt = attempt_of(report.current_attempt_id());
  auto credentials = settings_.credentials;
  credentials.tokens.emplace_back("", token_of(report.master_token()));
  credentials.secrets.emplace_back(program_secret, settings_.program);
  settings_.start_master(spec, credentials);
}

/// Cluster mode: the master has registered with the address of its Driver.
void SubmissionLink::report_to_driver(const proto::ApplicationReport& report) {
  const auto attempt = attempt_of(report.current_attempt_id());
  if (report.host().empty() || report.rpc_port() <= 0 || attempt.attempt <= driver_attempt_) return;
  driver_attempt_ = attempt.attempt;
  send_client(DriverReady{attempt, fmt::format("{}:{}", report.host(), report.rpc_port())});
}

void SubmissionLink::report_waiting(const proto::ApplicationReport& report) {
  if (report.state() != proto::APPLICATION_ACCEPTED) {
    waiting_since_.reset();
    return;
  }
  const auto now = tools_.clock->now();
  if (!waiting_since_) waiting_since_ = now;
  if (now - *waiting_since_ < settings_.waiting_time || report.diagnostics() == reported_diagnostics_) return;
  reported_diagnostics_ = report.diagnostics();
  send_client(Notice{fmt::format("application {} waits for its master container: {}",
                                 to_string(settings_.rules.application), reported_diagnostics_)});
}

void SubmissionLink::end(const ApplicationEnded& message) {
  phase_ = Phase::over;
  tick_.cancel();
  send_client(message);
}

/// The report of an application has the diagnostics of its last attempt only.
void SubmissionLink::end_with_attempts(const ApplicationEnded& message, std::int32_t last) {
  phase_ = Phase::over;
  tick_.cancel();
  proto::GetApplicationAttemptsRequest request;
  *request.mutable_application_id() = to_proto(settings_.rules.application);
  call<proto::GetApplicationAttemptsResponse>(
      "getApplicationAttempts", request,
      [this, message, last](const RpcResult<proto::GetApplicationAttemptsResponse>& answer) {
        auto ended = message;
        if (answer) ended.text = with_earlier_attempts(ended.text, last, *answer);
        send_client(ended);
      });
}

SubmissionLinkActor spawn_submission_link(caf::actor_system& system, const SubmissionLinkSettings& settings,
                                          const runtime::ActorTools& tools, RpcClient* client) {
  return runtime::spawn_role<SubmissionLink>(system, settings, tools, client);
}

}  // namespace heddle::interop
