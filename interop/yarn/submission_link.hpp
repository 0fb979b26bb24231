// Submits one application to the ResourceManager of Hadoop and follows its reports, in the place of heddle's
// ResourceManager.
// Receives from: Client, its session. Sends to: Client.
//
//   idle --SubmitApplication--> submitted --accepted--> accepted --final state--> over
//                                   '----------- refused ---------------------------^
#pragma once

#include <caf/typed_event_based_actor.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "interop/hadoop/rpc_client.hpp"
#include "interop/hadoop/token_file.hpp"
#include "interop/yarn/link_work.hpp"
#include "interop/yarn/yarn_records.hpp"
#include "messages/handles.hpp"
#include "ports/transport_key.hpp"
#include "runtime/actor_tools.hpp"
#include "runtime/timers.hpp"

namespace heddle::interop {

/// From the session: the application is about to end. Ask for the next report at once, and often.
struct ReportSoon {};
/// To itself: request the next report.
struct ReportDue {
  std::uint64_t epoch = 0;
};
HEDDLE_INSPECT_EMPTY(ReportSoon)
HEDDLE_INSPECT(ReportDue, epoch)

using SubmissionLinkActor =
    caf_compat::ExtendedInterface<ApplicationClientServiceActor, void(ReportSoon), void(ReportDue), void(LinkWork)>;

/// Starts an unmanaged master on this host, with the credentials that the token file of a container would have.
using StartMaster = std::function<void(const LaunchSpec& spec, const CredentialFile& credentials)>;

struct SubmissionLinkSettings {
  SubmissionRules rules;
  StartMaster start_master = {};      // called once, if the master is unmanaged
  std::string program;                // program_context() as bytes
  CredentialFile credentials;         // for the master
  std::string token;                  // of the application
  ports::TransportKey transport_key;  // of the application
  std::string scheduler_address;      // how the master finds the ResourceManager, see yarn_connector.hpp
  Duration report_interval{0};        // while the application runs
  Duration report_interval_begin{0};  // before that, and at its end
  Duration waiting_time{0};           // in state ACCEPTED, after which the user gets the diagnostics
};

class SubmissionLink {
public:
  using Handle = SubmissionLinkActor;
  SubmissionLink(SubmissionLinkActor::pointer self, SubmissionLinkSettings settings, runtime::ActorTools tools,
                 RpcClient* client);
  SubmissionLinkActor::behavior_type make_behavior();

private:
  enum class Phase : std::uint8_t { idle, submitted, accepted, over };

  void on_submit(const SubmitApplication& message);
  void on_kill(const KillApplication& message);
  void on_report_soon();
  void on_report_due(const ReportDue& message);
  void send_kill(const std::string& reason);
  void request_report();
  void handle_report(const RpcResult<proto::GetApplicationReportResponse>& answer);
  void leave(const RpcFault& fault);
  void follow(const proto::ApplicationReport& report);
  void start_master(const proto::ApplicationReport& report);
  void report_to_driver(const proto::ApplicationReport& report);
  void report_waiting(const proto::ApplicationReport& report);
  void end(const ApplicationEnded& message);
  void end_with_attempts(const ApplicationEnded& message, std::int32_t last);
  [[nodiscard]] Duration interval() const;
  template <class Message>
  void send_client(Message message);
  template <class Response, class Request, class Handler>
  void call(std::string_view method, const Request& request, Handler handler);

  SubmissionLinkActor::pointer self_;
  SubmissionLinkSettings settings_;
  runtime::ActorTools tools_;
  RpcClient* client_;
  Phase phase_ = Phase::idle;
  std::optional<LaunchSpec> unmanaged_;  // of an unmanaged master, until it is started
  ClientActor applicant_;
  runtime::Timer tick_;
  bool is_submitted_ = false;            // the submission is answered
  std::optional<KillApplication> kill_;  // sent after that answer
  bool is_report_requested_ = false;     // for a report
  bool is_running_ = false;              // as the last report says
  bool is_ending_ = false;               // the session waits for the end
  std::int32_t driver_attempt_ = 0;      // attempt of the last DriverReady
  std::optional<Instant> waiting_since_;
  std::string reported_diagnostics_;  // last diagnostics that the user saw
};

/// `client` must outlive the actor.
[[nodiscard]] SubmissionLinkActor spawn_submission_link(caf::actor_system& system,
                                                        const SubmissionLinkSettings& settings,
                                                        const runtime::ActorTools& tools, RpcClient* client);

}  // namespace heddle::interop
