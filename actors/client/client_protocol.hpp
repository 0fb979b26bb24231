// One application and its jobs from the side of its user.
//
//   connecting --reached--> submitted --ApplicationAccepted--> running --LeaveApplication--> leaving --ended--> over
//       |                      |                                  |
//       |                      '----- refused, ended, lost, ------'
//       |                             not cancelled in time
//       '--not reached--> over <--its outputs are settled-- ending
//
// With a JobTracker, phase connecting ends in running once the JobTracker is reached, and LeaveApplication leads to
// over. If JobTrackers recover jobs, the Client waits for the next one in phase running. Without a cluster it starts in
// phase running. Without jobs it skips phase ending. A job that is run in ending, leaving or over ends at once.
//
// A Client that follows jobs submits none of them: the master container has them. It gets the reports of its job
// service as if it had, and the application ends with its jobs. If the job service cannot be reached, the final status
// of the application states how they ended.
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
#include "actors/client/job_service_link.hpp"
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
/// Notice about jobs of a master container that ended while the Client was not connected.
inline constexpr std::string_view ended_unseen =
    "the application has succeeded, but the client could not connect to its Driver: the counts of its tasks, bytes and "
    "counters are unknown";
/// Added to the reason of a job without an output, one of several in a failed application whose Driver is lost.
inline constexpr std::string_view success_unknown =
    "; this job may have succeeded: without an output the client cannot know";
/// Framework classic.
inline constexpr std::string_view job_tracker_unreachable = "the JobTracker cannot be reached";
inline constexpr std::string_view job_tracker_lost = "the JobTracker was lost, and its jobs with it";
inline constexpr std::string_view job_tracker_returns =
    "the JobTracker was lost; its jobs run anew when it has started again";
inline constexpr std::string_view cancelled_without_job_tracker =
    "cancelled by the user; the JobTracker did not answer";

struct ClientRules {
  bool has_cluster = true;
  bool has_own_driver = false;    // in this process; false: each DriverReady names one
  bool is_driver_shared = false;  // other Clients use the own Driver too: it is notified when this application ends
  /// Framework classic: address of the JobTracker, which runs the jobs. There is no ResourceManager, no application is
  /// submitted. Empty: framework driver.
  std::string job_tracker = {};
  /// Framework yarn: the job service runs in the master container, as a Driver in cluster mode, and ends with its job.
  bool has_map_reduce_master = false;
  /// Framework classic: a JobTracker that follows a lost one at its address runs the jobs anew.
  bool recovers_jobs = false;
  /// Cluster mode on YARN: the master container has the jobs, in the order of their requests from 0 on, and submits
  /// them itself.
  bool follows_jobs = false;
  bool settles_outputs = true;  // false: nobody does, if the job service is lost

  [[nodiscard]] bool is_classic() const { return !job_tracker.empty(); }
  /// The job service runs in the master container, and ends the application after its jobs.
  [[nodiscard]] bool ends_with_jobs() const { return has_map_reduce_master || follows_jobs; }
};

struct ConnectCluster {};
struct SubmitToCluster {};
struct KillAtCluster {
  std::string reason;
};
struct ConnectJobService {
  std::int32_t attempt = 0;
  std::string address;
};
struct SubmitToJobService {
  SubmitJob job;
};
struct CancelAtJobService {
  JobId job;
};
/// No more jobs follow.
struct StopAtDriver {
  bool succeeded = false;
  std::string text;
};
/// Ask for reports about the jobs of the master container.
struct FollowAtDriver {};
/// The reports are no longer needed.
struct StopFollowingAtDriver {};
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

using ClientEffect = std::variant<ConnectCluster, SubmitToCluster, KillAtCluster, ConnectJobService, SubmitToJobService,
                                  CancelAtJobService, StopAtDriver, FollowAtDriver, StopFollowingAtDriver, FailAtDriver,
                                  EndCluster, SettleOutput, ReportToSession>;
using ClientEffects = std::vector<ClientEffect>;

class ClientProtocol {
public:
  explicit ClientProtocol(ClientRules rules);

  [[nodiscard]] ClientPhase phase() const { return phase_; }
  [[nodiscard]] const JobServiceLink& link() const { return link_; }
  [[nodiscard]] const RequestTable& requests() const { return requests_; }
  [[nodiscard]] std::optional<Instant> next_due() const;

  void begin(ClientEffects& effects);
  // -- the ResourceManager
  void on_cluster_reached(ClientEffects& effects);
  void on_cluster_unreachable(ClientEffects& effects);
  void on_resource_manager_lost(ClientEffects& effects);
  void on_application_accepted(const ApplicationAccepted& message, ClientEffects& effects);
  void on_application_refused(const ApplicationRefused& message, ClientEffects& effects);
  void on_application_ended(const ApplicationEnded& message, ClientEffects& effects);
  void on_driver_ready(const DriverReady& message, ClientEffects& effects);
  // -- the job service
  void on_job_service_reached(std::int32_t attempt, ClientEffects& effects);
  void on_job_service_unreachable(Instant now, std::int32_t attempt, ClientEffects& effects);
  void on_job_service_lost(ClientEffects& effects);
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
  void follow(ClientEffects& effects);
  void follow_job_tracker(ClientEffects& effects);
  void kill(ClientEffects& effects);
  void lose_cluster(Error why, ClientEffects& effects);
  void end_application(const ApplicationEnded& message, ClientEffects& effects);
  void end_as_succeeded(ClientEffects& effects);
  void give_up(Error why, ClientEffects& effects);
  void end_request(std::int64_t request, Result<JobFinished> end, ClientEffects& effects);
  [[nodiscard]] JobFinished unended() const;

  ClientRules rules_;
  ClientPhase phase_;
  JobServiceLink link_;
  RequestTable requests_;
  bool has_ended_job_ = false;     // the job service has reported the end of a job
  bool has_several_jobs_ = false;  // at least two were requested at the same time
  /// The job service has ended the application with its jobs, and its last messages may still be under way.
  std::optional<ApplicationEnded> ended_;
  std::optional<Error> why_;             // set: no job can run any more
  std::optional<Instant> cancelled_at_;  // set while cancelled jobs have not ended
  bool is_killed_ = false;               // KillApplication was sent because of a cancellation
};

}  // namespace heddle::actors
