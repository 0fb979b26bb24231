// One application and its jobs from the side of its user: submitted, followed through all Drivers, ended.
//
//   connecting --reached--> submitted --ApplicationAccepted--> running --LeaveApplication--> leaving --ended--> over
//       |                      |                                  |
//       |                      '----- refused, ended, lost, ------'
//       |                             not cancelled in time
//       '--not reached--> over <--its outputs are settled-- ending
//
// Without a cluster it starts in running. Without jobs, ending is left out. A job that is run in ending, leaving or
// over ends at once.
//
// Ending: no Driver will tell the ends of jobs. The cluster is ended, and a Driver in this process with what it has
// begun; then each output is looked at: a decided commit is finished, everything else is removed.
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

/// Why jobs end when the connection to the ResourceManager broke.
inline constexpr std::string_view cluster_lost = "the ResourceManager was lost, and the cluster with it";
/// Why the wait for a cancelled job is over although nobody has told its end.
inline constexpr std::string_view cancelled_without_answer =
    "cancelled by the user; neither the Driver nor the ResourceManager answered";

struct ClientRules {
  bool has_cluster = true;
  bool has_own_driver = false;    // in this process; otherwise each DriverReady names one
  bool is_driver_shared = false;  // others give jobs to the own Driver: it is told when the application is over
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
/// The own Driver ends its jobs with this text.
struct FailAtDriver {
  std::string text;
};
/// In the background; ClusterGone follows.
struct EndCluster {};
/// In the background; OutputSettled follows.
struct SettleOutput {
  std::int64_t request = 0;
  std::vector<std::string> paths;
  std::int32_t attempt = 0;  // after the last one of the application
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
  // -- background work, time
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
  std::optional<Error> why_;             // no job can run any more
  std::optional<Instant> cancelled_at_;  // while jobs run that the user has cancelled
  bool is_killed_ = false;               // the application was, because of a cancellation
};

}  // namespace heddle::actors
