// Runs the jobs of a staging folder in a master container, and reports them to clients that follow them.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "actors/client/client_reports.hpp"
#include "apps/roles/make_roles.hpp"
#include "apps/roles/role_runtime.hpp"
#include "config/table/settings.hpp"
#include "messages/client_role.hpp"
#include "messages/handles.hpp"
#include "model/job_package.hpp"
#include "model/launch_spec.hpp"
#include "work/files/file_systems.hpp"

namespace heddle::apps {

class StagedRun final : public actors::ClientListener {
public:
  /// All arguments must outlive this object, and this object the actors of `world`.
  StagedRun(RoleRuntime& world, const LaunchSpec& spec, const ApplicationMasterLaunch& launch);

  /// For the Driver that runs the jobs.
  [[nodiscard]] const JobReporterActor& reporter() const { return reporter_; }
  /// Submits the jobs to the Driver in a thread of its own. When they have ended and no client needs their reports any
  /// more, it stops the Driver, and with it the application. The event log of `world` ends with the jobs.
  void begin(const OwnDriver& driver);
  /// Removes the staging folder, unless a client still has to read there how the jobs ended; that client removes it.
  void remove_folder();

  void on_report(actors::ClientReport report) override;

private:
  void run();
  void submit(std::vector<JobPackage> jobs);
  template <class Condition>
  void wait_until(Condition condition);
  void save_event_log();
  [[nodiscard]] std::string why_failed(const std::vector<std::string>& names);
  void end_application(const std::string& why_failed);
  [[nodiscard]] bool is_needed();
  // Reports of the Client, on its thread.
  void on(const JobAccepted& report);
  void on(const Notice& report);
  void on(const actors::RequestEnded& report);

  RoleRuntime& world_;
  const LaunchSpec& spec_;
  const ApplicationMasterLaunch& launch_;
  work::FileSystems files_;
  JobReporterActor reporter_;
  ClientRoleActor client_;
  std::mutex mutex_;
  std::condition_variable has_changed_;
  std::map<std::int64_t, JobFinished> ends_;  // by request
  std::map<std::int64_t, JobId> jobs_;        // by request
  JobFinished last_;                          // of the job that ended last
  std::size_t count_ = 0;                     // of all jobs
  bool is_reported_ = false;                  // no client is waited for any more
  bool is_confirmed_ = false;                 // and none is missing a report
};

/// At the end of an application in client mode: removes its staging folder, if its client was killed and has not done
/// it.
void remove_left_folder(const config::Settings& settings, const std::string& folder);

}  // namespace heddle::apps
