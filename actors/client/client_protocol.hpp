// One application and its jobs from the side of its user.
//
//   connecting --reached--> submitted --ApplicationAccepted--> running --LeaveApplication--> leaving --ended--> over
//       |                      |                                  |
//       |                      '----- refused, ended, lost, ------'
//       |                             not cancelled in time
//       '--not reached--> over <--its outputs are settled-- ending
//
// Without a cluster it starts in phase running. Without jobs it skips phase ending. A job that is run in ending,
// leaving or over ends at once.
//
// Phase ending: no Driver will report the ends of the jobs. The Client ends the cluster and a Driver in this process
// with its work. Then it settles each output: it completes a decided commit, or removes the incomplete output.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "actors/client/client_reports.hpp"
#include "actors/client/driver_link.hpp"
#include "actors/client/request_table.hpp"
#include "messages/client_role.hpp"
#include "model/time.hpp"

namespace heddle::actors {

enum class ClientPhase : std::uint8_t { connecting, submitted, running, ending, leaving, over };

/// End of jobs after the connection to the ResourceManager broke.
inline constexpr std::string_view cluster_lost = "the ResourceManager was lost, and the cluster with it";
/// End of a cancelled job that nobody has confirmed.
inline constexpr std::string_view cancelled_without_answer =
    "cancelled by the user; neither the Driver nor the ResourceManager answered";

struct ClientRules {
  bool has_cluster = true;
  bool has_own_driver = false;    // in this process; false: each DriverReady names one
  bool is_driver_shared = false;  // other Clients use the own Driver too: it must be told when this application ends
};

struct ConnectCluster {};
struct SubmitToCluster {};
struct KillAtCluster {
  std::string reason;
};
struct ConnectDriver {
  std::int32_t attempt = 0;
  std::string address;
};
struct SubmitToDriver {
  SubmitJob job;
};
struct CancelAtDriver {
  JobId job;
};
struct StopAtDriver {
  bool succeeded = false;
};
/// The Driver of this process fails its jobs with this text.
struct FailAtDriver {
  std::string text;
};
/// Runs in the background. Result: on_cluster_gone.
struct EndCluster {};
/// Runs in the background. Result: OutputSettled.
struct SettleOutput {
  std::int64_t request = 0;
  std::vector<std::string> paths;
  std::int32_t attempt = 0;  // higher than each attempt of the application
};
struct ReportToSession {
  ClientReport report;
};

using ClientEffect =
    std::variant<ConnectCluster, SubmitToCluster, KillAtCluster, ConnectDriver, SubmitToDriver, CancelAtDriver,
                 StopAtDriver, FailAtDriver, EndCluster, SettleOutput, ReportToSession>;
using ClientEffects = std::vector<ClientEffect>;

class ClientProtocol {
public:
  explicit ClientProtocol(ClientRules rules);

  [[nodiscard]] ClientPhase phase() const { return phase_; }
  [[nodiscard]] const DriverLink& link() const { return link_; }
  [[nodiscard]] const RequestTable& requests() const { return requests_; }
  [[nodiscard]] std::optional<Instant> next_due() const;

  void begin(ClientEffects& effects) const;
  // -- the ResourceManager
  void on_cluster_reached(ClientEffects& effects);
  void on_cluster_unreachable(ClientEffects& effects);
  void on_resource_manager_lost(ClientEffects& effects);
  void on_application_accepted(const ApplicationAccepted& message, ClientEffects& effects);
  void on_application_refused(const ApplicationRefused& message, ClientEffects& effects);
  void on_application_ended(const ApplicationEnded& message, ClientEffects& effects);
  void on_driver_ready(const DriverReady& message, ClientEffects& effects);
  // -- the Driver
  void on_driver_reached(std::int32_t attempt, ClientEffects& effects);
  void on_driver_unreachable(Instant now, std::int32_t attempt) { link_.on_unreachable(now, attempt); }
  void on_driver_lost();
  void on_job_accepted(const JobAccepted& message, ClientEffects& effects);
  void on_job_progress(const JobProgress& message, ClientEffects& effects);
  void on_job_finished(const JobFinished& message, ClientEffects& effects);
  void on_notice(const Notice& message, ClientEffects& effects);
  // -- the session
  void on_run_job(RunJob message, ClientEffects& effects);
  void on_cancel_jobs(Instant now, ClientEffects& effects);
  void on_leave_application(const LeaveApplication& message, ClientEffects& effects);
  void on_nodes_lost(const NodesLost& message, ClientEffects& effects);
  // -- background work, timer
  void on_cluster_gone(ClientEffects& effects);
  void on_output_settled(const OutputSettled& message, ClientEffects& effects);
  void on_tick(Instant now, ClientEffects& effects);

private:
  void enter(ClientPhase next);
  [[nodiscard]] bool is_live() const;
  void submit(std::int64_t request, ClientEffects& effects);
  void kill(ClientEffects& effects);
  void lose_cluster(Error why, ClientEffects& effects);
  void give_up(Error why, ClientEffects& effects);
  void end_request(std::int64_t request, Result<JobFinished> end, ClientEffects& effects);
  [[nodiscard]] JobFinished unended() const;

  ClientRules rules_;
  ClientPhase phase_;
  DriverLink link_;
  RequestTable requests_;
  std::optional<Error> why_;             // set: no job can run any more
  std::optional<Instant> cancelled_at_;  // set while cancelled jobs have not ended
  bool is_killed_ = false;               // KillApplication was sent because of a cancellation
};

}  // namespace heddle::actors
